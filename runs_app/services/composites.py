"""The composite of a suite: one figure per output out of several metrics, read as a trend and never as a grade.

Setting `composite`: `{"parts": {"faithfulness": "<metric identity>", …}, "weights": {"faithfulness": 0.35, …},
"by_type": {"fact": {…}}}`. The weights have defaults (`scoring.composite.DEFAULT_WEIGHTS`).

Not computed on a frozen split: a part that is left out on one item, or a weight of one question type, would let who may
not read the items work out a single score from the composite and its parts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from core_app.canonical import sha256_hex
from core_app.errors import FieldError
from runs_app.models import Run
from runs_app.services.external_scores import PREFIX
from runs_app.services.judged import judged_part
from scoring.composite import DEFAULT_WEIGHTS, CompositeWeights, composite, weights_checked
from scoring.errors import ScoringError
from scoring.identity import MetricIdentity
from scoring.registry import METRICS
from scoring.types import EvalItem, Score, State, SystemOutput

NAME = "generation.composite"
MAX_PARTS = 20
_KEYS = frozenset({"parts", "weights", "by_type"})
_POINTER = "/settings/composite"
_FAILED = Score.none(State.TARGET_FAILED, "the system gave no output")


@dataclass(frozen=True, slots=True)
class Composite:
    """`parts` maps the name of a part to the identity text whose scores it takes."""

    parts: Mapping[str, str]
    weights: CompositeWeights

    @property
    def identity(self) -> MetricIdentity:
        """The weights and the parts both make it another metric, so each has its digest in the identity."""
        digest = sha256_hex({"parts": dict(self.parts)})[:16]
        weights = self.weights.identity
        return MetricIdentity(weights.name, {**weights.params, "parts": f"sha256:{digest}"})

    @property
    def is_external(self) -> bool:
        """Whether a part was computed or judged outside: then the composite is no better calibrated than that part."""
        return any(is_external_identity(text) for text in self.parts.values())

    def scores(
        self, items: Sequence[EvalItem], outputs: Sequence[SystemOutput], columns: Mapping[str, Sequence[Score | None]]
    ) -> list[Score]:
        """Return one score for each pair; `columns` maps an identity text to its scores, None where there is none."""
        scores = []
        for place, (item, output) in enumerate(zip(items, outputs, strict=True)):
            if output.failed:
                scores.append(_FAILED)
                continue
            found = {name: columns[text][place] for name, text in self.parts.items() if text in columns}
            scores.append(composite({k: v for k, v in found.items() if v is not None}, self.weights.of(item.types)))
        return scores


def is_external_identity(text: str) -> bool:
    """Return whether a metric's scores come from outside: pushed as numbers, or from pushed judgements."""
    return text.startswith(PREFIX) or MetricIdentity.parse(text).judge is not None


def composite_of(run: Run) -> Composite | None:
    """Return the composite that the run's suite asks for; None where it asks for none, and on a frozen split."""
    given = run.suite_version.settings.get("composite")
    if not given or run.is_frozen_split:
        return None
    return Composite(given["parts"], CompositeWeights(given["weights"], given["by_type"]))


def composite_warnings(run: Run) -> list[dict[str, Any]]:
    """Return the warning that the suite's composite is left out, where it is."""
    left_out = bool(run.suite_version.settings.get("composite")) and run.is_frozen_split
    return [{"code": "composite_left_out"}] if left_out else []


def composite_validated(given: Any, metrics: Collection[str]) -> tuple[dict[str, Any] | None, list[FieldError]]:
    """Return the setting in its full form with canonical identities, and a fault for each place that is wrong.

    A part is external, or one of the suite's `metrics` (with `judge=` where it is a judged one); higher is better.
    """
    if given is None:
        return None, []
    if not isinstance(given, Mapping):
        return None, [FieldError(_POINTER, "type", _("Give an object with parts and weights."))]
    errors = [
        FieldError(f"{_POINTER}/{key}", "unknown", _("There is no such setting.")) for key in given if key not in _KEYS
    ]
    parts = _parts(given.get("parts"), metrics, errors)
    if not parts:
        return None, errors
    weights = _weights(given.get("weights", dict(DEFAULT_WEIGHTS)), f"{_POINTER}/weights", parts, errors)
    kinds = given.get("by_type") or {}
    if not isinstance(kinds, Mapping):
        errors.append(FieldError(f"{_POINTER}/by_type", "type", _("Give an object of question type to weights.")))
        kinds = {}
    by_type = {str(kind): _weights(value, f"{_POINTER}/by_type/{kind}", parts, errors) for kind, value in kinds.items()}
    return {"parts": parts, "weights": weights, "by_type": by_type}, errors


def _parts(given: Any, metrics: Collection[str], errors: list[FieldError]) -> dict[str, str]:
    if not isinstance(given, Mapping) or not 1 <= len(given) <= MAX_PARTS:
        text = _("Give 1 to %(limit)s parts, each a name with the identity of a metric.") % {"limit": MAX_PARTS}
        errors.append(FieldError(f"{_POINTER}/parts", "required", text))
        return {}
    parts = dict.fromkeys(map(str, given), "")
    for name, value in given.items():
        try:
            parts[str(name)] = _part(value, metrics)
        except (ScoringError, ValueError) as error:
            errors.append(FieldError(f"{_POINTER}/parts/{name}", "metric", str(error)))
    return parts


def _part(value: Any, metrics: Collection[str]) -> str:
    if not isinstance(value, str):
        raise ValueError(_("Give the identity of a metric as a text."))
    parsed = MetricIdentity.parse(value)
    if parsed.text.startswith(PREFIX):
        return parsed.text
    spec = METRICS.get(parsed.name)
    if spec is not None and not spec.higher_is_better:
        raise ValueError(_("Of this metric lower is better, so it can't be part of a mean in which higher is."))
    base = MetricIdentity(parsed.name, parsed.params, parsed.stage, parsed.variant, parsed.version)
    if base.text not in metrics:
        raise ValueError(_("The suite does not hold this metric."))
    if bool(judged_part(parsed.name)) is not (parsed.judge is not None):
        raise ValueError(
            _("Name the judge whose scores are meant, as in “judge=acme-nli@2”.")
            if parsed.judge is None
            else _("This metric needs no judge.")
        )
    return parsed.text


def _weights(given: Any, pointer: str, parts: Mapping[str, str], errors: list[FieldError]) -> dict[str, float]:
    if not isinstance(given, Mapping):
        errors.append(FieldError(pointer, "type", _("Give an object of part to weight.")))
        return {}
    try:
        weights = dict(weights_checked(given, pointer.rpartition("/")[2]))
    except ScoringError as error:
        errors.append(FieldError(pointer, "weights", str(error)))
        return {}
    unknown = sorted(weights.keys() - parts.keys())
    if unknown:
        text = _("These weights are of no part: %(names)s.") % {"names": ", ".join(unknown)}
        errors.append(FieldError(pointer, "weights", text))
    return weights
