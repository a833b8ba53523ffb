"""Files of other tools through REST and the command, and long files chunk by chunk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from datasets_app.models import Item, VersionEntry
from datasets_app.services import ImportRefused, items_import
from tests.conftest import Cast
from tests.datasets_app.factories import make_dataset, make_draft, natives, numbered

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
URL = "/api/v1/datasets/support/kb-qa/imports"
BINARY = "application/octet-stream"


def send(cast: Cast, raw: bytes, query: str = "") -> Any:
    return cast.api("editor").post(f"{URL}{query}", raw, content_type=BINARY)


@pytest.mark.parametrize(("codec", "named"), [("utf-8-sig", "utf-8"), ("utf-16", "utf-16-le"), ("gb18030", "gb18030")])
def test_a_chinese_table_is_imported_and_the_report_says_as_what(cast: Cast, codec: str, named: str) -> None:
    make_dataset(cast)
    answer = send(cast, "编号,问题,答案\nk1,保修期是多久？,二十四个月\n".encode(codec))
    assert answer.status_code == 201, answer.content
    report = answer.json()
    assert (report["created"], report["format"], report["encoding"]) == (1, "csv", named)
    assert report["mapping"] == {"编号": "external_id", "问题": "question", "答案": "reference"}


def test_a_mapping_is_taken_and_a_bad_one_is_named(cast: Cast) -> None:
    make_dataset(cast)
    raw = b"a,b\n1,What?\n"
    assert send(cast, raw, "?format=csv&mapping=a=external_id,b=question").json()["created"] == 1
    bad = send(cast, raw, "?format=csv&mapping=z=question")
    assert (bad.status_code, bad.json()["errors"][0]["code"]) == (422, "unknown_column")
    assert send(cast, raw, "?format=csv&mapping=question").status_code == 422
    assert send(cast, raw, "?format=xml").status_code == 422


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("multihop_rag/multihop_rag_500.jsonl", "multihop_rag"),
        ("rgb/zh_fact.jsonl", "rgb"),
        ("squad2/squad2_dev_300.jsonl", "squad"),
    ],
)
def test_real_files_load_through_rest_and_a_second_time_changes_nothing(cast: Cast, path: str, name: str) -> None:
    if not (DATA / path).exists():
        pytest.skip(f"{path} is not there")
    make_dataset(cast)
    raw = (DATA / path).read_bytes()
    first, again = send(cast, raw).json(), send(cast, raw).json()
    assert (first["format"], first["refused_rows"]) == (name, 0)
    assert (again["created"], again["updated"], again["unchanged"]) == (0, 0, first["created"])


def test_moved_spans_of_cmrc_stop_an_import_or_are_left_out(cast: Cast) -> None:
    file = DATA / "cmrc2018" / "cmrc2018_trial_first502.json"
    if not file.exists():
        pytest.skip("cmrc2018 is not there")
    make_dataset(cast)
    refused = send(cast, file.read_bytes())
    assert (refused.status_code, Item.objects.count()) == (422, 0)
    assert {error["code"] for error in refused.json()["errors"]} == {"span_moved"}
    taken = send(cast, file.read_bytes(), "?on_error=skip").json()
    assert (taken["created"], taken["refused_rows"]) == (497, 5)


def test_a_fault_in_a_late_chunk_leaves_nothing_of_the_early_ones(cast: Cast) -> None:
    draft = make_draft(cast)
    rows = [*natives(1100), {"external_id": "last"}]
    with pytest.raises(ImportRefused):
        items_import(actor=cast.actor("editor"), version=draft, rows=numbered(rows))
    assert Item.objects.count() == 0


def test_rows_find_their_originals_and_their_doubles_across_chunks(cast: Cast) -> None:
    draft = make_draft(cast)
    first = {"external_id": "p", "question": "Why?", "perturbs": {"external_id": "q-1100", "kind": "typo"}}
    lost = {"external_id": "l", "question": "Why?", "perturbs": {"external_id": "nowhere"}}
    rows = [first, lost, *natives(1100), natives(1)[0]]
    report = items_import(actor=cast.actor("editor"), version=draft, rows=numbered(rows), on_error="skip")
    assert (report.created, report.refused_rows) == (1101, 2)
    assert [(row.line, row.code) for row in report.refused] == [(2, "unknown_item"), (1103, "duplicate")]
    assert VersionEntry.objects.filter(version=draft, item__external_id="p").exists()


def test_the_command_imports_a_file_as_a_person(cast: Cast, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_dataset(cast)
    file = tmp_path / "set.jsonl"
    file.write_text("".join(json.dumps({"user_input": f"q{n}", "reference": "r"}) + "\n" for n in range(3)))
    person = cast.people["editor"].username
    call_command("import_items", "support/kb-qa", str(file), "--as", person, "--dry-run")
    assert Item.objects.count() == 0
    call_command("import_items", "support/kb-qa", str(file), "--as", person)
    assert Item.objects.count() == 3
    assert "ragas, utf-8): 3 created" in capsys.readouterr().out
    with pytest.raises(CommandError, match="nobody"):
        call_command("import_items", "support/kb-qa", str(file), "--as", "nobody")
