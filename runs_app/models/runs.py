"""Runs: one system version answering one split, with outputs, scores and aggregates."""

from django.db import models
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from core_app.ids import new_id
from datasets_app.models import DatasetVersion, Snapshot, VersionEntry
from datasets_app.states import Split
from runs_app.models.systems import SuiteVersion, SystemVersion
from runs_app.states import BatchStatus, Outcome, RunMode, RunStatus, ScoreState
from teams_app.models import Team


def new_run_id() -> str:
    return new_id("run")


def scores_seal(digest: str) -> str:
    """Return the keyed form of a run's hash of scores (HMAC-SHA256 under SECRET_KEY), "" for none."""
    return salted_hmac("runs_app.scores", digest, algorithm="sha256").hexdigest() if digest else ""


class Run(models.Model):
    """One run. The status moves only by `runs_app.services.runs.run_move`; the manifest is fixed at creation."""

    public_id = models.CharField(_("id"), max_length=40, unique=True, default=new_run_id)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="runs", verbose_name=_("team"))
    dataset_version = models.ForeignKey(
        DatasetVersion, on_delete=models.PROTECT, related_name="runs", verbose_name=_("dataset version")
    )
    split = models.CharField(_("split"), max_length=16, choices=Split.choices)
    tier = models.CharField(_("tier"), max_length=16, blank=True)
    suite_version = models.ForeignKey(
        SuiteVersion, on_delete=models.PROTECT, related_name="runs", verbose_name=_("suite")
    )
    system_version = models.ForeignKey(
        SystemVersion, on_delete=models.PROTECT, related_name="runs", verbose_name=_("system version")
    )
    snapshot = models.ForeignKey(
        Snapshot, on_delete=models.PROTECT, null=True, blank=True, related_name="runs", verbose_name=_("snapshot")
    )
    mode = models.CharField(_("mode"), max_length=8, choices=RunMode.choices, default=RunMode.PUSH)
    repeats = models.PositiveSmallIntegerField(_("repeats"), default=1)
    judge_repeats = models.PositiveSmallIntegerField(_("judge repeats"), default=1)
    purpose = models.CharField(_("purpose"), max_length=300, blank=True)
    status = models.CharField(_("status"), max_length=16, choices=RunStatus.choices, default=RunStatus.CREATED)
    status_reason = models.CharField(_("reason"), max_length=500, blank=True)
    manifest = models.JSONField(_("manifest"), default=dict)
    manifest_sha256 = models.CharField(_("manifest sha256"), max_length=64, blank=True)
    #: sha256 over the sorted scores, written when the run completes: covers what no audit event lists.
    scores_sha256 = models.CharField(_("scores sha256"), max_length=64, blank=True)
    warnings = models.JSONField(_("warnings"), default=list)
    #: The ranked lists that the run reports, found when collection ends: another stage is not applicable, not 0.
    stages = models.JSONField(_("stages"), default=list)
    #: Who judged its outputs from outside, found when collection ends: `[{"judge": …, "parts": ["claims", …]}]`.
    judges = models.JSONField(_("judges"), default=list)
    expected_outputs = models.PositiveIntegerField(_("expected outputs"), default=0)
    created_by_key = models.CharField(_("started by (key)"), max_length=80)
    created_by_label = models.CharField(_("started by"), max_length=200)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    collected_at = models.DateTimeField(_("collected"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)
    heartbeat_at = models.DateTimeField(_("last sign of life"), null=True)

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=models.Q(status__in=RunStatus.values), name="runs_run_status"),
            models.CheckConstraint(condition=models.Q(repeats__gte=1), name="runs_run_repeats"),
        ]
        indexes = [
            models.Index(fields=["team", "-id"], name="runs_run_team"),
            models.Index(fields=["system_version", "dataset_version", "split"], name="runs_run_same"),
        ]

    def __str__(self) -> str:
        return f"{self.system_version} · {self.public_id}"

    @property
    def is_frozen_split(self) -> bool:
        return self.split == Split.FROZEN

    @property
    def scores_seal(self) -> str:
        """Return the hash of the scores as it may stand where people without `read` look: in the trail, in verdicts.

        On a frozen split it is keyed: from the plain hash of few scores, each of them could be found by trying.
        """
        return scores_seal(self.scores_sha256) if self.is_frozen_split else self.scores_sha256


