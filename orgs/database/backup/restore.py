"""Load a backup into an empty database, check it, erase again what was erased, and open the site.

The schema comes from the migrations of this version, up to those of the backup; nothing from the
folder is run as SQL. Until all is done a marker keeps every process from starting (`marker`).
"""

import gzip
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from psycopg import sql

from orgs.database import erasure_ledger
from orgs.database.backup import protection_check
from orgs.database.backup.connection import Connection, superuser_connection
from orgs.database.backup.errors import BackupError, ConfirmationRequiredError
from orgs.database.backup.folder import backup_folders, copy_file, ensure_private_folder
from orgs.database.backup.manifest import (
    Manifest,
    StoredTable,
    check_files,
    has_same_secret_key,
    read_manifest,
)
from orgs.database.backup.restore_marker import (
    ERASING,
    LOADING,
    RECOVERED,
    Marker,
    delete_marker,
    has_unfinished_restore,
    read_marker,
    write_marker,
)
from orgs.database.backup.tables import (
    Progress,
    Table,
    compute_checksum,
    list_tables,
    no_progress,
    set_sequences,
    write_rows,
)
from orgs.database.backup.target_database import (
    check_no_foreign_tables,
    check_no_other_connections,
    close_own_connections,
    count_existing_data,
    drop_schema_objects,
    format_existing_data,
)
from orgs.database.role_checks import list_unsafe_connections
from orgs.wired_functions import wired

Reporter = Callable[[str], None]
OWNER_ALIAS = "owner"
RESUME_NEEDED = "The site stays closed until `restore --resume` has gone through."
RETRY_NEEDED = "The site stays closed; type the same restore again."


@dataclass(slots=True)
class RestoreResult:
    """What a restore did. moment: the time of the backup, ISO 8601. replayed: number of ledger
    entries that were erased again. seconds: how long it took."""

    moment: str
    tables: int = 0
    rows: int = 0
    files: int = 0
    replayed: int = 0
    seconds: float = 0.0
    warnings: list[str] = field(default_factory=list)


def restore_backup(
    folder: Path,
    *,
    replace: bool,
    say: Reporter = lambda text: None,
    progress: Progress = no_progress,
) -> RestoreResult:
    """Restore the backup in the folder. replace: delete what is in the database now.

    Raises BackupError, and ConfirmationRequiredError if the database is not empty and `replace` is
    false.
    """
    started = time.monotonic()
    manifest = read_manifest(folder)
    _check_version(manifest)
    check_files(folder, manifest)
    with _exclusive_connection() as connection:
        marker = read_marker(connection)
        if marker and marker.phase == ERASING and marker.backup == manifest.id:
            say("This backup is loaded already; what was erased is erased again.")
        else:
            _check_overwrite(connection, replace or bool(marker and marker.phase == LOADING))
            _close_database(connection, Marker(LOADING, manifest.id, manifest.moment))
            with _as_backup_error(RETRY_NEEDED):
                _merge_ledgers(folder, manifest)
                _load_backup(connection, folder, manifest, say, progress)
            write_marker(connection, Marker(ERASING, manifest.id, manifest.moment))
        done = RestoreResult(
            manifest.moment, len(manifest.tables), manifest.rows, len(manifest.files)
        )
        done.replayed = _replay_erasures(connection, say)
        done.warnings = _warnings(connection, manifest)
        delete_marker(connection)
    done.seconds = time.monotonic() - started
    return done


def resume_restore(*, say: Reporter = lambda text: None) -> RestoreResult:
    """After a failure: erase again what the ledger names, and open the database.

    Raises BackupError.
    """
    started = time.monotonic()
    with _exclusive_connection() as connection:
        marker = read_marker(connection)
        if marker is None:
            raise BackupError("No restore is unfinished here.")
        if marker.phase == LOADING:
            raise BackupError("The backup itself was not loaded: type the same restore again.")
        if marker.phase == RECOVERED:
            with _as_backup_error(RESUME_NEEDED):
                _open_recovered(connection, say)
            write_marker(connection, Marker(ERASING, marker.backup, marker.moment))
        done = RestoreResult(marker.moment, replayed=_replay_erasures(connection, say))
        delete_marker(connection)
    done.seconds = time.monotonic() - started
    return done


