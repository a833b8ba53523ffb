"""The manifest of a run: all that is needed to get the same numbers again."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from core_app.canonical import sha256_hex
from datasets_app.models import DatasetVersion, Snapshot
from runs_app.models import SuiteVersion, SystemVersion

_LIBRARIES = ("numpy", "scipy", "regex", "pint")
#: The version of this platform that the numbers come from; the same as in pyproject.toml.
PLATFORM_VERSION = "0.1.0"


def library_versions() -> dict[str, str]:
    """Return the versions of what the scores are computed with."""
    found = {"evalplatform": PLATFORM_VERSION}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def manifest_of(
    *,
    dataset_version: DatasetVersion,
    split: str,
    tier: str,
    suite_version: SuiteVersion,
    system_version: SystemVersion,
    snapshot: Snapshot | None,
    repeats: int,
    judge_repeats: int,
    n_items: int,
) -> dict[str, Any]:
    """Return the manifest as a JSON object; its sha256 is taken over canonical JSON (`core_app.canonical`)."""
    return {
        "schema": 1,
        "dataset": {
            "ref": dataset_version.ref,
            "id": dataset_version.public_id,
            "sha256": dataset_version.content_sha256,
            "split": split,
            "tier": tier,
            "items": n_items,
        },
        "suite": {
            "ref": suite_version.ref,
            "metrics": list(suite_version.metrics),
            "settings": suite_version.settings,
            "sha256": sha256_hex({"metrics": suite_version.metrics, "settings": suite_version.settings}),
        },
        "system": {
            "ref": system_version.ref,
            "change": system_version.change,
            "git_sha": system_version.git_sha,
            "config": system_version.config,
        },
        "snapshot": (
            {
                "ref": f"{snapshot.corpus.ref}@{snapshot.name}",
                "sha256": snapshot.content_sha256,
                "as_of": snapshot.as_of.isoformat(),
            }
            if snapshot is not None
            else None
        ),
        "query_time": "each item's own; where it has none, the snapshot's moment",
        "judges": [],
        "mode": "push",
        "repeats": repeats,
        "judge_repeats": judge_repeats,
        "seeds": {"resampling": "sha256 of the sorted manifest hashes and the metric's identity"},
        "libraries": library_versions(),
    }
