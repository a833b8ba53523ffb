"""Measures written down per topic as their definitions read, with plain loops: what the columns are held against."""

from __future__ import annotations

import math
import struct


def single(score):
    """The score as trec_eval holds it, in 32 bits."""
    return struct.unpack("f", struct.pack("f", score))[0]


def ranked(documents, labels, judged_only=False, max_docs=None):
    """Ids by score falling, ties by id falling."""
    kept = [d for d in documents if not judged_only or labels.get(d, -1) >= 0]
    return sorted(kept, key=lambda d: (single(documents[d]), d), reverse=True)[:max_docs]


def dcg(gains):
    return sum(max(gain, 0) / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def measured(ids, labels, level=1, cutoffs=(5, 10)):
    """Each measure's value for one ranked list of ids and its labels."""
    relevant = {d for d, label in labels.items() if label >= level}
    judged_not = {d for d, label in labels.items() if 0 <= label < level}
    hits = [d in relevant for d in ids]
    found, wanted = sum(hits), len(relevant)
    precisions = [sum(hits[:rank]) / rank for rank in range(1, len(ids) + 1)]
    ideal = sorted(labels.values(), reverse=True)

    def share(top, bottom):
        return top / bottom if bottom else 0.0

    def ap(k=None):
        return share(sum(p for p, hit in zip(precisions[:k], hits[:k], strict=True) if hit), wanted)

    def ndcg(k=None):
        return share(dcg([labels.get(d, 0) for d in ids[:k]]), dcg(ideal[:k]))

    def bpref():
        total = 0.0
        for place, document in enumerate(ids):
            if document in relevant:
                above = sum(d in judged_not for d in ids[:place])
                total += 1 - (min(above, wanted) / min(wanted, len(judged_not)) if above else 0)
        return share(total, wanted)

    values = {
        "num_ret": len(ids),
        "num_rel": wanted,
        "num_rel_ret": found,
        "map": ap(),
        "Rprec": share(sum(hits[:wanted]), wanted),
        "bpref": bpref(),
        "recip_rank": next((1 / rank for rank, hit in enumerate(hits, 1) if hit), 0.0),
        "ndcg": ndcg(),
        "utility": found - (len(ids) - found),
        "set_P": share(found, len(ids)),
        "set_recall": share(found, wanted),
        "set_map": share(found, len(ids)) * share(found, wanted),
        "set_F": share(2 * found, len(ids) + wanted) if found else 0.0,
        "set_relative_P": share(found, min(len(ids), wanted)),
        "num_nonrel_judged_ret": sum(d in judged_not for d in ids),
        "rbp": sum(0.1 * 0.9**place for place, hit in enumerate(hits) if hit),
        "rbp_resid": 1 - sum(0.1 * 0.9**place for place, d in enumerate(ids) if d in labels) if ids else 0.0,
    }
    for k in cutoffs:
        values[f"P_{k}"] = sum(hits[:k]) / k
        values[f"recall_{k}"] = share(sum(hits[:k]), wanted)
        values[f"success_{k}"] = float(any(hits[:k]))
        values[f"ndcg_cut_{k}"] = ndcg(k)
        values[f"map_cut_{k}"] = ap(k)
        values[f"relative_P_{k}"] = share(sum(hits[:k]), min(wanted, k))
        values[f"unj_{k}"] = sum(d not in labels for d in ids[:k]) / k
    return values
