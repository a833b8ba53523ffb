"""What never changes: suite versions, verdicts, comparisons; outputs, scores and aggregates of a completed run."""

from core_app.triggers import Guard


def _run_closed(row: str) -> str:
    return f"EXISTS (SELECT 1 FROM runs_app_run AS r WHERE r.id = {row}.run_id AND r.status = 'completed')"  # noqa: S608


GUARDS = (
    Guard("suite_version", "runs_app_suiteversion", ("UPDATE", "DELETE"), "suite versions are never changed"),
    Guard("comparison", "runs_app_comparison", ("UPDATE", "DELETE"), "comparisons are never changed"),
    Guard("gate_check", "runs_app_gatecheck", ("UPDATE", "DELETE"), "gate verdicts are never changed"),
    Guard(
        "run",
        "runs_app_run",
        ("UPDATE", "DELETE"),
        "a completed run is never changed",
        when=(("UPDATE", "OLD.status = 'completed'"), ("DELETE", "OLD.status = 'completed'")),
    ),
    Guard(
        "output",
        "runs_app_output",
        ("INSERT", "UPDATE", "DELETE"),
        "outputs of a completed run are never changed",
        when=(("INSERT", _run_closed("NEW")), ("UPDATE", _run_closed("OLD")), ("DELETE", _run_closed("OLD"))),
    ),
    Guard(
        "score",
        "runs_app_score",
        ("INSERT", "UPDATE", "DELETE"),
        "scores of a completed run are never changed",
        when=(("INSERT", _run_closed("NEW")), ("UPDATE", _run_closed("OLD")), ("DELETE", _run_closed("OLD"))),
    ),
    Guard(
        "aggregate",
        "runs_app_aggregate",
        ("INSERT", "UPDATE", "DELETE"),
        "aggregates of a completed run are never changed",
        when=(("INSERT", _run_closed("NEW")), ("UPDATE", _run_closed("OLD")), ("DELETE", _run_closed("OLD"))),
    ),
)
