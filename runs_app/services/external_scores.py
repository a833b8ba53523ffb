"""Numbers that a team computed elsewhere: kept under `external.`, with the identity of the tool, never over ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _

from core_app.canonical import canonical_json
from runs_app.models import MetricRecord
from runs_app.services.bulk import rows_write
from runs_app.states import ScoreState
from scoring.errors import ScoringError
from scoring.identity import MetricIdentity
from scoring.registry import METRICS

PREFIX = "external."
#: Metrics by repeats of their judge.
MAX_SCORES = 500
MAX_IDENTITY = 400
_PARTS = ("stage", "variant", "judge")


@lru_cache(maxsize=4096)
def _identity_text(metric: str, identity_json: str, parts: tuple[tuple[str, Any], ...]) -> str:
    named = {key: str(value) for key, value in parts if key in _PARTS}
    params = {key: value for key, value in parts if key not in _PARTS}
    return MetricIdentity(
        name=metric,
        params=params,
        stage=named.get("stage"),
        variant=named.get("variant"),
        judge=named.get("judge"),
    ).text


def external_identity(metric: str, identity: Mapping[str, Any]) -> str:
    """Return the identity text of an external metric, for example `external.rl_f tool=x version=0.2 v1`.

    Raises ScoringError (a ValueError) where the name or a part of the identity can't be part of one.
    """
    for key, value in identity.items():
        if not isinstance(value, str | int | float | bool) or (isinstance(value, float) and not math.isfinite(value)):
            raise ScoringError(f"identity/{key} is neither a text, a finite number nor a truth value")
    text = _identity_text(metric, canonical_json(dict(identity)), tuple(sorted(identity.items())))
    if len(text) > MAX_IDENTITY:
        raise ScoringError(f"the identity is longer than {MAX_IDENTITY} characters")
    return text


def scores_read(value: Any, fault: Callable[[str, str, str], None]) -> list[dict[str, Any]]:
    """Return an output's external scores as kept: identity text, judge repeat, value or state, direction.

    One row for each (metric identity, judge repeat); `judge_repeat` is left out where it is 1. Faults go to `fault`;
    that a repeat is beyond the run's own number says `judge_repeat_faults`.
    """
    if value is None:
        return []
    if not isinstance(value, list) or len(value) > MAX_SCORES:
        fault("/scores", "type", _("Give a list of at most %(limit)s scores.") % {"limit": MAX_SCORES})
        return []
    read: list[dict[str, Any]] = []
    seen: set[tuple[str, int]] = set()
    for place, score in enumerate(value):
        one = _score_read(score, f"/scores/{place}", fault)
        if one is None:
            continue
        key = (one["identity"], one.get("judge_repeat", 1))
        if key in seen:
            fault(f"/scores/{place}/metric", "duplicate", _("This metric stands in the list twice."))
        seen.add(key)
        read.append(one)
    return read


def _score_read(score: Any, pointer: str, fault: Callable[[str, str, str], None]) -> dict[str, Any] | None:
    if not isinstance(score, Mapping):
        fault(pointer, "type", _("Give an object with metric and value."))
        return None
    metric = score.get("metric")
    if not isinstance(metric, str) or not metric.startswith(PREFIX):
        fault(f"{pointer}/metric", "namespace", _("The name of a pushed metric begins with “external.”."))
        return None
    identity = score.get("identity") or {}
    if not isinstance(identity, Mapping):
        fault(f"{pointer}/identity", "type", _('Give an object such as {"tool": …, "version": …}.'))
        return None
    try:
        text = external_identity(metric, identity)
    except ScoringError as error:
        fault(f"{pointer}/identity", "identity", str(error))
        return None
    read: dict[str, Any] = {"identity": text}
    judge_repeat = score.get("judge_repeat", 1)
    if not _is_repeat(judge_repeat):
        fault(f"{pointer}/judge_repeat", "range", _("Number the judge's repeats from 1."))
        return None
    if judge_repeat != 1:
        # Left out where it is 1, so that what was pushed before repeats could be told is still the same output.
        read["judge_repeat"] = judge_repeat
    if score.get("higher_is_better") is False:
        read["higher_is_better"] = False
    value, state = score.get("value"), score.get("state")
    if value is None and state in ScoreState.values and state != ScoreState.SCORED:
        return read | {"state": state}
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        fault(f"{pointer}/value", "number", _("Give a finite number, or no value and a state."))
        return None
    return read | {"value": float(value)}


def _is_repeat(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def judge_repeat_faults(row: Any, limit: int) -> list[tuple[str, str, str]]:
    """Return the faults of a pushed row whose scores name a judge repeat beyond `limit`, the run's `judge_repeats`.

    Each as (pointer inside the row, code, sentence); what is no score at all is left to `scores_read`.
    """
    scores = row.get("scores") if isinstance(row, Mapping) else None
    if not isinstance(scores, list):
        return []
    text = _("This run has the judge repeats 1 to %(limit)s.") % {"limit": limit}
    given = [
        (place, score.get("judge_repeat", 1))
        for place, score in enumerate(scores[:MAX_SCORES])
        if isinstance(score, Mapping)
    ]
    return [
        (f"/scores/{place}/judge_repeat", "range", text)
        for place, repeat in given
        if _is_repeat(repeat) and repeat > limit
    ]


def repeat_mean(scores: Iterable[Mapping[str, Any]]) -> tuple[str, float | None] | None:
    """Return (state, value) of an output's kept scores of one identity: the mean over the judge repeats with a value.

    None without any score; where no repeat has a value, the state of the first.
    """
    rows = list(scores)
    values = [row["value"] for row in rows if row.get("value") is not None]
    if values:
        return ScoreState.SCORED.value, math.fsum(values) / len(values)
    return (rows[0]["state"], None) if rows else None


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def metric_records(identities: Iterable[str], *, lower_is_better: frozenset[str] = frozenset()) -> dict[str, int]:
    """Return the id of each identity's record, making those that are new. `lower_is_better` holds external ones."""
    wanted = sorted(set(identities))
    known = dict(MetricRecord.objects.filter(identity__in=wanted).values_list("identity", "id"))
    new = [text for text in wanted if text not in known]
    if new:
        rows = []
        for text in new:
            parsed = MetricIdentity.parse(text)
            spec = METRICS.get(parsed.name)
            external = parsed.name.startswith(PREFIX)
            family = "external" if external else spec.family if spec else parsed.name.partition(".")[0]
            higher = text not in lower_is_better if external else spec.higher_is_better if spec else True
            rows.append(
                (text, parsed.name, family, parsed.stage or "", "external" if external else "ours", bool(higher))
            )
        rows_write(MetricRecord, ("identity", "name", "family", "stage", "origin", "higher_is_better"), rows)
        known = dict(MetricRecord.objects.filter(identity__in=wanted).values_list("identity", "id"))
    return known
