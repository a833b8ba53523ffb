"""acl_violation@K: share of the first K units that the asker may not see, by the documents' visibility.

A document without an audience is open to everyone; else one of the item's audience names must be in it. Any value above
0 is a finding. Needs the snapshot's documents; a unit whose document is unknown makes the item ``not_applicable``.
Worked example: two units returned, one from a document for "staff" only, asked by "public": 0.5.
"""

from __future__ import annotations

import numpy as np

from scoring.retrieval.columns import Floats
from scoring.retrieval.stage import StageData
from scoring.spec import K, MetricSpec
from scoring.types import Score, State

_NO_DOCUMENTS = Score.none(State.NOT_APPLICABLE, "no snapshot of documents was given")
_UNKNOWN = Score.none(State.NOT_APPLICABLE, "a returned unit's document is not in the snapshot")
_NOTHING = Score.none(State.NOT_APPLICABLE, "nothing was returned")


def compute(data: StageData, k: int | None = None) -> tuple[Floats, list[Score | None]]:
    """Values (n) and states over a stage."""
    values = np.zeros(data.n)
    states: list[Score | None] = list(data.blocked)
    for row in range(data.n):
        if states[row] is not None:
            continue
        if data.documents is None:
            states[row] = _NO_DOCUMENTS
            continue
        units = data.units[row] if k is None else data.units[row][:k]
        if not units:
            states[row] = _NOTHING
            continue
        asker = set(data.items[row].audience)
        hidden = 0
        for unit in units:
            document = data.documents.get((unit.doc_id or "", unit.version_id))
            if document is None:
                states[row] = _UNKNOWN
                break
            hidden += bool(document.audience) and not (document.audience & asker)
        values[row] = hidden / len(units)
    return values, states


SPEC = MetricSpec(
    name="retrieval.acl_violation",
    family="retrieval",
    summary="Share of the first K units that the asker may not see; any value above 0 is a finding.",
    compute=compute,
    parameters=(K,),
    needs=("documents",),
    higher_is_better=False,
    staged=True,
)
