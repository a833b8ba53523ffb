"""`manage.py score_trec` against what trec_eval itself has printed."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "trec_eval"


@pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data/trec_eval is not there")
def test_the_output_can_be_diffed_against_trec_eval() -> None:
    out = StringIO()
    call_command("score_trec", str(DATA / "qrels.test"), str(DATA / "results.test"), stdout=out)
    assert out.getvalue() == (DATA / "out.test").read_text()


def test_a_file_that_is_no_qrels_is_refused_by_line(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.qrels"
    wrong.write_text("q1 0 d1 1\nnot qrels\n")
    with pytest.raises(CommandError, match=r"wrong\.qrels, line 2"):
        call_command("score_trec", str(wrong), str(wrong))
