"""The confidence from which a system should answer: chosen on a dev run, then locked."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from core_app.ids import new_id
from runs_app.models.runs import Run
from runs_app.models.systems import System


def new_threshold_id() -> str:
    return new_id("thr")


class ThresholdBound(models.TextChoices):
    POINT = "point", _("the risk itself")
    UPPER = "upper", _("the upper end of its interval")


class AnswerThreshold(models.Model):
    """One choice with what it gave on the dev run that it was made on. Rows are never changed (triggers); the newest
    holds.
    """

    public_id = models.CharField(_("id"), max_length=40, unique=True, default=new_threshold_id)
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="thresholds", verbose_name=_("system"))
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="thresholds", verbose_name=_("dev run"))
    max_risk = models.FloatField(_("highest risk allowed"))
    bound = models.CharField(_("what had to stay within it"), max_length=8, choices=ThresholdBound.choices)
    threshold = models.FloatField(_("confidence threshold"))
    coverage = models.FloatField(_("coverage"))
    risk = models.FloatField(_("risk"))
    answered = models.PositiveIntegerField(_("answered"))
    wrong = models.PositiveIntegerField(_("wrong"))
    n_total = models.PositiveIntegerField(_("n"))
    note = models.CharField(_("note"), max_length=500, blank=True)
    created_by_key = models.CharField(_("chosen by (key)"), max_length=80)
    created_by_label = models.CharField(_("chosen by"), max_length=200)
    created_at = models.DateTimeField(_("chosen"), auto_now_add=True)

    class Meta:
        verbose_name = _("answer threshold")
        verbose_name_plural = _("answer thresholds")
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=models.Q(bound__in=ThresholdBound.values), name="runs_threshold_bound")
        ]

    def __str__(self) -> str:
        return f"{self.system.ref} ≥ {self.threshold:g}"
