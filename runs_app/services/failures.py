"""What becomes of a run whose figures can't be computed."""

from __future__ import annotations

import logging

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from core_app.actors import SYSTEM
from runs_app.models import Run
from runs_app.services.runs import run_move
from runs_app.services.scoring import fault_text
from runs_app.states import RunStatus

logger = logging.getLogger(__name__)


@transaction.atomic
def run_finish_failed(*, run_id: int, error: Exception) -> None:
    """Fail the run with the kind of the fault; `run_retry_failed` tries again with the scores that are there."""
    run = Run.objects.filter(pk=run_id, status=RunStatus.SCORING).first()
    if run is None:
        return
    reason = fault_text(error)
    logger.error("run %s could not be completed: %s", run.public_id, reason)
    text = _("The figures could not be computed: %(reason)s.") % {"reason": reason}
    run_move(run, RunStatus.FAILED, actor=SYSTEM, reason=text, finished_at=timezone.now())
