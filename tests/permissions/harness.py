"""What the permission matrix is made of: every URL of the site, who asks, and what each table expects."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from http.cookies import SimpleCookie
from types import ModuleType
from typing import Any

from django.db import transaction
from django.http import HttpResponse
from django.urls import URLPattern, URLResolver, get_resolver, reverse

import tests.permissions
from core_app.roles import Role
from tests.conftest import Cast

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
ACTORS = (
    *(role.value for role in Role),
    "outsider",
    "anonymous",
    "token",
    "bare_token",
    "admin",
)
#: Whole trees that are not the product's own pages: Django's admin has its own test.
SKIPPED_NAMESPACES = {"admin"}


@dataclass(frozen=True, slots=True)
class Expectation:
    """What one method of one URL answers to whom.

    `role` is the least role of a person inside the team (None with `anyone=True`: every signed-in person and token).
    `scope` is what a token needs (None: no token may). `allowed` is the status, or statuses, for those with the right.
    `statuses` names actors for whom something else holds, for example `{"admin": 403}`.
    `data` is the body: a value, or a function of the cast and the URL's kwargs. `kwargs` are this URL's own.
    `public` answers everybody alike; `anyone` needs a sign-in and no team.
    """

    role: Role | None = None
    scope: str | None = None
    allowed: int | tuple[int, ...] = 200
    statuses: Mapping[str, int] = field(default_factory=dict)
    data: Any | Callable[[Cast, Mapping[str, Any]], Any] = None
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    kwargs: Mapping[str, Any] | Callable[[Cast, Mapping[str, Any]], Mapping[str, Any]] | None = None
    public: bool = False
    anyone: bool = False


def page(role: Role, allowed: int | tuple[int, ...] = 200, **more: Any) -> Expectation:
    """A page: tokens are nobody there."""
    return Expectation(role=role, allowed=allowed, **more)


def form(role: Role, data: Any = None, allowed: int | tuple[int, ...] = 302, **more: Any) -> Expectation:
    """A form sent by a page; a good one redirects."""
    return Expectation(role=role, allowed=allowed, data=data, content_type="form", **more)


def rest(role: Role, scope: str | None = None, allowed: int | tuple[int, ...] = 200, **more: Any) -> Expectation:
    """A REST call."""
    return Expectation(role=role, scope=scope, allowed=allowed, **more)


Table = dict[str, dict[str, Expectation]]


def _walk(patterns: list[Any], namespaces: tuple[str, ...]) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inner = (*namespaces, pattern.namespace) if pattern.namespace else namespaces
            if not SKIPPED_NAMESPACES & set(inner):
                yield from _walk(pattern.url_patterns, inner)
        elif isinstance(pattern, URLPattern):
            yield ":".join((*namespaces, pattern.name or f"(unnamed: {pattern.pattern})"))


def url_names() -> list[str]:
    """Return the full name of every URL of the site, `namespace:name`, sorted; without Django's admin."""
    return sorted(set(_walk(get_resolver().url_patterns, ())))


@cache
def table_modules() -> tuple[ModuleType, ...]:
    """Return every `tests/permissions/table_*.py`."""
    names = sorted(module.name for module in pkgutil.iter_modules(tests.permissions.__path__))
    return tuple(importlib.import_module(f"tests.permissions.{name}") for name in names if name.startswith("table_"))


@cache
def tables() -> dict[str, tuple[dict[str, Expectation], ModuleType]]:
    """Return URL name → (expectations by method, the module that owns the URL). Two owners are a mistake."""
    merged: dict[str, tuple[dict[str, Expectation], ModuleType]] = {}
    for module in table_modules():
        for name, row in module.TABLE.items():
            if name in merged:
                raise ValueError(f"{name} stands in two tables: {merged[name][1].__name__} and {module.__name__}")
            merged[name] = (row, module)
    return merged


def is_rest(name: str) -> bool:
    """Return whether the URL answers as REST; the page that describes the API is a page."""
    return name.startswith("api:") and name != "api:docs"


def expected(name: str, method: str, row: Expectation, actor: str, cast: Cast) -> tuple[int, ...]:
    """Return the statuses that the actor may get; 302 for anonymous pages is checked to lead to the sign-in."""
    allowed = row.allowed if isinstance(row.allowed, tuple) else (row.allowed,)
    if actor in row.statuses:
        return (row.statuses[actor],)
    if row.public:
        return allowed
    is_token = actor in {"token", "bare_token"}
    if actor == "anonymous" or (is_token and not is_rest(name)):
        return (401,) if is_rest(name) else (302,)
    if row.anyone or actor == "admin":
        return allowed
    if actor == "outsider":
        return (404,)
    if is_token:
        held = set(getattr(cast, actor).scopes)
        return allowed if row.scope is not None and row.scope in held else (403,)
    assert row.role is not None, f"{name} {method}: give a role, or anyone=True, or public=True"
    return allowed if Role(actor).includes(row.role) else (403,)


def url_of(name: str, row: Expectation | None, seeded: Mapping[str, Any], cast: Cast) -> str:
    """Return the URL with the kwargs of the seed, of the seed's entry for this URL, and of the expectation."""
    values = {key: value for key, value in seeded.items() if not isinstance(value, dict)}
    values.update(seeded.get(name) or {})
    own = row.kwargs if row is not None else None
    values.update((own(cast, seeded) if callable(own) else own) or {})
    wanted = kwarg_names(name)
    return reverse(name, kwargs={key: values[key] for key in wanted}) + (row.query if row is not None else "")


def kwarg_names(name: str) -> list[str]:
    """Return the names of the arguments in the URL's pattern."""
    resolver: Any = get_resolver()
    *namespaces, last = name.split(":")
    names: list[str] = []
    for namespace in namespaces:
        _prefix, resolver = resolver.namespace_dict[namespace]
    _possibilities = resolver.reverse_dict.getlist(last)
    for possibility in _possibilities:
        for _pattern, parameters in possibility[0]:
            names += [parameter for parameter in parameters if parameter not in names]
    return names


class Clients:
    """A client for each actor, signed in once: what a request does to the session is undone with the request."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        self._ready = {actor: cast.api(actor) for actor in ACTORS}
        self._cookies = {actor: client.cookies.output(header="", sep=";") for actor, client in self._ready.items()}

    def take(self, actor: str) -> Any:
        client = self._ready[actor]
        # A sign-out takes the cookie away; the session itself is back already.
        client.cookies = SimpleCookie(self._cookies[actor])
        client.raise_request_exception = False
        return client


def ask(
    name: str, method: str, row: Expectation | None, actor: str, clients: Clients, seeded: Mapping[str, Any]
) -> Any:
    """Send the request and undo all that it did."""
    cast = clients.cast
    url = url_of(name, row, seeded, cast)
    client = clients.take(actor)
    data = row.data if row is not None else None
    if callable(data):
        data = data(cast, seeded)
    options: dict[str, Any] = {"headers": dict(row.headers) if row is not None else {}}
    if row is not None and row.content_type == "form":
        options |= {"data": data or {}, "format": "multipart"}
    elif isinstance(data, bytes | str):
        options |= {"data": data, "content_type": row.content_type if row is not None else "application/json"}
    elif method != "GET":
        options |= {"data": data if data is not None else {}, "format": "json"}
    with transaction.atomic():
        response: HttpResponse = getattr(client, method.lower())(url, **options)
        if response.streaming:
            response.getvalue()
        transaction.set_rollback(True)
    return response
