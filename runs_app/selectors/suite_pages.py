"""What the pages of suites show: the metrics that may be chosen, and a version's metrics and settings in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext as _

from runs_app.metric_wording import summary_of
from runs_app.models import SuiteVersion
from runs_app.wording import family_name
from scoring.diagnosis import Thresholds
from scoring.identity import MetricIdentity
from scoring.registry import METRICS
from scoring.spec import MetricSpec, Param

COMPOSITE = "generation.composite"
#: What a metric needs beside the output and the item → in words; other needs are the item's own gold.
_NEEDS = {
    "claims": "judgements",
    "nuggets": "judgements",
    "subquestions": "judgements",
    "attacks": "judgements",
    "documents": "snapshot",
}


def needs_of(spec: MetricSpec | None) -> str:
    """Return `judgements`, `snapshot` or "": what has to come with the run for the metric to have a value."""
    return next((_NEEDS[need] for need in (spec.needs if spec else ()) if need in _NEEDS), "")


def _parameter(param: Param) -> str:
    if param.choices:
        return f"{param.name}={'|'.join(param.choices)}"
    return param.name if param.default is None else f"{param.name}={param.default}"


def registered_by_family() -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the metrics that a suite may hold: family in words → name, parameters with defaults, meaning, needs."""
    families: dict[str, list[dict[str, Any]]] = {}
    for name in sorted(METRICS):
        spec = METRICS[name]
        parameters = [_parameter(param) for param in spec.parameters] + (["stage"] if spec.staged else [])
        families.setdefault(spec.family, []).append(
            {
                "name": name,
                "parameters": parameters,
                "summary": summary_of(name),
                "needs": needs_of(spec),
                "higher_is_better": spec.higher_is_better,
            }
        )
    return [(family_name(family), rows) for family, rows in families.items()]


def metrics_by_family(identities: Iterable[str]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return a version's metrics in their order: family in words → identity, meaning, needs."""
    families: dict[str, list[dict[str, Any]]] = {}
    for identity in identities:
        name = MetricIdentity.parse(identity).name
        spec = METRICS.get(name)
        row = {"identity": identity, "summary": summary_of(name), "needs": needs_of(spec)}
        families.setdefault(spec.family if spec else name.partition(".")[0], []).append(row)
    return [(family_name(family), rows) for family, rows in families.items()]


def settings_in_words(settings: Mapping[str, Any]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return heading → (name, value) pairs of all that a version sets; what it leaves out is not in it."""
    names = {
        "eps": _("Smallest difference that matters"),
        "resamples": _("Resamples of a comparison"),
        "theta": _("Share of a source span that counts as found"),
        "stages": _("Ranked lists that the system reports"),
        "diagnosis": _("Thresholds of the diagnosis"),
    }
    rows: list[tuple[str, list[tuple[str, str]]]] = []
    for key, name in names.items():
        value = settings.get(key)
        if isinstance(value, Mapping):
            rows.append((name, [(str(one), _shown(number)) for one, number in value.items()]))
        elif value is not None:
            rows.append((name, [("", ", ".join(value) if isinstance(value, list) else _shown(value))]))
    return rows


def _shown(number: Any) -> str:
    return f"{number:g}" if isinstance(number, int | float) else str(number)


def composite_in_words(settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the composite's parts as rows with their weights, the usual one first, then by question type."""
    given = settings.get("composite")
    if not given:
        return None
    kinds = list(given["by_type"])
    weights = [given["weights"], *given["by_type"].values()]
    return {
        "kinds": kinds,
        "summary": summary_of(COMPOSITE),
        "rows": [
            {"part": part, "identity": identity, "weights": [one.get(part, 0.0) for one in weights]}
            for part, identity in given["parts"].items()
        ],
    }


def suite_version_rows(versions: Iterable[SuiteVersion]) -> list[dict[str, Any]]:
    """Return each version with its metrics by family and its settings in words."""
    return [
        {
            "version": version,
            "families": metrics_by_family(version.metrics),
            "settings": settings_in_words(version.settings),
            "composite": composite_in_words(version.settings),
        }
        for version in versions
    ]


def threshold_defaults() -> dict[str, float]:
    """Return the diagnosis thresholds that hold where a suite sets none."""
    return asdict(Thresholds())
