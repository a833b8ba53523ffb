"""The pages as people use them."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.models import Dataset, DatasetVersion, ExposureEntry, Grant, Item
from datasets_app.selectors.pages import AROUND, text_after, text_before
from datasets_app.services import draft_get_or_create
from datasets_app.states import Level
from tests.conftest import Cast
from tests.datasets_app.factories import (
    DOCUMENT,
    fill,
    grant,
    make_corpus,
    make_dataset,
    make_draft,
    make_frozen,
    native,
    natives,
)  # fmt: skip

HERE = {"team": "support", "dataset": "kb-qa"}


def url(name: str, **more: object) -> str:
    return reverse(f"datasets:{name}", kwargs={**HERE, **more})


def test_a_dataset_is_created_filled_and_frozen_by_pages_alone(cast: Cast) -> None:
    client = cast.client("steward")
    create = reverse("datasets:create", args=["support"])
    assert client.post(create, {"slug": "Bad Slug", "name": "x"}).status_code == 422
    assert client.post(create, {"slug": "kb-qa", "name": "问答"}).status_code == 302
    assert client.post(create, {"slug": "kb-qa", "name": "again"}).status_code == 422
    text = "\n".join(json.dumps(row) for row in natives(4) + natives(4, split="frozen", start=1001))
    preview = client.post(url("import"), {"file": SimpleUploadedFile("items.jsonl", text.encode()), "split": "dev"})
    assert preview.status_code == 200
    assert Item.objects.count() == 0
    assert preview.context["report"].created == 8
    confirmed = client.post(url("import"), {"body": preview.context["text"], "step": "import", "on_error": "abort"})
    assert confirmed.status_code == 302
    assert Item.objects.count() == 8
    freeze = url("freeze", number=1)
    assert "Freeze for good" in client.get(freeze).content.decode()
    assert client.post(freeze, {"note": "first"}).status_code == 302
    page = client.get(url("version", number=1)).content.decode()
    assert DatasetVersion.objects.get().content_sha256 in page


def test_a_refused_file_comes_back_as_text_to_be_mended(cast: Cast) -> None:
    make_dataset(cast)
    text = json.dumps({**native(1), "kind": "fact"}) + "\n" + json.dumps(native(2))
    client = cast.client("editor")
    refused = client.post(url("import"), {"file": SimpleUploadedFile("items.jsonl", text.encode())})
    assert "There is no field “kind” here." in refused.content.decode()
    assert refused.context["form"]["body"].value() == text
    large = SimpleUploadedFile("items.jsonl", ("\n".join([text] * 1500)).encode())
    assert not client.post(url("import"), {"file": large}).context["form"]["body"].value()


def test_the_preview_names_each_refused_row(cast: Cast) -> None:
    make_dataset(cast)
    text = json.dumps(native(1)) + "\n" + json.dumps(native(2, types=["riddle"])) + "\n{"
    response = cast.client("editor").post(url("import"), {"body": text})
    page = response.content.decode()
    assert "/types/0" in page
    assert "riddle" in page
    assert response.context["report"].refused_rows == 2
    refused = cast.client("editor").post(url("import"), {"body": text, "step": "import"})
    assert refused.status_code == 422
    assert Item.objects.count() == 0
    latin = SimpleUploadedFile("a.jsonl", '{"external_id": "é"}'.encode("utf-16"))
    assert cast.client("editor").post(url("import"), {"file": latin}).status_code == 422


def test_failing_checks_are_told_beside_the_freeze_form(cast: Cast) -> None:
    draft = make_draft(cast)
    response = cast.client("steward").post(url("freeze", number=draft.number), {"note": "x"})
    assert response.status_code == 422
    assert "holds no items" in response.content.decode()


def test_a_second_steward_approves_on_the_page(cast: Cast) -> None:
    cast.team.four_eyes = True
    cast.team.save()
    draft = make_draft(cast)
    fill(cast, draft, natives(4) + natives(4, split="frozen", start=1001))
    cast.client("steward").post(url("freeze", number=1), {"note": "x"})
    draft.refresh_from_db()
    assert draft.status == "in_review"
    cast.client("steward").post(url("approve", number=1))
    draft.refresh_from_db()
    assert draft.status == "in_review"
    home = cast.client("second_steward").get(reverse("teams:team", args=["support"])).content.decode()
    assert "waits for review" in home
    cast.client("second_steward").post(url("approve", number=1))
    draft.refresh_from_db()
    assert draft.status == "frozen"


def test_an_item_shows_its_evidence_quoted_from_the_corpus_and_is_edited(cast: Cast) -> None:
    draft = make_draft(cast, make_dataset(cast, corpus=make_corpus(cast)))
    span = {"doc_id": "d1", "version_id": "2", "start": 29, "end": 43}
    fill(cast, draft, [native(1, evidence=[[[span, "chunk-5"]]])])
    item = Item.objects.get()
    where = {"number": draft.number, "item": item.public_id}
    client = cast.client("editor")
    page = client.get(url("item", **where)).content.decode()
    assert "<mark>" in page
    assert DOCUMENT["versions"][1]["text"][29:43] in page
    form = client.get(url("item-edit", **where)).context["form"].initial
    data = {**{name: form[name] for name in ("question", "reference", "split", "tags", "rest")}, "tiers": ["smoke"]}
    bad = client.post(url("item-edit", **where), {**data, "rest": '{"evidence": [[]]}'})
    assert (bad.status_code, item.revisions.count()) == (422, 1)
    assert client.post(url("item-edit", **where), {**data, "rest": "{"}).status_code == 422
    assert client.post(url("item-edit", **where), {**data, "question": "Edited?"}).status_code == 302
    entry = draft.entries.get()
    assert (entry.revision.question, entry.tiers, entry.revision.number) == ("Edited?", ["smoke"], 2)
    assert entry.revision.content["evidence"] == [[[span, "chunk-5"]]]
    assert client.post(url("item-remove", **where)).status_code == 302
    assert draft.entries.count() == 0


def test_items_are_filtered_and_htmx_gets_only_the_results(cast: Cast) -> None:
    make_frozen(cast, dev=8)
    client = cast.client("viewer")
    whole = client.get(url("items", number=1), {"type": "unanswerable"})
    assert "HX-Request" in whole.headers["Vary"]
    assert [row.item.external_id for row in whole.context["rows"]] == ["q-0001", "q-0005"]
    part = client.get(url("items", number=1), {"q": "article 3"}, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert "q-0003" in part
    assert "8 items of the frozen test split are not shown" in part


def test_looking_at_frozen_items_is_entered_in_the_ledger_page(cast: Cast) -> None:
    version = make_frozen(cast)
    grant(cast, version.dataset, "editor", Level.READ)
    client = cast.client("editor")
    client.get(url("items", number=1))
    assert not ExposureEntry.objects.exists()
    client.get(url("items", number=1), {"split": "frozen"})
    entry = version.entries.filter(split="frozen").select_related("item").first()
    assert entry is not None
    client.get(url("item", number=1, item=entry.item.public_id))
    assert list(ExposureEntry.objects.order_by("id").values_list("items", flat=True)) == [8, 1]
    assert "editor" in cast.client("viewer").get(url("exposure")).content.decode()


def test_access_is_given_and_ended_on_the_page(cast: Cast) -> None:
    make_dataset(cast)
    client = cast.client("steward")
    data = {"holder": "user:viewer", "level": "read", "days": 3, "reason": "check"}
    assert client.post(url("access"), {**data, "holder": "user:steward"}).status_code == 422
    assert client.post(url("access"), data).status_code == 302
    made = Grant.objects.get()
    assert "viewer" in client.get(url("access")).content.decode()
    client.post(url("grant-revoke", grant=made.public_id))
    made.refresh_from_db()
    assert made.revoked_at is not None


@pytest.mark.parametrize("name", ["import", "access", "exposure"])
def test_the_tabs_of_a_dataset_lead_to_its_newest_version_from_every_page(cast: Cast, name: str) -> None:
    version = make_frozen(cast)
    draft_get_or_create(actor=cast.actor("editor"), dataset=version.dataset)
    page = cast.client("steward").get(url(name)).content.decode()
    assert f'href="{url("items", number=2)}"' in page
    assert f'href="{url("version", number=2)}"' in page
    assert f'href="{url("version", number=1)}"' not in page


@given(text=st.text("ab 。中\n", max_size=400), data=st.data())
def test_the_text_around_a_span_is_cut_between_words(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    before, after = text_before(text, start), text_after(text, end)
    assert text[:start].endswith(before.removeprefix("…"))
    assert text[end:].startswith(after.removesuffix("…"))
    assert len(before) <= AROUND + 1 >= len(after)
    if before.startswith("…") and len(before) > 1:
        cut = start - len(before) + 1
        assert not (text[cut - 1] in "ab" and text[cut] in "ab")
    if after.endswith("…") and len(after) > 1:
        cut = end + len(after) - 1
        assert not (text[cut - 1] in "ab" and text[cut] in "ab")


def test_a_corpus_is_made_filled_and_read_by_pages(cast: Cast) -> None:
    client = cast.client("editor")
    client.post(reverse("datasets:corpus-create", args=["support"]), {"slug": "kb", "name": "KB"})
    corpus = reverse("datasets:corpus", args=["support", "kb"])
    file = SimpleUploadedFile("d.jsonl", json.dumps(DOCUMENT).encode())
    assert client.post(corpus, {"file": file}).status_code == 302
    broken = SimpleUploadedFile("d.jsonl", b'{"doc_id": 3}')
    refused = client.post(corpus, {"file": broken})
    assert (refused.status_code, "/doc_id" in refused.content.decode()) == (422, True)
    snapshot = reverse("datasets:corpus-snapshot", args=["support", "kb"])
    client.post(snapshot, {"name": "now", "as_of": "2026-06-01T00:00"})
    assert "@now" in client.get(corpus).content.decode()
    document = reverse("datasets:corpus-document", args=["support", "kb", "d1"])
    assert "within 30 days" in cast.client("viewer").get(document).content.decode()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_page_renders_in_both_languages(cast: Cast, language: str) -> None:
    version = make_frozen(cast)
    draft_get_or_create(actor=cast.actor("editor"), dataset=version.dataset)
    client = cast.client("steward", language=language)
    for name in ("detail", "settings", "import", "access", "exposure"):
        assert client.get(url(name)).status_code == 200
    for name in ("version", "freeze", "diff", "items"):
        assert client.get(url(name, number=2)).status_code == 200


def test_list_pages_take_the_same_few_queries_whatever_their_length(cast: Cast) -> None:
    version = make_frozen(cast, dev=300)
    made = Dataset.objects.bulk_create(
        [Dataset(team=cast.team, slug=f"s-{index}", name=f"Set {index}") for index in range(200)]
    )
    DatasetVersion.objects.bulk_create([DatasetVersion(dataset=dataset, number=1) for dataset in made])
    for _index in range(120):
        ExposureEntry.objects.create(version=version, use="run", actor_key="k", actor_label="a", at=version.frozen_at)
    client = cast.client("steward")
    pages = [reverse(f"datasets:{name}", args=["support"]) for name in ("list", "corpora")]
    pages += [url(name) for name in ("detail", "access", "exposure")]
    pages += [url(name, number=1) for name in ("items", "version")]
    for page in pages:
        client.get(page)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(page).status_code == 200
        assert len(queries) <= 16, (page, len(queries))


def test_types_tiers_and_sources_are_named_in_the_readers_language(cast: Cast) -> None:
    draft = make_draft(cast)
    fill(cast, draft, [native(1, types=["multi_hop"], source="real_user")])
    item = draft.entries.get().item.public_id
    client = cast.client("viewer")
    for path in ("items/", f"items/{item}/"):
        page = client.get(f"/t/support/datasets/kb-qa/versions/1/{path}").content.decode()
        for word in ("Multi-hop", "Regression", "Real user"):
            assert f">{word}<" in page, (path, word)
