"""A backup comes back whole and protected, with the same answers, without what was erased."""

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from psycopg import sql

from orgs.database import erasure_ledger
from orgs.database.backup import protection_check as checked
from orgs.database.backup.create import create_backup
from orgs.database.backup.errors import BackupError
from orgs.database.backup.restore_marker import has_unfinished_restore
from tests.databases import autocommit_connection, database_url, rolled_back_connection
from tests.isolation.catalogue import table_faults, tenant_tables
from tests.operations import backup_round_trip
from tests.operations.backup_round_trip import RoundTrip

pytestmark = [pytest.mark.conformance("O10"), pytest.mark.timeout(240)]

OPENED = {
    "ALTER TABLE memories_memory NO FORCE ROW LEVEL SECURITY": (
        "memories_memory: row-level security is not forced on its owner"
    ),
    "ALTER TABLE orgs_member DISABLE ROW LEVEL SECURITY": "orgs_member: row-level security is off",
    "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'orgs_member_pkey'::regclass": (
        "orgs_member_pkey: the index is not valid"
    ),
}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(False, id="tables-of-the-template"),
        pytest.param(True, id="all-migrations", marks=pytest.mark.slow),
    ],
)
def trip(
    request: pytest.FixtureRequest,
    django_db_setup: None,
    django_db_blocker: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RoundTrip]:
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    with django_db_blocker.unblock():
        place = tmp_path_factory.mktemp("trip")
        yield from backup_round_trip.round_trip(place, worker, migrates=request.param)


def test_every_table_has_the_same_rows(trip: RoundTrip) -> None:
    """Counted and digested by SQL of the test, and compared with what the manifest says."""
    # Positions in the feed of changes are numbers of the server of before.
    reset = {"memories_change", "memories_departure"}
    there = {name: facts for name, facts in trip.source_facts.items() if name not in reset}
    assert {name: facts for name, facts in trip.loaded.items() if name not in reset} == there
    assert trip.source_facts["memories_departure"][0] > 0 == trip.loaded["memories_departure"][0]
    rows, digest = trip.source_facts["memories_change"]
    assert trip.loaded["memories_change"][0] == rows > 0
    assert trip.loaded["memories_change"][1] != digest
    counts = {f"public.{name}": rows for name, (rows, _) in trip.source_facts.items()}
    assert {one.table: one.rows for one in trip.made.manifest.tables} == counts
    filled = {name for name, rows in counts.items() if rows}
    with autocommit_connection("admin") as connection:
        tenants = {f"public.{name}" for name in tenant_tables(connection)}
    assert len(counts) > 60
    empty = sorted(tenants - filled - {"public.memories_partition"})
    assert len(empty) <= 4, f"the world has no row in {empty}"


def test_the_protection_is_that_of_before(trip: RoundTrip) -> None:
    """Policies, grants, owners, functions, triggers, constraints, indexes: to the letter."""
    after = backup_round_trip.protection()
    for name, before in trip.source_protection.items():
        assert after[name] == before, name
        assert before, name
    with rolled_back_connection("owner") as owner:
        assert table_faults(owner) == []


def test_row_level_security_decides_as_before(trip: RoundTrip) -> None:
    with autocommit_connection("admin") as admin:
        names = tenant_tables(admin)
    with rolled_back_connection("default") as app:
        for name in names:
            statement = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name))
            assert app.execute(statement).fetchone() == (0,), name
    assert backup_round_trip.readable(trip.world) == trip.source_readable
    assert all(trip.source_readable.values())
    assert trip.source_readable["mina"] != trip.source_readable["vera"]


def test_answers_are_those_of_before(trip: RoundTrip) -> None:
    """With two HNSW and a GIN of the organisation's own, which no migration makes."""
    assert backup_round_trip.recall_results(trip.world) == trip.source_answers
    assert min(len(ids) for ids in trip.source_answers.values()) == 10
    own = [name for name in trip.made.manifest.indexes if trip.world.here.id.hex in name]
    assert sorted(name.partition("_")[0] for name in own) == ["further", "meaning", "said"]
    with autocommit_connection("admin") as connection:
        assert set(own) <= set(checked.list_indexes(connection))
    assert trip.restored is not None
    assert trip.restored.warnings == []


