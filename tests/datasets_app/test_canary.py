"""A frozen split that carries a canary in question, gold and metadata: nobody below `read` sees it anywhere here."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from core_app.models import AuditEvent
from datasets_app.models import DatasetVersion, ExposureEntry, ItemRevision, VersionEntry
from datasets_app.services import dataset_update, draft_get_or_create, item_edit, items_import, version_freeze
from datasets_app.states import Level
from tests.conftest import Cast
from tests.datasets_app.factories import (
    fill,
    grant,
    make_corpus,
    make_dataset,
    make_draft,
    make_frozen,
    native,
    natives,
    numbered,
)

CANARY = "zanzibar-canary"
BELOW_READ = ["viewer", "annotator", "editor", "steward", "owner", "admin", "token"]


def canary_item(number: int, **fields: Any) -> dict[str, Any]:
    return native(
        number,
        split="frozen",
        question=f"Where is the {CANARY}-{number}?",
        reference=f"{CANARY} reference",
        history=[{"role": "user", "content": f"{CANARY} history"}],
        context=[f"{CANARY} context"],
        evidence=[[[f"{CANARY}-chunk", {"doc_id": "d1", "version_id": "1", "start": 0, "end": 20}]]],
        relevance={f"{CANARY}-unit": 1},
        assertions=[{"type": "contains", "value": CANARY, "must": True}],
        claims=[{"text": f"{CANARY} claim"}],
        nuggets=[{"text": f"{CANARY} nugget"}],
        subquestions=[f"{CANARY} sub"],
        cluster=f"{CANARY}-cluster",
        metadata={"note": CANARY},
        **fields,
    )


@pytest.fixture
def version(cast: Cast) -> DatasetVersion:
    dataset = make_dataset(cast, corpus=make_corpus(cast))
    draft = make_draft(cast, dataset)
    fill(cast, draft, natives(6) + [canary_item(number) for number in range(1001, 1009)])
    return version_freeze(actor=cast.actor("steward"), version=draft, note="x")


def body(response: HttpResponse) -> str:
    if getattr(response, "streaming", False):
        return b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
    return response.content.decode()


def api_urls(version: DatasetVersion) -> list[str]:
    ref, dataset = version.ref, version.dataset.ref
    draft = f"{dataset}@2"
    urls = ["datasets", f"datasets/{dataset}", f"datasets/{dataset}/versions", f"datasets/{dataset}/grants"]
    for one in (ref, draft, version.public_id):
        urls += [f"versions/{one}", f"versions/{one}/exposure", f"versions/{one}/diff/{draft}"]
        for split in ("dev", "frozen"):
            for name in ("items", "questions", "export"):
                urls += [f"versions/{one}/{name}?split={split}"]
            urls += [f"versions/{one}/items?split={split}&q={CANARY}", f"versions/{one}/items?split={split}&type=fact"]
    return [f"/api/v1/{url}" for url in urls]


def page_urls(version: DatasetVersion) -> list[str]:
    base = {"team": "support", "dataset": version.dataset.slug}
    urls = [reverse("datasets:list", args=["support"])]
    for name in ("detail", "settings", "import", "access", "exposure"):
        urls.append(reverse(f"datasets:{name}", kwargs=base))
    for number in (1, 2):
        here = {**base, "number": number}
        urls += [reverse(f"datasets:{name}", kwargs=here) for name in ("version", "freeze", "diff", "items", "export")]
        urls += [
            reverse("datasets:items", kwargs=here) + query
            for query in ("?split=frozen", f"?split=frozen&q={CANARY}", f"?q={CANARY}", "?split=frozen&type=fact")
        ]
        urls.append(reverse("datasets:export", kwargs=here) + "?split=frozen")
        for entry in VersionEntry.objects.filter(version__number=number, split="frozen").select_related("item")[:2]:
            item = {**here, "item": entry.item.public_id}
            urls += [reverse(f"datasets:{name}", kwargs=item) for name in ("item", "item-edit")]
    return urls


@pytest.mark.parametrize("name", BELOW_READ)
def test_no_call_and_no_page_shows_a_frozen_item_to_anybody_below_read(
    name: str, cast: Cast, version: DatasetVersion
) -> None:
    draft_get_or_create(actor=cast.actor("editor"), dataset=version.dataset)
    api = cast.api(name)
    for url in api_urls(version):
        response = api.get(url)
        assert response.status_code in {200, 403}, (url, response.status_code)
        assert CANARY not in body(response).replace(f"q={CANARY}", ""), url
    parts = 0
    for url in page_urls(version) if name != "token" else ():
        response = page_without_canary(api, url)
        if "HX-Request" in response.get("Vary", ""):
            # The page has a part of its own for htmx; every other page answers it the same.
            parts += 1
            page_without_canary(api, url, headers={"HX-Request": "true"})
    assert parts or name == "token"
    assert not ExposureEntry.objects.exists()


def page_without_canary(client: Client, url: str, **options: Any) -> HttpResponse:
    """Ask for a page; fail where it shows the canary in anything but the query that was asked."""
    response = client.get(url, **options)
    assert CANARY not in body(response).replace(f"q={CANARY}", "").replace(f'value="{CANARY}"', ""), (url, options)
    return response


def test_the_questions_level_shows_questions_without_gold_and_read_shows_all(
    cast: Cast, version: DatasetVersion
) -> None:
    grant(cast, version.dataset, "editor", Level.QUESTIONS)
    api = cast.api("editor")
    text = body(api.get(f"/api/v1/versions/{version.ref}/questions?split=frozen"))
    assert f"Where is the {CANARY}" in text
    for gold in ("reference", "chunk", "unit", "claim", "nugget", "sub", "cluster", "note"):
        assert f"{CANARY} {gold}" not in text
        assert f"{CANARY}-{gold}" not in text
    assert "q-1001" not in text
    assert api.get(f"/api/v1/versions/{version.ref}/items?split=frozen").status_code == 403
    grant(cast, version.dataset, "steward", Level.READ)
    assert CANARY in body(cast.api("steward").get(f"/api/v1/versions/{version.ref}/items?split=frozen"))
    page = reverse("datasets:items", kwargs={"team": "support", "dataset": "kb-qa", "number": 1}) + "?split=frozen"
    assert CANARY in body(cast.client("steward").get(page))
    assert ExposureEntry.objects.count() == 3


def test_refusals_and_reports_of_writes_show_no_frozen_text(cast: Cast, version: DatasetVersion) -> None:
    draft = draft_get_or_create(actor=cast.actor("editor"), dataset=version.dataset)
    url = f"/api/v1/datasets/{version.dataset.ref}/imports"
    rows = [native(1001, split="dev"), native(1002, split="frozen", reference="x"), native(9, question="")]
    for name in ("editor", "steward", "token"):
        for query in ("?dry_run=true", "?on_error=skip&dry_run=true", ""):
            response = cast.api(name).post(url + query, rows, format="json")
            assert response.status_code in {200, 403, 422}, response.content
            assert CANARY not in body(response)
    duplicate = native(77, question=f"Where is the {CANARY}-1003?", history=[{"role": "user", "content": "other"}])
    items_import(actor=cast.actor("editor"), version=draft, rows=numbered([duplicate]))
    entry = VersionEntry.objects.get(version=draft, item__external_id="q-1001")
    edited = native(1001, split="frozen", question="Edited blindly?")
    item_edit(actor=cast.actor("steward"), version=draft, item=entry.item, native=edited)
    frozen = cast.api("steward").post(f"/api/v1/versions/{draft.ref}/freeze", {"note": ""}, format="json")
    assert CANARY not in body(frozen)


def test_the_audit_trail_carries_no_item_text(cast: Cast, version: DatasetVersion) -> None:
    draft = draft_get_or_create(actor=cast.actor("editor"), dataset=version.dataset)
    entry = VersionEntry.objects.get(version=draft, item__external_id="q-1001")
    item_edit(actor=cast.actor("steward"), version=draft, item=entry.item, native=canary_item(1001, tags=["t"]))
    dataset_update(
        actor=cast.actor("editor"), dataset=version.dataset, name="N", language="", description="", corpus=None
    )
    assert AuditEvent.objects.count() > 5
    for event in AuditEvent.objects.all():
        assert CANARY not in f"{event.object_label} {event.before} {event.after}"


def test_the_admin_withholds_test_items_from_a_superuser_without_read(cast: Cast, version: DatasetVersion) -> None:
    client = cast.client("admin")
    revision = ItemRevision.objects.filter(item__external_id="q-1001").get()
    entry = revision.entries.get()
    item = revision.item
    pages = [
        f"/admin/datasets_app/{name}/" for name in ("itemrevision", "versionentry", "item", "datasetversion", "dataset")
    ]
    pages += [
        f"/admin/datasets_app/itemrevision/{revision.pk}/change/",
        f"/admin/datasets_app/versionentry/{entry.pk}/change/",
        f"/admin/datasets_app/item/{item.pk}/change/",
        f"/admin/datasets_app/datasetversion/{version.pk}/change/",
        "/admin/datasets_app/exposureentry/", "/admin/datasets_app/grant/", "/admin/datasets_app/corpus/",
        "/admin/datasets_app/document/", "/admin/datasets_app/documentversion/", "/admin/datasets_app/snapshot/",
    ]  # fmt: skip
    for url in pages:
        response = client.get(url)
        assert response.status_code == 200, url
        assert CANARY not in body(response), url
    found = client.get(f"/admin/datasets_app/itemrevision/?q={CANARY}")
    assert "q-1001" not in body(found)
    open_one = ItemRevision.objects.filter(item__external_id="q-0001").get()
    assert "What does article 1 weigh?" in body(client.get(f"/admin/datasets_app/itemrevision/{open_one.pk}/change/"))
    grant(cast, version.dataset, "editor", Level.READ)
    assert cast.client("editor").get(pages[0]).status_code == 302


def test_a_question_asked_twice_in_dev_is_counted_whether_or_not_the_test_split_asks_it(cast: Cast) -> None:
    """An editor writes a guess twice into dev: the count of duplicates must not tell whether a test item asks it."""
    counts = []
    for slug, guess in (("a", "What does article 1001 weigh?"), ("b", "Nobody asks this.")):
        version = make_frozen(cast, dataset=make_dataset(cast, slug))
        draft = make_draft(cast, version.dataset)
        rows = [native(number, question=guess) for number in (501, 502)]
        fill(cast, draft, rows, actor=cast.actor("editor"))
        checks = cast.api("editor").get(f"/api/v1/versions/{draft.public_id}").json()["health"]
        counts.append([(check["code"], check["severity"], check["count"], check["message"]) for check in checks])
    assert counts[0] == counts[1]
    assert ("duplicates", 2) in [(code, count) for code, _severity, count, _message in counts[0]]


@pytest.mark.parametrize("dry_run", [True, False])
def test_sending_a_guess_again_does_not_tell_whether_it_is_the_protected_item(cast: Cast, dry_run: bool) -> None:
    """A steward without `read` may rewrite a protected item, and learns nothing of what it said before."""
    reports = []
    for slug, reference in (("a", "1001 kg"), ("b", "7 kg")):
        version = make_frozen(cast, dataset=make_dataset(cast, slug))
        row = natives(8, split="frozen", start=1001)[0] | {"reference": reference}
        path = f"/api/v1/datasets/support/{slug}/imports?dry_run={str(dry_run).lower()}"
        report = cast.api("steward").post(path, [row], format="json").json()
        reports.append({**report, "version": ""})
        if not dry_run:
            draft = version.dataset.versions.get(number=2)
            diff = cast.api("steward").get(f"/api/v1/versions/{version.public_id}/diff/{draft.public_id}").json()
            assert (diff["changed"], diff["rows"][0]["fields"]) == (1, [])
            assert diff["rows"][0]["before_sha256"] != diff["rows"][0]["after_sha256"]
    assert reports[0] == reports[1]
    assert (reports[0]["updated"], reports[0]["unchanged"]) == (1, 0)
