"""citations.recall, precision and irrelevant_rate, from judged support: per answer, then the mean over answers.

- recall: claims supported by their own citations together / claims that need a citation.
- precision: citations whose claim is jointly supported and which support it alone or whose removal breaks the support /
  citations.
- irrelevant_rate: citations of jointly supported claims which alone do not support while the rest does / citations.

A citation counts once for each claim that it is placed on. Which set supports what comes as ``SupportTable`` data,
judged on the cited passage alone. An answer without citations placed on a claim is ``not_applicable`` for precision and
the irrelevant rate, and 0 for recall where claims need one. No claims: ``no_claims``; nothing judged:
``not_applicable``; support that the judge could not tell and that decides: ``undetermined``; a judgement of a citation
that the output does not have: ``judge_failed``; failed and refused outputs carry their states.

Source: Gao et al. 2023, "Enabling large language models to generate text with citations" (ALCE), section 3.
Worked example: claim 1 cites a and b, a alone supports it, b alone does not; claim 2 cites c, which does not support;
claim 3 needs a citation and has none: recall 1/3, precision 1/3 (a), irrelevant_rate 1/3 (b).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from scoring.batch import Batch
from scoring.judgements import SupportTable
from scoring.spec import MetricSpec
from scoring.types import Score, State, SystemOutput

_NOT_JUDGED = Score.none(State.NOT_APPLICABLE, "no judged support of the answer's claims was given")
_NO_CLAIMS = Score.none(State.NO_CLAIMS, "the answer holds no checkable claim")
_NONE_NEEDED = Score.none(State.NOT_APPLICABLE, "no claim needs a citation")
_NO_CITATIONS = Score.none(State.NOT_APPLICABLE, "no citation is placed on a claim")
_OPEN = Score.none(State.UNDETERMINED, "the judge could not tell whether a claim is supported")
_FOREIGN = Score.none(State.JUDGE_FAILED, "a judgement names a citation that the output does not have")
_FAILED = Score.none(State.TARGET_FAILED, "the system gave no output")
_REFUSED = Score.none(State.REFUSED, "the system declined to answer")


def recall(claims: Sequence[SupportTable]) -> Score:
    """Share of the claims that need a citation which their own citations support together."""
    needing = [claim for claim in claims if claim.needs_citation]
    if not needing:
        return _NONE_NEEDED
    found = [claim.supported for claim in needing]
    return _share(found, "claims")


def precision(claims: Sequence[SupportTable]) -> Score:
    """Share of the placed citations that carry weight."""
    found = [claim.relevant(place) for claim in claims for place in range(len(claim.citations))]
    return _share(found, "citations") if found else _NO_CITATIONS


def irrelevant_rate(claims: Sequence[SupportTable]) -> Score:
    """Share of the placed citations that add nothing to a claim which the others support."""
    found = [claim.irrelevant(place) for claim in claims for place in range(len(claim.citations))]
    return _share(found, "citations") if found else _NO_CITATIONS


def _share(found: Sequence[bool | None], of: str) -> Score:
    if None in found:
        return _OPEN
    return Score.of(sum(map(bool, found)) / len(found), {of: len(found), "counted": sum(map(bool, found))})


def _pair(output: SystemOutput, claims: Sequence[SupportTable] | None, rate: Callable[..., Score]) -> Score:
    if output.failed:
        return _FAILED
    if output.refused:
        return _REFUSED
    if claims is None:
        return _NOT_JUDGED
    if not claims:
        return _NO_CLAIMS
    if any(place >= len(output.citations) for claim in claims for place in claim.citations):
        return _FOREIGN
    return rate(claims)


def compute(batch: Batch, rate: Callable[..., Score]) -> list[Score]:
    """One score per pair."""
    return [_pair(out, judged.claims, rate) for out, judged in zip(batch.outputs, batch.judgements, strict=True)]


def _spec(name: str, summary: str, rate: Callable[..., Score], higher_is_better: bool = True) -> MetricSpec:
    return MetricSpec(
        name=f"citations.{name}",
        family="citations",
        summary=summary,
        compute=partial(compute, rate=rate),
        needs=("claims",),
        higher_is_better=higher_is_better,
    )


SPECS = (
    _spec("recall", "Share of the claims needing a citation that their own citations support together.", recall),
    _spec("precision", "Share of the citations that their claim's support rests on.", precision),
    _spec(
        "irrelevant_rate",
        "Share of the citations that do not support a claim which the others support.",
        irrelevant_rate,
        higher_is_better=False,
    ),
)
