"""The OpenAPI document in docs/ is the one that the code gives now, and the code gives it without a warning.

After a change of the API: `.venv/bin/python manage.py spectacular --file docs/openapi.yaml --validate --fail-on-warn`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from django.core.management import call_command
from drf_spectacular.drainage import GENERATOR_STATS

from tests.docs.reading import DOCS, normalized, rest_calls


@pytest.fixture
def generated(tmp_path: Path) -> str:
    """The document as the code gives it now; fails on a warning, or where it is not valid OpenAPI."""
    file = tmp_path / "openapi.yaml"
    GENERATOR_STATS.reset()
    call_command("spectacular", "--file", str(file), "--validate", "--fail-on-warn")
    return file.read_text(encoding="utf-8")


def test_the_openapi_document_in_docs_is_up_to_date(generated: str) -> None:
    assert (DOCS / "openapi.yaml").read_text(encoding="utf-8") == generated, "refresh it by the command above"


def test_the_openapi_document_holds_every_rest_call(generated: str) -> None:
    paths = yaml.safe_load(generated)["paths"]
    described = {
        (method.upper(), normalized(path.removeprefix("/api/v1/")))
        for path, methods in paths.items()
        for method in methods
        if method in {"get", "post", "put", "patch", "delete"}
    }
    # The document itself and its page are not calls of the API.
    assert {call for call in rest_calls() if call[1] not in {"schema", "docs"}} - described == set()
