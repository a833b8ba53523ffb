"""URL converters for references: an opaque id or a readable one such as `support/kb-qa` or `support/kb-qa@3`."""

from django.urls import register_converter

_SLUG = r"[a-z0-9][a-z0-9-]*"


class RefConverter:
    """`team/slug`, or an opaque id."""

    regex = rf"(?:{_SLUG}/{_SLUG}|[a-z]+_[0-9a-z]+)"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class VersionRefConverter(RefConverter):
    """`team/slug@3`, `team/slug@latest`, `team/slug@draft`, or an opaque id."""

    regex = rf"(?:{_SLUG}/{_SLUG}@[A-Za-z0-9._-]+|[a-z]+_[0-9a-z]+)"


register_converter(RefConverter, "ref")
register_converter(VersionRefConverter, "version_ref")
