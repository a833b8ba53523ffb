"""What a rule is decided on: figures of the run, and of its difference from the baseline. No database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its interval; None where there is none."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    def as_dict(self) -> dict[str, Any]:
        return {"observed": self.value, "interval": None if self.low is None else [self.low, self.high]}


@dataclass(frozen=True, slots=True)
class MetricFacts:
    """A metric over a group of the run's items, as observed and with the missing scores taken as worst.

    `problem` is a reason code where there is nothing to decide on (`metric_not_in_run`, `uncalibrated`, …).
    `states` counts items by the state of their score, `scored` left out.
    """

    problem: str = ""
    metric: str = ""
    observed: Figure = field(default_factory=Figure)
    worst: Figure = field(default_factory=Figure)
    n: int = 0
    n_total: int = 0
    n_clusters: int = 0
    n_missing: int = 0
    states: Mapping[str, int] = field(default_factory=dict)
    higher_is_better: bool = True


@dataclass(frozen=True, slots=True)
class PairFacts:
    """The difference candidate − baseline of a metric, on items scored in both and with the missing as worst.

    `noise`: the band within which two runs of one system fall, 0 where none is known; `noise_source` as a comparison's
    row has it (`selectors.noise`).
    """

    problem: str = ""
    metric: str = ""
    observed: Figure = field(default_factory=Figure)
    worst: Figure = field(default_factory=Figure)
    verdict: str = ""
    n: int = 0
    n_total: int = 0
    n_clusters: int = 0
    n_missing: int = 0
    noise: float = 0.0
    noise_source: str = "none"
    higher_is_better: bool = True


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Figures of the run's outputs. `latencies` and `costs` hold None where an output gave none."""

    outputs: int = 0
    missing: int = 0
    latencies: tuple[float | None, ...] = ()
    costs: tuple[float | None, ...] = ()
    split_spent: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that one rule may ask for; the caller fills in what its kind needs."""

    run: RunFacts = field(default_factory=RunFacts)
    metric: MetricFacts | None = None
    pair: PairFacts | None = None


@dataclass(frozen=True, slots=True)
class RuleResult:
    """One rule's verdict with its figures; `code` names the reason (sentences.reason_sentence).

    `noise` and `noise_source` stand beside a difference from a baseline; None and "" elsewhere.
    """

    verdict: str
    code: str
    figure: Figure = field(default_factory=Figure)
    worst: Figure | None = None
    metric: str = ""
    limit: float | None = None
    n: int = 0
    n_total: int = 0
    n_clusters: int = 0
    n_missing: int = 0
    states: Mapping[str, int] = field(default_factory=dict)
    noise: float | None = None
    noise_source: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the result as it is stored: figures and a reason code, no sentence in any language."""
        return {
            "verdict": self.verdict,
            "code": self.code,
            "metric": self.metric,
            **self.figure.as_dict(),
            "worst": None if self.worst is None else self.worst.as_dict(),
            "limit": self.limit,
            "n": self.n,
            "n_total": self.n_total,
            "n_clusters": self.n_clusters,
            "n_missing": self.n_missing,
            "states": dict(self.states),
            "noise": self.noise,
            "noise_source": self.noise_source,
        }