class RunEvent(models.Model):
    """A move of a run's status, or something worth telling about it, in order."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="events", verbose_name=_("run"))
    status = models.CharField(_("status"), max_length=16)
    message = models.CharField(_("message"), max_length=500, blank=True)
    actor_label = models.CharField(_("by"), max_length=200)
    at = models.DateTimeField(_("time"), auto_now_add=True)

    class Meta:
        verbose_name = _("run event")
        verbose_name_plural = _("run events")
        ordering = ["run_id", "id"]

    def __str__(self) -> str:
        return f"{self.status} {self.message}"


class Output(models.Model):
    """What the system answered to one item in one repeat. A missing output is a row too, with outcome `missing`."""

    run = models.ForeignKey(
        Run, on_delete=models.CASCADE, related_name="outputs", db_index=False, verbose_name=_("run")
    )
    entry = models.ForeignKey(VersionEntry, on_delete=models.PROTECT, related_name="+", verbose_name=_("entry"))
    repeat = models.PositiveSmallIntegerField(_("repeat"), default=1)
    answer = models.TextField(_("answer"), blank=True)
    outcome = models.CharField(_("outcome"), max_length=16, choices=Outcome.choices)
    #: `system`, or the identity of the rule or judge that decided the outcome.
    outcome_by = models.CharField(_("outcome decided by"), max_length=120, default="system")
    confidence = models.FloatField(_("confidence"), null=True)
    retrieved = models.JSONField(_("retrieved"), default=dict)
    contexts = models.JSONField(_("contexts"), default=list)
    citations = models.JSONField(_("citations"), default=list)
    external_scores = models.JSONField(_("external scores"), default=list)
    #: What judges outside of this program or people found, as `services.judgement_rows` reads it; empty: nothing.
    judgements = models.JSONField(_("judgements"), default=list)
    latency_ms = models.FloatField(_("latency (ms)"), null=True)
    tokens = models.JSONField(_("tokens"), default=dict)
    cost = models.FloatField(_("cost"), null=True)
    trace_id = models.CharField(_("trace id"), max_length=120, blank=True)
    error = models.TextField(_("error"), blank=True)
    content_sha256 = models.CharField(_("sha256"), max_length=64)
    received_at = models.DateTimeField(_("received"), auto_now_add=True)

    class Meta:
        verbose_name = _("output")
        verbose_name_plural = _("outputs")
        ordering = ["run_id", "id"]
        constraints = [
            models.UniqueConstraint(fields=["run", "entry", "repeat"], name="runs_output_once"),
            models.CheckConstraint(condition=models.Q(outcome__in=Outcome.values), name="runs_output_outcome"),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id}/{self.repeat} {self.outcome}"


class MetricRecord(models.Model):
    """A metric identity as it is written wherever a number is shown; scores point here."""

    identity = models.CharField(_("identity"), max_length=400, unique=True)
    name = models.CharField(_("name"), max_length=120)
    family = models.CharField(_("family"), max_length=40)
    stage = models.CharField(_("stage"), max_length=40, blank=True)
    #: `ours`, or `external`: pushed by a team, without a vote in a gate until calibrated.
    origin = models.CharField(_("origin"), max_length=16, default="ours")
    higher_is_better = models.BooleanField(_("higher is better"), default=True)

    class Meta:
        verbose_name = _("metric")
        verbose_name_plural = _("metrics")
        ordering = ["identity"]

    def __str__(self) -> str:
        return self.identity


class Score(models.Model):
    """One number, or the reason why there is none, for (run, entry, repeat, judge repeat, metric)."""

    # The unique key and the index below serve every lookup; three more indexes would double the cost of a write.
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="scores", db_index=False, verbose_name=_("run"))
    output = models.ForeignKey(
        Output, on_delete=models.CASCADE, related_name="scores", db_index=False, verbose_name=_("output")
    )
    metric = models.ForeignKey(
        MetricRecord, on_delete=models.PROTECT, related_name="+", db_index=False, verbose_name=_("metric")
    )
    judge_repeat = models.PositiveSmallIntegerField(_("judge repeat"), default=1)
    state = models.CharField(_("state"), max_length=16, choices=ScoreState.choices)
    value = models.FloatField(_("value"), null=True)
    detail = models.JSONField(_("detail"), null=True)

    class Meta:
        verbose_name = _("score")
        verbose_name_plural = _("scores")
        ordering = ["id"]
        constraints = [
            #: An output is one (entry, repeat) of one run, so this is the whole key.
            models.UniqueConstraint(fields=["output", "metric", "judge_repeat"], name="runs_score_once"),
            models.CheckConstraint(
                condition=(
                    models.Q(state=ScoreState.SCORED, value__isnull=False)
                    | (~models.Q(state=ScoreState.SCORED) & models.Q(value__isnull=True))
                ),
                name="runs_score_value_or_state",
            ),
            models.CheckConstraint(condition=models.Q(state__in=ScoreState.values), name="runs_score_state"),
        ]
        indexes = [models.Index(fields=["run", "metric"], name="runs_score_run_metric")]

    def __str__(self) -> str:
        return f"{self.metric_id}: {self.value if self.value is not None else self.state}"


class ScoreBatch(models.Model):
    """A lease on a slice of a run's outputs (`first_output` to `last_output`, inclusive ids).

    A worker claims by conditional UPDATE and renews `lease_until`; what a dead worker leaves is found by the reaper.
    While a batch waits, `lease_until` is the time from which the reaper may enqueue it again.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="batches", verbose_name=_("run"))
    index = models.PositiveIntegerField(_("index"))
    first_output = models.BigIntegerField(_("first output"))
    last_output = models.BigIntegerField(_("last output"))
    size = models.PositiveIntegerField(_("outputs"))
    status = models.CharField(_("status"), max_length=16, choices=BatchStatus.choices, default=BatchStatus.WAITING)
    worker = models.CharField(_("worker"), max_length=120, blank=True)
    lease_until = models.DateTimeField(_("leased until"), null=True)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    error = models.TextField(_("error"), blank=True)
    done_at = models.DateTimeField(_("done"), null=True)

    class Meta:
        verbose_name = _("score batch")
        verbose_name_plural = _("score batches")
        ordering = ["run_id", "index"]
        constraints = [models.UniqueConstraint(fields=["run", "index"], name="runs_batch_once")]

    def __str__(self) -> str:
        return f"{self.run_id}#{self.index} {self.status}"


