"""Gates over REST."""

from xml.etree import ElementTree

import pytest

from core_app.models import AuditEvent
from datasets_app.states import Level
from runs_app.models import Gate, GateCheck, GatePolicy
from runs_app.states import RunStatus
from tests.conftest import Cast
from tests.datasets_app.factories import grant
from tests.runs_app.decisions import ACCEPT, RECALL, TASK, big_version, evens, make_gate, make_pair, make_scored_run

pytestmark = pytest.mark.django_db

API = "/api/v1"
NI = {"kind": "non_inferiority", "metric": "answers.task_success", "margin": 0.05}
GOOD = {TASK: evens(40, 0.8), RECALL: [0.9] * 40, ACCEPT: [0.0] * 40}
BAD = {**GOOD, TASK: evens(40, 0.3)}


def test_a_pipeline_makes_a_gate_and_gets_its_verdict(cast: Cast) -> None:
    first, second = make_pair(cast, big_version(cast), baseline=GOOD, candidate=BAD)
    api = cast.api("token")
    made = api.post(f"{API}/gates", {"team": "support", "slug": "release", "name": "Release"})
    assert made.status_code == 201, made.json()
    assert (made.json()["ref"], made.json()["active_version"]) == ("support/release", None)
    draft = api.post(f"{API}/gates/support/release/policies", {"rules": [NI]})
    assert draft.status_code == 201, draft.json()
    assert draft.json()["sentences"] == ["task success is not worse than the baseline by more than 0.05"]
    active = api.post(f"{API}/gates/support/release/policies/1/activate")
    assert (active.status_code, active.json()["status"]) == (200, "active")
    answer = api.post(f"{API}/gates/support/release/checks", {"run": second.public_id})
    assert answer.status_code == 200, answer.json()
    body = answer.json()
    assert {key: body[key] for key in ("verdict", "effective_verdict", "waiver", "policy_version", "baseline")} == {
        "verdict": "fail",
        "effective_verdict": "fail",
        "waiver": None,
        "policy_version": 1,
        "baseline": first.public_id,
    }
    rule = body["rules"][0]
    assert rule["observed"] == pytest.approx(-0.5)
    assert rule["interval"][0] < rule["observed"] < rule["interval"][1]
    assert (rule["n"], rule["limit"], rule["reason"]) == (40, -0.05, "It does not hold.")
    assert body["url"] == f"http://testserver/t/support/gates/release/checks/{body['id']}/"
    again = api.get(f"{API}/gates/support/release/checks/{body['id']}")
    assert again.json() == body
    listed = api.get(f"{API}/gates/support/release/checks").json()["results"]
    assert [(row["id"], row["verdict"]) for row in listed] == [(body["id"], "fail")]


def test_a_check_sent_twice_is_one_verdict(cast: Cast) -> None:
    _first, second = make_pair(cast, big_version(cast), baseline=GOOD, candidate=GOOD)
    make_gate(cast, [NI])
    api = cast.api("token")
    answers = [
        api.post(f"{API}/gates/support/release/checks", {"run": second.public_id}, headers={"Idempotency-Key": key})
        for key in ("one-key-1", "one-key-1", "another-key")
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert GateCheck.objects.count() == 1
    assert AuditEvent.objects.filter(action="gate.check").count() == 1


def test_formats_of_a_check(cast: Cast) -> None:
    _first, second = make_pair(cast, big_version(cast), baseline=GOOD, candidate=BAD)
    make_gate(cast, [NI])
    api = cast.api("token")
    check = api.post(f"{API}/gates/support/release/checks", {"run": second.public_id}).json()["id"]
    url = f"{API}/gates/support/release/checks/{check}"
    junit = api.get(f"{url}?format=junit")
    assert junit["Content-Type"] == "application/xml; charset=utf-8"
    assert ElementTree.fromstring(junit.content).attrib["failures"] == "1"
    markdown = api.get(f"{url}?format=markdown")
    assert markdown["Content-Type"] == "text/markdown; charset=utf-8"
    assert "❌ fail" in markdown.content.decode()
    csv = api.get(f"{url}?format=csv")
    assert csv["Content-Type"] == "text/csv; charset=utf-8"
    wrong = api.get(f"{url}?format=pdf")
    assert (wrong.status_code, wrong.json()["errors"][0]["pointer"]) == (422, "/format")


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({"rules": [{"kind": "floor", "metric": "answers.nope", "limit": 1}]}, "/rules/0/metric", "unknown_metric"),
        ({"rules": [{"kind": "floor", "metric": "answers.task_success"}]}, "/rules/0/limit", "required"),
        ({"rules": "floor"}, "/rules", "not_a_list"),
        ({"rules": []}, "/rules", "not_a_list"),
        ({}, "/rules", "required"),
        ({"rules": [NI], "note": "x"}, "/note", "unknown_field"),
    ],
)
def test_bad_rules_are_refused_with_their_place(cast: Cast, body, pointer, code) -> None:
    make_gate(cast, [NI])
    answer = cast.api("token").post(f"{API}/gates/support/release/policies", body)
    assert answer.status_code == 422
    assert answer["Content-Type"] == "application/problem+json"
    assert [(error["pointer"], error["code"]) for error in answer.json()["errors"]] == [(pointer, code)]
    assert GatePolicy.objects.count() == 1


