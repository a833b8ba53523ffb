"""Tables with a header: CSV, TSV or semicolons. Columns are guessed by their names, English or Chinese, or given."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from typing import IO, Any

from django.utils.translation import gettext as _

from core_app.errors import FieldError, Invalid
from datasets_app.imports.formats.base import Rows, derived_id
from datasets_app.imports.jsonl import Unreadable
from datasets_app.imports.native import FIELDS

MAX_CELL = 1_000_000
_NAMES: dict[str, tuple[str, ...]] = {
    "external_id": ("external_id", "id", "qid", "query_id", "question_id", "编号", "序号", "题号"),
    "question": ("question", "query", "input", "user_input", "prompt", "问题", "提问", "题目", "用户问题"),
    "reference": (
        "reference", "answer", "ground_truth", "expected_output", "expected", "reference_answer",
        "答案", "参考答案", "标准答案", "正确答案",
    ),
    "context": ("context", "contexts", "上下文", "背景"),
    "split": ("split", "数据划分"),
    "tiers": ("tiers", "层级"),
    "types": ("types", "type", "类型", "问题类型"),
    "tags": ("tags", "标签"),
    "language": ("language", "lang", "语言"),
    "cluster": ("cluster", "分组"),
    "answerable": ("answerable", "可回答", "是否可回答"),
    "relevance": ("relevance", "相关性"),
    "evidence": ("evidence", "证据"),
}  # fmt: skip
_GUESSES = {name: field for field, names in _NAMES.items() for name in names}
_LISTS = frozenset({"tiers", "types", "tags", "audience"})
_TEXTS = frozenset(
    {"external_id", "question", "reference", "split", "language", "cluster", "source", "risk", "query_time"}
)
_TRUE, _FALSE = frozenset({"true", "1", "yes", "是"}), frozenset({"false", "0", "no", "否"})


def _delimiter(sample: str) -> str:
    header = sample.lstrip().split("\n", 1)[0]
    return max(",\t;", key=header.count)


def _header(sample: str) -> list[str]:
    try:
        return [
            cell.strip() for cell in next(csv.reader([sample.lstrip().split("\n", 1)[0]], delimiter=_delimiter(sample)))
        ]
    except (StopIteration, csv.Error):
        return []


def guess_mapping(header: list[str]) -> dict[str, str]:
    """Return {column: native field} of the columns whose names tell; each field is taken once, by its first column."""
    found: dict[str, str] = {}
    for column in header:
        name = column.strip().lower().replace(" ", "_").replace("-", "_")
        field = _GUESSES.get(name, name if name in FIELDS else None)
        if field is not None and field not in found.values():
            found[column] = field
    return found


def sniff_table(sample: str) -> float:
    """Return how surely the sample is a table: its header names a question."""
    if sample.lstrip()[:1] in {"{", "["}:
        return 0.0
    return 0.9 if "question" in guess_mapping(_header(sample)).values() else 0.0


def _checked(mapping: Mapping[str, str], header: list[str]) -> dict[str, str]:
    errors = [
        FieldError("/mapping", "unknown_column", _("The file has no column “%(name)s”.") % {"name": column[:80]})
        for column in mapping
        if column not in header
    ]
    errors += [
        FieldError("/mapping", "unknown_field", _("There is no field “%(name)s”.") % {"name": str(field)[:80]})
        for field in mapping.values()
        if field not in FIELDS
    ]
    if len(set(mapping.values())) < len(mapping):
        errors.append(FieldError("/mapping", "twice", _("Two columns are mapped to one field.")))
    if "question" not in mapping.values():
        detail = _("No column holds the question. The columns are: %(names)s.")
        errors.append(FieldError("/mapping", "required", detail % {"names": ", ".join(header[:40])}))
    if errors:
        raise Invalid(_("The columns can't be mapped."), errors=errors)
    return dict(mapping)


def cell_value(field: str, cell: str) -> Any:
    """Return a cell as its field wants it: texts as they are, lists split at `|`, `;` or `,`, the rest as JSON."""
    if field in _TEXTS:
        return cell
    word = cell.strip()
    if field == "answerable" and word.lower() in _TRUE | _FALSE:
        return word.lower() in _TRUE
    if word[:1] in {"[", "{"}:
        try:
            return json.loads(word)
        except (ValueError, RecursionError):
            return cell
    if field in _LISTS:
        mark = next((mark for mark in "|;；，," if mark in word), ",")
        return [part.strip() for part in word.split(mark) if part.strip()]
    return [cell] if field == "context" else cell


def _rows(reader: Any, header: list[str], mapping: dict[str, str]) -> Iterator[tuple[int, Any]]:
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield reader.line_num, Unreadable("bad_table", str(error))
            return
        line = reader.line_num
        if not any(cell.strip() for cell in row):
            continue
        if len(row) > len(header):
            detail = _("The row has %(found)s cells, the header %(expected)s.")
            yield line, Unreadable("too_many_cells", detail % {"found": len(row), "expected": len(header)})
            continue
        cells = dict(zip(header, row, strict=False))
        item = {field: cell_value(field, cells[name]) for name, field in mapping.items() if cells.get(name, "").strip()}
        if "question" in item:
            item.setdefault("external_id", derived_id(item["question"]))
        yield line, item


def open_table(text: IO[str], sample: str, mapping: dict[str, str]) -> Rows:
    """Return the table's rows as native items; raises `Invalid` where the columns can't be mapped."""
    csv.field_size_limit(MAX_CELL)
    reader = csv.reader(text, delimiter=_delimiter(sample))
    header = [cell.strip() for cell in next(reader, [])]
    chosen = _checked(mapping or guess_mapping(header), header)
    return Rows(_rows(reader, header, chosen), chosen)
