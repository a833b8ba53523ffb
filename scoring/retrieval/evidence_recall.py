"""evidence_recall@K: the best evidence group's share of requirements satisfied within K.

Groups are alternatives, requirements of a group are all needed, alternatives of a requirement count once; a source span
is satisfied when the union of the units covers at least theta of it. A plain set of relevant ids is one group.
Worked example: A, B and C each needed, only A returned: 1/3. If D alone also suffices and D is returned: 1.
"""

from __future__ import annotations

from scoring.retrieval.columns import Floats
from scoring.retrieval.stage import StageData
from scoring.spec import THETA, K, MetricSpec
from scoring.types import Score


def compute(data: StageData, k: int | None = None, theta: float = 0.5) -> tuple[Floats, list[Score | None]]:
    """Values (n) and states over a stage."""
    return data.evidence(theta).best_share(k), data.evidence_states()


SPEC = MetricSpec(
    name="retrieval.evidence_recall",
    family="retrieval",
    summary="The best evidence group's share of requirements satisfied by the first K units.",
    compute=compute,
    parameters=(K, THETA),
    needs=("gold",),
    staged=True,
)
