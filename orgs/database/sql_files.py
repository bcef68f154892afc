"""SQL that migrations load: a file has its version in its name and never changes once released."""

from pathlib import Path

from django.db.migrations import RunSQL

APPS = Path(__file__).resolve().parents[2]


def run(app: str, name: str) -> RunSQL:
    """An operation that runs <app>/sql/<name>.sql; what it makes goes with its tables."""
    return RunSQL((APPS / app / "sql" / f"{name}.sql").read_text(encoding="utf-8"), RunSQL.noop)
