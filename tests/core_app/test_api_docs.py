"""The OpenAPI description and its page."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from django.test import Client
from drf_spectacular.validation import validate_schema

from core_app.api_docs import api_description, api_schema


@pytest.fixture(scope="session")
def schema() -> dict[str, Any]:
    return api_schema("en")


def test_the_description_is_openapi_3_1(schema: dict[str, Any]) -> None:
    assert schema["openapi"].startswith("3.1")
    validate_schema(schema)


def test_every_call_names_its_topic_its_refusals_and_how_to_authenticate(schema: dict[str, Any]) -> None:
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            place = f"{method} {path}"
            assert operation.get("tags"), place
            assert "application/problem+json" in operation["responses"]["default"]["content"], place
            assert {"token": []} in operation["security"], place
            if method == "post":
                assert "Idempotency-Key" in {row["name"] for row in operation["parameters"]}, place


def test_a_list_is_described_as_the_page_that_it_is(schema: dict[str, Any]) -> None:
    content = schema["paths"]["/api/v1/teams"]["get"]["responses"]["200"]["content"]
    assert set(content["application/json"]["schema"]["properties"]) == {"results", "next"}
    assert content["application/x-ndjson"]["schema"] == {"$ref": "#/components/schemas/TeamOutput"}


@pytest.mark.django_db
def test_the_page_names_every_call(client: Client, schema: dict[str, Any]) -> None:
    page = client.get("/api/v1/docs/").content.decode()
    for path in schema["paths"]:
        assert path.replace("'", "&#x27;") in page
    assert sum(len(operations) for _topic, operations in api_description("en")["topics"]) == sum(
        len(operations) for operations in schema["paths"].values()
    )


def test_the_description_is_one_document_in_yaml_and_in_json(client: Client, schema: dict[str, Any]) -> None:
    written = client.get("/api/v1/schema/", headers={"Accept": "application/vnd.oai.openapi"})
    data = client.get("/api/v1/schema/", headers={"Accept": "application/vnd.oai.openapi+json"})
    assert written["Content-Disposition"] == 'inline; filename="evalplatform.yaml"'
    assert yaml.safe_load(written.content) == data.json()
    assert set(data.json()["paths"]) == set(schema["paths"])
