"""Across apps, nobody reaches for another app's adapters: its pages, REST views, forms, tasks and commands.

The directions between packages and inside an app are import-linter's contracts in pyproject.toml; this rule is written
here because a contract has to name modules that exist, and an app's adapters come and go.
"""

from __future__ import annotations

from collections.abc import Iterator

import grimp
import pytest

APPS = ("feedback_app", "labels_app", "runs_app", "datasets_app", "judges_app", "teams_app")
ADAPTERS = {"urls", "views", "rest", "admin", "forms", "tasks", "management"}


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*APPS, "core_app", "examples", cache_dir=None)


def imports(graph: grimp.ImportGraph) -> Iterator[tuple[str, str]]:
    """Yield each direct import as importing module and imported module."""
    for importer in graph.modules:
        for imported in graph.find_modules_directly_imported_by(importer):
            yield importer, imported


def reaches_into_adapters(importer: str, imported: str) -> bool:
    """Tell whether an import takes another app's adapter; only core_app's are there for everybody."""
    app, _, inside = imported.partition(".")
    return app in APPS and importer.split(".", maxsplit=1)[0] != app and inside.split(".")[0] in ADAPTERS


def test_no_app_imports_another_apps_adapters(graph: grimp.ImportGraph) -> None:
    assert [pair for pair in imports(graph) if reaches_into_adapters(*pair)] == []


def test_the_rule_sees_the_imports_between_apps(graph: grimp.ImportGraph) -> None:
    assert ("runs_app.policies", "teams_app.models") in set(imports(graph))
    assert reaches_into_adapters("runs_app.services.runs", "datasets_app.rest.serializers")
    assert not reaches_into_adapters("datasets_app.views", "datasets_app.forms")
    assert not reaches_into_adapters("datasets_app.rest.views", "core_app.rest.views")
