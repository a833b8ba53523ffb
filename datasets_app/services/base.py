"""What this app's services share: saving with clear refusals, and locking a draft."""

from __future__ import annotations

from typing import TypeVar

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import IntegrityError, models, transaction
from django.utils.translation import gettext as _

from core_app.errors import Conflict, FieldError, Invalid
from datasets_app.models import DatasetVersion
from datasets_app.states import VersionStatus

M = TypeVar("M", bound=models.Model)


def create_checked(obj: M) -> M:
    """Validate and insert the object; raises `Invalid` naming the fields, `Conflict` where the name is taken."""
    taken = Conflict(_("This short name or id is taken."), code="taken")
    try:
        obj.full_clean()
    except ValidationError as error:
        if any(item.code in {"unique", "unique_together"} for rows in error.error_dict.values() for item in rows):
            raise taken from None
        errors = [
            FieldError("" if name == NON_FIELD_ERRORS else f"/{name}", item.code or "invalid", message)
            for name, rows in error.error_dict.items()
            for item in rows
            for message in item.messages
        ]
        raise Invalid(_("Some fields are not valid."), errors=errors) from None
    try:
        with transaction.atomic():
            obj.save(force_insert=True)
    except IntegrityError:
        raise taken from None
    return obj


def lock_version(version: DatasetVersion) -> DatasetVersion:
    """Return the version as it is now, its row locked until the transaction ends.

    PostgreSQL locks the row; SQLite's transactions are immediate, so that there is one writer at a time anyway. Whoever
    edits entries and whoever freezes takes this lock first: one of them is first, and the other sees what became of it.
    """
    return DatasetVersion.objects.select_for_update(of=("self",)).select_related("dataset__team").get(pk=version.pk)


def lock_draft(version: DatasetVersion) -> DatasetVersion:
    """Return the locked version; raises `Conflict` unless it is a draft."""
    locked = lock_version(version)
    if locked.status != VersionStatus.DRAFT:
        raise Conflict(
            _("Version %(number)s is %(status)s; only a draft can be edited.")
            % {"number": locked.number, "status": locked.get_status_display()},
            code="not_a_draft",
        )
    return locked
