"""Numbers per second: retrieval metrics and bootstrap intervals beside the tools that define them, in the same run.

`make bench B=scoring` (`BENCH_N` topics and clusters, `BENCH_RESAMPLES` resamples, 10,000 each by default). All get the
same input, are run once to warm up (ranx compiles then), and are then timed in turns, five times; medians are printed,
and how often ours goes into the peer's. What a ratio must reach stands beside it as `asked`. Before a row is printed
the figures are compared: metrics to 1e-9 for each topic, ends of intervals to 4 % of their width. Memory is the most
that a call needs beyond its input, in a process of its own. One JSON line a row.
"""

from __future__ import annotations

import gc
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from scoring.stats.bootstrap import Interval, bootstrap_interval
from scoring.stats.clusters import by_cluster
from scoring.trec import LabelArrays, RunArrays, score_arrays, score_trec

N = int(os.environ.get("BENCH_N", "10000"))
RESAMPLES = int(os.environ.get("BENCH_RESAMPLES", "10000"))
SIZES = (1_000, 10_000, 100_000)
TIMES = 5
DEPTH, LABELS, KNOWN = 100, 8, 5
BATCHES = (10, 30, 100, 300, 1000)

#: Ours (trec_eval's names), and ranx's name for the same.
MEASURES = {
    "map": "map",
    "map_cut_10": "map@10",
    "ndcg": "ndcg",
    "ndcg_cut_10": "ndcg@10",
    "P_5": "precision@5",
    "P_10": "precision@10",
    "recall_10": "recall@10",
    "recall_100": "recall@100",
    "recip_rank": "mrr",
    "success_5": "hit_rate@5",
    "Rprec": "r-precision",
    "bpref": "bpref",
}
NAMES = list(MEASURES)
PYTREC = {"map", "map_cut.10", "ndcg", "ndcg_cut.10", "P.5,10", "recall.10,100", "recip_rank", "success.5", "Rprec"} | {
    "bpref"
}

Nested = dict[str, dict[str, Any]]


def report(name: str, n: int, ours: float, peer: str, theirs: float, asked: float | None) -> None:
    """Print one row; a ratio above 1 means that ours is that many times faster, None that nothing was asked."""
    row = {
        "bench": "scoring",
        "name": name,
        "n": n,
        "ours_s": round(ours, 4),
        "peer": peer,
        "peer_s": round(theirs, 4),
        "ratio": round(theirs / ours, 2),
        "asked": asked,
    }
    print(json.dumps(row), flush=True)


