"""Files of other tools as native items: encodings, formats by content, mapped columns, real data."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from core_app.errors import Invalid, Malformed
from datasets_app.imports.encoding import detect_encoding
from datasets_app.imports.formats.records import RECORDS
from datasets_app.imports.jsonl import Unreadable
from datasets_app.imports.native import parse_item
from datasets_app.imports.sources import Source, open_source

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
TABLE = "编号,问题,参考答案,标签\nk1,保修期是多久？,二十四个月,保修;电池\nk2,怎么退货？,七天内,退货\n"


def opened(raw: bytes, **options: Any) -> Source:
    return open_source(io.BytesIO(raw), **options)


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


def only(record: Any) -> tuple[str, dict[str, Any]]:
    source = opened(lines(record))
    [(_line, item)] = source.rows
    assert parse_item(item)[1] == []
    return source.format, item


@pytest.mark.parametrize(
    ("codec", "named"),
    [("utf-8", "utf-8"), ("utf-8-sig", "utf-8"), ("utf-16", "utf-16-le"), ("utf-16-be", "utf-16-be"),
     ("utf-16-le", "utf-16-le"), ("gb18030", "gb18030")],
)  # fmt: skip
def test_a_chinese_table_reads_alike_in_every_encoding_and_names_it(codec: str, named: str) -> None:
    source = opened(TABLE.encode(codec))
    assert (source.format, source.encoding) == ("csv", named)
    assert list(source.rows) == [
        (2, {"external_id": "k1", "question": "保修期是多久？", "reference": "二十四个月", "tags": ["保修", "电池"]}),
        (3, {"external_id": "k2", "question": "怎么退货？", "reference": "七天内", "tags": ["退货"]}),
    ]


@pytest.mark.parametrize(
    "raw",
    [
        "id,question\n1,Où est l'été passé à la forêt, où elle a été élue ?\n".encode("latin-1"),
        b"id,question\n1,\xff\xff\xfe\n",
        "id,question\n".encode("utf-32"),
    ],
)
def test_text_in_no_known_encoding_is_refused_before_anything_is_read(raw: bytes) -> None:
    with pytest.raises(Malformed) as refused:
        detect_encoding(io.BytesIO(raw))
    assert refused.value.code == "unknown_encoding"


def test_a_mapping_overrides_the_guess_and_names_unknown_columns() -> None:
    raw = b"a,b\n1,What?\n"
    assert list(opened(raw, format="csv", mapping={"a": "external_id", "b": "question"}).rows) == [
        (2, {"external_id": "1", "question": "What?"})
    ]
    with pytest.raises(Invalid) as refused:
        opened(raw, format="csv", mapping={"c": "question"})
    assert [error.code for error in refused.value.errors] == ["unknown_column"]
    with pytest.raises(Invalid, match="columns"):
        opened(raw, format="csv")


def test_rows_without_an_id_get_one_of_their_question_so_that_they_meet_again() -> None:
    first, again = (only({"user_input": "Why?", "reference": "So."})[1]["external_id"] for _round in range(2))
    assert first == again != only({"user_input": "Why not?", "reference": "So."})[1]["external_id"]


@pytest.mark.parametrize(
    ("record", "name", "question", "reference"),
    [
        ({"question": "q", "answer": "out", "contexts": [], "ground_truth": "r"}, "ragas", "q", "r"),
        ({"user_input": "q", "response": "out", "reference": "r"}, "ragas", "q", "r"),
        ({"input": "q", "expected_output": "r", "context": ["c"]}, "deepeval", "q", "r"),
        ({"id": "1", "datasetId": "d", "input": {"question": "q"}, "expectedOutput": "r"}, "langfuse", "q", "r"),
        ({"id": "1", "inputs": {"question": "q"}, "outputs": {"answer": "r"}}, "langsmith", "q", "r"),
        ({"id": "1", "input": {"question": "q"}, "output": {"answer": "r"}, "metadata": {}}, "phoenix", "q", "r"),
        ({"inputs": {"question": "q"}, "expectations": {"expected_response": "r"}}, "mlflow", "q", "r"),
        ({"qid": "1", "query": "q", "retrieval_gt": [["a", "b"]], "generation_gt": ["r"]}, "autorag", "q", "r"),
        ({"external_id": "1", "question": "q", "reference": "r"}, "jsonl", "q", "r"),
    ],
)  # fmt: skip
def test_records_of_other_tools_are_known_by_their_fields(
    record: Any, name: str, question: str, reference: str
) -> None:
    found, item = only(record)
    assert (found, item["question"], item["reference"]) == (name, question, reference)


def test_a_conversation_becomes_question_and_history() -> None:
    turns = [{"type": "human", "content": "a"}, {"type": "ai", "content": "b"}, {"type": "human", "content": "c"}]
    item = only({"user_input": turns, "reference": "r"})[1]
    assert item["question"] == "c"
    assert item["history"] == [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]


def test_autorag_alternatives_and_requirements_are_kept_and_empty_gold_is_unanswerable() -> None:
    assert only({"qid": "1", "query": "q", "retrieval_gt": [["a", "b"], ["c"]]})[1]["evidence"] == [[["a", "b"], ["c"]]]
    assert only({"qid": "1", "query": "q", "retrieval_gt": []})[1]["answerable"] is False


def test_a_line_that_is_no_json_is_refused_in_its_place() -> None:
    rows = list(opened(b'{"external_id": "a", "question": "q"}\n{oops\n').rows)
    assert rows[0][0] == 1
    assert isinstance(rows[1][1], Unreadable)


def real(path: str) -> Source:
    file = DATA / path
    if not file.exists():
        pytest.skip(f"{path} is not there")
    return opened(file.read_bytes())


@pytest.mark.parametrize(
    ("path", "name", "count", "unanswerable"),
    [
        ("multihop_rag/multihop_rag_500.jsonl", "multihop_rag", None, None),
        ("rgb/en_fact.jsonl", "rgb", 60, 0),
        ("rgb/zh_fact.jsonl", "rgb", 60, 0),
        ("squad2/squad2_dev_300.jsonl", "squad", 300, 150),
    ],
)
def test_real_files_load_whole(path: str, name: str, count: int | None, unanswerable: int | None) -> None:
    source = real(path)
    items = [item for _line, item in source.rows]
    assert source.format == name
    assert [fault for item in items for fault in parse_item(item)[1]] == []
    assert len({item["external_id"] for item in items}) == len(items)
    refusals = sum(item.get("answerable") is False for item in items)
    if name == "multihop_rag":
        assert refusals > 0
        assert all(("evidence" in item) == (item["answerable"] is not False) for item in items)
    else:
        assert (len(items), refusals) == (count, unanswerable)


def test_cmrc_reports_its_five_moved_spans_with_where_the_text_stands() -> None:
    source = real("cmrc2018/cmrc2018_trial_first502.json")
    items = [item for _line, item in source.rows]
    moved = [item for item in items if isinstance(item, Unreadable)]
    assert (source.format, len(items)) == ("squad_json", 502)
    assert [row.code for row in moved] == ["span_moved"] * 5
    assert all(row.pointer == "/answers/0/answer_start" and "but at" in row.detail for row in moved)


ODD: list[Any] = [
    None, True, 0, 1.5, 10**400, "", "x", [], [1], [None], [[]], [["a", {}]], [{}], [{"a": 1}], [{"url": ["a"]}],
    [{"text": 5, "answer_start": "x"}], [{"role": ["u"], "content": 2}], {}, {"a": 1}, {"expected_facts": [1, {}]},
]  # fmt: skip
FIELDS = (
    "query", "evidence_list", "question_type", "answer", "id", "positive", "negative", "fakeanswer", "retrieval_gt",
    "generation_gt", "qid", "inputs", "outputs", "expectations", "tags", "metadata", "input", "output",
    "expectedOutput", "expected_output", "additional_metadata", "context", "question", "answers", "is_impossible",
    "paragraph", "user_input", "ground_truth", "reference", "reference_contexts", "synthesizer_name",
)  # fmt: skip


@pytest.mark.parametrize("name", RECORDS)
def test_a_field_of_any_shape_becomes_an_item_or_a_named_fault(name: str) -> None:
    convert = RECORDS[name][1]
    for base in ({}, dict.fromkeys(FIELDS, "x")):
        for field in FIELDS:
            for value in ODD:
                assert isinstance(convert({**base, field: value}), dict | Unreadable)


def test_evidence_of_the_wrong_shape_is_refused_with_its_place() -> None:
    convert = RECORDS["multihop_rag"][1]
    for evidence, pointer in ((7, "/evidence_list"), ([{"url": "a"}, {"fact": "b"}], "/evidence_list/1")):
        found = convert({"query": "q", "evidence_list": evidence})
        assert isinstance(found, Unreadable)
        assert (found.code, found.pointer) == ("type", pointer)
