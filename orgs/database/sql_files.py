"""SQL files that migrations load. The name has a version; a released file never changes."""

from pathlib import Path

from django.db.migrations import RunSQL

PROJECT_ROOT = Path(__file__).resolve().parents[2]


def run_sql_file(app: str, name: str) -> RunSQL:
    """A migration operation that runs <app>/sql/<name>.sql.

    Its reverse does nothing: what the file made goes with its tables.
    """
    return RunSQL(
        (PROJECT_ROOT / app / "sql" / f"{name}.sql").read_text(encoding="utf-8"), RunSQL.noop
    )
