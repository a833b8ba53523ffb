"""Reading a frozen split item by item is a use of it, entered in the ledger."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from core_app.actors import Actor
from datasets_app import services as dataset_services
from datasets_app.models import ExposureEntry
from datasets_app.states import ExposureUse
from runs_app.models import Run
from runs_app.policies import policy

#: One entry stands for all that a reader opens of a run within this time.
SESSION = timedelta(hours=1)


@transaction.atomic
def items_read_record(*, actor: Actor, run: Run) -> None:
    """Enter that the actor reads the run's items; nothing on a dev split. Raises `Forbidden` without `read`."""
    policy.require_items(actor, run)
    if not run.is_frozen_split:
        return
    recent = ExposureEntry.objects.filter(
        version=run.dataset_version,
        use=ExposureUse.REPORT,
        actor_key=actor.key,
        run_ref=run.public_id,
        at__gt=timezone.now() - SESSION,
    )
    if recent.exists():
        return
    dataset_services.exposure_record(
        actor=actor,
        version=run.dataset_version,
        split=run.split,
        use=ExposureUse.REPORT,
        items=run.expected_outputs // run.repeats,
        system_ref=run.system_version.ref,
        run_ref=run.public_id,
    )
