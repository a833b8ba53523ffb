"""The calls over evaluation sets, as a pipeline uses them."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext, override_settings
from django.utils import timezone

from datasets_app.freezing import hash_entries, revision_hash
from datasets_app.models import Dataset, ExposureEntry, Item
from datasets_app.states import Level
from tests.conftest import Cast
from tests.datasets_app.factories import DOCUMENT, grant, make_dataset, make_draft, make_frozen, native, natives

NDJSON = "application/x-ndjson"


def ndjson(rows: list[Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def lines(response: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in b"".join(response.streaming_content).splitlines()]


def test_a_pipeline_makes_a_dataset_imports_freezes_and_reads_it_back(cast: Cast) -> None:
    editor, steward = cast.api("token"), cast.api("steward")
    made = editor.post("/api/v1/datasets", {"team": "support", "slug": "qa", "name": "问答"}, format="json")
    assert made.status_code == 201, made.content
    assert made.json()["ref"] == "support/qa"
    rows = natives(4) + natives(4, split="frozen", start=1001)
    report = editor.post("/api/v1/datasets/support/qa/imports", ndjson(rows), content_type=NDJSON)
    assert report.status_code == 201, report.content
    assert (report.json()["created"], report.json()["version"]) == (8, "support/qa@1")
    frozen = steward.post("/api/v1/versions/support/qa@draft/freeze", {"note": "first"}, format="json")
    assert frozen.status_code == 200, frozen.content
    body = frozen.json()
    assert (body["status"], body["counts"]["frozen"]["items"], body["exposure"]["frozen"]) == ("frozen", 4, "unseen")
    assert len(body["content_sha256"]) == 64
    again = editor.get(f"/api/v1/versions/{body['id']}").json()
    assert again["content_sha256"] == editor.get("/api/v1/versions/support/qa@latest").json()["content_sha256"]


def test_an_export_holds_all_that_the_hash_is_made_of(cast: Cast) -> None:
    version = make_frozen(cast)
    grant(cast, version.dataset, "viewer", Level.READ)
    api, rows = cast.api("viewer"), []
    for split in ("dev", "frozen"):
        response = api.get(f"/api/v1/versions/{version.ref}/export?format=jsonl&split={split}")
        assert response.headers["Content-Disposition"].endswith(f'-{split}.jsonl"')
        rows += lines(response)
    entries = []
    for row in rows:
        content = {key: value for key, value in row.items() if key not in {"item_id", "sha256", "nonce"}}
        external_id, split, tiers = content.pop("external_id"), content.pop("split"), content.pop("tiers")
        entries.append((external_id, split, tiers, revision_hash(content, row["nonce"])))
    assert hash_entries(entries) == version.content_sha256
    assert ExposureEntry.objects.get().use == "export"


def test_an_export_imports_again_without_a_change(cast: Cast) -> None:
    version = make_frozen(cast)
    exported = lines(
        cast.api("viewer").get(f"/api/v1/versions/{version.ref}/items?split=dev", headers={"Accept": NDJSON})
    )
    url = f"/api/v1/datasets/{version.dataset.ref}/imports?dry_run=true"
    report = cast.api("editor").post(url, ndjson(exported), content_type=NDJSON).json()
    assert (report["unchanged"], report["created"], report["updated"]) == (4, 0, 0)


@pytest.mark.parametrize(
    "kind", ["application/x-ndjson", "application/jsonl", "text/plain", "application/octet-stream"]
)
def test_ndjson_is_taken_under_each_of_its_names_and_a_list_as_json(cast: Cast, kind: str) -> None:
    make_dataset(cast)
    api = cast.api("editor")
    url = "/api/v1/datasets/support/kb-qa/imports?dry_run=1"
    assert api.post(url, ndjson(natives(3)), content_type=kind).json()["created"] == 3
    assert api.post(url, json.dumps(natives(2)), content_type="application/json").json()["created"] == 2
    assert api.post(url, "a,b", content_type="text/csv").status_code == 415


def _refused(response: Any, status: int) -> dict[str, Any]:
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"].startswith("application/problem+json")
    assert Item.objects.count() == 0
    return response.json()


def test_bad_bodies_are_problems_that_name_line_and_field(cast: Cast) -> None:
    make_dataset(cast)
    api, url = cast.api("editor"), "/api/v1/datasets/support/kb-qa/imports"
    good = ndjson(natives(1))

    def post(body: Any, kind: str = NDJSON) -> Any:
        return api.post(url, body, content_type=kind)

    malformed = _refused(post(good + '{"external_id": \n'), 422)
    assert (malformed["errors"][0]["line"], malformed["errors"][0]["code"]) == (2, "not_json")
    duplicate = _refused(post(good + good), 422)
    assert (duplicate["errors"][0]["line"], duplicate["errors"][0]["pointer"]) == (2, "/external_id")
    nan = _refused(post(good + '{"external_id": "n", "question": "q", "metadata": {"x": NaN}}'), 422)
    assert (nan["errors"][0]["line"], nan["errors"][0]["pointer"]) == (2, "/metadata/x")
    cut = _refused(post(good + '{"external_id": "n", "question": "q", "reference": "\\ud800"}'), 422)
    assert (cut["errors"][0]["line"], cut["errors"][0]["pointer"]) == (2, "/reference")
    garbled = _refused(post(good.encode() + '{"external_id": "g", "question": "où est l\'été"}'.encode("latin-1")), 400)
    assert (garbled["errors"][0]["line"], garbled["errors"][0]["code"]) == (2, "unknown_encoding")
    deep = _refused(post("[" * 10_000), 400)
    assert deep["code"] == "too_deep"
    listed = _refused(post('[{"external_id": "a", "question": "b"},\n {"external_id": }]', "application/json"), 400)
    assert listed["errors"][0]["line"] == 2
    _refused(post(""), 422)
    _refused(api.post(f"{url}?on_error=perhaps", good, content_type=NDJSON), 422)
    _refused(api.post(f"{url}?split=test", good, content_type=NDJSON), 422)
    with override_settings(IMPORT_MAX_BODY_BYTES=1000):
        _refused(post("x" * 2000), 413)


def test_skip_reports_the_refused_rows_beside_the_good_ones(cast: Cast) -> None:
    make_dataset(cast)
    url = "/api/v1/datasets/support/kb-qa/imports?on_error=skip"
    body = ndjson([native(1), native(2, types=["riddle"])]) + "{\n"
    report = cast.api("editor").post(url, body, content_type=NDJSON).json()
    assert (report["created"], report["refused_rows"]) == (1, 2)
    assert [(row["line"], row["pointer"], row["code"]) for row in report["refused"]] == [
        (2, "/types/0", "unknown_value"),
        (3, "", "not_json"),
    ]


def test_null_characters_are_taken_out_of_imported_texts(cast: Cast) -> None:
    make_dataset(cast)
    body = '{"external_id": "n", "question": "one\\u0000two"}'
    for kind, text in ((NDJSON, body), ("application/json", f"[{body}]")):
        response = cast.api("editor").post("/api/v1/datasets/support/kb-qa/imports", text, content_type=kind)
        assert response.status_code == 201, response.content
    assert Item.objects.get().revisions.get().question == "onetwo"


def test_an_editor_importing_test_items_gets_403_naming_the_rows(cast: Cast) -> None:
    make_dataset(cast)
    body = ndjson([native(1), native(2, split="frozen")])
    response = cast.api("editor").post("/api/v1/datasets/support/kb-qa/imports", body, content_type=NDJSON)
    assert _refused(response, 403)["errors"][0]["line"] == 2


def test_items_come_in_pages_and_as_a_stream_and_by_filters(cast: Cast) -> None:
    version = make_frozen(cast, dev=12)
    api, url = cast.api("viewer"), f"/api/v1/versions/{version.ref}/items?split=dev"
    page = api.get(f"{url}&limit=5").json()
    seen = [row["external_id"] for row in page["results"]]
    while page["next"]:
        page = api.get(page["next"]).json()
        seen += [row["external_id"] for row in page["results"]]
    assert seen == [f"q-{number:04d}" for number in range(1, 13)]
    assert len(lines(api.get(url, headers={"Accept": NDJSON}))) == 12
    assert len(api.get(f"{url}&type=unanswerable").json()["results"]) == 3
    assert [row["external_id"] for row in api.get(f"{url}&q=article 7").json()["results"]] == ["q-0007"]
    assert api.get(f"{url}&type=unanswerable&tier=smoke").json()["results"] == []
    assert not ExposureEntry.objects.exists()


def test_frozen_items_need_read_and_each_reading_is_entered(cast: Cast) -> None:
    version = make_frozen(cast)
    url = f"/api/v1/versions/{version.ref}/items?split=frozen&reason=audit"
    for name in ("viewer", "editor", "steward", "owner", "admin", "token"):
        assert cast.api(name).get(url).status_code == 403, name
    assert not ExposureEntry.objects.exists()
    grant(cast, version.dataset, "steward", Level.READ)
    assert len(cast.api("steward").get(url).json()["results"]) == 8
    entry = ExposureEntry.objects.get()
    assert (entry.use, entry.items, entry.reason, entry.actor_label) == ("read", 8, "audit", "steward")
    ledger = cast.api("viewer").get(f"/api/v1/versions/{version.ref}/exposure").json()["results"]
    assert [(row["use"], row["by"]) for row in ledger] == [("read", "steward")]


def test_a_steward_reads_the_test_items_of_a_draft_that_were_never_frozen_and_an_editor_does_not(cast: Cast) -> None:
    draft = make_draft(cast)
    steward = cast.api("steward")
    steward.post("/api/v1/datasets/support/kb-qa/imports", ndjson(natives(3, split="frozen")), content_type=NDJSON)
    url = f"/api/v1/versions/{draft.ref}/items?split=frozen"
    assert len(steward.get(url).json()["results"]) == 3
    assert cast.api("editor").get(url).status_code == 403


def test_questions_give_no_more_than_a_system_needs_in_another_order(cast: Cast) -> None:
    version = make_frozen(cast, frozen=40)
    url = f"/api/v1/versions/{version.ref}/questions?split=frozen"
    assert cast.api("token").get(url).status_code == 403
    grant(cast, version.dataset, "token", Level.QUESTIONS)
    rows = cast.api("token").get(url).json()["results"]
    assert set(rows[0]) == {"item_id", "question", "history", "context", "language", "query_time", "audience"}
    order = [row["question"] for row in rows]
    assert order != sorted(order)
    assert len(set(order)) == 40
    streamed = lines(cast.api("token").get(url, headers={"Accept": NDJSON}))
    assert [row["item_id"] for row in streamed] == [row["item_id"] for row in rows]
    assert list(ExposureEntry.objects.values_list("use", "items").order_by("id")) == [("questions", 40)] * 2
    assert cast.api("token").get(f"/api/v1/versions/{version.ref}/items?split=frozen").status_code == 403


def test_a_difference_names_fields_and_hides_protected_items_behind_their_ids(cast: Cast) -> None:
    version = make_frozen(cast)
    steward = cast.api("steward")
    changes = [
        native(1, types=["unanswerable"], reference="new"),
        native(99),
        native(1001, split="frozen", reference="new"),
    ]
    response = steward.post("/api/v1/datasets/support/kb-qa/imports", ndjson(changes), content_type=NDJSON)
    assert response.status_code == 201, response.content
    url = f"/api/v1/versions/{version.ref}/diff/support/kb-qa@2"
    body = cast.api("viewer").get(url).json()
    assert (body["added"], body["removed"], body["changed"]) == (1, 0, 2)
    by_id = {row["external_id"]: row for row in body["rows"]}
    assert by_id["q-0001"]["fields"] == ["reference"]
    assert by_id[""]["fields"] == []
    assert by_id[""]["before_sha256"] != by_id[""]["after_sha256"]
    grant(cast, version.dataset, "viewer", Level.READ)
    named = {row["external_id"] for row in cast.api("viewer").get(url).json()["rows"]}
    assert named == {"q-0001", "q-0099", "q-1001"}


def test_grants_are_given_listed_and_ended_over_rest(cast: Cast) -> None:
    make_dataset(cast)
    api, url = cast.api("steward"), "/api/v1/datasets/support/kb-qa/grants"
    body = {"token": cast.token.public_id, "level": "run", "reason": "nightly", "expires_at": "2999-01-01T00:00:00Z"}
    assert api.post(url, body, format="json").status_code == 422
    body["expires_at"] = (timezone.now() + timedelta(days=9)).isoformat()
    made = api.post(url, body, format="json")
    assert made.status_code == 201, made.content
    assert api.post(url, {**body, "user": "viewer"}, format="json").json()["errors"][0]["code"] == "one_holder"
    unknown = api.post(url, {**body, "token": "tok_nobody"}, format="json")
    assert (unknown.status_code, unknown.json()["errors"][0]["code"]) == (422, "unknown_holder")
    ended = api.delete(f"{url}/{made.json()['id']}").json()
    assert ended["revoked_at"] is not None
    assert [row["holder_kind"] for row in api.get(url).json()["results"]] == ["token"]


def test_corpora_documents_and_snapshots_over_rest(cast: Cast) -> None:
    api = cast.api("token")
    assert (
        api.post("/api/v1/corpora", {"team": "support", "slug": "kb", "name": "KB"}, format="json").status_code == 201
    )
    url = "/api/v1/corpora/support/kb"
    assert api.post(f"{url}/documents", ndjson([DOCUMENT]), content_type=NDJSON).json()["versions_created"] == 2
    listed = api.get(f"{url}/documents").json()["results"]
    assert "text" not in listed[0]["versions"][0]
    with_text = api.get(f"{url}/documents?text=true").json()["results"]
    assert with_text[0]["versions"][1]["text"] == DOCUMENT["versions"][1]["text"]
    made = api.post(f"{url}/snapshots", {"name": "now", "as_of": "2026-06-01T00:00:00Z"}, format="json")
    assert made.json()["ref"] == "support/kb@now"
    assert api.get(url).json()["documents"] == 1


@pytest.mark.parametrize("path", ["datasets", "corpora"])
def test_an_outsider_sees_lists_without_anything_of_the_team(cast: Cast, path: str) -> None:
    make_dataset(cast)
    assert cast.api("outsider").get(f"/api/v1/{path}").json()["results"] == []


def test_lists_take_the_same_few_queries_whatever_their_length(cast: Cast) -> None:
    version = make_frozen(cast, dev=300)
    Dataset.objects.bulk_create(
        [Dataset(team=cast.team, slug=f"s-{index}", name=f"Set {index}") for index in range(200)]
    )
    api = cast.api("viewer")
    for path in ("datasets?limit=200", f"versions/{version.ref}/items?limit=300", "datasets/support/kb-qa/versions"):
        api.get(f"/api/v1/{path}")
        with CaptureQueriesContext(connection) as queries:
            assert api.get(f"/api/v1/{path}").status_code == 200
        assert len(queries) <= 12, path
