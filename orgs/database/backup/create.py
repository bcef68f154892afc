"""Make a backup while the site runs: one snapshot of every table, the files, the ledger."""

import contextlib
import json
import logging
import os
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import psycopg
from django.conf import settings

from orgs.database import erasure_ledger
from orgs.database.backup import protection_check
from orgs.database.backup.connection import Connection, backup_connection
from orgs.database.backup.errors import BackupError
from orgs.database.backup.folder import (
    backup_folders,
    copy_file,
    ensure_private_folder,
    gzip_file,
    sha256_of,
    staged_folder,
)
from orgs.database.backup.manifest import (
    Manifest,
    StoredFile,
    StoredTable,
    secret_key_fingerprint,
    write_manifest,
)
from orgs.database.backup.restore_marker import read_marker
from orgs.database.backup.tables import (
    Progress,
    Table,
    compute_checksum,
    fetch_sequences,
    list_tables,
    no_progress,
)

log = logging.getLogger("commonmind.backup")

# In DATA_DIR: when the last backup was made, for whoever asks.
LAST_BACKUP_FILE = "last_backup.json"


@dataclass(frozen=True, slots=True)
class BackupResult:
    """A finished backup. seconds: how long it took."""

    folder: Path
    manifest: Manifest
    seconds: float


def create_backup(place: Path, *, progress: Progress = no_progress) -> BackupResult:
    """Write a backup into `place`, which does not exist or is empty. Raises BackupError."""
    started = time.monotonic()
    try:
        with backup_connection() as connection, staged_folder(place) as folder:
            manifest = _write_backup(connection, folder, progress)
    except psycopg.Error as error:
        words = " ".join(str(error).split())
        raise BackupError(f"The database could not be read ({words}).") from None
    result = BackupResult(place.absolute(), manifest, time.monotonic() - started)
    _note_backup(result)
    return result


@dataclass(frozen=True, slots=True)
class LastBackup:
    """When the last backup of this DATA_DIR began, and its size in bytes."""

    at: datetime
    bytes: int


def find_last_backup() -> LastBackup | None:
    """The last backup that was made here; None if there was none, or its note is gone."""
    try:
        told = json.loads((Path(settings.DATA_DIR) / LAST_BACKUP_FILE).read_text())
        return LastBackup(datetime.fromisoformat(told["at"]), int(told["bytes"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _note_backup(made: BackupResult) -> None:
    """A backup is whole without the note, so one that cannot be written is no error."""
    told = {"at": made.manifest.moment, "bytes": made.manifest.bytes}
    target = Path(settings.DATA_DIR) / LAST_BACKUP_FILE
    try:
        fresh = target.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(told))
        fresh.replace(target)
    except OSError as error:
        log.warning("the time of the backup is not noted: %s", type(error).__name__)


def _write_backup(connection: Connection, folder: Path, progress: Progress) -> Manifest:
    (folder / "tables").mkdir(mode=0o700)
    with _snapshot(connection) as moment:
        if read_marker(connection) is not None:
            raise BackupError("A restore of this database has not ended: end it first.")
        here = list_tables(connection)
        stored, read, size = [], 0, sum(table.size for table in here)
        for table in here:
            progress(table.name, read / size)
            stored.append(_store_table(connection, folder, table))
            read += table.size
        applied = connection.execute(
            "SELECT app, name FROM public.django_migrations ORDER BY app, name"
        ).fetchall()
        numbers, indexes = fetch_sequences(connection), protection_check.list_indexes(connection)
    # Copied after the snapshot: no row of it names a later file, and whatever was erased
    # since the snapshot stands in the ledger.
    files = list(_copy_files(folder))
    manifest = Manifest(
        id=str(uuid4()),
        moment=moment.isoformat(),
        application=settings.VERSION,
        server=connection.info.parameter_status("server_version") or "",
        migrations=[list(row) for row in applied],
        tables=stored,
        sequences=numbers,
        indexes=indexes,
        files=files,
        ledger=_copy_ledger(folder),
        secret_key=secret_key_fingerprint(secrets.token_hex(16)),
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


def _store_table(connection: Connection, folder: Path, table: Table) -> StoredTable:
    path = folder / "tables" / f"{table.label}.copy.gz"
    with gzip_file(path) as out:
        found = compute_checksum(connection, table, out)
    return StoredTable(
        table=table.label,
        columns=list(table.columns),
        rows=found.rows,
        checksum=found.checksum,
        sha256=sha256_of(path),
        bytes=path.stat().st_size,
    )


def _copy_files(folder: Path) -> Iterator[StoredFile]:
    """Copy the files of every folder that belongs to a backup, and yield them."""
    data_dir = Path(settings.DATA_DIR)
    for name in backup_folders():
        for source in sorted((data_dir / name).rglob("*")):
            place = source.relative_to(data_dir)
            target = folder / "files" / place
            if source.is_symlink() or not source.is_file():
                continue
            ensure_private_folder(target.parent)
            if copy_file(source, target):
                yield StoredFile(place.as_posix(), sha256_of(target), target.stat().st_size)


def _copy_ledger(folder: Path) -> StoredFile | None:
    target = folder / erasure_ledger.FILE_NAME
    if not copy_file(erasure_ledger.ledger_path(), target):
        return None
    return StoredFile(erasure_ledger.FILE_NAME, sha256_of(target), target.stat().st_size)