def in_turns(
    *calls: Callable[[], Any], times: int = TIMES, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Median seconds of each call: all warmed up, then taken in turns, so that a busy moment hits all alike."""
    for call in calls:
        call()
    took: list[list[float]] = [[] for _ in calls]
    for _ in range(times):
        for place, call in enumerate(calls):
            gc.collect()
            started = clock()
            call()
            took[place].append(clock() - started)
    return [statistics.median(seconds) for seconds in took]


def peak_mb(call: Callable[[], Any]) -> float:
    """Most memory that the call needs beyond what the process holds before it, in MB."""
    gc.collect()
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not reset.exists():
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        call()
        return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024

    def kilobytes(field: str) -> int:
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith(field))

    # 5 sets the peak back to what is held now (Linux, proc(5)).
    reset.write_text("5")
    before = kilobytes("VmRSS")
    call()
    return (kilobytes("VmHWM") - before) / 1024


def dicts(n: int, tied: bool = False) -> tuple[Nested, Nested]:
    """Qrels and run of n topics: 100 documents each, 8 labels from 0 to 2, 5 of them returned.

    Scores fall and none are equal, or (``tied``) they are one of five in any order.
    """
    rng = random.Random(7)
    names = [f"doc-{number}" for number in range(2000)]
    qrels: Nested = {}
    run: Nested = {}
    for number in range(n):
        returned = rng.sample(range(1000), DEPTH)
        labelled = rng.sample(returned, KNOWN) + rng.sample(range(1000, 2000), LABELS - KNOWN)
        # At least one relevant document: with none, ranx answers NaN for bpref.
        labels = [1, *(rng.choice((0, 0, 1, 2)) for _ in labelled[1:])]
        qrels[f"q{number}"] = {names[d]: label for d, label in zip(labelled, labels, strict=True)}
        run[f"q{number}"] = {
            names[d]: float(rng.randrange(5)) if tied else DEPTH - rank + rng.random() / 2
            for rank, d in enumerate(returned)
        }
    return qrels, run


def arrays(qrels: Nested, run: Nested) -> tuple[LabelArrays, RunArrays]:
    """The same as columns of whole numbers."""
    number = {topic: place for place, topic in enumerate(qrels)}

    def columns(nested: Nested) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        flat = [(number[t], int(d.removeprefix("doc-")), v) for t, inner in nested.items() for d, v in inner.items()]
        topic, document, value = zip(*flat, strict=True)
        return np.array(topic), np.array(document), np.array(value)

    return LabelArrays(*columns(qrels)), RunArrays(*columns(run))


def retrieval() -> None:
    """Dicts to 12 metrics for each topic, and columns to the same."""
    warnings.simplefilter("ignore")
    import pytrec_eval
    import ranx

    qrels, run = dicts(N)
    labels, returned = arrays(qrels, run)
    topics = list(qrels)
    theirs_names = list(MEASURES.values())

    def ours() -> Any:
        return score_trec(qrels, run, measures=NAMES)

    def pytrec() -> Any:
        return pytrec_eval.RelevanceEvaluator(qrels, PYTREC).evaluate(run)

    def ranx_whole() -> Any:
        return ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), theirs_names)

    def ours_arrays() -> Any:
        return score_arrays(labels, returned, measures=NAMES)

    found = ours().per_topic
    expected = pytrec()
    assert max(abs(found[t][m] - expected[t][m]) for t in topics for m in NAMES) < 1e-9
    columns = ours_arrays()
    assert all(found[t][m] == columns.values[m][i] for i, t in enumerate(topics) for m in NAMES)
    built = ranx.Qrels(qrels), ranx.Run(run)
    order = list(built[1].keys())
    for measure, name in MEASURES.items():
        values = ranx.evaluate(*built, name, return_mean=False).tolist()
        assert max(abs(found[t][measure] - value) for t, value in zip(order, values, strict=True)) < 1e-9, name
    lists = built[0].to_typed_list(), built[1].to_typed_list()

    def ranx_alone() -> Any:
        return ranx.evaluate(*built, theirs_names, save_results_in_run=False)

    def ranx_kernels() -> Any:
        return ranx.evaluate(*lists, theirs_names)

    mine, theirs, whole = in_turns(ours, pytrec, ranx_whole)
    report("12 metrics from dicts", N, mine, "pytrec_eval", theirs, 2)
    report("12 metrics from dicts", N, mine, "ranx with its Qrels and Run", whole, 5)
    equal = dicts(N, tied=True)

    def ours_tied() -> Any:
        return score_trec(*equal, measures=NAMES).per_topic

    def pytrec_tied() -> Any:
        return pytrec_eval.RelevanceEvaluator(equal[0], PYTREC).evaluate(equal[1])

    found, expected = ours_tied(), pytrec_tied()
    assert max(abs(found[t][m] - expected[t][m]) for t in topics for m in NAMES) < 1e-9
    mine, theirs = in_turns(ours_tied, pytrec_tied)
    report("12 metrics from dicts, many equal scores", N, mine, "pytrec_eval", theirs, None)
    mine, alone, kernels = in_turns(ours_arrays, ranx_alone, ranx_kernels)
    report("12 metrics from arrays", N, mine, "ranx.evaluate alone, Qrels and Run built before", alone, 2)
    report("12 metrics from arrays", N, mine, "ranx's compiled loops alone, typed lists built before", kernels, 2)


def differences(n: int, kind: str) -> np.ndarray:
    """Paired differences of n clusters of one item each (scipy's has no clusters): continuous, or of five levels."""
    rng = np.random.default_rng(11)
    if kind == "continuous":
        return rng.normal(0.02, 0.3, n)
    return rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], size=n, p=[0.05, 0.05, 0.75, 0.05, 0.1])


def interval(values: np.ndarray) -> Interval:
    """Ours, from the differences on."""
    return bootstrap_interval(by_cluster(values, None), rng=np.random.default_rng(3), resamples=RESAMPLES)


