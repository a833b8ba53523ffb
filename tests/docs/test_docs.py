"""The documentation is held against the code: what the pages lack, or tell of what is not there, fails here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

from core_app import errors
from core_app.rest.idempotency import InFlight
from datasets_app.states import Level
from runs_app.gating.rules import KINDS
from runs_app.states import TRANSITIONS
from scoring.registry import METRICS
from scoring.types import State
from teams_app.scopes import SCOPES
from tests.docs.reading import (
    DOCS,
    ROOT,
    anchors,
    links,
    normalized,
    page,
    pages,
    refusals_raised,
    rest_calls,
    rest_paths,
    rows,
    variables_read_by,
)
from tests.permissions.harness import tables

OURS = {path.name for path in ROOT.iterdir() if (path / "apps.py").is_file()} | {"evalplatform", "examples"}
#: Words of pages that promise.
PROMISES = re.compile(r"\b(todo|fixme|coming soon|not yet implemented|will be (?:added|supported)|is planned)\b", re.I)
#: Paths that exist on one machine only.
MACHINE_PATHS = re.compile(r"(?<![\w.])/(?:work|root|home/\w+)/")


def _first_cells(text: str) -> set[str]:
    """Return each name in backticks of the first cells."""
    return {name for cells in rows(text) for name in re.findall(r"`([^`]+)`", cells[0])}


def test_every_variable_that_the_program_reads_is_in_the_settings_page() -> None:
    read = set()
    for folder in ("evalplatform", "core_app", "teams_app", "datasets_app", "runs_app", "examples", "scripts"):
        read |= variables_read_by(folder)
    compose = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    read |= set(re.findall(r"(?<!\$)\$\{([A-Z_]+)", compose))
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    read |= set(re.findall(r"^([A-Z_]+)=", example, re.MULTILINE))

    assert len(read) > 15
    assert read - _first_cells(page("settings.md")) == set()


def test_the_settings_page_names_no_variable_that_nothing_reads() -> None:
    source = "".join(
        path.read_text(encoding="utf-8", errors="replace")
        for folder in ("evalplatform", "core_app", "examples", "scripts", "tests/browser")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".sh"}
    )
    source += "".join(
        (ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", "docker-compose.yml", "manage.py")
    )
    unread = {name for name in _first_cells(page("settings.md")) if not re.search(rf"\b{name}\b", source)}

    assert unread == set()


def test_every_metric_of_the_registry_has_a_row_with_its_parameters_and_range() -> None:
    by_name = {cells[0].split("`")[1]: cells for cells in rows(page("metrics.md")) if cells[0].startswith("`")}
    assert set(METRICS) - set(by_name) == set()
    assert {name for name in by_name if "." in name} - set(METRICS) == set()
    for name, spec in METRICS.items():
        cell, _definition, parameters, bounds, needs = by_name[name]
        written = re.findall(r"(\[?)`(\w+)`", parameters)
        assert {(param.name, param.required) for param in spec.parameters} == {
            (word, not bracket) for bracket, word in written
        }, name
        assert bounds == f"{spec.bounds[0]:g} to {spec.bounds[1]:g}", name
        assert ("↓" in cell) is not spec.higher_is_better, name
        assert set(spec.needs) == {word for word in needs.split(", ") if word != "nothing"}, name


def test_every_management_command_of_ours_is_in_the_commands_page() -> None:
    commands = {name for name, app in get_commands().items() if str(app).split(".")[0] in OURS}
    section = page("commands.md").split("## manage.py")[1]
    documented = {cell.split()[0] for cell in _first_cells(section)}

    assert "serve" in commands
    assert commands == documented


def test_every_make_target_is_in_the_commands_page() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))
    section = page("commands.md").split("## manage.py")[0]
    documented = {cell.removeprefix("make ") for cell in _first_cells(section)}

    assert {"demo", "test"} <= targets
    assert targets == documented


def test_every_rest_call_has_a_row_and_every_row_a_call() -> None:
    documented = set()
    for cells in rows(page("api.md")):
        call = re.fullmatch(r"`(GET|POST|PUT|PATCH|DELETE) ([^`?]+)(?:\?[^`]*)?`", cells[0])
        if call:
            documented.add((call[1], normalized(call[2])))
    calls = rest_calls()

    assert len(calls) > 10
    assert calls - documented == set(), "not in docs/api.md"
    assert documented - calls == set(), "in docs/api.md, but not there"


def test_the_api_page_says_who_may_make_each_call_as_the_permission_matrix_does() -> None:
    documented = {}
    for cells in rows(page("api.md")):
        call = re.fullmatch(r"`([A-Z]+) ([^`?]+)(?:\?[^`]*)?`", cells[0])
        if call:
            documented[call[1], normalized(call[2])] = cells[-1]
    paths = rest_paths()
    wrong, checked = {}, 0
    for name, (expected, _module) in tables().items():
        for method, rule in expected.items() if name.startswith("api:") else ():
            said = documented[method, paths[name]]
            # A list that answers everybody shows only what the policy lets them see.
            if rule.role is None or rule.public:
                continue
            who = f"{rule.role.value} · `{rule.scope}`" if rule.scope else f"{rule.role.value}, persons only"
            checked += 1
            if not said.startswith(who):
                wrong[f"{method} {paths[name]}"] = (said, who)

    assert checked > 30
    assert wrong == {}


def test_the_api_page_names_every_refusal_with_its_status() -> None:
    kinds = {
        name: kind
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.DomainError) and kind is not errors.DomainError
    }
    refusals = {(kind.status, kind.code) for kind in kinds.values()} | {(409, InFlight.code)}
    own = refusals_raised(
        ("core_app", "teams_app", "datasets_app", "runs_app"), {name: kind.status for name, kind in kinds.items()}
    )
    documented = {
        (int(cells[0]), code)
        for cells in rows(page("api.md"))
        if re.fullmatch(r"\d{3}", cells[0])
        for code in re.findall(r"`([a-z0-9_]+)`", cells[1])
    }

    assert (409, "output_conflict") in own
    assert (refusals | own) - documented == set()


def test_scopes_levels_states_and_rules_are_all_explained() -> None:
    governance = _first_cells(page("governance.md"))
    assert set(SCOPES) - governance - set(re.findall(r"`([a-z:]+)`", page("governance.md"))) == set()
    assert set(Level.values) - governance == set()
    assert {str(state) for state in State} - _first_cells(page("scoring.md")) == set()
    assert set(KINDS) - set(re.findall(r"`([a-z0-9_]+)`", page("gates.md"))) == set()


def test_the_table_of_a_run_s_moves_is_the_one_in_the_code() -> None:
    documented = {}
    for cells in rows(page("architecture.md").split("## The life of a run")[1].split("\n## ")[0]):
        if cells[0].startswith("`"):
            documented[cells[0].strip("`")] = set(re.findall(r"`([a-z]+)`", cells[1]))

    assert documented == {str(status): {str(to) for to in targets} for status, targets in TRANSITIONS.items()}


@pytest.mark.parametrize("path", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_s_relative_links_lead_somewhere(path: Path) -> None:
    broken = []
    for target in links(path):
        if re.match(r"[a-z]+:", target):
            continue
        name, _hash, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("path", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_promises_nothing_and_names_no_path_of_one_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert PROMISES.findall(text) == []
    assert MACHINE_PATHS.findall(text) == []


def test_the_readme_is_short_and_begins_with_the_two_commands() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    top = "\n".join(lines[:15])

    assert len(lines) < 120
    assert "make demo" in top
    assert "make test" in top


def test_the_index_lists_every_page() -> None:
    index = set(links(DOCS / "README.md"))
    assert {path.name for path in DOCS.glob("*.md")} - index - {"README.md"} == set()


def test_decisions_are_numbered_without_gaps() -> None:
    names = sorted(path.name for path in (DOCS / "decisions").glob("[0-9]*.md"))
    assert [name[:4] for name in names] == [f"{number:04}" for number in range(1, len(names) + 1)]
    for name in names:
        assert page(f"decisions/{name}").startswith(f"# {name[:4]} · ")


def test_every_requirement_has_its_reason() -> None:
    lines = (ROOT / "requirements" / "base.in").read_text(encoding="utf-8").splitlines()
    required = {re.split(r"[\[=<>~!; ]", line)[0] for line in lines if line.strip() and not line.startswith("#")}
    reasons = set(re.findall(r"[\w-]+", page("decisions/0001-dependencies.md")))

    assert len(required) > 15
    assert required - reasons == set()
