"""What the registry knows about a metric: definition, parameters with their checks, needs, bounds, how to compute."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from scoring.errors import MetricError
from scoring.identity import MetricIdentity, ParamValue

Kind = Literal["proportion", "mean"]


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a metric.

    ``default`` None with ``required`` False means "absent": for ``k`` the whole list is read. ``shown`` False leaves
    the parameter out of the identity while it has its default value.
    """

    name: str
    type: Literal["int", "float", "choice"]
    default: ParamValue | None = None
    required: bool = False
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    choices: tuple[str, ...] = ()
    shown: bool = True

    def check(self, metric: str, value: object) -> ParamValue:
        """Return the value in its own type, or raise MetricError naming metric, parameter and reason."""
        if self.type == "choice":
            if value not in self.choices:
                raise MetricError(f"{metric}: {self.name} is {value!r}, not one of {', '.join(self.choices)}")
            return str(value)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise MetricError(f"{metric}: {self.name} is {value!r}, not a number")
        if not math.isfinite(value):
            raise MetricError(f"{metric}: {self.name} is not finite")
        if self.type == "int" and value != int(value):
            raise MetricError(f"{metric}: {self.name} is {value!r}, not a whole number")
        if self.minimum is not None and value < self.minimum:
            raise MetricError(f"{metric}: {self.name} is {value!r}, below {self.minimum:g}")
        if self.above is not None and value <= self.above:
            raise MetricError(f"{metric}: {self.name} is {value!r}, not above {self.above:g}")
        if self.maximum is not None and value > self.maximum:
            raise MetricError(f"{metric}: {self.name} is {value!r}, above {self.maximum:g}")
        return int(value) if self.type == "int" else float(value)


K = Param("k", "int", minimum=1, maximum=1_000_000)
K_REQUIRED = Param("k", "int", minimum=1, maximum=1_000_000, required=True)
LEVEL = Param("level", "int", default=1, minimum=1, maximum=1000, shown=False)
THETA = Param("theta", "float", default=0.5, above=0.0, maximum=1.0)
THETA_HIDDEN = Param("theta", "float", default=0.5, above=0.0, maximum=1.0, shown=False)


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """One metric of the registry.

    ``summary`` is one plain sentence; ``needs`` names inputs (gold, labels, assertions, confidence, documents, tokens);
    ``compute`` maps prepared columns and parameters to values and states, one per (item, output) pair.
    """

    name: str
    family: str
    summary: str
    compute: Callable[..., Any] = field(repr=False)
    parameters: tuple[Param, ...] = ()
    needs: tuple[str, ...] = ()
    higher_is_better: bool = True
    bounds: tuple[float, float] = (0.0, 1.0)
    kind: Kind = "mean"
    version: int = 1
    staged: bool = False

    def validated(self, given: Mapping[str, Any]) -> dict[str, ParamValue]:
        """All parameters with defaults filled in and checked; raises MetricError on an unknown or bad one."""
        known = {p.name: p for p in self.parameters}
        for key in given:
            if key not in known:
                allowed = ", ".join(known) or "none"
                raise MetricError(f"{self.name}: unknown parameter {key!r} (known: {allowed})")
        values: dict[str, ParamValue] = {}
        for param in self.parameters:
            value = given.get(param.name)
            if value is None:
                if param.required:
                    raise MetricError(f"{self.name}: the parameter {param.name} is needed")
                if param.default is not None:
                    values[param.name] = param.default
                continue
            values[param.name] = param.check(self.name, value)
        return values

    def identity(self, stage: str | None = None, **given: Any) -> MetricIdentity:
        """The full identity for these parameters; a hidden parameter at its default is left out."""
        if stage is not None and not self.staged:
            raise MetricError(f"{self.name}: does not read a stage, but {stage!r} was given")
        values = self.validated(given)
        for param in self.parameters:
            if not param.shown and values.get(param.name) == param.default:
                values.pop(param.name, None)
        return MetricIdentity(name=self.name, params=values, stage=stage, version=self.version)
