"""Checks of a version before it is frozen: what is found, in which entries, and how to mend it.

A check that finds nothing is kept too, so that a checklist can show it. `block` forbids freezing, `explain` asks for a
note, `warn` only informs.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from core_app.canonical import canonical_json
from datasets_app.detecting import ALPHA, COARSE, POWER, of_contents
from datasets_app.imports.native import UNANSWERABLE_TYPES
from datasets_app.imports.plan import document_lengths, span_fault
from datasets_app.models import DatasetVersion, VersionEntry
from datasets_app.states import ItemSource, QuestionType, Split, Tier, VersionStatus


class Severity(StrEnum):
    OK = "ok"
    WARN = "warn"
    EXPLAIN = "explain"
    BLOCK = "block"


#: What each check asks for.
TITLES = {
    "empty": _lazy("The version holds items"),
    "empty_split": _lazy("Both splits hold items"),
    "required_types": _lazy("Questions that have no answer are covered"),
    "type_coverage": _lazy("Question types are covered"),
    "duplicates_across": _lazy("No question stands in both splits"),
    "duplicates": _lazy("No question stands twice in a split"),
    "was_dev": _lazy("No test item was open before"),
    "evidence_unresolved": _lazy("Evidence resolves in the corpus"),
    "unreviewed": _lazy("A person has reviewed what a language model wrote"),
    "without_evidence": _lazy("Answerable questions have evidence"),
    "untyped": _lazy("Every item has a type"),
    "tier_sizes": _lazy("Tiers have their usual sizes"),
    "detectable": _lazy("The set can detect a difference that matters"),
}


@dataclass(frozen=True, slots=True)
class Check:
    """One check's outcome. `entry_ids` are the entries behind it; `across` marks checks that compare dev with frozen.

    What compares the two splits tells about frozen wording, so it is shown only to those who may read the test items.
    """

    code: str
    severity: Severity
    message: str
    mend: str = ""
    entry_ids: tuple[int, ...] = ()
    across: bool = False

    @property
    def title(self) -> str:
        """Return what the check asks for, as a sentence."""
        return str(TITLES[self.code])

    @property
    def count(self) -> int:
        return len(self.entry_ids)

    def __str__(self) -> str:
        return f"{self.code}: {self.severity}"


@dataclass(slots=True)
class _Found:
    """What one pass over the entries gathers."""

    sizes: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    types: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    tiers: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(int)))
    untyped: list[int] = field(default_factory=list)
    unreviewed: list[int] = field(default_factory=list)
    without_evidence: list[int] = field(default_factory=list)
    spans: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)
    questions: dict[str, list[tuple[int, str]]] = field(default_factory=lambda: defaultdict(list))
    items: dict[int, tuple[int, str]] = field(default_factory=dict)
    #: Split → external id → what decides the item's cluster.
    clustered: dict[str, dict[str, Mapping[str, Any]]] = field(default_factory=lambda: defaultdict(dict))


def normal_question(content: Mapping[str, Any]) -> str:
    """Return the key under which two items ask the same: width, case, spaces and punctuation apart.

    History, given context, query time and audience are part of the question: "and in red?" asks something else after
    another turn.
    """
    text = unicodedata.normalize("NFKC", content["question"]).casefold()
    plain = "".join(char for char in text if unicodedata.category(char)[0] not in "PZCS" or char in "+-%$€£¥<>=")
    rest = {key: content[key] for key in ("history", "context", "query_time", "audience") if content.get(key)}
    return f"{plain}\n{canonical_json(rest)}" if rest else plain


def _spans(content: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for group in content.get("evidence", ()):
        for requirement in group:
            yield from (alternative for alternative in requirement if isinstance(alternative, dict))


#: The fields of an item that decide its cluster.
_CLUSTERING = ("cluster", "perturbs")


def _gather(version: DatasetVersion) -> _Found:
    found = _Found()
    rows = VersionEntry.objects.filter(version=version).order_by("id")
    values = rows.values_list(
        "id", "item_id", "item__external_id", "split", "tiers", "revision__content", "revision__reviewed_by_label"
    )
    for entry_id, item_id, external_id, split, tiers, content, reviewed in values.iterator(chunk_size=1000):
        found.clustered[split][external_id] = {name: content[name] for name in _CLUSTERING if content.get(name)}
        found.sizes[split] += 1
        found.items[item_id] = (entry_id, split)
        types = content.get("types", ())
        found.types[split].update(types)
        for tier in tiers:
            found.tiers[split][tier] += 1
        if not types:
            found.untyped.append(entry_id)
        if content.get("source") == ItemSource.LLM_GENERATED and not reviewed:
            found.unreviewed.append(entry_id)
        if content.get("answerable", True) and not content.get("evidence") and not content.get("relevance"):
            found.without_evidence.append(entry_id)
        found.spans += [(entry_id, span) for span in _spans(content)]
        found.questions[normal_question(content)].append((entry_id, split))
    return found


def _check(
    code: str,
    bad: Severity,
    message: str,
    mend: str,
    entry_ids: list[int] | tuple[int, ...],
    across: bool = False,
) -> Check:
    """A check that is well where no entry stands behind it."""
    if not entry_ids:
        return Check(code, Severity.OK, _("Nothing found."), across=across)
    return Check(code, bad, message, mend, tuple(entry_ids), across)


def _sizes(found: _Found) -> Iterator[Check]:
    empty = [str(split.label) for split in Split if not found.sizes.get(split)]
    if not found.items:
        yield Check("empty", Severity.BLOCK, _("The version holds no items."), _("Import some first."))
    elif empty:
        message = _("Empty: %(splits)s.") % {"splits": ", ".join(empty)}
        yield Check("empty_split", Severity.WARN, message, _("A release gate needs a frozen test split."))
    else:
        yield Check("empty_split", Severity.OK, _("Nothing found."))


def _coverage(found: _Found) -> Iterator[Check]:
    split = Split.FROZEN if found.sizes.get(Split.FROZEN) else Split.DEV
    missing = [item for item in QuestionType if item not in found.types.get(split, set())]
    required = [str(item.label) for item in missing if item in UNANSWERABLE_TYPES]
    mend = _("Add questions that the documents don't answer, and some that rest on something untrue.")
    if required and found.items:
        message = _("No questions of type: %(types)s.") % {"types": ", ".join(required)}
        yield Check("required_types", Severity.EXPLAIN, message, mend)
    else:
        yield Check("required_types", Severity.OK, _("Nothing found."))
    others = [str(item.label) for item in missing if item not in UNANSWERABLE_TYPES]
    if others and found.items:
        message = _("No questions of type: %(types)s.") % {"types": ", ".join(others)}
        yield Check("type_coverage", Severity.WARN, message, _("Say whether users ask such questions."))
    else:
        yield Check("type_coverage", Severity.OK, _("Nothing found."))


_TIER_SIZES = {Tier.SMOKE: (10, 30), Tier.REGRESSION: (100, 300), Tier.FULL: (500, None)}


def _tiers(found: _Found) -> Iterator[Check]:
    odd = []
    for split, tiers in found.tiers.items():
        for tier, (low, high) in _TIER_SIZES.items():
            size = tiers.get(tier, 0)
            if size and (size < low or (high is not None and size > high)):
                usual = f"{low}-{high}" if high else f"{low}+"
                odd.append(f"{Split(split).label}/{tier.label} {size} ({usual})")
    if odd:
        mend = _("These sizes are guidance: a small tier can't detect small differences.")
        yield Check("tier_sizes", Severity.WARN, _("Unusual: %(odd)s.") % {"odd": ", ".join(odd)}, mend)
    else:
        yield Check("tier_sizes", Severity.OK, _("Nothing found."))


def _detectable(found: _Found) -> Iterator[Check]:
    """What difference the test split can show (the dev split where there is none): a line that is never silent."""
    split = Split.FROZEN if found.sizes.get(Split.FROZEN) else Split.DEV
    if not found.items:
        return
    row = of_contents(found.clustered[split])
    words = {
        "split": Split(split).label,
        "n": row.n,
        "clusters": row.n_clusters,
        "least": "–" if row.smallest is None else f"{row.smallest:.3f}",
        "power": POWER,
        "alpha": ALPHA,
    }
    message = (
        _(
            "%(split)s: %(n)s items in %(clusters)s clusters detect a difference of %(least)s or more "
            "(power %(power)s, alpha %(alpha)s, a rate of 0.8 assumed)."
        )
        % words
    )
    bad = row.smallest is None or row.smallest > COARSE
    mend = _("Smaller differences mostly end as inconclusive. The sample-size page says how many items show them.")
    yield Check("detectable", Severity.WARN if bad else Severity.OK, message, mend if bad else "")


def _duplicates(found: _Found) -> Iterator[Check]:
    within: list[int] = []
    across: list[int] = []
    for rows in found.questions.values():
        splits = {split: [entry_id for entry_id, other in rows if other == split] for _entry, split in rows}
        # What stands twice in a split is counted there in any case: were it missing, it would tell of a test item.
        within += [entry_id for ids in splits.values() if len(ids) > 1 for entry_id in ids]
        across += [entry_id for ids in splits.values() if len(splits) > 1 for entry_id in ids]
    yield _check(
        "duplicates_across",
        Severity.BLOCK,
        _("%(count)s items ask the same in the dev and the frozen split.") % {"count": len(across)},
        _("Remove one of each pair: what was open in dev proves nothing in the test."),
        across,
        across=True,
    )
    yield _check(
        "duplicates",
        Severity.WARN,
        _("%(count)s items ask the same as another of their split.") % {"count": len(within)},
        _("Keep one of each, or say in the history or context what differs."),
        within,
    )


def _was_open(version: DatasetVersion, found: _Found) -> Check:
    """Test items that an earlier frozen version showed in its dev split."""
    earlier = VersionEntry.objects.filter(
        version__dataset_id=version.dataset_id,
        version__status__in=[VersionStatus.FROZEN, VersionStatus.RETIRED],
        split=Split.DEV,
    ).exclude(version=version)
    seen = set(earlier.order_by().values_list("item_id", flat=True).distinct())
    bad = [entry for item, (entry, split) in found.items.items() if split == Split.FROZEN and item in seen]
    return _check(
        "was_dev",
        Severity.BLOCK,
        _("%(count)s test items stood in the dev split of an earlier version.") % {"count": len(bad)},
        _("Put them back into dev and write new test items."),
        bad,
    )


def _evidence(version: DatasetVersion, found: _Found) -> Check:
    bad: dict[int, None] = {}
    if version.dataset.corpus_id is not None and found.spans:
        lengths = document_lengths(version.dataset.corpus_id, [span["doc_id"] for _entry, span in found.spans])
        bad = {entry: None for entry, span in found.spans if span_fault(span, lengths) is not None}
    return _check(
        "evidence_unresolved",
        Severity.BLOCK,
        _("%(count)s items point at documents, versions or places that the corpus lacks.") % {"count": len(bad)},
        _("Correct the spans, or add the documents to the corpus."),
        list(bad),
    )


def check_version(version: DatasetVersion) -> list[Check]:
    """Return every check of the version as it stands, worst first. One pass over the entries and few queries."""
    found = _gather(version)
    checks = [
        *_sizes(found),
        *_coverage(found),
        *_duplicates(found),
        _was_open(version, found),
        _evidence(version, found),
        _check(
            "unreviewed",
            Severity.BLOCK,
            _("%(count)s questions by a language model are not reviewed.") % {"count": len(found.unreviewed)},
            _("Open each and rewrite or approve it."),
            found.unreviewed,
        ),
        _check(
            "without_evidence",
            Severity.WARN,
            _("%(count)s answerable items have neither evidence nor relevance.")
            % {"count": len(found.without_evidence)},
            _("Retrieval can't be scored on them."),
            found.without_evidence,
        ),
        _check(
            "untyped",
            Severity.WARN,
            _("%(count)s items have no question type.") % {"count": len(found.untyped)},
            _("Without types, nobody sees which kind of question fails."),
            found.untyped,
        ),
        *_tiers(found),
        *_detectable(found),
    ]
    order = [Severity.BLOCK, Severity.EXPLAIN, Severity.WARN, Severity.OK]
    return sorted(checks, key=lambda check: order.index(check.severity))
