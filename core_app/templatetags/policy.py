"""`{% can "run.cancel" run as may_cancel %}`: templates ask the same policies as views and REST."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import template

from core_app.actors import ANONYMOUS
from core_app.policy import Policy

register = template.Library()


def _policies(base: type[Policy] = Policy) -> Iterator[type[Policy]]:
    for found in base.__subclasses__():
        yield found
        yield from _policies(found)


def policy_for(action: str) -> Policy:
    """Return the policy whose table holds the action. Raises KeyError for an action that no app knows."""
    for found in _policies():
        if action in found.table:
            return found()
    raise KeyError(action)


@register.simple_tag(takes_context=True)
def can(context: template.Context, action: str, obj: Any) -> bool:
    """Return whether the request's actor may do `action` to `obj`; False without an object or a request."""
    request = context.get("request")
    if request is None or not obj:
        return False
    policy = policy_for(str(action))
    return policy.can(getattr(request, "actor", ANONYMOUS), next(a for a in policy.table if a == action), obj)
