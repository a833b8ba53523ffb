"""CSV that opens in a spreadsheet without running anything."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core_app.csv import csv_lines, csv_response, neutral_cell


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1", "=cmd|'/c x'!A1"]
)
def test_a_formula_is_behind_an_apostrophe(text: str) -> None:
    cell = neutral_cell(text)
    assert cell.startswith("'")
    assert cell.replace("'", "") == text.replace("'", "")


@pytest.mark.parametrize(
    ("value", "cell"), [(-0.5, -0.5), (3, 3), (None, ""), (True, "true"), ("a=b", "a=b"), ("", "")]
)
def test_numbers_and_plain_text_stay(value: object, cell: object) -> None:
    assert neutral_cell(value) == cell


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a;=1+1", "a;'=1+1"),
        ("a; =1+1", "a; '=1+1"),
        ('a;"=1+1', "a;\"'=1+1"),
        ("a;'=1+1", "a;''=1+1"),
        ("a\n-1", "a\n'-1"),
        ("a\t@x", "a\t'@x"),
        ("a;b|c", "a;b|c"),
    ],
)
def test_a_formula_behind_another_locales_separator_is_neutral_too(text: str, cell: str) -> None:
    assert neutral_cell(text) == cell


@given(st.text(alphabet="a1;=+-@\t\n \"'|＝,", max_size=12))
def test_no_part_of_a_cell_begins_like_a_formula_in_any_locale(text: str) -> None:
    line = "".join(csv_lines(["a"], [[0.5, text]])).split("\r\n", 1)[1]
    for part in re.split(r"[;\t\r\n|]", line)[1:]:
        assert not part.lstrip(' "').startswith(("=", "+", "-", "@", "＝"))


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")), min_size=1, max_size=4))
def test_what_is_written_reads_back(row: list[str]) -> None:
    text = "".join(csv_lines(["a"], [row])).removeprefix("\ufeff")
    read = list(csv.reader(io.StringIO(text, newline="")))[1]
    assert [cell.replace("'", "") for cell in read] == [original.replace("'", "") for original in row]


def test_the_download_is_utf8_with_a_mark_and_a_name() -> None:
    response = csv_response("trail.csv", ["名字"], [["=x"]])
    assert response["Content-Disposition"] == 'attachment; filename="trail.csv"'
    assert response.getvalue().decode("utf-8-sig") == "名字\r\n'=x\r\n"
