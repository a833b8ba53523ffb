"""Systems and suites, runs with their outputs and scores, comparisons, gates and thresholds."""

from runs_app.models.comparisons import Comparison
from runs_app.models.gates import Gate, GateCheck, GatePolicy
from runs_app.models.runs import Aggregate, MetricRecord, Output, Run, RunEvent, Score, ScoreBatch
from runs_app.models.systems import Suite, SuiteVersion, System, SystemVersion
from runs_app.models.thresholds import AnswerThreshold, ThresholdBound

__all__ = [
    "Aggregate",
    "AnswerThreshold",
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
    "ThresholdBound",
]
