"""Make a backup while the site runs: one snapshot of every table, the files, the ledger."""

import contextlib
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import psycopg
from django.conf import settings

from orgs.database import ledger
from orgs.database.backup import hooks, protection
from orgs.database.backup.connection import Connection, reader
from orgs.database.backup.errors import BackupError
from orgs.database.backup.folder import (
    copied,
    digest_of,
    make_folders,
    new_folder,
    packed_file,
)
from orgs.database.backup.manifest import (
    Manifest,
    StoredFile,
    StoredTable,
    application_version,
    fingerprint,
    write_manifest,
)
from orgs.database.backup.marker import read_marker
from orgs.database.backup.tables import Progress, Table, no_progress, sequences, summed, tables


@dataclass(frozen=True, slots=True)
class Made:
    """A finished backup. seconds: how long it took."""

    folder: Path
    manifest: Manifest
    seconds: float


def create_backup(place: Path, *, progress: Progress = no_progress) -> Made:
    """Write a backup into `place`, which does not exist or is empty. Raises BackupError."""
    started = time.monotonic()
    try:
        with reader() as connection, new_folder(place) as folder:
            manifest = _written(connection, folder, progress)
    except psycopg.Error as error:
        words = " ".join(str(error).split())
        raise BackupError(f"The database could not be read ({words}).") from None
    return Made(place.absolute(), manifest, time.monotonic() - started)


def _written(connection: Connection, folder: Path, progress: Progress) -> Manifest:
    (folder / "tables").mkdir(mode=0o700)
    with _snapshot(connection) as moment:
        if read_marker(connection) is not None:
            raise BackupError("A restore of this database has not ended: end it first.")
        here = tables(connection)
        stored, read, size = [], 0, sum(table.size for table in here)
        for table in here:
            progress(table.name, read / size)
            stored.append(_store(connection, folder, table))
            read += table.size
        applied = connection.execute(
            "SELECT app, name FROM public.django_migrations ORDER BY app, name"
        ).fetchall()
        numbers, indexes = sequences(connection), protection.indexes(connection)
    # Copied after the snapshot: no row of it names a later file, and whatever was erased
    # since the snapshot stands in the ledger.
    files = list(_files(folder))
    manifest = Manifest(
        id=str(uuid4()),
        moment=moment.isoformat(),
        application=application_version(),
        server=connection.info.parameter_status("server_version") or "",
        migrations=[list(row) for row in applied],
        tables=stored,
        sequences=numbers,
        indexes=indexes,
        files=files,
        ledger=_ledger(folder),
        secret_key=fingerprint(secrets.token_hex(16)),
    )
    write_manifest(folder, manifest)
    return manifest


@contextlib.contextmanager
def _snapshot(connection: Connection) -> Iterator[datetime]:
    """Read one snapshot of the database; yields its time. If a policy would hide a row, it
    raises."""
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.read_only = True
    with connection.transaction():
        connection.execute("SET LOCAL row_security = off")
        row = connection.execute("SELECT now()").fetchone()
        assert row is not None  # noqa: S101 - a SELECT without FROM has one row
        yield row[0]


def _store(connection: Connection, folder: Path, table: Table) -> StoredTable:
    path = folder / "tables" / f"{table.label}.copy.gz"
    with packed_file(path) as out:
        found = summed(connection, table, out)
    return StoredTable(
        table=table.label,
        columns=list(table.columns),
        rows=found.rows,
        checksum=found.checksum,
        sha256=digest_of(path),
        bytes=path.stat().st_size,
    )


def _files(folder: Path) -> Iterator[StoredFile]:
    """Copy the files of every folder that belongs to a backup, and yield them."""
    data_dir = Path(settings.DATA_DIR)
    for name in hooks.folders():
        for source in sorted((data_dir / name).rglob("*")):
            place = source.relative_to(data_dir)
            target = folder / "files" / place
            if source.is_symlink() or not source.is_file():
                continue
            make_folders(target.parent)
            if copied(source, target):
                yield StoredFile(place.as_posix(), digest_of(target), target.stat().st_size)


def _ledger(folder: Path) -> StoredFile | None:
    target = folder / ledger.NAME
    if not copied(ledger.ledger_path(), target):
        return None
    return StoredFile(ledger.NAME, digest_of(target), target.stat().st_size)
