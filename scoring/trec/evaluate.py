"""Score a TREC run against qrels with trec_eval's names, averages and print format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from scoring.errors import ScoringError
from scoring.retrieval.columns import RankedLabels
from scoring.trec.columns import columns_from_dicts
from scoring.trec.files import TrecRun
from scoring.trec.measures import ALL, OFFICIAL, Measure

Number = int | float
_LEAST = 0.00001


@dataclass(frozen=True, slots=True)
class TrecScores:
    """``per_topic``: topic to measure to value; ``overall``: measure to value over the topics (0 where there are
    none).
    """

    per_topic: dict[str, dict[str, Number]]
    overall: dict[str, Number]


def measures_named(names: Literal["official", "all"] | list[str] | tuple[str, ...]) -> list[Measure]:
    """Measures by name; raises ScoringError for one that is not defined here."""
    if names == "official":
        return list(OFFICIAL.values())
    if names == "all":
        return list(ALL.values())
    unknown = [name for name in names if name not in ALL]
    if unknown:
        raise ScoringError(f"measures: {', '.join(map(repr, unknown))} not defined")
    return [ALL[name] for name in names]


def score_trec(
    qrels: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    *,
    complete: bool = False,
    level: int = 1,
    max_docs: int | None = None,
    judged_only: bool = False,
    measures: Literal["official", "all"] | list[str] | tuple[str, ...] = "all",
) -> TrecScores:
    """Values as ``trec_eval [-c] [-l level] [-M max_docs] [-J]`` gives them.

    Topics: those in both, or with ``complete`` all of the qrels, a topic without results scoring 0; in order of their
    names' bytes. Unlike the platform's aggregates, a topic without relevant documents counts, with 0. Ties are broken
    by document id, falling. Raises ScoringError for a level or ``max_docs`` below 1, an unknown measure, a score not
    finite.

    Worked example: qrels {"1": {"a": 0, "b": 1}}, run {"1": {"b": 1.0, "a": 1.0}}: b sorts first, ndcg 1.
    """
    check_options(level, max_docs)
    chosen = measures_named(measures)
    topics = sorted((t for t in qrels if complete or t in run), key=str.encode)
    columns = columns_from_dicts(qrels, run, topics, max_docs=max_docs, judged_only=judged_only)
    values, overall = score_columns(columns, chosen, level)
    if not values:
        return TrecScores({topic: {} for topic in topics}, overall)
    rows = zip(*(column.tolist() for column in values.values()), strict=True)
    shown = list(values)
    per_topic = {topic: dict(zip(shown, row, strict=True)) for topic, row in zip(topics, rows, strict=True)}
    return TrecScores(per_topic, overall)


def check_options(level: int, max_docs: int | None) -> None:
    """Raise ScoringError for a level or a cut below 1."""
    if level < 1:
        raise ScoringError(f"level is {level}, below 1")
    if max_docs is not None and max_docs < 1:
        raise ScoringError(f"max_docs is {max_docs}, below 1")


def score_columns(
    columns: RankedLabels, measures: Sequence[Measure], level: int = 1
) -> tuple[dict[str, NDArray[Any]], dict[str, Number]]:
    """``(values, overall)`` over columns made once: each shown measure per row (n), and each measure over all rows."""
    shown: dict[str, NDArray[Any]] = {}
    overall: dict[str, Number] = {"num_q": columns.n}
    for measure in measures:
        values = measure.compute(columns, level)
        if measure.summary == "sum":
            overall[measure.name] = int(values.sum())
        elif not columns.n:
            overall[measure.name] = 0.0
        elif measure.summary == "geometric":
            overall[measure.name] = float(np.exp(np.log(np.maximum(values, _LEAST)).mean()))
        else:
            overall[measure.name] = float(values.mean())
        if measure.per_topic:
            shown[measure.name] = values
    return shown, overall


def _line(name: str, topic: str, value: Number | str) -> str:
    text = f"{value:6.4f}" if isinstance(value, float) else str(value)
    return f"{name:<22}\t{topic}\t{text}"


def report(
    qrels: Mapping[str, Mapping[str, int]],
    run: TrecRun,
    *,
    per_query: bool = False,
    complete: bool = False,
    level: int = 1,
    max_docs: int | None = None,
    judged_only: bool = False,
    measures: Literal["official", "all"] | list[str] | tuple[str, ...] = "official",
) -> list[str]:
    """Lines as trec_eval prints them (``-q`` with ``per_query``), without line ends, so that the two can be diffed."""
    scores = score_trec(
        qrels,
        run.scores,
        complete=complete,
        level=level,
        max_docs=max_docs,
        judged_only=judged_only,
        measures=measures,
    )
    lines: list[str] = []
    if per_query:
        for topic, values in scores.per_topic.items():
            lines += [_line(name, topic, value) for name, value in values.items()]
    lines.append(_line("runid", "all", run.run_id))
    lines += [_line(name, "all", value) for name, value in scores.overall.items()]
    return lines
