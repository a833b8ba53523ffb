"""Reading evaluation sets: by reference, by split, and only what the actor may see."""

from datasets_app.selectors.access import grant_holder, grants_of
from datasets_app.selectors.detectable import (
    Pilot,
    detectable_of,
    register_pilot_source,
    split_detectable,
)
from datasets_app.selectors.entries import (
    FACETS,
    entries_of,
    filtered,
    is_exposure,
    native_item,
    question_entries,
    readable_entries,
    readable_split,
    require_split_readable,
)
from datasets_app.selectors.exposure import (
    Usage,
    exposure_budget,
    exposure_state,
    exposure_usage,
    exposures_of,
    extensions_of,
)
from datasets_app.selectors.pages import Quote, coverage_grid, evidence_quotes, hidden_counts
from datasets_app.selectors.planning import sample_size
from datasets_app.selectors.references import corpus_by_ref, dataset_by_ref, snapshot_by_ref, version_by_ref
from datasets_app.selectors.versions import (
    DatasetRow,
    Difference,
    corpora_of,
    dataset_rows,
    datasets_of,
    sees_tests,
    version_checks,
    version_counts,
    version_diff,
)

__all__ = [
    "FACETS",
    "DatasetRow",
    "Difference",
    "Pilot",
    "Quote",
    "Usage",
    "corpora_of",
    "corpus_by_ref",
    "coverage_grid",
    "dataset_by_ref",
    "dataset_rows",
    "datasets_of",
    "detectable_of",
    "entries_of",
    "evidence_quotes",
    "exposure_budget",
    "exposure_state",
    "exposure_usage",
    "exposures_of",
    "extensions_of",
    "filtered",
    "grant_holder",
    "grants_of",
    "hidden_counts",
    "is_exposure",
    "native_item",
    "question_entries",
    "readable_entries",
    "readable_split",
    "register_pilot_source",
    "require_split_readable",
    "sample_size",
    "sees_tests",
    "snapshot_by_ref",
    "split_detectable",
    "version_by_ref",
    "version_checks",
    "version_counts",
    "version_diff",
]
