"""The settings of a suite, each checked when a version is made, so that no run meets a bad one.

| key | what it sets |
| --- | --- |
| `eps` | smallest difference that matters: a number, or by metric (identity or name, and `default`) |
| `resamples` | of comparisons' intervals and tests |
| `theta` | share of a source span that counts as found, for metrics given by name that do not say themselves |
| `stages` | the ranked lists that the system reports, in the order in which they are shown |
| `diagnosis` | thresholds of the rules that say where a run loses (`scoring.diagnosis.Thresholds`) |
| `composite` | parts and weights of `generation.composite` (`services.composites`) |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext as _

from core_app.errors import FieldError, Invalid
from runs_app.services.composites import composite_validated
from scoring.diagnosis import Thresholds

MAX_STAGES = 12
MAX_EPS = 200
_STAGE = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")
#: Below the first is low, from the second up is high: the other way round, a figure would be both.
_ORDERED = (
    ("hit_low", "hit_high"),
    ("complete_low", "complete_high"),
    ("faithfulness_low", "faithfulness_high"),
)


def is_number(value: Any, low: float, high: float) -> bool:
    """Return whether a JSON value is a number from `low` to `high`; truth values and NaN are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


def is_whole(value: Any, low: int, high: int) -> bool:
    """Return whether a JSON value is a whole number from `low` to `high`."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def settings_validated(settings: Mapping[str, Any], metrics: Collection[str]) -> dict[str, Any]:
    """Return a suite's settings in their full form; raises `Invalid` with a pointer for each fault.

    `metrics` are the suite's identities, which a composite may be made of.
    """
    errors = [
        FieldError(f"/settings/{key}", "unknown", _("There is no such setting."))
        for key in settings
        if key not in _CHECKS and key != "composite"
    ]
    for key, check in _CHECKS.items():
        if settings.get(key) is not None:
            errors += check(settings[key])
    composed, faults = composite_validated(settings.get("composite"), metrics)
    errors += faults
    if errors:
        raise Invalid(_("Some settings are not valid."), errors=errors)
    kept = {key: settings[key] for key in settings if settings[key] is not None}
    return {**kept, "composite": composed} if composed else kept


def _eps(given: Any) -> list[FieldError]:
    by_metric = given if isinstance(given, Mapping) else {"": given}
    errors = [
        FieldError(f"/settings/eps{'/' if key else ''}{key}", "number", _("Give a number from 0 to 1."))
        for key, value in by_metric.items()
        if not is_number(value, 0, 1)
    ]
    if len(by_metric) > MAX_EPS:
        errors.append(FieldError("/settings/eps", "too_many", _("At most %(limit)s entries.") % {"limit": MAX_EPS}))
    return errors


def _resamples(given: Any) -> list[FieldError]:
    if is_whole(given, 100, 100_000):
        return []
    return [FieldError("/settings/resamples", "number", _("Give a whole number from 100 to 100000."))]


def _theta(given: Any) -> list[FieldError]:
    if is_number(given, 0, 1) and given > 0:
        return []
    return [FieldError("/settings/theta", "number", _("Give a number above 0, at most 1."))]


def _stages(given: Any) -> list[FieldError]:
    if not isinstance(given, list) or not 1 <= len(given) <= MAX_STAGES:
        text = _("Give a list of 1 to %(limit)s stages.") % {"limit": MAX_STAGES}
        return [FieldError("/settings/stages", "type", text)]
    errors = []
    for place, stage in enumerate(given):
        pointer = f"/settings/stages/{place}"
        if not isinstance(stage, str) or not _STAGE.match(stage):
            text = _("A stage's name has lower-case letters, digits and _, at most 40.")
            errors.append(FieldError(pointer, "stage", text))
        elif stage in given[:place]:
            errors.append(FieldError(pointer, "duplicate", _("This stage stands in the list twice.")))
    return errors


def _diagnosis(given: Any) -> list[FieldError]:
    pointer = "/settings/diagnosis"
    if not isinstance(given, Mapping):
        return [FieldError(pointer, "type", _("Give an object of thresholds."))]
    known = asdict(Thresholds())
    errors = []
    for key, value in given.items():
        if key not in known:
            text = _("There is no such threshold; there are: %(names)s.") % {"names": ", ".join(known)}
            errors.append(FieldError(f"{pointer}/{key}", "unknown", text))
        elif key == "least_items":
            if not is_whole(value, 1, 100_000):
                errors.append(FieldError(f"{pointer}/{key}", "number", _("Give a whole number from 1 to 100000.")))
        elif not is_number(value, 0, 1):
            errors.append(FieldError(f"{pointer}/{key}", "number", _("Give a number from 0 to 1.")))
    if errors:
        return errors
    limits = {**known, **given}
    return [
        FieldError(f"{pointer}/{low}", "order", _("%(low)s is above %(high)s.") % {"low": low, "high": high})
        for low, high in _ORDERED
        if limits[low] > limits[high]
    ]


_CHECKS: dict[str, Callable[[Any], list[FieldError]]] = {
    "eps": _eps,
    "resamples": _resamples,
    "theta": _theta,
    "stages": _stages,
    "diagnosis": _diagnosis,
}
