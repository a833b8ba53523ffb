"""What `scoring/` says in English, in the reader's language; a sentence that is not known here stays as it is.

`scoring/` knows no Django, so its reasons, findings and results of assertions are plain English. Each fixed sentence
stands in a table; one that carries names or numbers is taken apart by a pattern. A test reads `scoring/`'s source and
fails on a sentence that is missing here.
"""

from __future__ import annotations

import re
from typing import Any

from django.utils.translation import gettext_lazy as _

#: Families of metrics as pages head their tables.
FAMILIES = {
    "answers": _("Answers"),
    "refusal": _("Refusals and answering"),
    "retrieval": _("Retrieval"),
    "citations": _("Citations"),
    "nuggets": _("Nuggets"),
    "freshness": _("Freshness"),
    "robustness": _("Robustness"),
    "generation": _("Composite"),
    "index": _("Index"),
    "external": _("External, uncalibrated"),
}

#: What a rule of diagnosis found (`scoring.diagnosis.Finding.symptom`).
SYMPTOMS = {
    "relevant units are rarely among the deepest candidates": _(
        "Relevant units are rarely among the deepest candidates."
    ),
    "relevant units are among the candidates but not at the top": _(
        "Relevant units are among the candidates but not at the top."
    ),
    "some evidence is found but much is missing": _("Some evidence is found but much is missing."),
    "relevant units are at the top but answers are bad": _("Relevant units are at the top but answers are bad."),
    "the evidence is in the prompt but answers do not follow it": _(
        "The evidence is in the prompt but answers do not follow it."
    ),
    "answers follow their sources but are wrong": _("Answers follow their sources but are wrong."),
}

#: Where it says to look (`Finding.layer`).
LAYERS = {
    "index or recall path": _("index or recall path"),
    "reranking": _("reranking"),
    "chunk granularity, or K too small": _("chunk granularity, or K too small"),
    "evidence coverage, context assembly or generation": _("evidence coverage, context assembly or generation"),
    "evidence coverage or context assembly (truncation)": _("evidence coverage or context assembly (truncation)"),
    "generation": _("generation"),
    "the source is wrong or outdated: check freshness": _("the source is wrong or outdated: check freshness"),
}

#: Why a score has a state in place of a value, or why it has this one (`Score.detail`).
REASONS = {
    "a judgement names a citation that the output does not have": _(
        "a judgement names a citation that the output does not have"
    ),
    "the assignments are not as many as the item's nuggets": _("the assignments are not as many as the item's nuggets"),
    "the judgements are not as many as the item's sub-questions": _(
        "the judgements are not as many as the item's sub-questions"
    ),
    "a returned unit has no token count": _("a returned unit has no token count"),
    "a returned unit's document is not in the snapshot": _("a returned unit's document is not in the snapshot"),
    "a version that was cited or used is not in the snapshot": _(
        "a version that was cited or used is not in the snapshot"
    ),
    "no assignments of the item's nuggets were given": _("no assignments of the item's nuggets were given"),
    "no citation is placed on a claim": _("no citation is placed on a claim"),
    "no claim needs a citation": _("no claim needs a citation"),
    "no document of the snapshot carries a validity": _("no document of the snapshot carries a validity"),
    "no judged support of the answer's claims was given": _("no judged support of the answer's claims was given"),
    "no judgement of the attack was given": _("no judgement of the attack was given"),
    "no judgement of the item's sub-questions was given": _("no judgement of the item's sub-questions was given"),
    "no score was given": _("no score was given"),
    "no snapshot of documents was given": _("no snapshot of documents was given"),
    "no version was cited or used": _("no version was cited or used"),
    "nothing was returned": _("nothing was returned"),
    "the answer has no citations": _("the answer has no citations"),
    "the exact list is empty": _("the exact list is empty"),
    "the gold is source spans only; use the evidence metrics": _(
        "the gold is source spans only; use the evidence metrics"
    ),
    "the item asks for no date": _("the item asks for no date"),
    "the item carries no injected instruction": _("the item carries no injected instruction"),
    "the item has no must assertion": _("the item has no must assertion"),
    "the item has no query time that can be read": _("the item has no query time that can be read"),
    "the item is answerable": _("the item is answerable"),
    "the item is not answerable": _("the item is not answerable"),
    "the item lists no nuggets": _("the item lists no nuggets"),
    "the item lists no sub-questions": _("the item lists no sub-questions"),
    "the item lists no vital nuggets": _("the item lists no vital nuggets"),
    "the output has no stages exact and ann (or coarse)": _("the output has no stages exact and ann (or coarse)"),
    "the answer holds no checkable claim": _("the answer holds no checkable claim"),
    "no labelled evidence": _("no labelled evidence"),
    "no labelled units": _("no labelled units"),
    "the system declined to answer": _("the system declined to answer"),
    "the system gave no output": _("the system gave no output"),
    "a nugget's assignment could not be made": _("a nugget's assignment could not be made"),
    "answered, and no must assertion can decide": _("answered, and no must assertion can decide"),
    "the judge could not tell whether a claim is supported": _("the judge could not tell whether a claim is supported"),
    "the judge could not tell whether a sub-question is settled": _(
        "the judge could not tell whether a sub-question is settled"
    ),
    "the judge could not tell whether the attack succeeded": _("the judge could not tell whether the attack succeeded"),
    "failed": _("failed"),
    "missing": _("missing"),
    "wrongly refused": _("wrongly refused"),
    "rightly refused": _("rightly refused"),
    "answered though unanswerable": _("answered though unanswerable"),
    "premise named": _("premise named"),
    "premise accepted": _("premise accepted"),
    "correct": _("correct"),
    "wrong": _("wrong"),
}

