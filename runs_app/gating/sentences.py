"""Rules, reasons and verdicts as sentences, in the reader's language."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from runs_app.gating.rules import Rule

#: Plain words for the metrics that most rules name; any other metric is written as it is.
_WORDS = {
    "answers.task_success": lambda: _("task success"),
    "answers.correct": lambda: _("correctness"),
    "refusal.false_accept": lambda: _("false accepts"),
    "refusal.false_refusal": lambda: _("false refusals"),
    "refusal.coverage": lambda: _("answer coverage"),
    "refusal.risk": lambda: _("answer risk"),
    "refusal.truthfulness": lambda: _("truthfulness"),
}


def metric_words(metric: str) -> str:
    """Return plain words for a metric, or its name without version where none are known."""
    if not metric:
        return ""
    head, *rest = metric.split()
    parts = [part for part in rest if not (part[:1] == "v" and part[1:].isdigit())]
    word = _WORDS.get(head)
    return " ".join([word() if word else head, *parts])


def figure(value: float | None, digits: int = 4) -> str:
    """Return a number without trailing zeros (`0.05`, `1200`), or a dash where there is none."""
    if value is None:
        return "–"
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text.replace("-", "−")


def rule_sentence(rule: Rule) -> str:
    """Return one sentence, for example `task success is not worse than the baseline by more than 0.05`."""
    words = {
        "metric": metric_words(rule.metric),
        "limit": figure(rule.limit),
        "share": figure(None if rule.limit is None else rule.limit * 100),
    }
    sentence = _sentence(rule) % words
    if rule.group is not None:
        place = {"grouping": grouping_words(rule.group[0]), "name": rule.group[1], "sentence": sentence}
        sentence = _("%(sentence)s, for %(grouping)s %(name)s") % place
    return sentence


def _sentence(rule: Rule) -> str:
    if rule.kind == "floor":
        if rule.on == "low":
            return _("the lower end of %(metric)s is at least %(limit)s")
        return _("%(metric)s is at least %(limit)s")
    if rule.kind == "ceiling":
        if rule.on == "high":
            return _("the upper end of %(metric)s is at most %(limit)s")
        return _("%(metric)s is at most %(limit)s")
    if rule.kind == "max_missing":
        if rule.metric:
            if rule.on == "share":
                return _("at most %(share)s %% of the scores of %(metric)s are missing")
            return _("at most %(limit)s scores of %(metric)s are missing")
        if rule.on == "share":
            return _("at most %(share)s %% of the outputs are missing or failed")
        return _("at most %(limit)s outputs are missing or failed")
    return {
        "non_inferiority": _("%(metric)s is not worse than the baseline by more than %(limit)s"),
        "must_improve": _("%(metric)s is better than the baseline"),
        "latency_p95_ms": _("95 %% of the answers take at most %(limit)s ms"),
        "cost_mean": _("an answer costs at most %(limit)s on average"),
        "split_not_spent": _("the split is not spent"),
    }[rule.kind]


def grouping_words(grouping: str) -> str:
    """Return the grouping's name in the reader's language."""
    return {"type": _("type"), "language": _("language"), "tier": _("tier")}.get(grouping, grouping)


def reason_sentence(code: str, figures: dict[str, Any]) -> str:
    """Return why a rule was decided as it was; empty for a code without more to say. `figures` are the result's own."""
    n_missing = int(figures.get("n_missing") or 0)
    words = {"n": figures.get("n"), "total": figures.get("n_total"), "missing": n_missing}
    texts = {
        "holds": _("It holds."),
        "broken": _("It does not hold."),
        "interval_spans_limit": _("The value holds, its interval does not: more items are needed to tell."),
        "missing_as_worst": ngettext(
            "It holds on the scored items, but not with the %(missing)s missing score taken as worst.",
            "It holds on the scored items, but not with the %(missing)s missing scores taken as worst.",
            n_missing,
        ),
        "inconclusive_difference": _("The difference is too uncertain to tell."),
        "noise_wider_than_margin": _("The judge's noise is wider than the margin."),
        "repeats_wider_than_margin": _("What repeats of one system differ by is wider than the margin."),
        "not_improved": _("There is no difference that matters."),
        "no_baseline": _("There is no earlier run to compare with."),
        "not_comparable": _("The run can't be compared with the baseline."),
        "uncalibrated": _("The metric comes from a judge that is not calibrated: it has no vote."),
        "metric_not_in_run": _("The run has no scores of this metric."),
        "metric_ambiguous": _("The name fits several metrics of the run: write the full identity."),
        "nothing_scored": _("No item was scored."),
        "no_such_group": _("The run has no items of this group."),
        "group_too_small": _("The group is too small to be shown on a frozen split."),
        "figures_missing": _("Only %(n)s of %(total)s outputs give this figure."),
        "split_spent": _("The split is spent or retired."),
        "one_sample": _("One item or cluster gives no interval."),
    }
    return texts.get(code, code) % words if code else ""
