"""Every reason without a value, and every finding, has a stable code beside its English text."""

import ast
from pathlib import Path

import scoring
from scoring.diagnosis import CODES as FINDINGS
from scoring.reasons import CODES, PREFIXES, code_of
from scoring.types import Score, State

PACKAGE = Path(scoring.__file__).parent


def reasons():
    """The beginnings of all texts that the package hands to ``Score.none``."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or len(node.args) < 2:
                continue
            if node.func.attr != "none" or not isinstance(node.func.value, ast.Name) or node.func.value.id != "Score":
                continue
            text = node.args[1]
            parts = text.values if isinstance(text, ast.JoinedStr) else [text]
            assert isinstance(parts[0], ast.Constant), f"{path.name}:{node.lineno} begins with no text of its own"
            yield f"{path.name}:{node.lineno}", parts[0].value


def test_each_reason_of_the_package_has_a_code_and_no_code_is_left_over():
    found = dict(reasons())
    assert len(found) > 40
    assert [place for place, text in found.items() if code_of(text) is None] == []
    texts = set(found.values())
    assert set(CODES) <= texts
    assert {prefix for prefix in PREFIXES if not any(text.startswith(prefix) for text in texts)} == {"missing: "}


def test_codes_are_names_and_each_means_one_thing():
    codes = [*CODES.values(), *PREFIXES.values()]
    assert len(set(codes)) == len(codes)
    assert all(code.isidentifier() and code == code.lower() for code in (*codes, *FINDINGS))
    assert len(set(FINDINGS)) == len(FINDINGS)


def test_a_score_carries_the_code_beside_the_text():
    found = Score.none(State.NO_GOLD, "no labelled evidence")
    assert found.detail == {"reason": "no labelled evidence", "code": "no_gold"}
    assert Score.none(State.NOT_APPLICABLE, "the output has no stage prompt").detail["code"] == "stage_absent"
    assert Score.none(State.JUDGE_FAILED, "the endpoint said 503").detail == {"reason": "the endpoint said 503"}
    assert Score.none(State.REFUSED).detail is None