def test_nobody_is_let_in_before_all_is_erased_again(trip: RoundTrip) -> None:
    """The first call of the hook raised; the marker stayed until the second went through."""
    assert "RuntimeError: the first time" in trip.failure
    assert "restore --resume" in trip.failure
    assert trip.closed["readyz"] == "503 restore unfinished"
    assert trip.closed["start"] == "1"
    assert "orgs.E002" in trip.closed["migrate"]
    assert "has not ended" in trip.closed["backup"]
    every = ["act-1", str(trip.removed), "act-2", "act-3"]
    assert [(shut, [one for one in ids if one in every]) for shut, ids in trip.calls] == [
        (True, every),
        (True, every),
    ]
    assert not has_unfinished_restore()
    found = {one["id"] for one in erasure_ledger.read_entries()}
    # Other tests of this run write lines of their own.
    assert found >= set(every), "nothing lost"


def test_an_organisation_that_was_removed_since_does_not_come_back(trip: RoundTrip) -> None:
    with autocommit_connection("admin") as connection:
        for name in tenant_tables(connection):
            column = "id" if name == "orgs_organisation" else "organisation_id"
            statement = sql.SQL("SELECT count(*) FROM {} WHERE {} = %s").format(
                sql.Identifier(name), sql.Identifier(column)
            )
            assert connection.execute(statement, [trip.removed]).fetchone() == (0,), name
    organisations = trip.loaded["orgs_organisation"][0]
    with rolled_back_connection("admin") as connection:
        left = connection.execute("SELECT count(*) FROM orgs_organisation").fetchone()
    assert left == (organisations - 1,), "it was in the backup"


def test_files_come_along_and_secrets_do_not(trip: RoundTrip) -> None:
    stored = sorted(path.relative_to(trip.folder) for path in trip.folder.rglob("*"))
    assert {path.parts[0] for path in stored} == {
        "erasures.jsonl", "files", "manifest.json", "tables",
    }  # fmt: skip
    for path in (trip.folder, *trip.folder.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path

    for name in ("exports", "uploads"):
        (file,) = (Path(settings.DATA_DIR) / name).iterdir()
        assert file.read_text() == f"a line of {name}\n"
        assert file.stat().st_mode & 0o777 == 0o600
    everything = (trip.folder / "manifest.json").read_text()
    assert settings.SECRET_KEY not in everything
    assert settings.DATABASES["owner"]["PASSWORD"] not in everything
    assert trip.made.manifest.bytes == sum(
        path.stat().st_size
        for path in trip.folder.rglob("*")
        if path.is_file() and path.name != "manifest.json"
    )


def test_the_check_of_the_catalogue_sees_what_is_open(trip: RoundTrip) -> None:
    with rolled_back_connection("admin") as connection:
        assert checked.list_protection_faults(connection) == []
        for statement, fault in OPENED.items():
            connection.execute(statement)
            assert fault in checked.list_protection_faults(connection)
        for (name,) in connection.execute(
            "SELECT policyname FROM pg_policies WHERE tablename = 'orgs_group'"
        ).fetchall():
            drop = sql.SQL("DROP POLICY {} ON orgs_group").format(sql.Identifier(name))
            connection.execute(drop)
        assert "orgs_group: there is no policy" in checked.list_protection_faults(connection)


@pytest.mark.slow
def test_a_role_that_reads_all_and_writes_nothing_can_back_up(
    trip: RoundTrip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    monkeypatch.setenv("DATABASE_BACKUP_URL", database_url("owner"))
    with pytest.raises(BackupError, match="binds the role commonmind_owner of DATABASE_BACKUP_URL"):
        create_backup(tmp_path / "none")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.delenv("DATABASE_BACKUP_URL")
    first = create_backup(tmp_path / "by the superuser").manifest
    assert first.sequences == trip.made.manifest.sequences
    role = f"commonmind_reader_{os.getpid()}"
    name = sql.Identifier(role)
    with autocommit_connection("admin") as admin:
        admin.execute(
            sql.SQL("CREATE ROLE {} LOGIN BYPASSRLS PASSWORD 'only for a test'").format(name)
        )
        try:
            admin.execute(sql.SQL("GRANT pg_read_all_data TO {}").format(name))
            admin.execute(
                sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(
                    sql.Identifier(admin.info.dbname), name
                )
            )
            address = psycopg.conninfo.make_conninfo(
                database_url("admin"), user=role, password="only for a test"
            )
            monkeypatch.setenv("DATABASE_BACKUP_URL", address)
            monkeypatch.delenv("DATABASE_ADMIN_URL")
            made = create_backup(tmp_path / "by the reader").manifest
        finally:
            admin.execute(sql.SQL("DROP OWNED BY {}").format(name))
            admin.execute(sql.SQL("DROP ROLE {}").format(name))
    assert [(one.table, one.rows, one.checksum) for one in made.tables] == [
        (one.table, one.rows, one.checksum) for one in first.tables
    ]
    assert made.sequences == first.sequences
