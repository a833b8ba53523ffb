"""What never changes: suite versions, verdicts, comparisons, thresholds; what belongs to a completed run."""

from core_app.triggers import Guard


def _run_closed(row: str) -> str:
    return f"EXISTS (SELECT 1 FROM runs_app_run AS r WHERE r.id = {row}.run_id AND r.status = 'completed')"  # noqa: S608


#: Neither what belongs to a completed run nor what would come to belong to one.
_MOVED = f"{_run_closed('OLD')} OR {_run_closed('NEW')}"


def _changed(*columns: str) -> str:
    return " OR ".join(f"NEW.{name} <> OLD.{name}" for name in columns)


#: What 0003 and 0004 install: the tables that stand by then.
FIRST_GUARDS = (
    Guard(
        "system_version",
        "runs_app_systemversion",
        ("UPDATE",),
        "what a system's version means is never changed",
        when=(("UPDATE", _changed("id", "system_id", "label", "git_sha", "config")),),
    ),
    Guard(
        "gate_policy",
        "runs_app_gatepolicy",
        ("UPDATE", "DELETE"),
        "the rules of a gate's policy are never changed",
        when=(
            ("UPDATE", _changed("id", "gate_id", "version", "rules")),
            ("DELETE", "OLD.status <> 'draft'"),
        ),
    ),
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
        when=(("INSERT", _run_closed("NEW")), ("UPDATE", _MOVED), ("DELETE", _run_closed("OLD"))),
    ),
    Guard(
        "score",
        "runs_app_score",
        ("INSERT", "UPDATE", "DELETE"),
        "scores of a completed run are never changed",
        when=(("INSERT", _run_closed("NEW")), ("UPDATE", _MOVED), ("DELETE", _run_closed("OLD"))),
    ),
    Guard(
        "aggregate",
        "runs_app_aggregate",
        ("INSERT", "UPDATE", "DELETE"),
        "aggregates of a completed run are never changed",
        when=(("INSERT", _run_closed("NEW")), ("UPDATE", _MOVED), ("DELETE", _run_closed("OLD"))),
    ),
)
THRESHOLD_GUARDS = (
    Guard(
        "answer_threshold",
        "runs_app_answerthreshold",
        ("UPDATE", "DELETE"),
        "answer thresholds are never changed",
    ),
)
GUARDS = FIRST_GUARDS + THRESHOLD_GUARDS
