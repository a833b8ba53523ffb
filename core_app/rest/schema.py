"""What every call shares in the OpenAPI description: cursor pages, problems, idempotency keys; and a page of it."""

from __future__ import annotations

from typing import Any

_PROBLEM = {
    "type": "object",
    "description": "RFC 9457",
    "required": ["type", "title", "status", "detail", "code", "errors", "request_id"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string", "description": "Stable, for programs."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["pointer", "code", "detail"],
                "properties": {
                    "pointer": {"type": "string", "description": "JSON pointer into the body, or /parameter."},
                    "code": {"type": "string"},
                    "detail": {"type": "string"},
                    "line": {"type": "integer", "description": "1-based line of a file or NDJSON body."},
                },
            },
        },
        "request_id": {"type": "string"},
    },
}
_KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "schema": {"type": "string", "maxLength": 200},
    "description": "The same key and body replays the first answer for 24 hours; another body is 409.",
}
_PAGING = [
    {"in": "query", "name": "limit", "schema": {"type": "integer", "minimum": 1, "maximum": 500, "default": 50}},
    {"in": "query", "name": "cursor", "schema": {"type": "string"}, "description": "From `next` of the page before."},
]
_JSON, _LINES = "application/json", "application/x-ndjson"


def _page_of(rows: dict[str, Any]) -> dict[str, Any]:
    link = {"type": ["string", "null"], "format": "uri"}
    return {"type": "object", "required": ["results", "next"], "properties": {"results": rows, "next": link}}


def _describe(method: str, operation: dict[str, Any]) -> None:
    operation["responses"]["default"] = {
        "description": "A refusal",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    content = operation["responses"].get("200", {}).get("content", {})
    rows = content.get(_JSON, {}).get("schema", {})
    is_list = method == "get" and rows.get("type") == "array"
    if is_list:
        content[_JSON]["schema"] = _page_of(rows)
        content[_LINES] = {"schema": rows["items"]}
        known = {parameter["name"] for parameter in operation.get("parameters", [])}
        operation.setdefault("parameters", []).extend(row for row in _PAGING if row["name"] not in known)
    for response in operation["responses"].values():
        if not is_list and _JSON in response.get("content", {}):
            response["content"].pop(_LINES, None)
    if method == "post":
        operation.setdefault("parameters", []).append(_KEY)


def describe_shared(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """Postprocessing hook of drf-spectacular: add to every operation what all calls share."""
    result.setdefault("components", {}).setdefault("schemas", {})["Problem"] = _PROBLEM
    for operations in result["paths"].values():
        for method, operation in operations.items():
            if "responses" in operation:
                _describe(method, operation)
    return result
