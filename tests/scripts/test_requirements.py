"""The locks: everything pinned and hashed, the levels nested, no registry and no machine named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements"
LOCKS = ("bootstrap", "base", "dev", "bench")
ENTRY = re.compile(
    r"^(?P<pin>[A-Za-z0-9][^\\\n]*?)\s*\\\n(?P<hashes>(?:\s+--hash=sha256:[0-9a-f]{64}(?:\s*\\)?\n)+)", re.M
)


def pins(name: str) -> set[str]:
    """Return the pinned requirements of a lock, with their markers."""
    text = (REQUIREMENTS / f"{name}.txt").read_text(encoding="utf-8")
    return {match["pin"] for match in ENTRY.finditer(text)}


@pytest.mark.parametrize("name", LOCKS)
def test_every_requirement_is_pinned_to_one_version_and_hashed(name: str) -> None:
    text = (REQUIREMENTS / f"{name}.txt").read_text(encoding="utf-8")
    entries = {line.removesuffix("\\").strip() for line in text.splitlines() if line and line[0] not in " #"}
    assert entries == pins(name)
    assert all(re.fullmatch(r"[a-z0-9-]+(?:\[[a-z,]+\])?==[^ ;]+(?: ; .+)?", entry) for entry in entries)


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_registry_and_no_path(name: str) -> None:
    text = (REQUIREMENTS / f"{name}.txt").read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^\s*-", re.sub(r"\s--hash=\S+", "", text), re.M)
    assert not re.search(r"\s/\w", text)


def test_each_level_holds_the_one_below_it() -> None:
    assert pins("base") < pins("dev") < pins("bench")


@pytest.mark.parametrize("name", LOCKS)
def test_what_was_asked_for_is_what_was_locked(name: str) -> None:
    """An .in file that was changed without `make lock` is found here."""
    locked = {re.sub(r"\[.*?\]", "", pin.split(" ;")[0]) for pin in pins(name)}
    for line in (REQUIREMENTS / f"{name}.in").read_text(encoding="utf-8").splitlines():
        wanted = re.sub(r"\[.*?\]", "", line.strip())
        if not wanted or wanted[0] in "#-":
            continue
        found = wanted in locked if "==" in wanted else any(pin.startswith(f"{wanted}==") for pin in locked)
        assert found, f"{wanted} is in {name}.in and not in {name}.txt: run `make lock`"
