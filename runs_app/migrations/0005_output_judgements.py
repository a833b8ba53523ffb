from typing import Any

from django.db import migrations, models

_COLUMNS = (("runs_app_output", "judgements"), ("runs_app_run", "judges"))


def add_columns(apps: Any, schema_editor: Any) -> None:
    """As AddField, but in place: on SQLite Django would rebuild the tables, and their triggers would be gone."""
    sqlite = schema_editor.connection.vendor == "sqlite"
    for table, column in _COLUMNS:
        kind = "text" if sqlite else "jsonb"
        check = f" CHECK (JSON_VALID({column}) OR {column} IS NULL)" if sqlite else ""
        schema_editor.execute(
            f"ALTER TABLE {table} ADD COLUMN {column} {kind} NOT NULL DEFAULT '[]'{check}", params=None
        )
        if not sqlite:
            schema_editor.execute(f"ALTER TABLE {table} ALTER COLUMN {column} DROP DEFAULT", params=None)


def drop_columns(apps: Any, schema_editor: Any) -> None:
    for table, column in _COLUMNS:
        schema_editor.execute(f"ALTER TABLE {table} DROP COLUMN {column}", params=None)


class Migration(migrations.Migration):
    dependencies = [("runs_app", "0004_more_guards")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(add_columns, drop_columns)],
            state_operations=[
                migrations.AddField("output", "judgements", models.JSONField(default=list, verbose_name="judgements")),
                migrations.AddField("run", "judges", models.JSONField(default=list, verbose_name="judges")),
            ],
        ),
    ]
