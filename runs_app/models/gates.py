"""Gates: versioned policies and immutable verdicts."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from core_app.ids import new_id
from runs_app.models.comparisons import Comparison
from runs_app.models.runs import Run
from runs_app.models.systems import System
from runs_app.states import PolicyStatus, Verdict
from teams_app.models import Team, slug_validator


def new_check_id() -> str:
    return new_id("chk")


def new_gate_id() -> str:
    return new_id("gat")


class Gate(models.Model):
    """A release gate of a team."""

    public_id = models.CharField(_("id"), max_length=40, unique=True, default=new_gate_id)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="gates", verbose_name=_("team"))
    slug = models.CharField(_("short name"), max_length=50, validators=[slug_validator])
    name = models.CharField(_("name"), max_length=200)
    system = models.ForeignKey(
        System, on_delete=models.PROTECT, null=True, blank=True, related_name="gates", verbose_name=_("system")
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("gate")
        verbose_name_plural = _("gates")
        ordering = ["team_id", "slug"]
        constraints = [models.UniqueConstraint(fields=["team", "slug"], name="runs_gate_slug_once")]

    def __str__(self) -> str:
        return self.name

    @property
    def ref(self) -> str:
        return f"{self.team.slug}/{self.slug}"


class GatePolicy(models.Model):
    """One version of a gate's rules: drafted by editors, activated by stewards. `rules` is as in docs/gates.md."""

    gate = models.ForeignKey(Gate, on_delete=models.PROTECT, related_name="policies", verbose_name=_("gate"))
    version = models.PositiveIntegerField(_("version"))
    rules = models.JSONField(_("rules"))
    status = models.CharField(_("status"), max_length=16, choices=PolicyStatus.choices, default=PolicyStatus.DRAFT)
    created_by_label = models.CharField(_("drafted by"), max_length=200)
    created_at = models.DateTimeField(_("drafted"), auto_now_add=True)
    activated_by_label = models.CharField(_("activated by"), max_length=200, blank=True)
    activated_at = models.DateTimeField(_("activated"), null=True)

    class Meta:
        verbose_name = _("gate policy")
        verbose_name_plural = _("gate policies")
        ordering = ["gate_id", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["gate", "version"], name="runs_gate_policy_once"),
            models.UniqueConstraint(
                fields=["gate"], condition=models.Q(status=PolicyStatus.ACTIVE), name="runs_gate_policy_one_active"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.gate.name} @{self.version}"


class GateCheck(models.Model):
    """One verdict. Rows are never changed (triggers): a waiver will be a record of its own."""

    public_id = models.CharField(_("id"), max_length=40, unique=True, default=new_check_id)
    policy = models.ForeignKey(GatePolicy, on_delete=models.PROTECT, related_name="checks", verbose_name=_("policy"))
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="gate_checks", verbose_name=_("run"))
    baseline = models.ForeignKey(Run, on_delete=models.PROTECT, null=True, related_name="+", verbose_name=_("baseline"))
    comparison = models.ForeignKey(
        Comparison, on_delete=models.PROTECT, null=True, related_name="+", verbose_name=_("comparison")
    )
    verdict = models.CharField(_("verdict"), max_length=16, choices=Verdict.choices)
    rules = models.JSONField(_("rules"))
    manifest_sha256 = models.CharField(_("manifest sha256"), max_length=64)
    checked_by_label = models.CharField(_("checked by"), max_length=200)
    created_at = models.DateTimeField(_("checked"))

    class Meta:
        verbose_name = _("gate check")
        verbose_name_plural = _("gate checks")
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.policy} · {self.verdict}"
