"""Systems under test with their versions, and suites: which metrics, with which parameters."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from core_app.ids import new_id
from teams_app.models import Team, slug_validator


def new_system_id() -> str:
    return new_id("sys")


class System(models.Model):
    """A question-answering system of a team."""

    public_id = models.CharField(_("id"), max_length=40, unique=True, default=new_system_id)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="systems", verbose_name=_("team"))
    slug = models.CharField(_("short name"), max_length=50, validators=[slug_validator])
    name = models.CharField(_("name"), max_length=200)
    description = models.TextField(_("description"), blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("system")
        verbose_name_plural = _("systems")
        ordering = ["team_id", "slug"]
        constraints = [models.UniqueConstraint(fields=["team", "slug"], name="runs_system_slug_once")]

    def __str__(self) -> str:
        return self.name

    @property
    def ref(self) -> str:
        return f"{self.team.slug}/{self.slug}"


class SystemVersion(models.Model):
    """One configuration of a system: what changed, from which commit, with which models and parameters."""

    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="versions", verbose_name=_("system"))
    label = models.CharField(_("version"), max_length=80)
    change = models.TextField(_("change"), blank=True)
    git_sha = models.CharField(_("git sha"), max_length=64, blank=True)
    config = models.JSONField(_("configuration"), default=dict)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("system version")
        verbose_name_plural = _("system versions")
        ordering = ["system_id", "-id"]
        constraints = [models.UniqueConstraint(fields=["system", "label"], name="runs_system_version_once")]

    def __str__(self) -> str:
        return f"{self.system.name} {self.label}"

    @property
    def ref(self) -> str:
        return f"{self.system.ref}@{self.label}"


def new_suite_id() -> str:
    return new_id("sui")


class Suite(models.Model):
    """A named set of metrics; each change makes a new version."""

    public_id = models.CharField(_("id"), max_length=40, unique=True, default=new_suite_id)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="suites", verbose_name=_("team"))
    slug = models.CharField(_("short name"), max_length=50, validators=[slug_validator])
    name = models.CharField(_("name"), max_length=200)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("suite")
        verbose_name_plural = _("suites")
        ordering = ["team_id", "slug"]
        constraints = [models.UniqueConstraint(fields=["team", "slug"], name="runs_suite_slug_once")]

    def __str__(self) -> str:
        return self.name

    @property
    def ref(self) -> str:
        return f"{self.team.slug}/{self.slug}"


class SuiteVersion(models.Model):
    """One immutable list of metric identities with the settings of comparison and diagnosis (triggers).

    `metrics` holds full identity texts, for example `retrieval.ndcg@10 gain=linear stage=reranked v1`; `settings` holds
    `eps` (default 0.03, or per metric name), `stages`, `diagnosis` thresholds, `resamples`.
    """

    suite = models.ForeignKey(Suite, on_delete=models.PROTECT, related_name="versions", verbose_name=_("suite"))
    number = models.PositiveIntegerField(_("number"))
    metrics = models.JSONField(_("metrics"))
    settings = models.JSONField(_("settings"), default=dict)
    created_by_label = models.CharField(_("made by"), max_length=200)
    created_at = models.DateTimeField(_("made"), auto_now_add=True)

    class Meta:
        verbose_name = _("suite version")
        verbose_name_plural = _("suite versions")
        ordering = ["suite_id", "-number"]
        constraints = [models.UniqueConstraint(fields=["suite", "number"], name="runs_suite_version_once")]

    def __str__(self) -> str:
        return f"{self.suite.name} @{self.number}"

    @property
    def ref(self) -> str:
        return f"{self.suite.ref}@{self.number}"
