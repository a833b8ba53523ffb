"""Comparisons of two runs."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from core_app.ids import new_id
from runs_app.models.runs import Run
from teams_app.models import Team


def new_comparison_id() -> str:
    return new_id("cmp")


class Comparison(models.Model):
    """A paired comparison, computed once and kept. `results` is null where the runs are not comparable.

    `results` is a list of rows as the API shows them (docs/comparisons.md); `differences` lists what keeps the runs
    from being compared, or what differs without doing so.
    """

    public_id = models.CharField(_("id"), max_length=40, unique=True, default=new_comparison_id)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="comparisons", verbose_name=_("team"))
    baseline = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+", verbose_name=_("baseline"))
    candidate = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+", verbose_name=_("candidate"))
    comparable = models.BooleanField(_("comparable"))
    differences = models.JSONField(_("differences"), default=list)
    results = models.JSONField(_("results"), null=True)
    settings = models.JSONField(_("settings"), default=dict)
    created_by_label = models.CharField(_("asked by"), max_length=200)
    created_at = models.DateTimeField(_("made"), auto_now_add=True)

    class Meta:
        verbose_name = _("comparison")
        verbose_name_plural = _("comparisons")
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.baseline} → {self.candidate}"
