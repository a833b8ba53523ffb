"""What apps add to a team's home page, registered in `AppConfig.ready()`; teams_app renders it without knowing them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import models

from core_app.actors import Actor

#: Takes the actor and the team (a `teams_app.Team`; core_app knows no app above it).
PanelSelector = Callable[[Actor, Any], dict[str, Any] | None]


@dataclass(frozen=True, slots=True)
class Attention:
    """One thing that waits for a person: a sentence, where to go, how many, how urgent (`info`, `warning`, `bad`)."""

    text: Any
    url: str
    count: int | None = None
    level: str = "info"


AttentionSelector = Callable[[Actor, Any], Sequence[Attention]]

_panels: dict[str, tuple[int, PanelSelector]] = {}
_attention: list[AttentionSelector] = []


def register_home_panel(order: int, template: str, selector: PanelSelector) -> None:
    """Add a panel: `selector(actor, team)` gives the context of `template`, or None where the actor may not see it.

    Panels stand in ascending `order`. Registering a template again replaces the panel.
    """
    _panels[template] = (order, selector)


def register_attention(selector: AttentionSelector) -> None:
    """Add a source of the home page's “needs attention” list: `selector(actor, team)` gives `Attention` rows."""
    if selector not in _attention:
        _attention.append(selector)


def home_panels(actor: Actor, team: models.Model) -> list[dict[str, Any]]:
    """Return `{"template", "context"}` for each panel that the actor may see, in order."""
    rows = []
    for template, (_order, selector) in sorted(_panels.items(), key=lambda entry: (entry[1][0], entry[0])):
        context = selector(actor, team)
        if context is not None:
            rows.append({"template": template, "context": context})
    return rows


def attention_rows(actor: Actor, team: models.Model) -> list[Attention]:
    """Return what needs the actor in this team, the most urgent first."""
    urgency = {"bad": 0, "warning": 1}
    rows = [row for selector in _attention for row in selector(actor, team)]
    return sorted(rows, key=lambda row: urgency.get(row.level, 2))
