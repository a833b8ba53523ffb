"""What of a run's figures a reader may see: all of it, or groups of at least k with nothing to subtract from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from runs_app.models import Aggregate
from runs_app.selectors.redaction import Redaction

GROUP_TOO_SMALL = "group_too_small"


@dataclass(slots=True)
class Figure:
    """One aggregate as shown. `hidden` is the reason why there is no value; a count that is too small is None."""

    metric: str
    name: str
    family: str
    stage: str
    origin: str
    higher_is_better: bool
    group: str
    group_value: str
    value: float | None
    low: float | None
    high: float | None
    interval_method: str
    n_scored: int | None
    n_total: int | None
    n_clusters: int | None
    states: dict[str, int | None] = field(default_factory=dict)
    hidden: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the figure as the API shows it."""
        return asdict(self)


def figure_of(row: Aggregate) -> Figure:
    """Return an aggregate (with its metric) as a figure, nothing hidden."""
    metric = row.metric
    return Figure(
        metric=metric.identity,
        name=metric.name,
        family=metric.family,
        stage=metric.stage,
        origin=metric.origin,
        higher_is_better=metric.higher_is_better,
        group=row.group,
        group_value=row.group_value,
        value=row.value,
        low=row.low,
        high=row.high,
        interval_method=row.interval_method,
        n_scored=row.n_scored,
        n_total=row.n_total,
        n_clusters=row.n_clusters,
        states=dict(row.states),
    )


def _close(figure: Figure, reason: str) -> None:
    figure.value = figure.low = figure.high = None
    figure.n_scored = figure.n_clusters = None
    if figure.group != "all":
        figure.n_total = None
    figure.states = {}
    figure.hidden = reason


def _reason(figure: Figure, whole: Figure | None, redaction: Redaction) -> str:
    """Return why the figure is hidden: it, what is scored in it, or what it leaves of the whole is under the limit."""
    sizes = [figure.n_total or 0, figure.n_scored or 0]
    if whole is not None and figure.group not in {"all", "macro"}:
        sizes += [(whole.n_total or 0) - sizes[0], (whole.n_scored or 0) - sizes[1]]
    return GROUP_TOO_SMALL if any(redaction.small(size) for size in sizes) else ""


def _close_second(figures: list[Figure], redaction: Redaction) -> None:
    """Hide further groups until those hidden together reach the limit: else the whole less the rest gives them away.

    `figures` are one metric's groups of one grouping; their true sizes are still in place.
    """
    closed = [figure for figure in figures if figure.hidden]
    size = sum(figure.n_scored or 0 for figure in closed)
    for figure in sorted(figures, key=lambda one: (one.n_scored or 0, one.group_value)):
        if not closed or size >= redaction.limit:
            return
        if not figure.hidden:
            figure.hidden = GROUP_TOO_SMALL
            size += figure.n_scored or 0


def _mask(figure: Figure, redaction: Redaction) -> None:
    """Round the values, blank the counts under the limit, and with them what they could be worked out from."""
    figure.value, figure.low, figure.high = (
        redaction.number(value) for value in (figure.value, figure.low, figure.high)
    )
    counts = {state: count for state, count in figure.states.items() if count is not None}
    shown = redaction.counts(counts)
    blank = [counts[state] for state, count in shown.items() if count is None]
    known = redaction.part(figure.n_scored or 0, figure.n_total or 0)
    if blank and (len(blank) == 1 or sum(blank) < redaction.limit):
        known = None
    figure.n_scored, figure.states, figure.n_clusters = known, shown, None


def figures_shown(figures: Iterable[Figure], redaction: Redaction, closed: str = "") -> list[Figure]:
    """Return a run's figures as a reader may see them. `closed` is a reason to hide all of them from this reader."""
    rows = list(figures)
    if not redaction.active:
        return rows
    wholes = {figure.metric: figure for figure in rows if figure.group == "all"}
    sets: Mapping[tuple[str, str], list[Figure]] = defaultdict(list)
    for figure in rows:
        figure.hidden = closed or _reason(figure, wholes.get(figure.metric), redaction)
        if figure.group not in {"all", "macro"}:
            sets[figure.metric, figure.group].append(figure)
    for members in sets.values():
        _close_second(members, redaction)
    for figure in rows:
        if figure.hidden:
            _close(figure, figure.hidden)
        else:
            _mask(figure, redaction)
    return rows
