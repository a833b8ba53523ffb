"""Run as `python -m tests.live.scoring_job begin N` or `… verify RUN` in a live server's environment; prints JSON."""

import json
import os
import sys

import django


def begin(n: int) -> dict[str, str]:
    """Make a run of `n` answered items and end its collection, so that the real workers score it."""
    from core_app.actors import SYSTEM
    from datasets_app.services import dataset_create, draft_get_or_create, items_import, version_freeze
    from runs_app.services.outputs import outputs_push
    from runs_app.services.runs import run_complete, run_create
    from runs_app.services.suites import default_suite
    from runs_app.services.systems import system_get_or_create, system_version_get_or_create
    from teams_app.models import Team
    from tests.datasets_app.factories import natives

    team = Team.objects.get(slug="support")
    dataset = dataset_create(actor=SYSTEM, team=team, slug="large", name="Large")
    version = draft_get_or_create(actor=SYSTEM, dataset=dataset)
    rows = natives(n)
    items_import(actor=SYSTEM, version=version, rows=list(enumerate(rows, start=1)))
    version = version_freeze(actor=SYSTEM, version=version, note="for the test")
    system, _made = system_get_or_create(actor=SYSTEM, team=team, slug="assistant")
    system_version, _made = system_version_get_or_create(actor=SYSTEM, system=system, label="v1")
    run = run_create(
        actor=SYSTEM,
        dataset_version=version,
        split="dev",
        suite_version=default_suite(team, actor=SYSTEM),
        system_version=system_version,
    )
    units = [{"id": f"chunk-{place}"} for place in range(1, 31)]
    outputs = [
        {
            "external_id": row["external_id"],
            "answer": "It weighs 3 kg. 重 3 公斤。",
            "outcome": "answered",
            "retrieved": {"coarse": units, "reranked": units[:10], "prompt": units[:5]},
        }
        for row in rows
    ]
    for start in range(0, n, 1000):
        outputs_push(actor=SYSTEM, run=run, rows=outputs[start : start + 1000])
    run_complete(actor=SYSTEM, run=run)
    return {"run": run.public_id}


def verify(public_id: str) -> dict[str, object]:
    """Count what a finished run left behind."""
    from runs_app.models import Output, Run, Score

    run = Run.objects.get(public_id=public_id)
    scores = Score.objects.filter(run=run)
    return {
        "outputs": Output.objects.filter(run=run).count(),
        "metrics": len(run.suite_version.metrics),
        "scores": scores.count(),
        "distinct": scores.order_by().values("output_id", "metric_id").distinct().count(),
        "batches": list(run.batches.order_by("index").values_list("status", flat=True)),
        "completed_events": run.events.filter(status="completed").count(),
        "aggregates": run.aggregates.count(),
    }


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalplatform.settings.dev")
    django.setup()
    command, argument = sys.argv[1:]
    print(json.dumps(begin(int(argument)) if command == "begin" else verify(argument)))
