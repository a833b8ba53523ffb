"""evidence_complete@K: 1 if some evidence group has all its requirements satisfied within K, else 0.

Groups are alternatives, requirements of a group are all needed, alternatives of a requirement count once; a source span
is satisfied when the union of the units covers at least theta of it. A plain set of relevant ids is one group.
Worked example: A, B and C each needed, only A returned: 0. If D alone also suffices and D is returned: 1.
"""

from __future__ import annotations

import numpy as np

from scoring.retrieval.columns import Floats
from scoring.retrieval.stage import StageData
from scoring.spec import THETA, K, MetricSpec
from scoring.types import Score


def compute(data: StageData, k: int | None = None, theta: float = 0.5) -> tuple[Floats, list[Score | None]]:
    """Values (n) and states over a stage."""
    return (data.evidence(theta).best_share(k) >= 1.0).astype(np.float64), data.evidence_states()


SPEC = MetricSpec(
    name="retrieval.evidence_complete",
    family="retrieval",
    summary="1 if some evidence group has all its requirements satisfied by the first K units, else 0.",
    compute=compute,
    parameters=(K, THETA),
    needs=("gold",),
    kind="proportion",
    staged=True,
)
