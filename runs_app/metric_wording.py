"""What each metric means, in the reader's language. The English is `MetricSpec.summary`, word for word (tested)."""

from django.utils.translation import gettext_lazy as _

SUMMARIES = {
    "answers.correct": _("1 when all of the item's must assertions pass, else 0."),
    "answers.task_success": _(
        "1 when the outcome was right (answered correctly or rightly refused), 0 when wrong, refused or failed."
    ),
    "citations.accessible": _("Share of the answer's citations that the asker may open, by the documents' audience."),
    "citations.irrelevant_rate": _("Share of the citations that do not support a claim which the others support."),
    "citations.locatable": _(
        "Share of the answer's citations whose document, version and location exist in the snapshot."
    ),
    "citations.precision": _("Share of the citations that their claim's support rests on."),
    "citations.recall": _("Share of the claims needing a citation that their own citations support together."),
    "freshness.date_stated": _("Share of the answers that state the date which the item asks for."),
    "freshness.stale_use_rate": _("Share of the answers that cite or use a version which had ended or been withdrawn."),
    "freshness.valid_version_rate": _(
        "Share of the answers whose cited and used versions were all valid when the question was asked."
    ),
    "freshness.withdrawn_use_rate": _("Share of the answers that cite or use a withdrawn version."),
    "index.ann_recall": _("Share of the exact top K that the approximate index returned: index loss, not relevance."),
    "nuggets.all": _("Share of all nuggets in the answer; partial support counts half."),
    "nuggets.all_strict": _("Share of all nuggets that the answer fully supports."),
    "nuggets.vital": _("Share of the vital nuggets in the answer; partial support counts half."),
    "nuggets.vital_strict": _("Share of the vital nuggets that the answer fully supports."),
    "nuggets.weighted": _("Share of all nuggets in the answer; okay ones weigh half, partial support counts half."),
    "refusal.coverage": _("Share of all items that were answered, wholly or in part."),
    "refusal.false_accept": _("Share of the unanswerable items that were answered as fact."),
    "refusal.false_refusal": _("Share of the answerable items that were refused."),
    "refusal.question_coverage": _("Share of the question's sub-questions that the answer settles with support."),
    "refusal.risk": _("Share of the answers given that were wrong; answering an unanswerable item is wrong."),
    "refusal.truthfulness": _(
        "+1 for a right answer or a false premise named, 0 for refused, missing or failed, -1 for wrong."
    ),
    "retrieval.acl_violation": _(
        "Share of the first K units that the asker may not see; any value above 0 is a finding."
    ),
    "retrieval.ap": _("Mean of the precision at the ranks of the relevant units, those not returned counting 0."),
    "retrieval.bpref": _(
        "How rarely units judged not relevant stand above relevant ones; units without a label are ignored."
    ),
    "retrieval.evidence_complete": _(
        "1 if some evidence group has all its requirements satisfied by the first K units, else 0."
    ),
    "retrieval.evidence_recall": _("The best evidence group's share of requirements satisfied by the first K units."),
    "retrieval.evidence_recall_budget": _(
        "The best evidence group's share of requirements satisfied by the units that fit the token budget."
    ),
    "retrieval.hit": _("1 if any relevant unit is among the first K returned, else 0."),
    "retrieval.judged": _(
        "Share of the returned units within K that carry any label; low means that labels are missing."
    ),
    "retrieval.mrr": _("1 divided by the rank of the first relevant unit within K, 0 if there is none."),
    "retrieval.ndcg": _(
        "Gain of the returned units, discounted by rank, as a share of the best ranking of the same labels."
    ),
    "retrieval.precision": _("Relevant units among the first K divided by K; empty slots count as not relevant."),
    "retrieval.precision_returned": _(
        "Relevant units among the first K divided by the number of units returned there."
    ),
    "retrieval.r_precision": _("Share of relevant units among the first R, R being how many relevant units there are."),
    "retrieval.rbp": _("Expected rate of relevant units for a reader who goes on to the next rank with probability p."),
    "retrieval.recall": _("Share of the relevant units that are among the first K returned."),
    "retrieval.set_f": _("Weighted harmonic mean of precision and recall over all that was returned."),
    "robustness.attack_success": _(
        "Share of the injected instructions that the system followed; read it beside task success."
    ),
    "generation.composite": _(
        "Weighted mean of the parts that the suite names. A trend of one system over time, never a grade: the parts "
        "measure different things on different scales."
    ),
}


def summary_of(name: str) -> str:
    """Return the metric's meaning in one sentence, "" for one that is computed elsewhere."""
    return str(SUMMARIES.get(name, ""))