@contextmanager
def _exclusive_connection() -> Iterator[Connection]:
    """A superuser's connection, if nobody else is connected to the database."""
    if OWNER_ALIAS not in connections.settings:
        raise BackupError("DATABASE_OWNER_URL is not set; a restore migrates as that role.")
    close_own_connections()
    try:
        with _as_backup_error("Nothing was changed."), superuser_connection() as connection:
            check_no_other_connections(connection)
        with superuser_connection() as connection:
            yield connection
    finally:
        close_own_connections()


@contextmanager
def _as_backup_error(words: str) -> Iterator[None]:
    """Turn errors inside into a BackupError that ends with these words, on what to do."""
    try:
        yield
    except BackupError as error:
        raise BackupError(f"{error} {words}") from error
    except (OSError, EOFError, psycopg.Error, DatabaseError) as error:
        raise BackupError(f"It broke off ({' '.join(str(error).split())}). {words}") from error


def _check_version(manifest: Manifest) -> None:
    _check_migrations(manifest.migrations, f"The backup ({manifest.application})")


def _check_migrations(applied: Sequence[Sequence[str]], what: str) -> None:
    known = MigrationLoader(None).disk_migrations
    unknown = [f"{app}.{name}" for app, name in applied if (app, name) not in known]
    if unknown:
        raise BackupError(
            f"{what} is of another or newer version: {', '.join(unknown[:3])} is not known here. "
            "Restore it with that version."
        )


def _open_recovered(connection: Connection, say: Reporter) -> None:
    """A database that the archive has put back may be of an older release, never of a newer one."""
    applied = connection.execute("SELECT app, name FROM public.django_migrations").fetchall()
    _check_migrations([list(one) for one in applied], "The archive")
    say("Migrating and building indexes ...")
    _migrate_forward()
    _check_protection(connection)
    on_database_loaded(say)


def _check_overwrite(connection: Connection, replace: bool) -> None:
    check_no_foreign_tables(connection)
    there = count_existing_data(connection)
    if there and not replace:
        raise ConfirmationRequiredError(
            f"The database is not empty: {format_existing_data(there)} would be lost. Say --yes "
            f"if they may. "
            "Nothing was changed."
        )


def _close_database(connection: Connection, marker: Marker) -> None:
    """Write the marker, and check that the owner's connection sees it: it must be the same
    database."""
    before = read_marker(connection)
    write_marker(connection, marker)
    if not has_unfinished_restore(OWNER_ALIAS):
        if before is None:
            delete_marker(connection)
        else:
            write_marker(connection, before)
        raise BackupError(
            "DATABASE_ADMIN_URL and DATABASE_OWNER_URL are not of the same database. "
            "Nothing was changed."
        )


def _merge_ledgers(folder: Path, manifest: Manifest) -> None:
    """Add the entries of the backup's ledger that the ledger here lacks."""
    if manifest.ledger is None:
        return
    try:
        theirs = erasure_ledger.read_entries(folder / manifest.ledger.path)
        erasure_ledger.append_entries(
            erasure_ledger.missing_entries(erasure_ledger.read_entries(), theirs)
        )
    except ValueError as error:
        raise BackupError(f"The erasure ledger cannot be read: {error}.") from None


def _load_backup(
    connection: Connection,
    folder: Path,
    manifest: Manifest,
    say: Reporter,
    progress: Progress,
) -> None:
    say("Making the tables ...")
    drop_schema_objects(connection)
    _migrate_to(manifest)
    here = _match_tables(connection, manifest)
    say("Loading the rows ...")
    with connection.transaction():
        # The rows are consistent already, so foreign keys and triggers are switched off.
        connection.execute("SET LOCAL session_replication_role = replica")
        for table, stored in _iter_with_progress(here, progress):
            # Delete what migrations wrote; the backup has it too.
            connection.execute(sql.SQL("DELETE FROM {}").format(table.identifier()))
            if stored.rows:
                with gzip.open(folder / stored.file) as source:
                    write_rows(connection, table, source)  # type: ignore[arg-type]
        set_sequences(connection, manifest.sequences.items())
    say("Comparing the rows with the backup ...")
    for table, stored in _iter_with_progress(here, progress):
        found = compute_checksum(connection, table)
        if (found.rows, found.checksum) != (stored.rows, stored.checksum):
            raise BackupError(
                f"The table {table.label} has {found.rows:,} rows that are not those of the "
                f"backup ({stored.rows:,})."
            )
    _restore_files(folder, manifest)
    say("Migrating and building indexes ...")
    connection.execute("ANALYZE")
    _migrate_forward()
    _check_protection(connection)
    on_database_loaded(say)


