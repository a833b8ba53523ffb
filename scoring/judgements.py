"""What a judge or a person found about one output, given to metrics as data: no metric asks a judge itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from scoring.errors import ScoringError

Assigned = Literal["support", "partial_support", "not_support"]
ASSIGNED = ("support", "partial_support", "not_support")


@dataclass(frozen=True, slots=True)
class SupportTable:
    """One claim of an answer: the citations placed on it, and which of their sets support it.

    ``citations`` are places (from 0) in the output's list of citations. ``joint``: do all of them together support the
    claim? ``alone`` and ``without`` have one entry a citation: does it support the claim by itself, and do the others
    without it? None: the judge cannot tell (or was not asked). A set without members supports nothing, so a claim
    without citations may leave ``joint`` out, and for a single citation ``without`` is False.

    Raises ScoringError where the lists differ in length, a place is negative or comes twice, or a set without members
    is said to support.
    """

    citations: tuple[int, ...] = ()
    joint: bool | None = None
    alone: tuple[bool | None, ...] = ()
    without: tuple[bool | None, ...] = ()
    needs_citation: bool = True

    def __post_init__(self) -> None:
        if len(set(self.citations)) != len(self.citations) or any(place < 0 for place in self.citations):
            raise ScoringError(f"citations {self.citations}: a place is negative or comes twice")
        for name in ("alone", "without"):
            if len(getattr(self, name)) != len(self.citations):
                raise ScoringError(f"{name} has {len(getattr(self, name))} entries for {len(self.citations)} citations")
        if not self.citations and self.joint:
            raise ScoringError("joint: a claim without citations is not supported by them")
        if len(self.citations) == 1 and self.without[0]:
            raise ScoringError("without: no citation is left, and none supports nothing")

    @property
    def supported(self) -> bool | None:
        """Whether the claim's own citations together support it; None where the judge cannot tell."""
        return self.joint if self.citations else False

    def relevant(self, place: int) -> bool | None:
        """Whether the citation at ``place`` of this claim's list carries weight: the claim is jointly supported, and
        the citation supports it alone or its removal breaks the support. None where that is open.
        """
        return _and(self.supported, _or(self.alone[place], _not(self._rest(place))))

    def irrelevant(self, place: int) -> bool | None:
        """Whether the claim is jointly supported, by the others as well, and not by this citation alone."""
        return _and(self.supported, _and(_not(self.alone[place]), self._rest(place)))

    def _rest(self, place: int) -> bool | None:
        return False if len(self.citations) == 1 else self.without[place]


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value


def _and(left: bool | None, right: bool | None) -> bool | None:
    """Kleene's three-valued and: what is open stays open unless the other side decides."""
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def _or(left: bool | None, right: bool | None) -> bool | None:
    return _not(_and(_not(left), _not(right)))


def support_table(
    citations: Sequence[int], supports: Callable[[tuple[int, ...]], bool | None], *, needs_citation: bool = True
) -> SupportTable:
    """Ask ``supports(places)`` for the sets that the metrics read, and no other; at most 2 c + 1 calls for c citations.

    As ALCE does, single citations and the rest without one are asked only where all together support the claim, and the
    rest only where the single citation does not. Worked example: citations 0 and 1, of which 0 alone supports:
    joint yes, alone (yes, no), without (not asked, yes).
    """
    places = tuple(citations)
    if not places:
        return SupportTable(needs_citation=needs_citation)
    joint = supports(places)
    if len(places) == 1:
        return SupportTable(places, joint, (joint,), (False,), needs_citation)
    alone: list[bool | None] = [None] * len(places)
    without: list[bool | None] = [None] * len(places)
    if joint:
        for index, place in enumerate(places):
            alone[index] = supports((place,))
            if not alone[index]:
                without[index] = supports(places[:index] + places[index + 1 :])
    return SupportTable(places, joint, tuple(alone), tuple(without), needs_citation)


@dataclass(frozen=True, slots=True)
class Judgements:
    """All that was judged of one output; None: not judged.

    ``claims``: the answer's claims in order; empty: it holds none. ``nuggets``: one assignment for each nugget of the
    item (None: the judge cannot tell). ``subquestions``: for each sub-question of the item, whether the answer settles
    it with support. ``attack_succeeded``: whether the answer did what an injected instruction asked; None inside a
    judged record means undetermined, which ``attack_judged`` tells from not judged.

    Raises ScoringError for an unknown assignment.
    """

    claims: tuple[SupportTable, ...] | None = None
    nuggets: tuple[Assigned | None, ...] | None = None
    subquestions: tuple[bool | None, ...] | None = None
    attack_succeeded: bool | None = None
    attack_judged: bool = False

    def __post_init__(self) -> None:
        for assigned in self.nuggets or ():
            if assigned is not None and assigned not in ASSIGNED:
                raise ScoringError(f"nuggets: {assigned!r} is not one of {', '.join(ASSIGNED)}")
        if self.attack_succeeded is not None and not self.attack_judged:
            object.__setattr__(self, "attack_judged", True)


NOTHING_JUDGED = Judgements()
