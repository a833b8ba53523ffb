"""TREC files and trec_eval's measures: files read and written, dicts (``score_trec``) or arrays (``score_arrays``)."""

from scoring.trec.arrays import ArrayScores, LabelArrays, RunArrays, score_arrays
from scoring.trec.evaluate import TrecScores, report, score_trec
from scoring.trec.files import TrecRun, read_qrels, read_run, write_qrels, write_run

__all__ = [
    "ArrayScores",
    "LabelArrays",
    "RunArrays",
    "TrecRun",
    "TrecScores",
    "read_qrels",
    "read_run",
    "report",
    "score_arrays",
    "score_trec",
    "write_qrels",
    "write_run",
]
