"""What a backup and a restore refuse, in one sentence, before anything is changed."""

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from orgs.database.backup import create, manifest, restore, restore_marker
from orgs.database.backup.connection import superuser_connection
from orgs.database.backup.create import create_backup
from orgs.database.backup.errors import BackupError
from orgs.database.backup.folder import backup_folders
from orgs.database.backup.restore import restore_backup, resume_restore
from orgs.organisations.organisations import create_organisation
from tests.databases import autocommit_connection, database_url, switch_database
from tests.operations import backup_round_trip
from tests.world import NOW

pytestmark = [pytest.mark.slow, pytest.mark.conformance("O10"), pytest.mark.timeout(240)]


@dataclass
class Place:
    """A small database, its backup, and what is in the database."""

    folder: Path
    name: str


@pytest.fixture(scope="module")
def place(
    django_db_setup: None,
    django_db_blocker: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Place]:
    name = f"commonmind_test_refusals_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"
    tmp = tmp_path_factory.mktemp("refusals")
    with (
        django_db_blocker.unblock(),
        pytest.MonkeyPatch.context() as patch,
        backup_round_trip.temporary_database(name, backup_round_trip.create_migrated),
    ):
        patch.setattr(settings, "DATA_DIR", tmp / "data")
        (tmp / "data" / "uploads").mkdir(parents=True)
        (tmp / "data" / "uploads" / "one.jsonl").write_text("a line\n")
        create_organisation(name="Acme", slug="acme", now=NOW)
        yield Place(create_backup(tmp / "backup").folder, name)


@pytest.fixture
def spoilt(place: Place, tmp_path: Path) -> Path:
    """A copy to be spoilt."""
    shutil.copytree(place.folder, tmp_path / "spoilt")
    return tmp_path / "spoilt"


def refused(folder: Path, *, replace: bool = True) -> str:
    """The words of the refusal; the database is as before, and open."""
    before = backup_round_trip.table_digests()
    with pytest.raises(BackupError) as error:
        restore_backup(folder, replace=replace)
    assert backup_round_trip.table_digests() == before
    assert not restore_marker.has_unfinished_restore()
    return str(error.value)


def flip(path: Path, at: int = -10) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(bytes(content))


def rewrite(folder: Path, **fields: Any) -> None:
    """A manifest with other content and the right checksum."""
    path = folder / manifest.MANIFEST_NAME
    content = {**json.loads(path.read_text()), **fields}
    content.pop("checksum")
    path.write_text(json.dumps(content | {"checksum": manifest._checksum(content)}))


def _flip_table(folder: Path) -> None:
    flip(folder / "tables" / "public.orgs_organisation.copy.gz")


def _flip_file(folder: Path) -> None:
    flip(folder / "files" / "uploads" / "one.jsonl", 0)


def _future(folder: Path) -> None:
    migrations = json.loads((folder / manifest.MANIFEST_NAME).read_text())["migrations"]
    rewrite(folder, migrations=[*migrations, ["memories", "9999_later"]])


def _elsewhere(folder: Path) -> None:
    rewrite(folder, files=[{"path": "../out", "sha256": "", "bytes": 0}])


def _other_ledger(folder: Path) -> None:
    rewrite(folder, ledger={"path": "../erasures.jsonl", "sha256": "", "bytes": 0})


SPOILT: dict[str, tuple[Callable[[Path], None], str]] = {
    "a flipped byte": (_flip_table, "data of the table public.orgs_organisation is damaged"),
    "a flipped byte of a file": (_flip_file, "The file uploads/one.jsonl is damaged"),
    "a missing table": (
        lambda folder: (folder / "tables" / "public.orgs_user.copy.gz").unlink(),
        "data of the table public.orgs_user is missing",
    ),
    "no manifest": (
        lambda folder: (folder / manifest.MANIFEST_NAME).unlink(),
        "has no manifest.json: it is no backup, or one that was not finished",
    ),
    "half a manifest": (
        lambda folder: os.truncate(folder / manifest.MANIFEST_NAME, 1000),
        "manifest.json cannot be read",
    ),
    "a changed manifest": (
        lambda folder: flip(folder / manifest.MANIFEST_NAME, -40),
        "manifest.json is damaged",
    ),
    "another format": (
        lambda folder: rewrite(folder, format="tar"),
        "is not of a backup of Commonmind",
    ),
    "a later format": (lambda folder: rewrite(folder, version=2), "has the format 2"),
    "a later version": (_future, "memories.9999_later is not known here"),
    "a way out": (_elsewhere, "has what no backup has: ../out"),
    "another ledger": (_other_ledger, "has what no backup has: ../erasures.jsonl"),
    "no folder": (shutil.rmtree, "is not a folder"),
}


@pytest.mark.parametrize("kind", SPOILT)
def test_a_spoilt_backup_changes_nothing(spoilt: Path, kind: str) -> None:
    spoil, words = SPOILT[kind]
    spoil(spoilt)
    assert words in refused(spoilt)


def test_data_is_not_overwritten_unasked(place: Place) -> None:
    words = refused(place.folder, replace=False)
    assert "The database is not empty: 1 organisations, " in words
    assert "1 files in uploads" in words
    assert "Say --yes" in words


def test_nobody_else_may_be_connected(place: Place) -> None:
    with autocommit_connection("default"):
        assert "Somebody is connected to the database: commonmind_app" in refused(place.folder)


def test_what_is_not_ours_is_not_deleted(place: Place) -> None:
    with autocommit_connection("admin") as admin:
        admin.execute("CREATE TABLE public.payroll (id int)")
    try:
        assert "not Commonmind's (public.payroll)" in refused(place.folder)
    finally:
        with autocommit_connection("admin") as admin:
            admin.execute("DROP TABLE public.payroll")


