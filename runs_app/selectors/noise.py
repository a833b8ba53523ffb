"""How far two runs of one system fall apart by chance: because the judge, or the system, does not repeat itself.

Definitions stand in docs/scoring.md. A spread is pooled over the whole run and never over a group, so that no two
groups' noise can be subtracted.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.wording import fixed
from runs_app.models import Run
from runs_app.selectors.disclosure import Figure
from runs_app.selectors.redaction import is_twin, redaction_for
from scoring.stats.noise import JudgeNoise, judge_noise

#: Where the band that a verdict took comes from: the judge's repeats, the system's, a judge asked once, no judge.
JUDGE, REPEATS, UNKNOWN, NONE = "judge", "repeats", "unknown", "none"

#: One value of a metric: output id, item, value.
Value = tuple[int, str, float]


@dataclass(frozen=True, slots=True)
class Spread:
    """A within-item standard deviation (None: nothing was repeated) and the mean of 1/r over the items.

    r is how many values an item's score is the mean of: it makes the band of the mean narrower.
    """

    sd: float | None
    n_items: int
    inverse: float

    def variance(self, sd: float, items: int) -> float:
        """Return the square of the band that this run alone would give, with a spread that may be another run's."""
        return JudgeNoise(sd, self.n_items, 1).band(items) ** 2 * self.inverse


@dataclass(frozen=True, slots=True)
class RunNoise:
    """A metric's spread in one run: between judgements of one output, and between outputs of one item."""

    judge: Spread
    repeats: Spread


def _spread(groups: Mapping[str, Sequence[float]], inverse: float, least: int) -> Spread:
    """Pool what was repeated; nothing where fewer than `least` items were repeated, or vary without all being alike.

    On a frozen split that keeps one item that alone varies from being seen in the noise.
    """
    repeated = {key: values for key, values in groups.items() if len(values) > 1}
    varying = sum(max(values) > min(values) for values in repeated.values())
    if not repeated or len(repeated) < least or varying < (least if least > 1 else 0):
        return Spread(None, 0, inverse)
    found = judge_noise(repeated)
    return Spread(found.sd, found.n_items, inverse)


def _inverse(counts: Iterable[int]) -> float:
    found = list(counts)
    return math.fsum(1 / n for n in found) / len(found) if found else 1.0


def noise_of(values: Iterable[Value], *, least: int = 1) -> RunNoise:
    """Return the spreads of a metric's values in one run. `least`: the disclosure limit on a frozen split, else 1.

    Worked example: one item, one output judged 0.4 and 0.6: a judge's sd of 0.1414, no repeats of the output.
    """
    by_output: dict[int, list[float]] = defaultdict(list)
    item_of: dict[int, str] = {}
    for output_id, item, value in values:
        by_output[output_id].append(value)
        item_of[output_id] = item
    by_item: dict[str, list[float]] = defaultdict(list)
    judgements: dict[str, int] = defaultdict(int)
    for output_id in sorted(by_output):
        # Sorted, so that the order in which a database gives rows changes no last bit.
        given = by_output[output_id] = sorted(by_output[output_id])
        by_item[item_of[output_id]].append(math.fsum(given) / len(given))
        judgements[item_of[output_id]] += len(given)
    judged = {str(output_id): given for output_id, given in by_output.items()}
    return RunNoise(
        judge=_spread(judged, _inverse(judgements.values()), least),
        repeats=_spread(by_item, _inverse(len(given) for given in by_item.values()), least),
    )


@dataclass(frozen=True, slots=True)
class PairNoise:
    """The noise of a metric's difference between two runs. `judged`: the metric comes from a judge."""

    first: RunNoise
    second: RunNoise
    judged: bool

    def bands(self, items: int) -> dict[str, Any]:
        """Return `noise` (the band that the verdict takes, 0 where none is known), where it is from, and both bands.

        Over `items` items scored in both runs. A run that repeated nothing takes the other's spread.
        """
        judge = _band(self.first.judge, self.second.judge, items) if self.judged else None
        repeats = _band(self.first.repeats, self.second.repeats, items)
        if judge is None and repeats is None:
            source = UNKNOWN if self.judged else NONE
        else:
            source = JUDGE if judge is not None and judge >= (repeats or 0.0) else REPEATS
        return {
            "noise": max(judge or 0.0, repeats or 0.0),
            "noise_source": source,
            "judge_noise": judge,
            "repeat_noise": repeats,
        }


