"""What a frozen split may be used for: its budget of runs, what stewards added to it, when it is due to rotate."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from datasets_app.models.datasets import DatasetVersion

#: A run a working day and some releases in a month; a year of that, after which the items are known too well.
RUNS_PER_PERIOD = 50
PERIOD_DAYS = 30
RUNS_LIFETIME = 500
#: Most that a budget or an extension can say.
MAX_RUNS = 100_000
MAX_DAYS = 366


class ExposureBudget(models.Model):
    """The budget of a version's frozen split. Without a row: that of the version before it, else the defaults."""

    version = models.OneToOneField(
        DatasetVersion, on_delete=models.PROTECT, related_name="exposure_budget", verbose_name=_("version")
    )
    runs_per_period = models.PositiveIntegerField(_("runs per period"), default=RUNS_PER_PERIOD)
    period_days = models.PositiveIntegerField(_("days of a period"), default=PERIOD_DAYS)
    runs_lifetime = models.PositiveIntegerField(_("runs over its life"), default=RUNS_LIFETIME)
    rotate_on = models.DateField(_("rotate on"), null=True, blank=True)
    #: What the daily look and each run found to remind stewards of: codes of `states.ExposureReminder`.
    reminders = models.JSONField(_("reminders"), default=list, blank=True)
    updated_at = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        verbose_name = _("exposure budget")
        verbose_name_plural = _("exposure budgets")
        ordering = ["version_id"]
        constraints = [
            models.CheckConstraint(condition=models.Q(period_days__gte=1), name="datasets_budget_period"),
        ]

    def __str__(self) -> str:
        return f"{self.version_id}: {self.runs_per_period} / {self.period_days} d, {self.runs_lifetime}"


class ExposureExtension(models.Model):
    """Runs that a steward added to a split's budget, with the reason. Rows are never changed (triggers)."""

    version = models.ForeignKey(
        DatasetVersion, on_delete=models.PROTECT, related_name="exposure_extensions", verbose_name=_("version")
    )
    runs = models.PositiveIntegerField(_("runs"))
    reason = models.CharField(_("reason"), max_length=500)
    actor_key = models.CharField(_("by (key)"), max_length=80)
    actor_label = models.CharField(_("by"), max_length=200)
    at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("exposure extension")
        verbose_name_plural = _("exposure extensions")
        ordering = ["-id"]
        constraints = [models.CheckConstraint(condition=models.Q(runs__gte=1), name="datasets_extension_runs")]

    def __str__(self) -> str:
        return f"+{self.runs} · {self.actor_label}"