def test_the_two_addresses_are_of_one_database(place: Place) -> None:
    with backup_round_trip.temporary_database(
        f"{place.name}_other", backup_round_trip.create_migrated
    ):
        switch_database("owner", place.name)
        assert "not of the same database" in refused(place.folder)
        # A restore that broke off before keeps the database closed.
        half = restore_marker.Marker(restore_marker.LOADING, "another", "2026-03-01T10:00:00+00:00")
        with superuser_connection() as connection:
            restore_marker.write_marker(connection, half)
        with pytest.raises(BackupError, match="not of the same database"):
            restore_backup(place.folder, replace=True)
        with superuser_connection() as connection:
            assert restore_marker.read_marker(connection) == half
            restore_marker.delete_marker(connection)
        switch_database("owner", f"{place.name}_other")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (lambda: "", "DATABASE_ADMIN_URL is not set"),
        (lambda: database_url("owner"), "commonmind_owner of DATABASE_ADMIN_URL is no superuser"),
        (
            lambda: psycopg.conninfo.make_conninfo(database_url("admin"), password="wrong"),
            "password authentication failed",
        ),
        (
            lambda: psycopg.conninfo.make_conninfo(database_url("admin"), port="1"),
            "The database does not let DATABASE_ADMIN_URL in",
        ),
    ],
    ids=["none", "too little", "a wrong password", "nobody there"],
)
def test_the_address_has_to_be_right(
    place: Place, monkeypatch: pytest.MonkeyPatch, address: Callable[[], str], words: str
) -> None:
    monkeypatch.setenv("DATABASE_ADMIN_URL", address())
    with pytest.raises(CommandError, match=words):
        call_command("restore", place.folder, yes=True)


def test_a_backup_needs_a_new_folder(place: Place, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="exists and is not an empty folder"):
        call_command("backup", place.folder)
    (tmp_path / ".next.unfinished").mkdir()
    with pytest.raises(CommandError, match="is of a backup that runs or broke off"):
        call_command("backup", tmp_path / "next")
    (tmp_path / "empty").mkdir()
    assert create_backup(tmp_path / "empty").manifest.rows > 100


def test_a_full_disk_leaves_nothing(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(create, "write_manifest", full)
    with pytest.raises(BackupError, match="no space left for"):
        create_backup(tmp_path / "full")
    assert list(tmp_path.iterdir()) == []


def test_a_resumed_restore_needs_one(place: Place) -> None:
    with pytest.raises(BackupError, match="No restore is unfinished"):
        resume_restore()
    with superuser_connection() as connection:
        restore_marker.write_marker(
            connection, restore_marker.Marker(restore_marker.LOADING, "x", "y")
        )
    try:
        with pytest.raises(BackupError, match="type the same restore again"):
            resume_restore()
    finally:
        with superuser_connection() as connection:
            restore_marker.delete_marker(connection)
    with pytest.raises(CommandError, match="Name the folder"):
        call_command("restore")


def test_the_database_stays_closed_when_the_load_breaks_off(
    place: Place, spoilt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another checksum than the rows have: found after loading, before anybody is let in."""
    monkeypatch.setattr("orgs.database.backup.restore.drop_schema_objects", lambda connection: None)
    monkeypatch.setattr("orgs.database.backup.restore._migrate_to", lambda manifest: None)
    stored = json.loads((spoilt / manifest.MANIFEST_NAME).read_text())["tables"]
    for table in stored:
        if table["table"] == "public.orgs_organisation":
            table["checksum"] = "0" * 32
    rewrite(spoilt, tables=stored)
    with pytest.raises(BackupError, match=r"public.orgs_organisation has 1 rows .* stays closed"):
        restore_backup(spoilt, replace=True)
    assert restore_marker.has_unfinished_restore()
    # The right one goes through without --yes: what is there is of no use.
    done = restore_backup(place.folder, replace=False)
    assert not restore_marker.has_unfinished_restore()
    assert done.files == 1
    assert (settings.DATA_DIR / "uploads" / "one.jsonl").read_text() == "a line\n"


def test_once_more_at_the_end_who_is_there_and_what_is_open(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who came while it was erased again, or a table that was opened: nobody is let in."""
    closed = restore_marker.Marker(restore_marker.ERASING, "one", "2026-03-01T10:00:00+00:00")
    table = "ALTER TABLE orgs_member {} ROW LEVEL SECURITY"
    for words, comes in (
        ("Somebody is connected to the database: commonmind_app", autocommit_connection("default")),
        ("orgs_member: row-level security is not forced", _opened(table)),
    ):
        with superuser_connection() as connection:
            restore_marker.write_marker(connection, closed)
        with ExitStack() as stack:
            monkeypatch.setattr(
                restore.on_database_restored,
                "function",
                lambda *_, comes=comes: stack.enter_context(comes),
            )
            with pytest.raises(BackupError, match=f"{words}.* stays closed"):
                resume_restore()
        assert restore_marker.has_unfinished_restore()
    monkeypatch.undo()
    resume_restore()
    assert not restore_marker.has_unfinished_restore()


@contextmanager
def _opened(table: str) -> Iterator[None]:
    with autocommit_connection("admin") as admin:
        admin.execute(table.format("NO FORCE"))
    yield
    with autocommit_connection("admin") as admin:
        admin.execute(table.format("FORCE"))


def test_the_folders_are_those_of_every_job_with_files() -> None:
    from memories.ingestion.file_import import import_job
    from memories.jobs.job_files import JobFiles
    from memories.snapshots import export_job

    known = [v for m in (import_job, export_job) for v in vars(m).values()]
    assert {v.name for v in known if isinstance(v, JobFiles)} == set(backup_folders())
