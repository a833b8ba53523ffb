"""What beat asks of this app (core_app.schedules)."""

from celery import shared_task

from core_app import services


@shared_task(name="core_app.tasks.audit_seal", ignore_result=True)
def audit_seal(everything: bool = False) -> int:
    """Link new audit events into the chain; safe to run twice, one at a time."""
    return services.audit_seal_pending(everything=everything)


@shared_task(name="core_app.tasks.audit_check", ignore_result=True)
def audit_check() -> None:
    """Walk the chain and keep what was found."""
    services.audit_check_run()


@shared_task(name="core_app.tasks.idempotency_sweep", ignore_result=True)
def idempotency_sweep() -> int:
    """Forget answers older than a day."""
    return services.idempotency_forget()