def test_nan_as_a_limit_is_not_json(cast: Cast) -> None:
    make_gate(cast, [NI])
    raw = '{"rules": [{"kind": "floor", "metric": "answers.task_success", "limit": NaN}]}'
    answer = cast.api("token").post(f"{API}/gates/support/release/policies", raw, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")


def test_a_run_that_is_not_there_or_not_completed(cast: Cast) -> None:
    running = make_scored_run(cast, big_version(cast), GOOD, status=RunStatus.SCORING)
    make_gate(cast, [NI])
    api = cast.api("token")
    unknown = api.post(f"{API}/gates/support/release/checks", {"run": "run_nothere"})
    assert (unknown.status_code, unknown.json()["errors"][0]["code"]) == (422, "unknown_run")
    conflict = api.post(f"{API}/gates/support/release/checks", {"run": running.public_id})
    assert (conflict.status_code, conflict.json()["code"]) == (409, "run_not_completed")
    waiting = api.post(f"{API}/gates/support/release/checks?wait=0.1", {"run": running.public_id})
    assert (waiting.status_code, waiting.json()["verdict"]) == (202, None)
    assert waiting["Retry-After"]
    bad = api.post(f"{API}/gates/support/release/checks?wait=soon", {"run": running.public_id})
    assert bad.status_code == 422


def test_a_token_needs_a_level_on_the_frozen_split(cast: Cast) -> None:
    version = big_version(cast)
    _first, second = make_pair(cast, version, baseline=GOOD, candidate=GOOD, split="frozen")
    make_gate(cast, [{**NI, "margin": 0.1}])
    api = cast.api("token")
    refused = api.post(f"{API}/gates/support/release/checks", {"run": second.public_id})
    assert (refused.status_code, refused.json()["code"]) == (403, "level_required")
    grant(cast, version.dataset, "token", Level.AGGREGATE)
    passed = api.post(f"{API}/gates/support/release/checks", {"run": second.public_id})
    assert (passed.status_code, passed.json()["verdict"]) == (200, "pass")


def test_short_names_are_taken_once(cast: Cast) -> None:
    api = cast.api("editor")
    body = {"team": "support", "slug": "release", "name": "Release", "rules": [NI]}
    assert api.post(f"{API}/gates", body).status_code == 201
    assert api.post(f"{API}/gates", body).status_code == 409
    bad = api.post(f"{API}/gates", {**body, "slug": "No good"})
    assert bad.status_code == 422
    assert Gate.objects.count() == 1


def test_an_outsider_finds_no_gate(cast: Cast) -> None:
    make_gate(cast, [NI])
    api = cast.api("outsider")
    assert api.get(f"{API}/gates").json() == {"results": [], "next": None}
    assert api.get(f"{API}/gates?team=support").status_code == 404
    assert api.get(f"{API}/gates/support/release").status_code == 404
    assert api.post(f"{API}/gates/support/release/checks", {"run": "run_x"}).status_code == 404
    assert api.post(f"{API}/gates", {"team": "support", "slug": "x"}).status_code == 404


def test_lists_take_the_same_number_of_queries_however_long(cast: Cast, django_assert_max_num_queries) -> None:
    run = make_scored_run(cast, big_version(cast), GOOD)
    gate = make_gate(cast, [NI])
    policy = gate.policies.get()
    GateCheck.objects.bulk_create(
        GateCheck(
            policy=policy, run=run, baseline=run, verdict="fail", rules=[], manifest_sha256=f"{n:064d}",
            checked_by_label="x", created_at=run.created_at,
        )
        for n in range(300)
    )  # fmt: skip
    Gate.objects.bulk_create(Gate(team=cast.team, slug=f"g{n}", name=f"g{n}") for n in range(300))
    api = cast.api("viewer")
    with django_assert_max_num_queries(8):
        assert len(api.get(f"{API}/gates/support/release/checks?limit=250").json()["results"]) == 250
    with django_assert_max_num_queries(8):
        assert len(api.get(f"{API}/gates?limit=250").json()["results"]) == 250
