"""``json_schema``: the JSON answer is valid under a schema (draft 2020-12). Field: ``schema`` (an object).

References are resolved inside the schema alone: nothing is fetched. Patterns run under the time limit of ``regex``.
Worked example: schema ``{"type": "object", "required": ["price"]}``: ``{"price": 30}`` passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator, SchemaError, ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from scoring.answers.json_text import document
from scoring.answers.regex import TIME_LIMIT_SECONDS, compiled
from scoring.answers.result import AssertionResult
from scoring.answers.spec import known
from scoring.errors import AssertionSpecError
from scoring.types import SystemOutput


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, str):
        return
    try:
        found = compiled(pattern).search(instance, timeout=TIME_LIMIT_SECONDS)
    except TimeoutError:
        yield ValidationError(f"the pattern took longer than {TIME_LIMIT_SECONDS:g} s")
        return
    if not found:
        yield ValidationError(f"does not match {pattern!r}")


_Validator: Any = extend(Draft202012Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]
_EMPTY: Registry[Any] = Registry()


def validate(assertion: Mapping[str, Any]) -> None:
    """Raises AssertionSpecError."""
    known(assertion, "schema")
    schema = assertion.get("schema")
    if not isinstance(schema, Mapping):
        raise AssertionSpecError("/schema", "must be an object")
    if "patternProperties" in str(schema):
        raise AssertionSpecError("/schema", "patternProperties is not supported: its patterns have no time limit")
    try:
        Draft202012Validator.check_schema(dict(schema))
    except (SchemaError, RecursionError) as error:
        message = error.message if isinstance(error, SchemaError) else "nested too deeply"
        raise AssertionSpecError("/schema", f"is not a JSON schema: {message}") from error


def check(assertion: Mapping[str, Any], answer: str, output: SystemOutput | None) -> AssertionResult:
    """Pass when the answer holds a valid document."""
    try:
        value, span = document(answer)
    except ValueError as error:
        return AssertionResult(False, None, str(error))
    try:
        found = next(iter(_Validator(dict(assertion["schema"]), registry=_EMPTY).iter_errors(value)), None)
    except Unresolvable as missing:
        return AssertionResult(False, span, f"a reference of the schema cannot be resolved: {missing}")
    except RecursionError:
        return AssertionResult(False, span, "the schema refers to itself without end")
    if found is None:
        return AssertionResult(True, span, "valid")
    return AssertionResult(False, span, f"{found.json_path}: {found.message}"[:300])
