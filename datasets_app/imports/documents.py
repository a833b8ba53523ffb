"""Documents of a corpus: what each field may hold. Pure functions, as for items."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from datasets_app.imports.native import MAX_ID, Fault, moment
from datasets_app.imports.values import Unstorable, clean, token

FIELDS = ("doc_id", "title", "language", "audience", "versions")
VERSION_FIELDS = ("version_id", "valid_from", "valid_to", "withdrawn_at", "text")
TIMES = ("valid_from", "valid_to", "withdrawn_at")
MAX_TEXT = 5_000_000


@dataclass(slots=True)
class ParsedVersion:
    version_id: str
    text: str
    text_sha256: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    withdrawn_at: datetime | None = None


@dataclass(slots=True)
class ParsedDocument:
    doc_id: str
    title: str = ""
    language: str = ""
    audience: list[str] = field(default_factory=list)
    versions: list[ParsedVersion] = field(default_factory=list)


def _short(raw: Mapping[str, Any], name: str, pointer: str, limit: int, faults: list[Fault], *, needed: bool) -> str:
    value = raw.get(name)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or (needed and not value.strip()):
        faults.append(Fault(f"{pointer}/{name}", "not_text", _("This must be a text that is not empty.")))
    elif len(value) > limit:
        faults.append(Fault(f"{pointer}/{name}", "too_long", _("At most %(limit)s characters.") % {"limit": limit}))
    else:
        return value
    return ""


def _version(raw: Any, pointer: str, faults: list[Fault]) -> ParsedVersion | None:
    if not isinstance(raw, Mapping):
        faults.append(Fault(pointer, "not_object", _("This must be an object.")))
        return None
    before = len(faults)
    for key in raw:
        if key not in VERSION_FIELDS:
            detail = _("Known are: %(known)s.") % {"known": ", ".join(VERSION_FIELDS)}
            faults.append(Fault(f"{pointer}/{token(key)}", "unknown_field", detail))
    version_id = _short(raw, "version_id", pointer, 80, faults, needed=True)
    text = raw.get("text")
    if not isinstance(text, str):
        faults.append(Fault(f"{pointer}/text", "not_text", _("This must be a text.")))
    elif len(text) > MAX_TEXT:
        faults.append(Fault(f"{pointer}/text", "too_long", _("At most %(limit)s characters.") % {"limit": MAX_TEXT}))
    times: dict[str, datetime | None] = {}
    for name in TIMES:
        times[name] = moment(raw[name]) if raw.get(name) is not None else None
        if raw.get(name) is not None and times[name] is None:
            detail = _("This must be a time with its zone, such as 2026-03-01T00:00:00Z.")
            faults.append(Fault(f"{pointer}/{name}", "bad_time", detail))
    start, end = times["valid_from"], times["valid_to"]
    if start is not None and end is not None and end <= start:
        faults.append(Fault(f"{pointer}/valid_to", "bad_time", _("The validity ends before it begins.")))
    if len(faults) > before or not isinstance(text, str):
        return None
    digest = hashlib.sha256(text.encode()).hexdigest()
    return ParsedVersion(version_id=version_id, text=text, text_sha256=digest, **times)


def parse_document(raw: Any) -> tuple[ParsedDocument | None, list[Fault]]:
    """Return the document, or None with everything that is wrong with it."""
    faults: list[Fault] = []
    if not isinstance(raw, Mapping):
        return None, [Fault("", "not_object", _("Each row must be a JSON object."))]
    try:
        raw = clean(dict(raw))
    except Unstorable as error:
        return None, [Fault(error.pointer, error.code, str(error))]
    for key in raw:
        if key not in FIELDS:
            detail = _("Known are: %(known)s.") % {"known": ", ".join(FIELDS)}
            faults.append(Fault(f"/{token(key)}", "unknown_field", detail))
    doc_id = _short(raw, "doc_id", "", MAX_ID, faults, needed=True)
    title = _short(raw, "title", "", 500, faults, needed=False)
    language = _short(raw, "language", "", 16, faults, needed=False)
    audience = raw.get("audience") or []
    if not isinstance(audience, list) or not all(isinstance(name, str) and 0 < len(name) <= 100 for name in audience):
        faults.append(Fault("/audience", "not_list", _("This must be a list of short texts.")))
    versions: list[ParsedVersion] = []
    listed = raw.get("versions")
    if not isinstance(listed, list) or not listed:
        faults.append(Fault("/versions", "required", _("A document needs at least one version.")))
        listed = []
    for index, row in enumerate(listed):
        version = _version(row, f"/versions/{index}", faults)
        if version is None:
            continue
        if any(other.version_id == version.version_id for other in versions):
            detail = _("The document has this version id twice.")
            faults.append(Fault(f"/versions/{index}/version_id", "duplicate", detail))
        versions.append(version)
    if faults:
        return None, faults
    return ParsedDocument(doc_id=doc_id, title=title, language=language, audience=audience, versions=versions), []