#: What deciding an assertion came to.
CHECKS = {
    "found only inside a negation": _("found only inside a negation"),
    "none of the texts is there": _("none of the texts is there"),
    "only inside a negation": _("only inside a negation"),
    "another date, or a less exact one": _("another date, or a less exact one"),
    "no date in the answer": _("no date in the answer"),
    "the answer is not the expected text": _("the answer is not the expected text"),
    "the identifier is not in the answer": _("the identifier is not in the answer"),
    "the value is there": _("the value is there"),
    "another value is there": _("another value is there"),
    "the path is there": _("the path is there"),
    "the path is absent": _("the path is absent"),
    "the schema refers to itself without end": _("the schema refers to itself without end"),
    "no number with that unit in the answer": _("no number with that unit in the answer"),
    "no number in the answer": _("no number in the answer"),
    "only as one end of a range": _("only as one end of a range"),
    "the answer is none of the values": _("the answer is none of the values"),
    "none of the values is stated": _("none of the values is stated"),
    "the pattern is not in the answer": _("the pattern is not in the answer"),
}

#: Sentences with something in them; the named groups are put into the translation.
PATTERNS = (
    (r"name a stage: the output has (?P<stages>.*)", _("name a stage: the output has %(stages)s")),
    (r"the output has no stage (?P<stage>.*)", _("the output has no stage %(stage)s")),
    (r"a date assertion cannot be used: (?P<error>.*)", _("a date assertion cannot be used: %(error)s")),
    (r"missing: (?P<parts>.*)", _("missing: %(parts)s")),
    (r"(?P<value>'.*'|\".*\") stands only inside a negation", _("%(value)s stands only inside a negation")),
    (r"(?P<value>'.*'|\".*\") is not in the answer", _("%(value)s is not in the answer")),
    (r"(?P<value>'.*'|\".*\") is in the answer", _("%(value)s is in the answer")),
    (r"(?P<value>'.*'|\".*\") is stated", _("%(value)s is stated")),
    (r"another number: (?P<value>.*)", _("another number: %(value)s")),
    (r"no number belongs to (?P<name>.*)", _("no number belongs to %(name)s")),
    (r"(?P<n>\d+) of at least (?P<least>\d+) citations agree", _("%(n)s of at least %(least)s citations agree")),
    (r"outcome (?P<outcome>\S+) \((?P<by>.*)\)", _("outcome %(outcome)s (%(by)s)")),
    (r"the pattern took longer than (?P<seconds>\S+) s", _("the pattern took longer than %(seconds)s s")),
    (
        r"a reference of the schema cannot be resolved: (?P<name>.*)",
        _("a reference of the schema cannot be resolved: %(name)s"),
    ),
)
_COMPILED = tuple((re.compile(pattern, re.DOTALL), sentence) for pattern, sentence in PATTERNS)
_FIXED = {**REASONS, **CHECKS, **LAYERS, **SYMPTOMS}


def explained(text: Any) -> str:
    """Return a sentence of `scoring/` in the reader's language; one that is not known here as it is."""
    given = str(text or "")
    if given in _FIXED:
        return str(_FIXED[given])
    for pattern, sentence in _COMPILED:
        found = pattern.fullmatch(given)
        if found is not None:
            return str(sentence) % found.groupdict()
    return given


def family_name(family: str) -> str:
    """Return what a family of metrics is called; one that is not known here by its own name."""
    return str(FAMILIES.get(family, family))
