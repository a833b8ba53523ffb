"""The OpenAPI description as a page, without scripts: every call by topic, with its fields."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request
from rest_framework.response import Response

_METHODS = ("get", "post", "put", "patch", "delete")


def _name_of(schema: dict[str, Any]) -> str:
    """Return a short name of a type: a component's name, `string`, `list of X`, `string or null`."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    kind = schema.get("type", "")
    if kind == "array":
        return f"[{_name_of(schema.get('items', {}))}]"
    if isinstance(kind, list):
        return " | ".join(kind)
    for word in ("oneOf", "anyOf", "allOf"):
        if word in schema:
            return " | ".join(_name_of(part) for part in schema[word])
    return str(kind or "any")


def _fields(schema: dict[str, Any]) -> list[dict[str, Any]]:
    required = set(schema.get("required", ()))
    return [
        {
            "name": name,
            "type": _name_of(field),
            "required": name in required,
            "choices": ", ".join(str(choice) for choice in field.get("enum", ())),
            "description": field.get("description", ""),
        }
        for name, field in schema.get("properties", {}).items()
    ]


def _body(content: dict[str, Any]) -> list[dict[str, str]]:
    return [{"media": media, "type": _name_of(part.get("schema", {}))} for media, part in content.items()]


def _operation(path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    responses = operation.get("responses", {})
    return {
        "id": operation.get("operationId", f"{method}-{path}"),
        "method": method.upper(),
        "path": path,
        "description": operation.get("description", ""),
        "parameters": [{**row, "type": _name_of(row.get("schema", {}))} for row in operation.get("parameters", [])],
        "request": _body(operation.get("requestBody", {}).get("content", {})),
        "responses": [
            {"status": status, "body": _body(response.get("content", {}))}
            for status, response in responses.items()
            if status != "default"
        ],
    }


@lru_cache(maxsize=4)
def api_schema(language: str) -> dict[str, Any]:
    """Return the OpenAPI description. It depends on nobody who asks, so it is made once per process and language."""
    with translation.override(language):
        schema: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return schema


class SchemaView(SpectacularAPIView):  # type: ignore[misc]
    """The OpenAPI description, as YAML or JSON; for everybody alike."""

    def _get_schema_response(self, request: Request) -> Response:
        name = self._get_filename(request, None)
        disposition = {"Content-Disposition": f'inline; filename="{name}"'}
        return Response(api_schema(translation.get_language() or "en"), headers=disposition)


@lru_cache(maxsize=4)
def api_description(language: str) -> dict[str, Any]:
    """Return topics with their operations, and the types that they name. Made once per process and language."""
    schema = api_schema(language)
    topics: dict[str, list[dict[str, Any]]] = {}
    for path, operations in schema["paths"].items():
        for method in _METHODS:
            if method in operations:
                topic = (operations[method].get("tags") or [""])[0]
                topics.setdefault(topic, []).append(_operation(path, method, operations[method]))
    components = schema.get("components", {}).get("schemas", {})
    types = [{"name": name, "fields": _fields(component)} for name, component in sorted(components.items())]
    return {"topics": sorted(topics.items()), "types": [row for row in types if row["fields"]]}


@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    """Show every call of the REST API; it holds no team's data, so nobody need sign in."""
    return render(request, "core_app/api_docs.html", api_description(translation.get_language() or "en"))
