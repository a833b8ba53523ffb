"""Which run a gate compares with."""

from __future__ import annotations

from django.db.models import QuerySet

from runs_app.models import Gate, GateCheck, Run
from runs_app.states import RunStatus, Verdict


def earlier_runs(run: Run) -> QuerySet[Run]:
    """Return the completed runs before this one of the same system, data, split, tier and suite."""
    return Run.objects.filter(
        team_id=run.team_id,
        system_version__system_id=run.system_version.system_id,
        dataset_version_id=run.dataset_version_id,
        split=run.split,
        tier=run.tier,
        suite_version__suite_id=run.suite_version.suite_id,
        status=RunStatus.COMPLETED,
        pk__lt=run.pk,
    )


def baseline_for(gate: Gate, run: Run) -> Run | None:
    """Return the newest earlier run that passed this gate, else the first completed one, else None."""
    earlier = earlier_runs(run)
    passed = GateCheck.objects.filter(policy__gate=gate, verdict=Verdict.PASS).values("run_id")
    return earlier.filter(pk__in=passed).order_by("-pk").first() or earlier.order_by("finished_at", "pk").first()