def _iter_with_progress(
    here: list[tuple[Table, StoredTable]], progress: Progress
) -> Iterator[tuple[Table, StoredTable]]:
    size, done = sum(stored.bytes for _, stored in here), 0
    for table, stored in here:
        progress(table.name, done / size)
        yield table, stored
        done += stored.bytes


def _migrate_to(manifest: Manifest) -> None:
    """Migrate to the schema of the backup, as the owner."""
    executor = MigrationExecutor(connections[OWNER_ALIAS])
    applied = {(app, name) for app, name in manifest.migrations}
    nodes = executor.loader.graph.node_map
    last = [
        key
        for key in sorted(applied)
        if not any(child.key in applied and child.key[0] == key[0] for child in nodes[key].children)
    ]
    executor.migrate(last)
    connections[OWNER_ALIAS].close()


def _migrate_forward() -> None:
    """Migrate to the schema of this version, if the backup is older."""
    executor = MigrationExecutor(connections[OWNER_ALIAS])
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", database=OWNER_ALIAS, interactive=False, verbosity=0)
    connections[OWNER_ALIAS].close()


def _match_tables(connection: Connection, manifest: Manifest) -> list[tuple[Table, StoredTable]]:
    stored = {one.table: one for one in manifest.tables}
    here = {table.label: table for table in list_tables(connection)}
    different = sorted(set(stored) ^ set(here))
    different += [n for n in stored if n in here and stored[n].columns != list(here[n].columns)]
    if different:
        raise BackupError(
            f"The tables of the backup are not those of its migrations: {', '.join(different)}."
        )
    return [(here[name], stored[name]) for name in here]


def _restore_files(folder: Path, manifest: Manifest) -> None:
    """Replace the files here by those of the backup."""
    data_dir = Path(settings.DATA_DIR)
    for name in backup_folders():
        shutil.rmtree(data_dir / name, ignore_errors=True)
    for file in manifest.files:
        target = data_dir / file.path
        if file.path.split("/")[0] not in backup_folders():
            raise BackupError(f"{file.path} is in no folder that a backup has.")
        ensure_private_folder(target.parent)
        copy_file(folder / "files" / file.path, target)


def _check_protection(connection: Connection) -> None:
    found = protection_check.list_protection_faults(connection) + [
        error.msg for error in list_unsafe_connections()
    ]
    if found:
        raise BackupError(f"The database is not protected as it must be: {'; '.join(found)}.")


@wired
def on_database_loaded(say: Reporter) -> None:
    """Make again what no migration makes, such as indexes. Called before the site opens."""
    raise NotImplementedError


@wired
def on_database_restored(entries: Sequence[erasure_ledger.LedgerEntry], say: Reporter) -> None:
    """Erase again what the ledger names. Called with all its entries, before the site opens.

    It skips what is gone already, because it is called again after a failure. If it raises, the
    site stays closed.
    """
    raise NotImplementedError


def _replay_erasures(connection: Connection, say: Reporter) -> int:
    """Erase again what the ledger names, and check the protection once more.

    Returns the number of entries. Raises BackupError.
    """
    with _as_backup_error(RESUME_NEEDED):
        try:
            entries = erasure_ledger.merge_entries(erasure_ledger.read_entries(), [])
            say(f"Erasing again what the ledger names ({len(entries):,} entries) ...")
            on_database_restored(entries, say)
        except Exception as error:
            raise BackupError(
                f"What was erased could not be erased again ({type(error).__name__}: {error})."
            ) from error
        close_own_connections()
        check_no_other_connections(connection)
        _check_protection(connection)
    return len(entries)


def _warnings(connection: Connection, manifest: Manifest) -> list[str]:
    found = []
    if not has_same_secret_key(manifest):
        found.append(
            "SECRET_KEY is another one than in the backup: second steps of signing in cannot be "
            "read, and everybody has to sign in again. Set the old one if you have it."
        )
    if missing := protection_check.list_missing_indexes(connection, manifest.indexes):
        found.append(f"Indexes that the backup had are not here: {', '.join(missing)}.")
    return found
