"""States and closed vocabularies of evaluation sets."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class VersionStatus(models.TextChoices):
    DRAFT = "draft", _("Draft")
    IN_REVIEW = "in_review", _("In review")
    FROZEN = "frozen", _("Frozen")
    RETIRED = "retired", _("Retired")


#: status → statuses that it may move to.
TRANSITIONS: dict[VersionStatus, frozenset[VersionStatus]] = {
    VersionStatus.DRAFT: frozenset({VersionStatus.IN_REVIEW, VersionStatus.FROZEN}),
    VersionStatus.IN_REVIEW: frozenset({VersionStatus.DRAFT, VersionStatus.FROZEN}),
    VersionStatus.FROZEN: frozenset({VersionStatus.RETIRED}),
    VersionStatus.RETIRED: frozenset(),
}


class Split(models.TextChoices):
    """`dev` is open to the team; `frozen` is the protected test split."""

    DEV = "dev", _("Dev")
    FROZEN = "frozen", _("Frozen test")


class Tier(models.TextChoices):
    SMOKE = "smoke", _("Smoke")
    REGRESSION = "regression", _("Regression")
    FULL = "full", _("Full")


class QuestionType(models.TextChoices):
    FACT = "fact", _("Fact")
    PARAPHRASE = "paraphrase", _("Paraphrase")
    TERMS = "terms", _("Terms and model numbers")
    MULTI_HOP = "multi_hop", _("Multi-hop")
    MULTI_PASSAGE = "multi_passage", _("Several passages")
    TIME_SENSITIVE = "time_sensitive", _("Time-sensitive")
    CITED = "cited", _("Cited")
    ROBUSTNESS = "robustness", _("Robustness pair")
    UNANSWERABLE = "unanswerable", _("Unanswerable")
    FALSE_PREMISE = "false_premise", _("False premise")


class ItemSource(models.TextChoices):
    REAL_USER = "real_user", _("Real user")
    EXPERT = "expert", _("Expert")
    LLM_GENERATED = "llm_generated", _("Written by a language model")
    FEEDBACK = "feedback", _("Production feedback")
    BENCHMARK = "benchmark", _("Public benchmark")


class Level(models.TextChoices):
    """What a grant opens on a frozen split, weakest first; each includes the ones before it."""

    AGGREGATE = "aggregate", _("Aggregates")
    RUN = "run", _("Run")
    QUESTIONS = "questions", _("Questions")
    READ = "read", _("Read")

    @property
    def rank(self) -> int:
        return _LEVEL_RANKS[self]

    def includes(self, other: "Level") -> bool:
        return self.rank >= other.rank


_LEVEL_RANKS = {level: rank for rank, level in enumerate(Level, start=1)}


class ExposureUse(models.TextChoices):
    """How a frozen split was used, as entered in its ledger."""

    RUN = "run", _("Run")
    READ = "read", _("Items read")
    QUESTIONS = "questions", _("Questions downloaded")
    EXPORT = "export", _("Exported")
    REPORT = "report", _("Per-item results read")


class ExposureState(models.TextChoices):
    UNSEEN = "unseen", _("Unseen")
    IN_USE = "in_use", _("In use")
    SPENT = "spent", _("Spent")
    RETIRED = "retired", _("Retired")


class ExposureReminder(models.TextChoices):
    """What stewards are reminded of; the home page says it in a sentence."""

    ROTATE = "rotate", _("Due to rotate")
    NEAR = "near", _("Near its budget")
    SPENT = "spent", _("Spent")
