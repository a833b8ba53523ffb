"""recall@budget: evidence_recall over the longest prefix of the list that fits a token budget.

Tokens are counted as sent, before copies are collapsed, so that two chunkings can be compared at one context size.
A unit without a token count makes the item ``not_applicable``. Worked example: budget 100, units of 60 (A) and 60 (B)
tokens, A and B needed: only A fits, 1/2.
"""

from __future__ import annotations

from scoring.retrieval.columns import Floats
from scoring.retrieval.stage import StageData, cuts
from scoring.spec import THETA, MetricSpec, Param
from scoring.types import Score, State

BUDGET = Param("budget", "int", required=True, minimum=1, maximum=100_000_000)
_NO_TOKENS = Score.none(State.NOT_APPLICABLE, "a returned unit has no token count")


def compute(data: StageData, budget: int, theta: float = 0.5) -> tuple[Floats, list[Score | None]]:
    """Values (n) and states over a stage."""
    cut, unknown = cuts(data, budget)
    states = [
        state if state is not None or not missing else _NO_TOKENS
        for state, missing in zip(data.evidence_states(), unknown, strict=True)
    ]
    return data.evidence(theta).best_share(cut), states


SPEC = MetricSpec(
    name="retrieval.evidence_recall_budget",
    family="retrieval",
    summary="The best evidence group's share of requirements satisfied by the units that fit the token budget.",
    compute=compute,
    parameters=(BUDGET, THETA),
    needs=("gold", "tokens"),
    staged=True,
)
