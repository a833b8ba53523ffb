"""A page's upload is refused by its announced length, before anything of it is kept."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tests.conftest import Cast


class Unread(io.BytesIO):
    """A body that must not be read."""

    def read(self, *size: Any) -> bytes:
        raise AssertionError("the body was read")


def test_an_upload_beyond_the_limit_is_refused_unread(client: Client, settings: Any) -> None:
    settings.IMPORT_MAX_BODY_BYTES = 2 * 1024 * 1024
    answer = client.generic(
        "POST",
        reverse("teams:sign-in"),
        b"",
        content_type="multipart/form-data; boundary=x",
        CONTENT_LENGTH=str(3 * 1024 * 1024 + 1),
        **{"wsgi.input": Unread()},
    )
    assert answer.status_code == 413
    assert "The upload is larger than the 2 MB" in answer.content.decode()


@pytest.mark.django_db
def test_an_upload_within_the_limit_reaches_the_page(cast: Cast, settings: Any, tmp_path: Path) -> None:
    settings.IMPORT_MAX_BODY_BYTES = 2 * 1024 * 1024
    client = cast.client("editor")
    answer = client.post(reverse("teams:sign-in"), {"file": SimpleUploadedFile("a.jsonl", b"x" * 2 * 1024 * 1024)})
    assert answer.status_code != 413
