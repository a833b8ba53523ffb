"""States and closed vocabularies of runs, comparisons and gates."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class RunStatus(models.TextChoices):
    CREATED = "created", _("Created")
    COLLECTING = "collecting", _("Collecting")
    SCORING = "scoring", _("Scoring")
    COMPLETED = "completed", _("Completed")
    FAILED = "failed", _("Failed")
    CANCELLED = "cancelled", _("Cancelled")


#: status → statuses that it may move to.
TRANSITIONS: dict[RunStatus, frozenset[RunStatus]] = {
    RunStatus.CREATED: frozenset({RunStatus.COLLECTING, RunStatus.CANCELLED, RunStatus.FAILED}),
    RunStatus.COLLECTING: frozenset({RunStatus.SCORING, RunStatus.CANCELLED, RunStatus.FAILED}),
    RunStatus.SCORING: frozenset({RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED}),
    RunStatus.COMPLETED: frozenset(),
    RunStatus.FAILED: frozenset({RunStatus.SCORING}),
    RunStatus.CANCELLED: frozenset(),
}
TERMINAL = frozenset({RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED})


class RunMode(models.TextChoices):
    PUSH = "push", _("Push")


class Outcome(models.TextChoices):
    ANSWERED = "answered", _("Answered")
    PARTIAL = "partial", _("Partial")
    REFUSED = "refused", _("Refused")
    FAILED = "failed", _("Failed")
    MISSING = "missing", _("Missing")


class ScoreState(models.TextChoices):
    """A score is a value or one of these reasons (docs/scoring.md, section 1)."""

    SCORED = "scored", _("Scored")
    NOT_APPLICABLE = "not_applicable", _("Not applicable")
    NO_GOLD = "no_gold", _("No gold")
    REFUSED = "refused", _("Refused")
    NO_CLAIMS = "no_claims", _("No claims")
    UNDETERMINED = "undetermined", _("Undetermined")
    JUDGE_FAILED = "judge_failed", _("Judge failed")
    TARGET_FAILED = "target_failed", _("Target failed")


class BatchStatus(models.TextChoices):
    WAITING = "waiting", _("Waiting")
    CLAIMED = "claimed", _("Claimed")
    DONE = "done", _("Done")


class PolicyStatus(models.TextChoices):
    DRAFT = "draft", _("Draft")
    ACTIVE = "active", _("Active")
    SUPERSEDED = "superseded", _("Superseded")


class Verdict(models.TextChoices):
    PASS = "pass", _("Pass")
    FAIL = "fail", _("Fail")
    INCONCLUSIVE = "inconclusive", _("Inconclusive")
    ERROR = "error", _("Error")
