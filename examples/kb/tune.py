"""Chooses the refusal thresholds of both versions from the dev split: ``python -m examples.kb.tune``.

For each version and language: the lowest threshold, in steps of 0.01, with the greatest number of right less wrong
outcomes. A refusal of an answerable question counts 0, so that answering at random does not pay.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from examples.kb.documents import load_documents, load_items
from examples.kb.system import CONFIGS, System
from scoring.answers.verdict import verdict_of
from scoring.types import EvalItem, SystemOutput

STEPS = [step / 100 for step in range(101)]


def gain(item: EvalItem, output: SystemOutput, threshold: float) -> int:
    """1 for a right outcome under this threshold, -1 for a wrong answer, 0 for a needless refusal."""
    if output.refused or (output.confidence or 0.0) < threshold:
        return 0 if item.answerable else 1
    right = (item.answerable or item.false_premise) and verdict_of(item, output).correct
    return 1 if right else -1


def choose_thresholds(version: Literal["v1", "v2"], dev_items: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The threshold of each language. Raises ValueError for an item that is not of the dev split."""
    if any(item["split"] != "dev" for item in dev_items):
        raise ValueError("thresholds are chosen on the dev split alone")
    always = replace(CONFIGS[version], refusal_thresholds={"en": 0.0, "zh": 0.0})
    rows = [
        (EvalItem.from_native(item), SystemOutput.from_native(output))
        for item, output in zip(dev_items, System(always, load_documents()).answer_all(dev_items), strict=True)
    ]
    chosen = {}
    for language in ("en", "zh"):
        ours = [(item, output) for item, output in rows if item.language == language]
        totals = [sum(gain(item, output, threshold) for item, output in ours) for threshold in STEPS]
        chosen[language] = STEPS[totals.index(max(totals))]
    return chosen


def main() -> None:
    """Print what the dev split says."""
    dev_items = [item for item in load_items() if item["split"] == "dev"]
    for version in ("v1", "v2"):
        sys.stdout.write(f"{version}: {choose_thresholds(version, dev_items)}\n")


if __name__ == "__main__":
    main()
