"""What never changes: revisions always; a version with its entries from freezing on; an item's ids; the ledger.

Conditions run on SQLite and PostgreSQL alike. The version guard lets one update of a frozen version through: its move
to `retired`, with nothing else changed but the time of it.
"""

from core_app.triggers import Guard

_CLOSED = "('frozen', 'retired')"


def _version_closed(row: str) -> str:
    return (
        "EXISTS (SELECT 1 FROM datasets_app_datasetversion AS v "  # noqa: S608
        f"WHERE v.id = {row}.version_id AND v.status IN {_CLOSED})"
    )


_KEPT = (
    "id",
    "public_id",
    "dataset_id",
    "number",
    "note",
    "content_sha256",
    "manifest",
    "submitted_by_key",
    "frozen_by_label",
    "frozen_at",
    "created_at",
)
_SAME_PARENT = "(NEW.parent_id = OLD.parent_id OR (NEW.parent_id IS NULL AND OLD.parent_id IS NULL))"
#: A comparison with NULL is unknown, and an unknown condition would let the update through: it counts as "differs".
_SAME = "COALESCE(" + " AND ".join([*(f"NEW.{name} = OLD.{name}" for name in _KEPT), _SAME_PARENT]) + ", FALSE)"

#: An item's external id is part of the hash of each frozen version that holds it; protection is never taken back.
_ITEM_CHANGED = (
    "NEW.id <> OLD.id OR NEW.public_id <> OLD.public_id OR NEW.dataset_id <> OLD.dataset_id "
    "OR NEW.external_id <> OLD.external_id "
    "OR (OLD.protected_at IS NOT NULL AND COALESCE(NEW.protected_at <> OLD.protected_at, TRUE)) "
    "OR (OLD.released_at IS NOT NULL AND COALESCE(NEW.released_at <> OLD.released_at, TRUE))"
)

#: What 0003 and 0004 install: the tables that stand by then.
FIRST_GUARDS = (
    Guard(
        "item",
        "datasets_app_item",
        ("UPDATE", "DELETE"),
        "an item keeps its id and its protection",
        when=(("UPDATE", _ITEM_CHANGED), ("DELETE", "OLD.protected_at IS NOT NULL")),
    ),
    Guard("snapshot", "datasets_app_snapshot", ("UPDATE",), "a snapshot is never changed"),
    Guard(
        "dataset_version",
        "datasets_app_datasetversion",
        ("UPDATE", "DELETE"),
        "a frozen dataset version is never changed",
        when=(
            (
                "UPDATE",
                f"OLD.status IN {_CLOSED} AND NOT (OLD.status = 'frozen' AND NEW.status = 'retired' AND {_SAME})",
            ),
            ("DELETE", f"OLD.status IN {_CLOSED}"),
        ),
    ),
    Guard(
        "version_entry",
        "datasets_app_versionentry",
        ("INSERT", "UPDATE", "DELETE"),
        "entries of a frozen dataset version are never changed",
        when=(
            ("INSERT", _version_closed("NEW")),
            ("UPDATE", f"{_version_closed('OLD')} OR {_version_closed('NEW')}"),
            ("DELETE", _version_closed("OLD")),
        ),
    ),
    Guard(
        "item_revision",
        "datasets_app_itemrevision",
        ("UPDATE", "DELETE"),
        "item revisions are never changed",
    ),
    Guard(
        "document_version",
        "datasets_app_documentversion",
        ("UPDATE",),
        "the text of a document version is never changed",
        when=(("UPDATE", "NEW.text_sha256 <> OLD.text_sha256 OR NEW.text <> OLD.text"),),
    ),
    Guard("exposure_entry", "datasets_app_exposureentry", ("UPDATE", "DELETE"), "the exposure ledger is never changed"),
)
EXPOSURE_GUARDS = (
    Guard(
        "exposure_extension",
        "datasets_app_exposureextension",
        ("UPDATE", "DELETE"),
        "extensions of an exposure budget are never changed",
    ),
)
GUARDS = FIRST_GUARDS + EXPOSURE_GUARDS
