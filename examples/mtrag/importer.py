"""MT-RAG's human-evaluation tasks as native items and documents: an example of a custom importer.

A custom importer is a generator of `(line, native item)`; everything else (validation, refusals by line and field,
hashes, audit) is the platform's. See docs/custom-importers.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: MT-RAG's question types that have a counterpart among ours; all of them are kept as tags.
_TYPES = {"Factoid": "fact", "Keyword": "terms", "Comparative": "multi_passage", "Composite": "multi_hop"}
_ROLES = {"user": "user", "agent": "assistant"}


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open(encoding="utf-8") as file:
        for line, text in enumerate(file, start=1):
            if text.strip():
                yield line, json.loads(text)


def _slug(text: str) -> str:
    return text.strip().lower().replace(" ", "-")


def items(folder: Path, *, split: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield one native item a task: the last user turn is the question, earlier turns the history.

    The task's contexts become passages of relevance 1; answerability is kept (a partially answerable task counts as
    answerable and carries the tag `answerability:partial`). The cluster is the conversation: its turns depend on one
    another.
    """
    for line, task in _rows(folder / "tasks.jsonl"):
        turns = task["input"]
        answerability = task["Answerability"][0]
        types = {_TYPES[name] for name in task["Question Type"] if name in _TYPES}
        if len(task["contexts"]) > 1:
            types.add("multi_passage")
        if answerability == "UNANSWERABLE":
            types.add("unanswerable")
        tags = {f"question-type:{_slug(name)}" for name in task["Question Type"]}
        tags |= {f"turn-type:{_slug(name)}" for name in task["Multi-Turn"]}
        tags |= {f"answerability:{_slug(answerability)}", f"collection:{task['Collection'].split('-elser')[0]}"}
        yield (
            line,
            {
                "external_id": task["task_id"],
                "question": turns[-1]["text"],
                "history": [{"role": _ROLES[turn["speaker"]], "content": turn["text"]} for turn in turns[:-1]],
                "split": split,
                "tiers": ["regression", "full"],
                "types": sorted(types),
                "language": "en",
                "answerable": answerability != "UNANSWERABLE",
                "reference": task["targets"][0]["text"],
                "cluster": task["task_id"].split("<::>")[0],
                "source": "benchmark",
                "tags": sorted(tags),
                "relevance": {context["document_id"]: 1 for context in task["contexts"]},
                "metadata": {"turn": int(task["Turn"])},
            },
        )


def documents(folder: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield one document a passage, each with one version."""
    for line, row in _rows(folder / "documents.jsonl"):
        yield (
            line,
            {
                "doc_id": row["document_id"],
                "title": row.get("title") or "",
                "language": "en",
                "versions": [{"version_id": "1", "text": row["text"]}],
            },
        )