def _band(first: Spread, second: Spread, items: int) -> float | None:
    known = [spread.sd for spread in (first, second) if spread.sd is not None]
    if not known or items < 1:
        return None
    sds = [known[0] if spread.sd is None else spread.sd for spread in (first, second)]
    total = first.variance(sds[0], items) + second.variance(sds[1], items)
    return math.sqrt(total / 2)


def noise_note(*, judged: bool, judge: float | None, repeats: float | None, asked: int) -> str:
    """Return the sentence that stands beside a figure: its judge's noise, or that it is unknown; "" without a judge.

    `judge`, `repeats`: bands; `asked`: how often the judge was asked about one output (the run's `judge_repeats`).
    """
    notes = []
    if judged and judge is not None:
        notes.append(_("Values are for comparison; the judge's noise is ±%(band)s.") % {"band": fixed(judge, 3)})
    elif judged and asked > 1:
        notes.append(
            _("Values are for comparison; the judge's noise is unknown: too few items were judged more than once.")
        )
    elif judged:
        notes.append(_("Values are for comparison; the judge's noise is unknown: one judgement each."))
    if repeats is not None:
        notes.append(_("By repeats, two runs of one system differ by up to ±%(band)s.") % {"band": fixed(repeats, 3)})
    return " ".join(notes)


_SPREADS = """
    SELECT m.identity, SUM(r.squares), SUM(r.n - 1), COUNT(*), SUM(CASE WHEN r.highest > r.lowest THEN 1 ELSE 0 END)
    FROM (
        SELECT metric_id, output_id, COUNT(*) AS n, MAX(value) AS highest, MIN(value) AS lowest,
               SUM(value * value) - SUM(value) * SUM(value) / COUNT(*) AS squares
        FROM runs_app_score WHERE run_id = %s AND value IS NOT NULL
        GROUP BY metric_id, output_id HAVING COUNT(*) > 1
    ) AS r
    JOIN runs_app_metricrecord AS m ON m.id = r.metric_id
    WHERE m.origin <> 'ours'
    GROUP BY m.identity
"""


def run_noise(actor: Actor, run: Run) -> dict[str, dict[str, Any]]:
    """Return metric identity → `{"sd", "band", "n"}` of the judged metrics whose judge was asked more than once.

    `band` is what two such runs of these n outputs may differ by through the judge alone. Without `read` on a frozen
    split it is rounded, and left out under the disclosure limit or where the run's figures are closed. One query.
    """
    redaction = redaction_for(actor, run)
    if run.judge_repeats == 1 or (redaction.active and is_twin(run)):
        return {}
    least = run.dataset_version.dataset.disclosure_limit if run.is_frozen_split else 0
    with connection.cursor() as cursor:
        cursor.execute(_SPREADS, [run.pk])
        rows = cursor.fetchall()
    found = {}
    for identity, squares, degrees, outputs, varying in rows:
        if outputs < least or varying < least:
            continue
        sd = math.sqrt(max(0.0, float(squares)) / int(degrees))
        asked = 1 + int(degrees) / int(outputs)
        band = JudgeNoise(sd, int(outputs), int(degrees)).band(int(outputs)) / math.sqrt(asked)
        found[identity] = {"sd": redaction.number(sd), "band": redaction.number(band), "n": int(outputs)}
    return found


def run_noise_notes(actor: Actor, run: Run, judged: Iterable[str]) -> dict[str, str]:
    """Return the sentence for each of these judged metrics of a run, by identity (`noise_note`)."""
    identities = list(judged)
    if not identities:
        return {}
    known = run_noise(actor, run)
    return {
        identity: noise_note(
            judged=True,
            judge=known[identity]["band"] if identity in known else None,
            repeats=None,
            asked=run.judge_repeats,
        )
        for identity in identities
    }


def figure_notes(actor: Actor, run: Run, figures: Iterable[Figure]) -> dict[str, str]:
    """Return identity → the sentence about its judge's noise, for the judged figures that the actor sees."""
    judged = dict.fromkeys(figure.metric for figure in figures if figure.origin != "ours" and not figure.hidden)
    return run_noise_notes(actor, run, judged)
