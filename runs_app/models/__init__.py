"""Systems and suites, runs with their outputs and scores, comparisons and gates."""

from runs_app.models.comparisons import Comparison
from runs_app.models.gates import Gate, GateCheck, GatePolicy
from runs_app.models.runs import Aggregate, MetricRecord, Output, Run, RunEvent, Score, ScoreBatch
from runs_app.models.systems import Suite, SuiteVersion, System, SystemVersion

__all__ = [
    "Aggregate",
    "Comparison",
    "Gate",
    "GateCheck",
    "GatePolicy",
    "MetricRecord",
    "Output",
    "Run",
    "RunEvent",
    "Score",
    "ScoreBatch",
    "Suite",
    "SuiteVersion",
    "System",
    "SystemVersion",
]
