"""The entries of the team's navigation: address name, word, icon, key. Apps own the pages, this table their order."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Entry:
    """One link. `prefixes` are the beginnings of the address names whose pages belong to it."""

    section: str
    url_name: str
    word: str | Promise
    prefixes: tuple[str, ...]
    key: str = ""
    url: str = ""
    is_current: bool = False


GROUPS: tuple[tuple[str | Promise, tuple[Entry, ...]], ...] = (
    (
        "",
        (
            Entry("home", "teams:team", _("Home"), ("teams:team",), "h"),
            Entry("datasets", "datasets:list", _("Datasets"), ("datasets:",), "d"),
            Entry("runs", "runs:list", _("Runs"), ("runs:",), "r"),
            Entry("comparisons", "runs:comparisons", _("Comparisons"), ("runs:comparison", "runs:compare"), "c"),
            Entry("gates", "runs:gates", _("Gates"), ("runs:gate", "runs:check", "runs:policy"), "g"),
        ),
    ),
    (
        _("Set-up"),
        (
            Entry("systems", "runs:systems", _("Systems"), ("runs:system",), "s"),
            Entry("suites", "runs:suites", _("Suites"), ("runs:suite",), "u"),
            Entry("corpora", "datasets:corpora", _("Corpora"), ("datasets:corpora", "datasets:corpus"), "o"),
        ),
    ),
    (
        _("Team"),
        (
            Entry("members", "teams:members", _("Members"), ("teams:member",), "m"),
            Entry("tokens", "teams:tokens", _("Tokens"), ("teams:token",), "t"),
            Entry("audit", "teams:audit", _("Audit trail"), ("teams:audit",), "a"),
        ),
    ),
)


def section_of(view_name: str) -> str:
    """Return the section that an address name belongs to: the longest prefix wins, "" where none fits."""
    fitting = [
        (len(prefix), entry.section)
        for _word, group in GROUPS
        for entry in group
        for prefix in entry.prefixes
        if view_name.startswith(prefix)
    ]
    return max(fitting)[1] if fitting else ""


def entries(team: str, current: str, hidden: Container[str] = ()) -> list[tuple[str | Promise, list[Entry]]]:
    """Return the groups with the team's addresses.

    Left out are the hidden sections, entries without a page, and groups that are empty then.
    """
    groups = []
    for word, group in GROUPS:
        placed = []
        for entry in group:
            if entry.section in hidden:
                continue
            try:
                url = reverse(entry.url_name, kwargs={"team": team})
            except NoReverseMatch:
                continue
            placed.append(replace(entry, url=url, is_current=entry.section == current))
        if placed:
            groups.append((word, placed))
    return groups
