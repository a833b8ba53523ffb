"""Checks of a body's shape that every call shares: it is an object, and it holds nothing unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail

from core_app.errors import FieldError, Invalid


def pointer(*parts: object) -> str:
    """Return the JSON pointer of a place (RFC 6901): `pointer("outputs", 3, "answer")` is `/outputs/3/answer`."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def require_object(data: Any, *, at: str = "") -> Mapping[str, Any]:
    """Return `data` where it is a JSON object; raises `Invalid` naming the place."""
    if isinstance(data, Mapping):
        return data
    detail = _("A JSON object is expected here.")
    raise Invalid(detail, errors=[FieldError(at, "not_an_object", detail)])


def check_unknown_fields(data: Mapping[str, Any], allowed: Iterable[str], *, at: str = "") -> None:
    """Raise `Invalid` naming each field that nobody would read: a misspelt one must not be lost without a word."""
    known = set(allowed)
    unknown = [name for name in data if name not in known]
    if unknown:
        raise Invalid(
            _("Some fields are not known here."),
            errors=[
                FieldError(at + pointer(name), "unknown_field", _("This field is not known here.")) for name in unknown
            ],
        )


class StrictSerializer(serializers.Serializer):
    """A serializer that refuses fields which it does not declare."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = [name for name in data if name not in self.fields]
            if unknown:
                detail = ErrorDetail(_("This field is not known here."), "unknown_field")
                raise serializers.ValidationError({name: [detail] for name in unknown})
        return super().to_internal_value(data)


def validated(serializer_class: type[serializers.Serializer], data: Any, **options: Any) -> dict[str, Any]:
    """Return the validated fields of a body, or raise what becomes a 422 with pointers."""
    serializer = serializer_class(data=require_object(data), **options)
    serializer.is_valid(raise_exception=True)
    return serializer.validated_data
