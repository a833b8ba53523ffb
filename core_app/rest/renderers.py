"""JSON in UTF-8 without `\\u` escapes, NaN refused."""

from rest_framework import renderers


class JSONRenderer(renderers.JSONRenderer):
    ensure_ascii = False
    strict = True
    charset = None


class NDJSONRenderer(renderers.BaseRenderer):
    """One JSON object a line, for large reads; views that offer it stream the lines themselves."""

    media_type = "application/x-ndjson"
    format = "ndjson"

    def render(self, data: object, accepted_media_type: str | None = None, renderer_context: object = None) -> bytes:
        rows = data if isinstance(data, list) else [data]
        json = JSONRenderer()
        return b"".join(json.render(row) + b"\n" for row in rows)
