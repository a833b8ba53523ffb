"""TREC files and trec_eval's measures: ``read_qrels``, ``read_run``, ``score_trec``, ``report``."""

from scoring.trec.evaluate import TrecScores, report, score_trec
from scoring.trec.files import TrecRun, read_qrels, read_run, write_qrels, write_run

__all__ = ["TrecRun", "TrecScores", "read_qrels", "read_run", "report", "score_trec", "write_qrels", "write_run"]