class Aggregate(models.Model):
    """A metric over a group of a run's items.

    `group` is `all`, `type`, `tier`, `language` or `tag`; `macro` is the plain mean over the types' values.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="aggregates", verbose_name=_("run"))
    metric = models.ForeignKey(MetricRecord, on_delete=models.PROTECT, related_name="+", verbose_name=_("metric"))
    group = models.CharField(_("grouping"), max_length=16)
    group_value = models.CharField(_("group"), max_length=120, blank=True)
    value = models.FloatField(_("value"), null=True)
    low = models.FloatField(_("interval from"), null=True)
    high = models.FloatField(_("interval to"), null=True)
    interval_method = models.CharField(_("interval method"), max_length=40, blank=True)
    n_scored = models.PositiveIntegerField(_("n scored"))
    n_total = models.PositiveIntegerField(_("n"))
    n_clusters = models.PositiveIntegerField(_("clusters"), default=0)
    states = models.JSONField(_("states"), default=dict)

    class Meta:
        verbose_name = _("aggregate")
        verbose_name_plural = _("aggregates")
        ordering = ["run_id", "metric_id", "group", "group_value"]
        constraints = [
            models.UniqueConstraint(fields=["run", "metric", "group", "group_value"], name="runs_aggregate_once")
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.group}={self.group_value}"