def bootstrap() -> None:
    """BCa intervals of a paired mean difference."""
    from scipy.stats import bootstrap as scipy_bootstrap

    def scipys(values: np.ndarray, batch: int | None) -> Any:
        found = scipy_bootstrap(
            (values,), np.mean, n_resamples=RESAMPLES, batch=batch, rng=np.random.default_rng(5), method="BCa"
        )
        return found.confidence_interval

    for kind, asked, asked_best in (("continuous", 5, 1), ("five levels", 50, 50)):
        values = differences(N, kind)
        mine, theirs = interval(values), scipys(values, 100)
        width = theirs.high - theirs.low
        assert abs(mine.low - theirs.low) < 0.04 * width
        assert abs(mine.high - theirs.high) < 0.04 * width
        tried: dict[int, float] = {}
        for batch in BATCHES:
            (tried[batch],) = in_turns(partial(scipys, values, batch), times=1)
        best = min(tried, key=tried.__getitem__)
        ours, default, batched = in_turns(
            partial(interval, values), partial(scipys, values, None), partial(scipys, values, best)
        )
        name = f"{RESAMPLES} resamples of a paired mean difference, BCa, {kind}"
        report(name, N, ours, "scipy.stats.bootstrap as it comes", default, asked)
        report(name, N, ours, f"scipy.stats.bootstrap at its best batch ({best})", batched, asked_best)


def from_dicts(n: int) -> Callable[[], Any]:
    """Metrics from dicts of n topics."""
    qrels, run = dicts(n)
    return lambda: score_trec(qrels, run, measures=NAMES)


def from_arrays(n: int) -> Callable[[], Any]:
    """Metrics from arrays of n topics, made without dicts, which would fill the memory at the largest size."""
    rng = np.random.default_rng(1)
    topic = np.repeat(np.arange(n), DEPTH)
    # A stride that shares no factor with the number of documents: no document comes twice for a topic.
    document = (rng.integers(0, 2003, n)[:, None] + np.arange(DEPTH) * 17).ravel() % 2003
    score = np.tile(np.arange(DEPTH, 0, -1.0), n)
    places = rng.permuted(np.tile(np.arange(DEPTH), (n, 1)), axis=1)[:, :LABELS]
    labelled = (np.arange(n)[:, None] * DEPTH + places).ravel()
    labels = LabelArrays(topic[labelled], document[labelled], rng.integers(0, 3, n * LABELS))
    run = RunArrays(topic, document, score)
    return lambda: score_arrays(labels, run, measures=NAMES)


def of_differences(kind: str) -> Callable[[int], Callable[[], Any]]:
    """Intervals of n differences."""

    def make(n: int) -> Callable[[], Any]:
        values = differences(n, kind)
        return lambda: interval(values)

    return make


COSTS: dict[str, Callable[[int], Callable[[], Any]]] = {
    "12 metrics from dicts": from_dicts,
    "12 metrics from arrays": from_arrays,
    f"{RESAMPLES} resamples, BCa, continuous": of_differences("continuous"),
    f"{RESAMPLES} resamples, BCa, five levels": of_differences("five levels"),
}


def cost(name: str, n: int) -> None:
    """Seconds of processor time (one thread, nothing beside it to compare with) and memory of ours at one size."""
    call = COSTS[name](n)
    used = peak_mb(call)
    (took,) = in_turns(call, clock=time.process_time)
    row = {"bench": "scoring", "name": f"{name}, ours alone", "n": n, "ours_cpu_s": round(took, 4)}
    print(json.dumps({**row, "us_an_item": round(1e6 * took / n, 2), "memory_mb": round(used, 1)}), flush=True)


def main() -> int:
    """Each part in a process of its own: one's memory does not show in the other's."""
    parts = [["retrieval"], ["bootstrap"], *(["cost", name, str(n)] for name in COSTS for n in SIZES)]
    for part in parts:
        if code := subprocess.run([sys.executable, "-m", "benchmarks.scoring", *part], check=False).returncode:
            return code
    return 0


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["retrieval"]:
            retrieval()
        case ["bootstrap"]:
            bootstrap()
        case ["cost", name, size]:
            cost(name, int(size))
        case _:
            sys.exit(main())
