"""The audit trail and the memory of idempotent requests."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class AuditEvent(models.Model):
    """One act, written in the same transaction as its effect. Rows are never changed (database triggers)."""

    actor_kind = models.CharField(_("actor kind"), max_length=16)
    #: No foreign keys: a row that a deleted user or team would change is not a record.
    actor_id = models.BigIntegerField(_("actor id"), null=True)
    actor_label = models.CharField(_("actor"), max_length=200)
    team_id = models.BigIntegerField(_("team id"), null=True)
    action = models.CharField(_("action"), max_length=80)
    object_type = models.CharField(_("object type"), max_length=80)
    object_id = models.CharField(_("object id"), max_length=80)
    object_label = models.CharField(_("object"), max_length=300, blank=True)
    before = models.JSONField(_("before"), null=True)
    after = models.JSONField(_("after"), null=True)
    request_id = models.CharField(_("request id"), max_length=64, blank=True)
    address = models.CharField(_("address"), max_length=64, blank=True)
    at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("audit event")
        verbose_name_plural = _("audit events")
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["team_id", "-id"], name="core_audit_team"),
            models.Index(fields=["object_type", "object_id"], name="core_audit_object"),
            models.Index(fields=["action", "-id"], name="core_audit_action"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.object_label or self.object_id} by {self.actor_label}"


class AuditSeal(models.Model):
    """The hash chain over audit events: `hash = sha256(previous hash, sequence, event)`, in the order of sealing."""

    sequence = models.BigIntegerField(_("sequence"), primary_key=True)
    event_id = models.BigIntegerField(_("event id"), unique=True)
    previous_hash = models.CharField(_("previous hash"), max_length=64)
    hash = models.CharField(_("hash"), max_length=64)
    sealed_at = models.DateTimeField(_("sealed at"))

    class Meta:
        verbose_name = _("audit seal")
        verbose_name_plural = _("audit seals")
        ordering = ["sequence"]

    def __str__(self) -> str:
        return f"#{self.sequence} {self.hash[:12]}"


class AuditCheck(models.Model):
    """What the last walks along the chain found; `reason` is empty where it holds."""

    at = models.DateTimeField(_("time"))
    sealed = models.BigIntegerField(_("sealed events"))
    unsealed = models.BigIntegerField(_("events not sealed yet"))
    head = models.CharField(_("hash of the last link"), max_length=64, blank=True)
    broken_sequence = models.BigIntegerField(_("first broken link"), null=True)
    reason = models.CharField(_("what is wrong"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("check of the audit trail")
        verbose_name_plural = _("checks of the audit trail")
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.reason or 'ok'}"

    @property
    def is_whole(self) -> bool:
        return self.broken_sequence is None


class IdempotencyRecord(models.Model):
    """The first answer to a POST with an `Idempotency-Key`, replayed to the same actor for the same body."""

    actor_key = models.CharField(_("actor"), max_length=80)
    key = models.CharField(_("key"), max_length=200)
    method_path = models.CharField(_("request"), max_length=400)
    body_sha256 = models.CharField(_("body hash"), max_length=64)
    status = models.PositiveSmallIntegerField(_("status"), null=True)
    headers = models.JSONField(_("headers"), default=dict)
    body = models.BinaryField(_("body"), null=True)
    #: The process that runs the call (core_app.processes).
    holder = models.CharField(_("held by"), max_length=120, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("idempotency record")
        verbose_name_plural = _("idempotency records")
        constraints = [models.UniqueConstraint(fields=["actor_key", "key"], name="core_idempotency_once")]
        indexes = [models.Index(fields=["created_at"], name="core_idempotency_age")]

    def __str__(self) -> str:
        return f"{self.method_path} {self.key}"
