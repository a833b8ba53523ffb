"""Access to frozen splits: grants, and the ledger of every use."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core_app.ids import new_id
from datasets_app.models.datasets import Dataset, DatasetVersion
from datasets_app.states import ExposureUse, Level, Split
from teams_app.models import ServiceToken, Team, User


def new_grant_id() -> str:
    return new_id("grt")


class GrantQuerySet(models.QuerySet["Grant"]):
    def live(self) -> "GrantQuerySet":
        """Return the grants that are neither revoked nor expired."""
        return self.filter(revoked_at=None, expires_at__gt=timezone.now())


class Grant(models.Model):
    """A level on a dataset's frozen splits for one person, token or team, with expiry and reason."""

    public_id = models.CharField(_("id"), max_length=40, unique=True, default=new_grant_id)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="grants", verbose_name=_("dataset"))
    user = models.ForeignKey(
        User, on_delete=models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("person")
    )
    token = models.ForeignKey(
        ServiceToken, on_delete=models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("token")
    )
    team = models.ForeignKey(
        Team, on_delete=models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("team")
    )
    level = models.CharField(_("level"), max_length=16, choices=Level.choices)
    reason = models.CharField(_("reason"), max_length=500)
    expires_at = models.DateTimeField(_("expires"))
    granted_by_key = models.CharField(_("granted by (key)"), max_length=80)
    granted_by_label = models.CharField(_("granted by"), max_length=200)
    created_at = models.DateTimeField(_("granted"), auto_now_add=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True)

    objects = GrantQuerySet.as_manager()

    class Meta:
        verbose_name = _("grant")
        verbose_name_plural = _("grants")
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=(
                    models.Q(user__isnull=False, token__isnull=True, team__isnull=True)
                    | models.Q(user__isnull=True, token__isnull=False, team__isnull=True)
                    | models.Q(user__isnull=True, token__isnull=True, team__isnull=False)
                ),
                name="datasets_grant_one_holder",
            ),
            models.CheckConstraint(condition=models.Q(level__in=Level.values), name="datasets_grant_level"),
        ]

    def __str__(self) -> str:
        return f"{self.get_level_display()} · {self.holder_label}"

    @property
    def is_live(self) -> bool:
        return self.revoked_at is None and self.expires_at > timezone.now()

    @property
    def holder_label(self) -> str:
        return str(self.user or self.token or self.team)


class ExposureEntry(models.Model):
    """One use of a frozen split. Rows are never changed (triggers); the run reference is opaque."""

    version = models.ForeignKey(
        DatasetVersion, on_delete=models.PROTECT, related_name="exposures", verbose_name=_("version")
    )
    split = models.CharField(_("split"), max_length=16, choices=Split.choices, default=Split.FROZEN)
    use = models.CharField(_("use"), max_length=16, choices=ExposureUse.choices)
    actor_key = models.CharField(_("by (key)"), max_length=80)
    actor_label = models.CharField(_("by"), max_length=200)
    system_ref = models.CharField(_("system version"), max_length=200, blank=True)
    run_ref = models.CharField(_("run"), max_length=40, blank=True)
    items = models.PositiveIntegerField(_("items"), default=0)
    reason = models.CharField(_("why"), max_length=500, blank=True)
    at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("exposure entry")
        verbose_name_plural = _("exposure ledger")
        ordering = ["-id"]
        indexes = [models.Index(fields=["version", "split", "use"], name="datasets_exposure_use")]

    def __str__(self) -> str:
        return f"{self.get_use_display()} · {self.actor_label}"
