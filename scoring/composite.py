"""One figure out of several generation metrics, for trends: a weighted mean, with weights per question type.

0.35 faithfulness + 0.35 answer relevancy + 0.30 context precision by default. Never an absolute grade: the parts
measure different things on different scales. A missing part makes it ``not_applicable``, not smaller. Source: scoring
page, section 5.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from scoring.errors import MetricError
from scoring.identity import MetricIdentity
from scoring.reasons import code_of
from scoring.types import Score, State

DEFAULT_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"faithfulness": 0.35, "answer_relevancy": 0.35, "context_precision": 0.30}
)


def weights_checked(weights: Mapping[str, float], name: str = "weights") -> Mapping[str, float]:
    """The weights in the order of their names, made immutable.

    Raises MetricError for no weights, one that is negative, not finite or no number, or a sum other than 1 (to 1e-9):
    a sum below 1 would make the figure smaller in silence.
    """
    if not weights:
        raise MetricError(f"{name}: are empty")
    for part, weight in weights.items():
        if not isinstance(part, str) or not part:
            raise MetricError(f"{name}: {part!r} is not the name of a part")
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not math.isfinite(weight) or weight < 0:
            raise MetricError(f"{name}: {part} is {weight!r}, not a finite number from 0 up")
    total = math.fsum(weights.values())
    if abs(total - 1.0) > 1e-9:
        raise MetricError(f"{name}: sum to {total:g}, not to 1")
    return MappingProxyType({part: float(weights[part]) for part in sorted(weights)})


@dataclass(frozen=True, slots=True)
class CompositeWeights:
    """``default`` weights, and others by question type. Checked as in ``weights_checked``."""

    default: Mapping[str, float] = field(default_factory=lambda: DEFAULT_WEIGHTS)
    by_type: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "default", weights_checked(self.default, "default weights"))
        checked = {
            kind: weights_checked(weights, f"weights of type {kind!r}")
            for kind, weights in sorted(self.by_type.items())
        }
        object.__setattr__(self, "by_type", MappingProxyType(checked))

    def of(self, types: Sequence[str]) -> Mapping[str, float]:
        """The weights of an item: those of the first of its question types that has its own, else the default."""
        return next((self.by_type[kind] for kind in types if kind in self.by_type), self.default)

    @property
    def identity(self) -> MetricIdentity:
        """``generation.composite`` with the weights' digest, so that other weights are another metric."""
        plain = {"default": dict(self.default), "by_type": {kind: dict(w) for kind, w in self.by_type.items()}}
        digest = hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
        return MetricIdentity("generation.composite", {"weights": f"sha256:{digest[:16]}"})


def composite(parts: Mapping[str, Score], weights: Mapping[str, float]) -> Score:
    """Weighted mean of one item's parts; a part of weight 0 is not needed, other parts are not read.

    A part that is not there or has no value: ``not_applicable``, with the parts and their states in the detail. Raises
    MetricError for weights that ``weights_checked`` refuses.
    Worked example: faithfulness 0.8, answer relevancy 0.6, context precision 0.5, default weights: 0.64.
    """
    needed = {part: weight for part, weight in weights_checked(weights).items() if weight > 0}
    missing: dict[str, str] = {}
    total: list[float] = []
    for part, weight in needed.items():
        score = parts.get(part)
        if score is None or score.value is None:
            missing[part] = "absent" if score is None else str(score.state)
        else:
            total.append(weight * score.value)
    if missing:
        reason = "missing: " + ", ".join(f"{part} ({state})" for part, state in missing.items())
        return Score(State.NOT_APPLICABLE, None, {"reason": reason, "code": code_of(reason), "missing": missing})
    return Score.of(math.fsum(total), {"weights": dict(needed)})
