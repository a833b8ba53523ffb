"""Pages of gates."""

import json

import pytest
from django.urls import reverse

from runs_app.models import Gate, GateCheck
from tests.conftest import Cast
from tests.runs_app.decisions import RECALL, TASK, big_version, evens, make_gate, make_pair, make_scored_run

pytestmark = pytest.mark.django_db

NI = {"kind": "non_inferiority", "metric": "answers.task_success", "margin": 0.05}
GOOD = {TASK: evens(40, 0.8), RECALL: [0.9] * 40}
RELEASE = {"team": "support", "gate": "release"}


def url(name: str, **kwargs) -> str:
    return reverse(f"runs:{name}", kwargs={**RELEASE, **kwargs})


def text(response) -> str:
    return response.content.decode()


def test_an_editor_makes_a_gate_from_the_template(cast: Cast) -> None:
    make_scored_run(cast, big_version(cast), GOOD)
    client = cast.client("editor")
    response = client.post(
        reverse("runs:gate-create", kwargs={"team": "support"}), {"slug": "release", "name": "Release"}, follow=True
    )
    assert "task success is not worse than the baseline by more than 0.05" in text(response)
    assert "No policy is active" in text(response)
    gate = Gate.objects.get()
    assert RECALL in [rule.get("metric") for rule in gate.policies.get().rules]


def test_a_steward_makes_the_draft_active_and_an_editor_checks_a_run(cast: Cast) -> None:
    gate = make_gate(cast, [NI])
    _first, second = make_pair(cast, big_version(cast), baseline=GOOD, candidate={**GOOD, TASK: evens(40, 0.3)})
    response = cast.client("editor").post(url("gate-check-create"), {"run": second.public_id}, follow=True)
    page = text(response)
    check = GateCheck.objects.get(policy__gate=gate)
    assert response.redirect_chain[-1][0] == url("gate-check", check=check.public_id)
    assert "It does not hold." in page
    assert check.manifest_sha256 in page
    history = text(cast.client("viewer").get(url("gate")))
    assert check.public_id in history
    home = text(cast.client("viewer").get(reverse("teams:team", kwargs={"team": "support"})))
    assert "Newest gate verdicts" in home
    assert check.public_id in home


def test_a_rule_that_does_not_hold_says_why_under_its_sentence(cast: Cast) -> None:
    make_gate(cast, [{"kind": "floor", "metric": "answers.correct", "limit": 0.5}, {"kind": "split_not_spent"}])
    run = make_scored_run(cast, big_version(cast), GOOD)
    page = text(cast.client("editor").post(url("gate-check-create"), {"run": run.public_id}, follow=True))
    head = page[page.index("at least 0.5") :]
    assert "reason" in head[: head.index("</th>")]
    assert page.count('class="reason"') == 1


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("[", "column"),
        ('[{"kind": "floor", "metric": "answers.task_success", "limit": NaN}]', "NaN"),
        ('[{"kind": "floor", "metric": "answers.nope", "limit": 1}]', "answers.nope"),
        ('{"kind": "floor"}', "/rules"),
    ],
)
def test_bad_rules_are_shown_beside_the_form_and_nothing_is_saved(cast: Cast, rules: str, said: str) -> None:
    gate = make_gate(cast, [NI])
    response = cast.client("editor").post(url("gate-policy-draft"), {"rules": rules})
    assert response.status_code == 422
    assert said in text(response)
    assert gate.policies.count() == 1


def test_a_draft_begins_from_the_newest_policy_and_is_activated_by_a_steward(cast: Cast) -> None:
    gate = make_gate(cast, [NI])
    client = cast.client("editor")
    assert "non_inferiority" in text(client.get(url("gate-policy-draft")))
    client.post(url("gate-policy-draft"), {"rules": json.dumps([{**NI, "margin": 0.02}])})
    assert client.post(url("gate-policy-activate", version=2)).status_code == 403
    assert cast.client("steward").post(url("gate-policy-activate", version=2)).status_code == 302
    assert [(row.version, row.status) for row in gate.policies.all()] == [(2, "active"), (1, "superseded")]


def test_a_viewer_sees_neither_forms_nor_buttons(cast: Cast) -> None:
    make_gate(cast, [NI])
    page = text(cast.client("viewer").get(url("gate")))
    assert "Check a run" not in page
    assert "Draft new rules" not in page


def test_a_frozen_check_shows_rounded_values_and_says_so(cast: Cast) -> None:
    make_gate(cast, [{"kind": "floor", "metric": "answers.task_success", "limit": 0.5}])
    run = make_scored_run(cast, big_version(cast), {TASK: evens(40, 0.825)}, split="frozen")
    response = cast.client("editor").post(url("gate-check-create"), {"run": run.public_id}, follow=True)
    assert "values are rounded" in text(response)
    assert "0.825" not in text(response)


def test_the_pages_take_few_queries_however_long_the_history(cast: Cast, django_assert_max_num_queries) -> None:
    gate = make_gate(cast, [NI])
    run = make_scored_run(cast, big_version(cast), GOOD)
    GateCheck.objects.bulk_create(
        GateCheck(
            policy=gate.policies.get(), run=run, verdict="fail", rules=[], manifest_sha256=f"{n:064d}",
            checked_by_label="x", created_at=run.created_at,
        )
        for n in range(300)
    )  # fmt: skip
    Gate.objects.bulk_create(Gate(team=cast.team, slug=f"g{n}", name=f"g{n}") for n in range(300))
    client = cast.client("viewer")
    with django_assert_max_num_queries(16):
        assert client.get(url("gate")).status_code == 200
    with django_assert_max_num_queries(12):
        assert client.get(reverse("runs:gates", kwargs={"team": "support"})).status_code == 200
