"""How used a frozen split is: runs charged against its budget, its state, what stewards are to be reminded of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from datasets_app.models import DatasetVersion, ExposureBudget, ExposureEntry, ExposureExtension, VersionEntry
from datasets_app.states import ExposureReminder, ExposureState, ExposureUse, Split, VersionStatus

#: Percent of a budget from which on stewards are reminded.
NEAR_PERCENT = 80


@dataclass(frozen=True, slots=True)
class Usage:
    """Runs used and allowed, in the period that ends now and over the split's life, extensions counted in."""

    state: ExposureState
    runs_per_period: int
    period_days: int
    runs_lifetime: int
    extended: int
    period_used: int
    period_allowed: int
    life_used: int
    life_allowed: int
    rotate_on: date | None
    #: When the next run falls free, where the period is used up and the life is not.
    next_run_at: datetime | None

    @property
    def left(self) -> int:
        """Return how many runs can be started now."""
        return max(0, min(self.period_allowed - self.period_used, self.life_allowed - self.life_used))

    @property
    def life_percent(self) -> int:
        return _percent(self.life_used, self.life_allowed)

    @property
    def period_percent(self) -> int:
        return _percent(self.period_used, self.period_allowed)

    def reminders(self, today: date) -> list[str]:
        """Return the codes of what stewards are to be reminded of, the most urgent first."""
        if self.state is ExposureState.RETIRED:
            return []
        found = []
        if self.state is ExposureState.SPENT:
            found.append(ExposureReminder.SPENT.value)
        elif max(self.life_percent, self.period_percent) >= NEAR_PERCENT:
            found.append(ExposureReminder.NEAR.value)
        if self.rotate_on is not None and self.rotate_on <= today:
            found.append(ExposureReminder.ROTATE.value)
        return found


def _percent(used: int, allowed: int) -> int:
    return 100 if used >= allowed else used * 100 // allowed


def exposure_budget(version: DatasetVersion) -> ExposureBudget:
    """Return the version's budget; one that has none of its own takes the numbers of the version before it."""
    rows = ExposureBudget.objects.filter(
        version__dataset_id=version.dataset_id, version__number__lte=version.number
    ).order_by("-version__number")
    row = rows.first()
    if row is None:
        return ExposureBudget(version=version)
    if row.version_id == version.pk:
        return row
    numbers = {name: getattr(row, name) for name in ("runs_per_period", "period_days", "runs_lifetime")}
    return ExposureBudget(version=version, **numbers)


def _versions_charged(version: DatasetVersion) -> list[int]:
    """Return the versions whose runs count: this one, and each earlier one in which half of its test items stood.

    Else a new version that changes one item would open the old ones to another whole budget.
    """
    mine = VersionEntry.objects.filter(version=version, split=Split.FROZEN)
    if version.number <= 1:
        return [version.pk]
    shared = (
        VersionEntry.objects.filter(
            version__dataset_id=version.dataset_id,
            version__number__lt=version.number,
            split=Split.FROZEN,
            item_id__in=mine.values("item_id"),
        )
        .order_by()
        .values("version_id")
        .annotate(n=Count("id"))
        .values_list("version_id", "n")
    )
    size = mine.count()
    return [version.pk, *(pk for pk, n in shared if 2 * n >= size)]


def exposure_usage(version: DatasetVersion) -> Usage:
    """Return what the version's frozen split was used for, against its budget as it is now."""
    budget = exposure_budget(version)
    now = timezone.now()
    since = now - timedelta(days=budget.period_days)
    charged = _versions_charged(version)
    runs = ExposureEntry.objects.filter(version_id__in=charged, split=Split.FROZEN, use=ExposureUse.RUN)
    counts = runs.aggregate(life=Count("id"), period=Count("id", filter=Q(at__gt=since)))
    added = {"life": 0, "period": 0}
    for count, at in ExposureExtension.objects.filter(version=version).values_list("runs", "at"):
        added["life"] += count
        added["period"] += count if at > since else 0
    period_allowed = budget.runs_per_period + added["period"]
    life_allowed = budget.runs_lifetime + added["life"]
    spent = counts["life"] >= life_allowed
    next_run_at = None
    over = counts["period"] - period_allowed
    if not spent and over >= 0 and counts["period"]:
        times = runs.filter(at__gt=since).order_by("at").values_list("at", flat=True)
        next_run_at = times[min(over, counts["period"] - 1)] + timedelta(days=budget.period_days)
    return Usage(
        state=_state(version, spent),
        runs_per_period=budget.runs_per_period,
        period_days=budget.period_days,
        runs_lifetime=budget.runs_lifetime,
        extended=added["life"],
        period_used=counts["period"],
        period_allowed=period_allowed,
        life_used=counts["life"],
        life_allowed=life_allowed,
        rotate_on=budget.rotate_on,
        next_run_at=next_run_at,
    )


def _state(version: DatasetVersion, spent: bool) -> ExposureState:
    if version.status == VersionStatus.RETIRED:
        return ExposureState.RETIRED
    if spent:
        return ExposureState.SPENT
    used = ExposureEntry.objects.filter(
        version__dataset_id=version.dataset_id, version__number__lte=version.number, split=Split.FROZEN
    )
    return ExposureState.IN_USE if used.exists() else ExposureState.UNSEEN


def exposure_state(version: DatasetVersion, split: str) -> ExposureState:
    """Return how used the split is: by this version or by an earlier one, from which its items came."""
    if version.status == VersionStatus.RETIRED:
        return ExposureState.RETIRED
    return ExposureState.IN_USE if split == Split.DEV else exposure_usage(version).state


def exposures_of(version: DatasetVersion) -> QuerySet[ExposureEntry]:
    """Return the version's ledger, newest first."""
    return ExposureEntry.objects.filter(version=version).order_by("-id")


def extensions_of(version: DatasetVersion) -> QuerySet[ExposureExtension]:
    """Return the extensions of the version's budget, newest first."""
    return ExposureExtension.objects.filter(version=version).order_by("-id")
