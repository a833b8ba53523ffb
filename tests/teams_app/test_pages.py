"""The pages of a team."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from django.urls import reverse

from core_app import panels
from core_app.actors import SYSTEM
from core_app.models import AuditCheck, AuditEvent
from core_app.services import audit_record, audit_seal_pending
from tests.conftest import Cast


def text_of(response: Any) -> str:
    return response.content.decode()


def test_who_is_in_one_team_lands_there(cast: Cast) -> None:
    assert cast.client("viewer").get("/")["Location"] == "/t/support/"
    assert "elsewhere" in text_of(cast.client("admin").get("/"))


def test_a_team_page_shows_panels_in_order_and_what_needs_attention(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panels, "_panels", {})
    monkeypatch.setattr(panels, "_attention", [])
    panels.register_home_panel(2, "components/empty.html", lambda actor, team: {"title": f"second {team.slug}"})
    panels.register_home_panel(1, "components/search.html", lambda actor, team: {"name": "q", "label": actor.label})
    panels.register_home_panel(0, "error.html", lambda actor, team: None)
    panels.register_attention(
        lambda actor, team: [panels.Attention("later", "/a"), panels.Attention("soon", "/b", 3, "bad")]
    )
    page = text_of(cast.client("viewer").get("/t/support/"))
    assert page.index("soon") < page.index("later") < page.index("second support")
    assert "Something went wrong" not in page


def test_owners_are_offered_what_others_are_not(cast: Cast) -> None:
    invite = reverse("teams:member-invite", kwargs={"team": "support"})
    assert invite in text_of(cast.client("owner").get("/t/support/members/"))
    assert invite not in text_of(cast.client("viewer").get("/t/support/members/"))
    assert "Owners of the team can change this" in text_of(cast.client("steward").get("/t/support/settings/"))


def test_a_refusal_of_a_service_is_shown_beside_the_form(cast: Cast) -> None:
    owner = cast.client("owner")
    twice = owner.post("/t/support/members/", {"person": "viewer", "role": "editor"})
    assert (twice.status_code, "is in the team already" in text_of(twice)) == (422, True)
    last = owner.post("/t/support/members/owner/role/", {"role": "viewer"})
    assert (last.status_code, "needs an owner" in text_of(last)) == (422, True)
    nobody = owner.post("/t/support/members/", {"person": "nobody", "role": "editor"})
    assert (nobody.status_code, "Nobody here has" in text_of(nobody)) == (422, True)


def test_the_secret_of_a_token_is_shown_once_and_stored_in_no_cache(cast: Cast) -> None:
    owner = cast.client("owner")
    made = owner.post("/t/support/tokens/", {"name": "new", "scopes": ["team:read"], "days": "3"})
    assert "evp_" in text_of(made)
    assert "no-store" in made["Cache-Control"]
    secret = next(word for word in text_of(made).replace("<", " ").replace(">", " ").split() if word[:4] == "evp_")
    assert secret not in text_of(owner.get("/t/support/tokens/"))


@pytest.mark.parametrize("days", ["0", "366", "soon"])
def test_a_token_for_too_long_is_refused(cast: Cast, days: str) -> None:
    response = cast.client("owner").post("/t/support/tokens/", {"name": "n", "scopes": ["team:read"], "days": days})
    assert response.status_code == 422


def record(cast: Cast, number: int, **more: Any) -> AuditEvent:
    return audit_record(
        actor=cast.actor("editor"), action=f"thing.{number}", obj=cast.team, team_id=cast.team.pk, **more
    )


def test_the_trail_is_paged_filtered_and_shows_links(cast: Cast) -> None:
    for number in range(60):
        record(cast, number, label="<script>alert(1)</script>")
    audit_seal_pending()
    record(cast, 60)
    client = cast.client("steward")
    page = client.get("/t/support/audit/")
    assert len(page.context["rows"]) == 50
    assert page.context["rows"][0][1] is None
    assert "waiting" in text_of(page)
    assert "<script>alert" not in text_of(page)
    after = client.get(f"/t/support/audit/?cursor={page.context['paging']['next_cursor']}")
    assert len(after.context["rows"]) == 11
    found = client.get("/t/support/audit/?action=thing.5&actor=editor")
    assert len(found.context["rows"]) == 11
    assert client.get("/t/support/audit/?since=nonsense").status_code == 422


def test_the_trail_of_another_team_and_of_the_platform_is_not_in_it(cast: Cast) -> None:
    audit_record(actor=SYSTEM, action="other", obj=cast.other_team, team_id=cast.other_team.pk)
    audit_record(actor=SYSTEM, action="platform", obj=cast.team, team_id=None)
    assert cast.client("steward").get("/t/support/audit/").context["rows"] == []


def test_the_chain_is_checked_on_demand(cast: Cast, django_capture_on_commit_callbacks: Any) -> None:
    record(cast, 1)
    audit_seal_pending()
    client = cast.client("steward")
    assert "has not been checked yet" in text_of(client.get("/t/support/audit/"))
    with django_capture_on_commit_callbacks(execute=True):
        client.post("/t/support/audit/check/")
    assert AuditCheck.objects.get().is_whole
    assert "nothing was changed" in text_of(client.get("/t/support/audit/"))


def test_the_export_holds_what_the_filters_let_through_without_formulas(cast: Cast) -> None:
    record(cast, 1, label="=1+1")
    record(cast, 2, after={"name": "知识库"})
    rows = list(
        csv.DictReader(
            io.StringIO(cast.client("steward").get("/t/support/audit/export/").getvalue().decode("utf-8-sig"))
        )
    )
    assert [row["action"] for row in rows] == ["thing.1", "thing.2"]
    assert rows[0]["object"] == "'=1+1"
    assert rows[1]["after"] == '{"name":"知识库"}'
    filtered = cast.client("steward").get("/t/support/audit/export/?action=thing.2").getvalue().decode()
    assert "thing.1" not in filtered


@pytest.mark.parametrize(
    "path", ["", "members/", "members/invite/", "members/viewer/role/", "tokens/", "audit/", "settings/"]
)
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_each_page_renders_in_both_languages_without_inline_code(cast: Cast, path: str, language: str) -> None:
    response = cast.client("owner", language=language).get(f"/t/support/{path}")
    assert response.status_code == 200
    page = text_of(response)
    assert f'<html lang="{language}"' in page
    assert "<style" not in page
    assert " style=" not in page
    assert "onclick" not in page
    assert "unsafe" not in response["Content-Security-Policy"]


@pytest.mark.parametrize("who", ["owner", "steward", "editor", "annotator", "viewer", "admin"])
def test_the_navigation_offers_a_person_no_page_that_refuses_them(cast: Cast, who: str) -> None:
    client = cast.client(who)
    home = text_of(client.get("/t/support/"))
    for section in ("members", "tokens", "audit"):
        path = f"/t/support/{section}/"
        assert (f'href="{path}"' in home) == (client.get(path).status_code == 200), path


def test_a_refused_person_reads_which_role_it_takes(cast: Cast) -> None:
    refused = text_of(cast.client("viewer").get("/t/support/tokens/"))
    assert "This needs the role “Owner” in the team" in refused
