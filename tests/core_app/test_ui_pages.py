import re
from pathlib import Path

import pytest
from django import forms
from django.template import Context, Template
from django.template.loader import render_to_string
from django.test import Client, RequestFactory

from core_app.navigation import GROUPS, entries, section_of
from core_app.templatetags.policy import policy_for
from teams_app.policies import TeamAction, policy

GUIDE = "/styleguide/"


@pytest.fixture(autouse=True)
def _static_root(settings) -> None:
    """WhiteNoise warns, and warnings are errors, where nothing was ever collected."""
    Path(settings.STATIC_ROOT).mkdir(parents=True, exist_ok=True)


def test_the_style_guide_is_for_staff_alone(cast) -> None:
    assert cast.client("admin").get(GUIDE).status_code == 200
    assert cast.client("owner").get(GUIDE).status_code == 404
    assert Client().get(GUIDE).status_code == 404


def test_pages_carry_no_inline_script_or_style_and_nothing_from_another_host(cast) -> None:
    html = cast.client("admin").get(GUIDE).content.decode()
    assert not re.search(r"\sstyle\s*=|<style|\son[a-z]+\s*=\s*[\"']|javascript:", html)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", html))
    assert not re.search(r"(?:src|href)=[\"'](?:https?:)?//", html)


@pytest.mark.parametrize("template", ["404.html", "403.html", "403_csrf.html", "error.html"])
def test_error_pages_render_without_a_view(template: str) -> None:
    html = render_to_string(template)
    assert re.search(r"<h1>[^<]+</h1>", html)


def test_the_page_for_a_failed_server_needs_no_server_and_speaks_both_languages() -> None:
    html = render_to_string("500.html")
    assert "{%" not in html
    assert "服务器出错了" in html
    assert "went wrong on the server" in html


def test_a_wrong_form_token_is_explained(cast) -> None:
    client = Client(enforce_csrf_checks=True)
    response = client.post("/i18n/setlang/", {"language": "en"})
    assert response.status_code == 403
    assert "The form has expired" in response.content.decode()


@pytest.mark.parametrize(
    ("view", "section"),
    [
        ("teams:team", "home"),
        ("datasets:items", "datasets"),
        ("datasets:corpus", "corpora"),
        ("runs:detail", "runs"),
        ("runs:comparison", "comparisons"),
        ("runs:gate-check", "gates"),
        ("teams:tokens", "tokens"),
        ("core:styleguide", ""),
    ],
)
def test_a_page_belongs_to_the_section_with_the_longest_fitting_name(view: str, section: str) -> None:
    assert section_of(view) == section


def test_shortcut_keys_of_the_navigation_are_all_different() -> None:
    keys = [entry.key for _word, group in GROUPS for entry in group]
    assert len(set(keys)) == len(keys)


def test_the_navigation_marks_one_entry_as_current() -> None:
    shown = [entry for _word, group in entries("support", "runs") for entry in group]
    assert [entry.section for entry in shown if entry.is_current] in (["runs"], [])


def test_a_hidden_section_is_left_out_and_its_group_stays() -> None:
    shown = {entry.section for _word, group in entries("support", "", {"tokens", "audit"}) for entry in group}
    assert "members" in shown
    assert not shown & {"tokens", "audit"}


# ---------------------------------------------------------------- policy questions
def asked(cast, who: str, action: str, obj: object) -> str:
    request = RequestFactory().get("/")
    request.actor = cast.actor(who)
    source = "{% load ui %}{% can action obj as may %}{{ may }}"
    return Template(source).render(Context({"request": request, "action": action, "obj": obj}))


def test_a_template_asks_the_same_policy_as_the_views(cast) -> None:
    for who in cast.people:
        for action in TeamAction:
            assert asked(cast, who, action.value, cast.team) == str(policy.can(cast.actor(who), action, cast.team))


def test_an_action_that_no_policy_knows_is_an_error_not_a_no() -> None:
    with pytest.raises(KeyError):
        policy_for("team.fly")


def test_nothing_may_be_done_to_nothing(cast) -> None:
    assert asked(cast, "owner", "team.view", None) == "False"


# ---------------------------------------------------------------- forms
class Sample(forms.Form):
    name = forms.CharField(help_text="Short.")
    sure = forms.BooleanField(required=False)
    kind = forms.ChoiceField(choices=[("a", "A")], widget=forms.RadioSelect)
    secret = forms.CharField(widget=forms.HiddenInput, initial="s")


def test_help_and_errors_are_tied_to_their_control() -> None:
    html = Template("{% load ui %}{% form_fields form %}").render(Context({"form": Sample({"kind": "a"})}))
    control = re.search(r'<input type="text"[^>]*id="id_name"[^>]*>', html)
    assert control is not None
    assert 'aria-invalid="true"' in control[0]
    for part in re.search(r'aria-describedby="([^"]+)"', control[0])[1].split():
        assert f'id="{part}"' in html
    assert html.count("<fieldset") == 1
    assert html.count('name="secret"') == 1
    assert 'role="alert"' in html
