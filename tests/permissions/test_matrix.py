"""Every URL × everyone × every method, and nothing that the tables do not name."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.permissions.conftest import World
from tests.permissions.harness import ACTORS, METHODS, ask, expected, is_rest, tables, url_names

#: Enough to show that a method which is not offered does nothing: with every right, with none here, without a name.
UNOFFERED_ACTORS = ("admin", "outsider", "anonymous")


def test_each_url_has_a_name_and_stands_in_a_table() -> None:
    missing = [name for name in url_names() if name not in tables()]
    assert not missing, "write these into tests/permissions/table_<app>.py: " + ", ".join(missing)


def test_no_table_names_a_url_that_is_gone() -> None:
    assert not sorted(set(tables()) - set(url_names()))


@pytest.mark.django_db
@pytest.mark.parametrize("name", [name for name in url_names() if name in tables()])
def test_each_role_gets_what_the_table_says(name: str, world: World) -> None:
    rows, module = tables()[name]
    cast, seeded = world.cast, world.seeded[module.__name__]
    wrong = []
    for method in METHODS:
        row = rows.get(method)
        for actor in ACTORS if row is not None else UNOFFERED_ACTORS:
            response = ask(name, method, row, actor, world.clients, seeded)
            if row is None:
                # A method that is not offered does nothing for anybody.
                wanted: tuple[int, ...] = (405, 401) if is_rest(name) else (405, 302, 403, 404)
            else:
                wanted = expected(name, method, row, actor, cast)
            if response.status_code not in wanted:
                content = b"" if response.streaming else response.content[:300]
                wrong.append(f"{actor} {method}: {response.status_code}, not {wanted} {content!r}")
            elif response.status_code == 302 and not is_rest(name) and actor in {"anonymous", "token", "bare_token"}:
                is_public = row is not None and row.public
                if not is_public and not response["Location"].startswith(reverse("teams:sign-in")):
                    wrong.append(f"{actor} {method}: sent to {response['Location']}, not to the sign-in")
            if is_rest(name) and response.status_code >= 400:
                kind = response["Content-Type"]
                if kind != "application/problem+json":
                    wrong.append(f"{actor} {method}: a refusal as {kind}")
    assert not wrong, f"{name}\n" + "\n".join(wrong)
