"""Saving a new or changed row with the model's own rules turned into `Invalid` and `Conflict`."""

from __future__ import annotations

from typing import TypeVar

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import IntegrityError, models, transaction
from django.utils.translation import gettext as _

from core_app.errors import Conflict, FieldError, Invalid

M = TypeVar("M", bound=models.Model)


def save_checked(row: M) -> M:
    """Validate and save the row; raises `Invalid` with a pointer for each field, `Conflict` where it is there already.

    Unique constraints are left to the database, which alone knows of the row that another transaction is adding.
    """
    # A column that may be unknown is not "required" here, whatever a form would say of an empty field.
    unknown = [field.name for field in row._meta.fields if field.null and getattr(row, field.attname) is None]
    try:
        row.full_clean(exclude=unknown, validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        errors = [
            FieldError(
                "" if name == NON_FIELD_ERRORS else f"/{name}", fault.code or "invalid", "; ".join(fault.messages)
            )
            for name, faults in error.error_dict.items()
            for fault in faults
        ]
        raise Invalid(_("Some fields are not valid."), errors=errors) from None
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        name = row._meta.verbose_name
        raise Conflict(_("There is a %(thing)s of this name already.") % {"thing": name}, code="exists") from None
    return row
