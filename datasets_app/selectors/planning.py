"""How many items a comparison needs: the sample-size planner, over pure functions of `scoring.stats.power` alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from core_app.errors import FieldError, Invalid
from core_app.rest.fields import pointer
from datasets_app.detecting import ALPHA, CORRELATION, POWER
from scoring.errors import ScoringError
from scoring.stats.power import design_effect, items_needed, paired_sd_of_proportion

FORMULA = "n = ((z(1 - alpha/2) + z(power)) * sd / difference)^2 * (1 + (cluster_size - 1) * icc)"
SD_FORMULA = "sd = sqrt(2 * rate * (1 - rate) * (1 - correlation))"
SOURCES = (
    "Two-sided paired test, normal approximation.",
    "Design effect: Kish, Survey Sampling (1965).",
)
#: Differences shown beside the wanted one, so that a plan is read with what more or less would cost.
NEIGHBOURS = (0.02, 0.03, 0.05, 0.1)
#: Name → (lowest, highest, whether the ends themselves are allowed).
BOUNDS: dict[str, tuple[float, float, bool]] = {
    "wanted_difference": (0.0, 2.0, False),
    "power": (0.0, 1.0, False),
    "alpha": (0.0, 1.0, False),
    "baseline_rate": (0.0, 1.0, False),
    "paired_sd": (0.0, 100.0, False),
    "correlation": (0.0, 0.99, True),
    "icc": (0.0, 1.0, True),
    "cluster_size": (1.0, 1_000_000.0, True),
}
#: A plan for more than this is none.
MAX_ITEMS = 10**12


def _faults(given: Mapping[str, float | None]) -> list[FieldError]:
    found = []
    for name, (low, high, closed) in BOUNDS.items():
        value = given.get(name)
        if value is None:
            continue
        inside = low <= value <= high if closed else low < value < high
        if not math.isfinite(value) or not inside:
            text = _("From %(low)s to %(high)s.") if closed else _("Above %(low)s and below %(high)s.")
            found.append(FieldError(pointer(name), "range", text % {"low": f"{low:g}", "high": f"{high:g}"}))
    if (given.get("baseline_rate") is None) == (given.get("paired_sd") is None):
        text = _("Give either the baseline's rate or the standard deviation of the paired differences.")
        found.append(FieldError("/baseline_rate", "one_of", text))
    return found


def sample_size(
    *,
    wanted_difference: float,
    power: float = POWER,
    alpha: float = ALPHA,
    baseline_rate: float | None = None,
    paired_sd: float | None = None,
    correlation: float = CORRELATION,
    icc: float = 0.0,
    cluster_size: float = 1.0,
) -> dict[str, Any]:
    """Return the items and clusters that show the wanted paired mean difference, with what they rest on.

    Give `baseline_rate` for a score of 0 or 1 (with the correlation of two systems on the same item), or `paired_sd`,
    as a pilot shows it. Raises `Invalid` with a pointer to each value out of range.
    Worked example: difference 0.1, sd 0.5: 197 items.
    """
    given = {
        "wanted_difference": wanted_difference, "power": power, "alpha": alpha, "baseline_rate": baseline_rate,
        "paired_sd": paired_sd, "correlation": correlation, "icc": icc, "cluster_size": cluster_size,
    }  # fmt: skip
    faults = _faults(given)
    if faults:
        raise Invalid(_("Some values are not valid."), errors=faults)
    sd = paired_sd if paired_sd is not None else paired_sd_of_proportion(baseline_rate or 0.0, correlation)

    def needed(difference: float) -> int:
        return items_needed(difference, sd, power=power, alpha=alpha, cluster_size=cluster_size, icc=icc)

    try:
        items = needed(wanted_difference)
    except (OverflowError, ScoringError):
        items = MAX_ITEMS + 1
    if items > MAX_ITEMS:
        text = _("No set is as large as this difference would need.")
        raise Invalid(text, errors=[FieldError("/wanted_difference", "too_small", text)])
    return {
        "items": items,
        "clusters": math.ceil(items / cluster_size - 1e-9),
        "design_effect": design_effect(cluster_size, icc),
        "paired_sd": sd,
        "formula": FORMULA,
        "sd_formula": SD_FORMULA if paired_sd is None else None,
        "sources": list(SOURCES),
        "inputs": given | ({} if paired_sd is None else {"correlation": None}),
        "neighbours": [{"difference": one, "items": needed(one)} for one in NEIGHBOURS],
    }
