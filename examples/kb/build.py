"""Builds ``documents.jsonl`` and ``items.jsonl`` from the files in ``source/``.

People edit the sources: a text file per document, and items whose evidence is quoted word for word. This script turns
each quote into a source span (character offsets, end exclusive), so that nobody counts characters.

Run it from the project root: ``python -m examples.kb.build``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "source"
DOCUMENTS_FILE = HERE / "documents.jsonl"
ITEMS_FILE = HERE / "items.jsonl"

DEFAULT_QUERY_TIME = "2026-06-15T09:00:00Z"
TIERS = {"smoke": ["smoke", "regression", "full"], "regression": ["regression", "full"], "full": ["full"]}
# A perturbed item asks the same thing in other words, so all that is not its wording comes from its original.
INHERITED = ("reference", "evidence", "assertions", "cluster", "answerable", "query_time", "audience", "risk", "tags")

_VERSION_LINE = re.compile(r"^@@ version (?P<id>\S+) \| (?P<fields>.+)$")


class BuildError(ValueError):
    """A source file says something that cannot be built; the message names the file or the item."""


def parse_document(doc_id: str, raw: str) -> dict[str, Any]:
    """Read one source file: ``key: value`` lines, then versions that each start with an ``@@ version`` line."""
    document: dict[str, Any] = {"doc_id": doc_id, "versions": []}
    lines: list[str] = []

    def close() -> None:
        if document["versions"]:
            document["versions"][-1]["text"] = "\n".join(lines).strip()
            lines.clear()

    for line in raw.splitlines():
        match = _VERSION_LINE.match(line)
        if match:
            close()
            fields = dict(part.strip().split(" ", 1) for part in match["fields"].split("|"))
            document["versions"].append(
                {
                    "version_id": match["id"],
                    "valid_from": _midnight(fields["from"]),
                    "valid_to": _midnight(fields.get("to")),
                    "withdrawn_at": _midnight(fields.get("withdrawn")),
                }
            )
        elif document["versions"]:
            lines.append(line)
        elif line.strip():
            key, _, value = line.partition(":")
            document[key.strip()] = value.strip()
    close()
    if not document["versions"]:
        raise BuildError(f"{doc_id}: no '@@ version' line")
    document["audience"] = [name.strip() for name in document["audience"].split(",")]
    return {key: document[key] for key in ("doc_id", "title", "language", "audience", "versions")}


def build_documents() -> list[dict[str, Any]]:
    """All documents of ``source/documents``, by id."""
    paths = sorted((SOURCE / "documents").glob("*.txt"))
    return [parse_document(path.stem, path.read_text(encoding="utf-8")) for path in paths]


def resolve_quote(quote: str, texts: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    """Turn ``doc@version|words`` into a source span; the words must occur exactly once in that version."""
    place, _, words = quote.partition("|")
    doc_id, _, version_id = place.partition("@")
    text = texts.get((doc_id, version_id))
    if text is None:
        raise BuildError(f"no document version {place}")
    if not words or text.count(words) != 1:
        raise BuildError(f"{place}: occurs {text.count(words) if words else 0} times: {words!r}")
    start = text.index(words)
    return {"doc_id": doc_id, "version_id": version_id, "start": start, "end": start + len(words)}


def load_sources() -> list[dict[str, Any]]:
    """The items as people wrote them, with ``language`` from the file's name and perturbed items filled in."""
    rows: list[dict[str, Any]] = []
    for language in ("en", "zh"):
        written = json.loads((SOURCE / f"items_{language}.json").read_text(encoding="utf-8"))
        rows.extend({**row, "language": language} for row in written)
    by_id = {row["external_id"]: row for row in rows}
    if len(by_id) != len(rows):
        raise BuildError("an external_id is used twice")
    for row in rows:
        row.setdefault("cluster", _first_document(row))
    for row in rows:
        if "perturbs" in row:
            original = by_id.get(row["perturbs"]["external_id"])
            if original is None:
                raise BuildError(f"{row['external_id']}: perturbs an unknown item")
            row.update({key: original[key] for key in INHERITED if key in original})
    return rows


def build_items(documents: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The items in the platform's native format, quotes resolved to spans."""
    texts = {
        (document["doc_id"], version["version_id"]): version["text"]
        for document in documents
        for version in document["versions"]
    }
    return [_native(row, texts) for row in load_sources()]


def _native(row: Mapping[str, Any], texts: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    try:
        evidence = [
            [[resolve_quote(quote, texts) for quote in requirement] for requirement in group]
            for group in row.get("evidence", [])
        ]
    except BuildError as error:
        raise BuildError(f"{row['external_id']}: {error}") from error
    item = {
        "external_id": row["external_id"],
        "question": row["question"],
        "history": row.get("history", []),
        "split": row["split"],
        "tiers": TIERS[row.get("tier", "regression")],
        "types": row["types"],
        "language": row["language"],
        "answerable": row.get("answerable", True),
        "reference": row["reference"],
        "query_time": row.get("query_time", DEFAULT_QUERY_TIME),
        "audience": row.get("audience", ["customer"]),
        "cluster": row["cluster"],
        "source": "expert",
        "risk": row.get("risk", "low"),
        "tags": row.get("tags", []),
        "evidence": evidence,
        "assertions": [{**assertion, "must": assertion.get("must", True)} for assertion in row["assertions"]],
    }
    if "perturbs" in row:
        item["perturbs"] = row["perturbs"]
    return item


def _first_document(row: Mapping[str, Any]) -> str:
    evidence = row.get("evidence")
    return str(evidence[0][0][0].partition("@")[0]) if evidence else str(row["external_id"])


def _midnight(day: str | None) -> str | None:
    return f"{day.strip()}T00:00:00Z" if day else None


def to_jsonl(rows: Iterable[Mapping[str, Any]]) -> str:
    """One compact JSON object a line, not escaped, ending with a line break."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def main() -> None:
    """Write both files and say how many rows they hold."""
    documents = build_documents()
    items = build_items(documents)
    DOCUMENTS_FILE.write_text(to_jsonl(documents), encoding="utf-8")
    ITEMS_FILE.write_text(to_jsonl(items), encoding="utf-8")
    sys.stdout.write(f"{len(documents)} documents, {len(items)} items\n")


if __name__ == "__main__":
    main()
