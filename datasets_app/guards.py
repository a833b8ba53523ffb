"""What never changes: revisions always; a version with its entries from freezing on; the ledger.

Conditions run on SQLite and PostgreSQL alike. The version guard lets one update of a frozen version through: its move to
`retired`, with nothing else changed but the time of it.
"""

from core_app.triggers import Guard

_CLOSED = "('frozen', 'retired')"


def _version_closed(row: str) -> str:
    return (
        "EXISTS (SELECT 1 FROM datasets_app_datasetversion AS v "
        f"WHERE v.id = {row}.version_id AND v.status IN {_CLOSED})"
    )


_SAME = " AND ".join(
    f"NEW.{column} = OLD.{column}"
    for column in ("id", "dataset_id", "number", "content_sha256", "note", "submitted_by_key", "frozen_by_label")
)

GUARDS = (
    Guard(
        "dataset_version",
        "datasets_app_datasetversion",
        ("UPDATE", "DELETE"),
        "a frozen dataset version is never changed",
        when=(
            (
                "UPDATE",
                f"OLD.status IN {_CLOSED} AND NOT "
                f"(OLD.status = 'frozen' AND NEW.status = 'retired' AND {_SAME} AND NEW.frozen_at = OLD.frozen_at)",
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
