"""What freezing fixes: the content hash, and the counts and groupings of the manifest (docs/versions.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core_app.canonical import sha256_hex
from datasets_app.health import Check
from datasets_app.models import DatasetVersion, VersionEntry

#: The only groupings by which results over a frozen split may be broken down.
GROUPINGS = ("type", "tier", "language", "source", "tag", "answerable")


def hash_entries(entries: Iterable[tuple[str, str, Sequence[str], str]]) -> str:
    """Return the content hash of (external id, split, tiers, revision sha256) rows.

    sha256 over the canonical JSON of the list `[[external_id, split, sorted tiers, revision sha256], …]`, sorted by
    external id in code point order.
    """
    rows = sorted([external_id, split, sorted(tiers), digest] for external_id, split, tiers, digest in entries)
    return sha256_hex(rows)


def revision_hash(content: Mapping[str, Any], nonce: str) -> str:
    """Return the hash of a revision: sha256 over canonical JSON of `{"content": …, "nonce": …}`."""
    return sha256_hex({"content": content, "nonce": nonce})


def wrong_revisions(version: DatasetVersion) -> list[str]:
    """Return the opaque ids of the items whose stored content no longer gives their revision's hash."""
    rows = VersionEntry.objects.filter(version=version).order_by("id")
    names = ("item__public_id", "revision__content", "revision__nonce", "revision__content_sha256")
    return [
        item_id
        for item_id, content, nonce, digest in rows.values_list(*names).iterator(chunk_size=1000)
        if revision_hash(content, nonce) != digest
    ]


def content_hash(version: DatasetVersion) -> str:
    """Return the content hash of the version's entries as they are in the database now."""
    rows = VersionEntry.objects.filter(version=version).order_by("id")
    return hash_entries(
        rows.values_list("item__external_id", "split", "tiers", "revision__content_sha256").iterator(chunk_size=2000)
    )


def facet_counts(version: DatasetVersion) -> dict[str, dict[str, Counter[str]]]:
    """Return {split: {grouping: Counter of values}} with the split's size under `""`: {"": Counter({"": n})}."""
    counts: dict[str, dict[str, Counter[str]]] = {}
    rows = (
        VersionEntry.objects.filter(version=version).order_by().values_list("split", "facets", "revision__answerable")
    )
    for split, facets, answerable in rows.iterator(chunk_size=5000):
        groups = counts.setdefault(split, {"": Counter(), **{name: Counter() for name in GROUPINGS}})
        groups[""][""] += 1
        groups["answerable"]["yes" if answerable else "no"] += 1
        for part in facets.strip("|").split("|") if facets else ():
            name, _separator, value = part.partition(":")
            groups["language" if name == "lang" else name][value] += 1
    return counts


def version_manifest(version: DatasetVersion, checks: Sequence[Check]) -> dict[str, Any]:
    """Return what is stored beside a frozen version: counts, registered groupings and the checks as they stood."""
    counts = facet_counts(version)
    return {
        "by_split": {split: groups[""][""] for split, groups in sorted(counts.items())},
        "counts": {
            split: {name: dict(sorted(groups[name].items())) for name in GROUPINGS}
            for split, groups in sorted(counts.items())
        },
        "groupings": list(GROUPINGS),
        "checks": [
            {"code": check.code, "severity": check.severity.value, "message": check.message, "count": check.count}
            for check in checks
        ],
    }
