"""Why a score has no value: a stable code for each reason, for pages and programs that say it in other words.

The English text stays where the metric is; the code does not change when the text is worded better.
"""

from __future__ import annotations

#: Text of a reason to its code.
CODES: dict[str, str] = {
    "the item lists no nuggets": "no_nuggets",
    "the item lists no vital nuggets": "no_vital_nuggets",
    "no assignments of the item's nuggets were given": "nuggets_not_judged",
    "a nugget's assignment could not be made": "nugget_open",
    "the assignments are not as many as the item's nuggets": "nuggets_other_number",
    "the system gave no output": "no_output",
    "the system declined to answer": "declined",
    "the item has no must assertion": "no_must_assertion",
    "answered, and no must assertion can decide": "nothing_decides",
    "the item has no query time that can be read": "no_query_time",
    "no snapshot of documents was given": "no_documents",
    "no document of the snapshot carries a validity": "no_validity",
    "no version was cited or used": "no_version",
    "a version that was cited or used is not in the snapshot": "version_unknown",
    "the item asks for no date": "no_date_asked",
    "the answer has no citations": "no_citations",
    "no judged support of the answer's claims was given": "claims_not_judged",
    "the answer holds no checkable claim": "no_checkable_claim",
    "no claim needs a citation": "no_citation_needed",
    "no citation is placed on a claim": "no_citation_on_claim",
    "the judge could not tell whether a claim is supported": "support_open",
    "a judgement names a citation that the output does not have": "foreign_citation",
    "a returned unit has no token count": "no_token_count",
    "a returned unit's document is not in the snapshot": "document_unknown",
    "nothing was returned": "nothing_returned",
    "no labelled units": "no_labels",
    "the output has no stages exact and ann (or coarse)": "no_exact_stage",
    "the exact list is empty": "exact_list_empty",
    "no labelled evidence": "no_gold",
    "the gold is source spans only; use the evidence metrics": "spans_only",
    "no score was given": "no_score",
    "the item carries no injected instruction": "no_attack",
    "no judgement of the attack was given": "attack_not_judged",
    "the judge could not tell whether the attack succeeded": "attack_open",
    "the item lists no sub-questions": "no_subquestions",
    "no judgement of the item's sub-questions was given": "subquestions_not_judged",
    "the judge could not tell whether a sub-question is settled": "subquestion_open",
    "the judgements are not as many as the item's sub-questions": "subquestions_other_number",
    "the item is answerable": "item_answerable",
    "the item is not answerable": "item_unanswerable",
}
#: Beginning of a reason that names something of its own, to its code.
PREFIXES: dict[str, str] = {
    "name a stage: ": "stage_ambiguous",
    "the output has no stage ": "stage_absent",
    "a date assertion cannot be used: ": "date_assertion_wrong",
    "missing: ": "parts_missing",
}


def code_of(reason: str) -> str | None:
    """The code of a reason, None for one that is not this package's (an outside judge's, say)."""
    found = CODES.get(reason)
    if found is None:
        found = next((code for prefix, code in PREFIXES.items() if reason.startswith(prefix)), None)
    return found
