"""Servers from the wheel are archived and put back to a moment; a judge compares the rows."""

import shutil
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from config.archive.archive_settings import read_settings
from config.archive.catalogue import FULL, SEGMENT_NAME, format_moment
from config.archive.errors import ArchiveError
from config.archive.restore.recovery import plan_recovery
from config.archive.source_server import SLOT
from config.archive.status import read_status
from config.archive.storage import folder_storage
from config.archive.storage.folder_storage import FolderStorage
from config.embedded.errors import EmbeddedError
from config.embedded.processes.data_dir_lock import DataDirLock
from tests.config.archive.rig import KEY, Rig, Writers, connect

pytestmark = [pytest.mark.conformance("O21"), pytest.mark.timeout(240)]
OTHER_KEY = "MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI="


def test_a_server_is_archived_and_put_back_to_a_moment(rig: Rig) -> None:
    rig.archive()
    moment = rig.write(5)
    rig.write(5)
    rig.archive()
    assert rig.notes(rig.restore(moment)) == [1, 2, 3, 4, 5]
    status = read_status(rig.data_dir)
    assert status
    assert (status.state(status.written_at), status.failures, status.base_kind) == ("ok", 0, FULL)


@pytest.mark.slow
def test_each_moment_is_as_it_was(kept: Rig) -> None:
    """Before, between and behind incremental backups; the newest state; a second before a row."""
    for number, moment in enumerate(kept.moments[:3]):
        plan = plan_recovery(kept.settings, FolderStorage(kept.archive_dir), moment)
        assert len(plan.chain) == number + 1
        rows = list(range(1, 10 * number + 11))
        assert kept.notes(kept.restore(moment, f"at-{number}")) == rows
    assert kept.notes(kept.restore(None, "newest")) == list(range(1, 32))
    # Nothing was changed behind it, so no change says that the moment is reached.
    state = kept.series.state
    assert state
    assert kept.notes(kept.restore(state.until, "idle")) == list(range(1, 32))


@pytest.mark.slow
def test_writers_write_while_base_backups_are_made(rig: Rig) -> None:
    """What was acknowledged before a moment is there, and nothing that came behind it."""
    rig.archive()
    moments = []
    with Writers(rig) as writers:
        for kind in ("incremental", FULL, "incremental"):
            time.sleep(0.3)
            before = len(writers.acknowledged)
            rig.base(kind)
            moments.append(rig.write())
            assert len(writers.acknowledged) > before, "they wrote meanwhile"
            rig.archiver.run_once()
            time.sleep(0.3)
    rig.archive()
    for number, moment in enumerate(moments):
        found = rig.notes(rig.restore(moment, f"at-{number}"))
        # The row's time is taken before its commit, so a row of that instant may be on either side.
        sure = rig.notes_at(moment - timedelta(milliseconds=500))
        possible = rig.notes_at(moment + timedelta(milliseconds=1))
        assert set(sure) <= set(found) <= set(possible)
        assert len(sure) > 100 * (number + 1)
    newest = set(rig.notes(rig.restore(None, "newest")))
    assert set(writers.acknowledged) <= newest, "nothing acknowledged is lost"


@pytest.mark.slow
def test_what_was_restored_goes_on_with_an_archive_of_its_own(rig: Rig) -> None:
    rig.archive()
    first = rig.write(3)
    rig.archive(rig.write())
    restored = rig.restore(first)
    rig.server.stop()
    rig.archiver.receiver.stop()
    old = rig.archiver.status.series
    # It is the same installation, in another DATA_DIR, on the same archive.
    rig.server, rig.data_dir = restored, restored.data_dir
    rig.settings = replace(rig.settings, data_dir=restored.data_dir)
    restored.start()
    rig.archiver = rig.new_archiver()
    rig.archive()
    assert rig.archiver.status.series != old
    second = rig.write(2)
    rig.archive(rig.write())
    assert rig.notes(rig.restore(second, "again")) == [1, 2, 3, 5, 6]
    assert rig.notes(rig.restore(first, "before")) == [1, 2, 3], "the old series is still there"


@pytest.mark.slow
def test_a_moment_outside_is_refused(kept: Rig) -> None:
    first, last = kept.series.range or (None, None)
    assert first
    assert last
    for moment in (first - timedelta(seconds=1), last + timedelta(seconds=1)):
        with pytest.raises(ArchiveError, match="The archive holds every moment from 2026-"):
            kept.restore(moment, "outside")
    named = kept.series.bases[0].id
    with pytest.raises(ArchiveError, match=f"its series holds is {format_moment(last)}.$"):
        kept.restore(last + timedelta(seconds=1), "outside", named)
    assert not (kept.folder / "outside").exists()


@pytest.mark.slow
def test_a_missing_segment_is_named(kept: Rig, tmp_path: Path) -> None:
    copied = copy_of(kept, tmp_path)
    folder = copied.archive_dir / copied.series.name / "wal"
    needed = copied.series.find_base(copied.bases[1].id)
    names = sorted(p.name for p in folder.iterdir() if SEGMENT_NAME.fullmatch(p.name))
    # One behind the second incremental backup, before the moment that is asked for.
    gone = names[needed.last_segment]
    (folder / gone).unlink()
    # Moments before it are as they were, from the base backups before it.
    assert copied.notes(copied.restore(copied.moments[0], "before")) == list(range(1, 11))
    with pytest.raises(ArchiveError, match=f"The segment {gone} is missing"):
        copied.restore(copied.moments[2] - timedelta(milliseconds=1), "behind", copied.bases[1].id)
    assert not any((copied.folder / "behind").rglob("PG_VERSION"))


@pytest.mark.slow
def test_a_damaged_base_backup_is_refused(kept: Rig, tmp_path: Path) -> None:
    copied = copy_of(kept, tmp_path)
    path = copied.archive_dir / copied.series.name / "base" / copied.bases[0].id / "data"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(ArchiveError, match="is damaged"):
        copied.restore(copied.moments[1])
    # With an earlier one named it goes.
    full = copied.series.bases[0].id
    assert copied.notes(copied.restore(copied.moments[1], "by-full", full)) == list(range(1, 21))


@pytest.mark.slow
def test_pg_verifybackup_finds_what_decrypts_and_is_wrong(
    kept: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing in the way from the server to the archive is believed."""
    from config.archive.restore import recovery

    extract = recovery.Recovery._extract

    def spoil(self: recovery.Recovery, name: str, folder: Path) -> None:
        extract(self, name, folder)
        page = next(
            p for p in sorted((folder / "base").rglob("*")) if p.is_file() and p.stat().st_size
        )
        with page.open("r+b") as file:
            file.write(b"\x01")

    monkeypatch.setattr(recovery.Recovery, "_extract", spoil)
    with pytest.raises(ArchiveError, match=r"is damaged \(pg_verifybackup failed.*--base"):
        kept.restore(kept.moments[0], "spoiled")


@pytest.mark.slow
def test_another_key_reads_nothing(kept: Rig) -> None:
    environ = kept.environ | {"ENCRYPTION_KEYS": OTHER_KEY}
    settings = read_settings(environ, data_dir=kept.folder / "other")
    with pytest.raises(ArchiveError, match="encrypted with the key"):
        plan_recovery(settings, FolderStorage(settings.folder), None)
    both = read_settings(
        kept.environ | {"ENCRYPTION_KEYS": f"{OTHER_KEY},{KEY}"}, data_dir=kept.folder / "other"
    )
    assert plan_recovery(both, FolderStorage(settings.folder), None).segments


@pytest.mark.slow
def test_a_restore_that_was_killed_is_done_again(
    kept: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    from config.archive.restore import recovery

    def kill(self: recovery.Recovery) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(recovery.Recovery, "_read_ledgers", kill)
        # As a kill leaves it: nothing is cleared away.
        patched.setattr(shutil, "rmtree", lambda *_, **__: None)
        with pytest.raises(KeyboardInterrupt):
            kept.restore(kept.moments[0], "killed")
    server = kept.restore(kept.moments[0], "killed")
    assert sorted(path.name for path in server_home(server).iterdir()) == ["cluster"]
    assert kept.notes(server) == list(range(1, 11))
    with pytest.raises(ArchiveError, match="has a database already"):
        kept.restore(kept.moments[0], "killed")


def server_home(server: object) -> Path:
    server._prepare_folders()  # type: ignore[attr-defined]
    home = server.home  # type: ignore[attr-defined]
    assert isinstance(home, Path)
    return home


@pytest.mark.slow
def test_the_disk_gets_full_while_it_is_restored(
    kept: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    from config.archive.restore import recovery

    def fill(*_: object) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(recovery, "load_bytes", fill)
    with pytest.raises((ArchiveError, OSError), match=r"(?i)no space left"):
        kept.restore(kept.moments[0], "full")
    assert list(server_home(recovery.Postgres(kept.folder / "full")).iterdir()) == []


@pytest.mark.slow
def test_a_full_disk_of_the_archive_is_told_and_nothing_is_lost(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.archive()
    rig.write(3)

    def fill(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(folder_storage.os, "fsync", fill)
        end = time.monotonic() + 30
        while rig.archiver.status.waiting == 0 and time.monotonic() < end:
            rig.archiver.run_once()
            time.sleep(0.2)
        rig.archiver.run_once()
    status = read_status(rig.data_dir)
    assert status
    assert "There is no space left for" in status.failure
    assert status.failures > 0
    assert not list(rig.archive_dir.rglob("*.unfinished"))
    assert status.state(status.written_at + timedelta(minutes=16)) != "ok"
    with connect(rig.server) as connection:
        kept = connection.execute(
            "SELECT active, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) < 1e9 "
            "FROM pg_replication_slots WHERE slot_name = %s", [SLOT],
        ).fetchone()  # fmt: skip
    assert kept == (True, True)
    rig.archive()
    assert rig.notes(rig.restore(None)) == [1, 2, 3]


@pytest.mark.slow
def test_killed_between_storing_and_deleting(rig: Rig) -> None:
    """The segment is there twice with the same content, and once with another one."""
    rig.archive()
    segment = rig.series.log_segments()[-1]
    stored = f"{rig.series.name}/wal/{segment}"
    content = folder_storage.load_bytes(
        FolderStorage(rig.archive_dir), rig.settings.keyring, stored
    ).ljust(16 << 20, b"\0")
    waiting = rig.data_dir / "archive_log" / segment
    waiting.write_bytes(content)
    before = (rig.archive_dir / stored).read_bytes()
    rig.archiver.run_once()
    assert not waiting.exists()
    assert rig.archiver.status.failures == 0
    waiting.write_bytes(content[:-1] + b"\1")
    rig.archiver.run_once()
    assert "with another content, and nothing is overwritten" in rig.archiver.status.failure
    assert (rig.archive_dir / stored).read_bytes() == before
    waiting.unlink()


@pytest.mark.slow
def test_two_at_once(rig: Rig) -> None:
    rig.archive()
    storage = FolderStorage(rig.archive_dir)
    import threading

    stopped = threading.Event()
    stopped.set()
    with storage.lock("archiver", "x"), pytest.raises(ArchiveError, match="Another process makes"):
        rig.new_archiver().run(stopped)
    with storage.lock("base", "x"), pytest.raises(ArchiveError, match="is being made already"):
        rig.base()
    target = rig.folder / "in-use"
    target.mkdir()
    lock = DataDirLock(target, "run on http://127.0.0.1:8000")
    lock.acquire()
    with pytest.raises(EmbeddedError, match="is in use by `run on"):
        DataDirLock(target, "restore").acquire()
    lock.release()


@pytest.mark.slow
def test_a_lost_place_in_the_log_begins_a_series(rig: Rig) -> None:
    """The slot was dropped while nobody received: what lies between is lost, and that is told."""
    rig.archive()
    moment = rig.write(2)
    rig.archive(rig.write())
    rig.archiver.receiver.stop()
    first = rig.series.name
    with connect(rig.server) as connection:
        wait_until_inactive(connection)
        connection.execute("SELECT pg_drop_replication_slot(%s)", [SLOT])
    rig.write(2)
    with connect(rig.server) as connection:
        connection.execute("SELECT pg_switch_wal()")
    rig.archiver = rig.new_archiver()
    rig.archive()
    assert rig.series.name != first
    assert rig.notes(rig.restore(None, "newest")) == [1, 2, 3, 4, 5]
    assert rig.notes(rig.restore(moment, "old")) == [1, 2], "from the series before"
    with pytest.raises(ArchiveError, match=r"every moment from .*; from "):
        rig.restore(datetime(2020, 1, 1, tzinfo=UTC), "outside")


@pytest.mark.slow
def test_a_place_that_is_lost_while_it_runs_begins_a_series(rig: Rig) -> None:
    """As after a failover, without a new process of the archive."""
    rig.archive()
    moment = rig.write(2)
    rig.archive(rig.write())
    first = rig.series.name
    with connect(rig.server) as connection:
        connection.execute("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots")
        wait_until_inactive(connection)
        connection.execute("SELECT pg_drop_replication_slot(%s)", [SLOT])
    rig.write(2)
    end = time.monotonic() + 60
    while rig.archiver.status.series == first and time.monotonic() < end:
        rig.archiver.run_once()
        time.sleep(0.1)
    rig.archive()
    assert rig.series.name != first
    assert rig.notes(rig.restore(None, "newest")) == [1, 2, 3, 4, 5]
    assert rig.notes(rig.restore(moment, "old")) == [1, 2]


@pytest.mark.slow
def test_a_segment_that_never_came_begins_a_series(rig: Rig) -> None:
    rig.archive()
    first = rig.series.name
    assert rig.archiver.shipper
    rig.archiver.shipper.last = (rig.archiver.shipper.last or 0) - 2
    rig.archive(rig.write())
    assert rig.archiver.status.series != first
    assert any("was never received. A new series begins." in one for one in rig.said)


def wait_until_inactive(connection: "psycopg.Connection[tuple[object, ...]]") -> None:
    end = time.monotonic() + 20
    asked = "SELECT active FROM pg_replication_slots WHERE slot_name = %s"
    while connection.execute(asked, [SLOT]).fetchone() == (True,):
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
def test_the_archive_of_another_database_is_left_alone(rig: Rig, tmp_path: Path) -> None:
    rig.archive()
    other = Rig(tmp_path / "other", ARCHIVE_DIR=str(rig.archive_dir))
    try:
        other.start()
        other.archiver.run_once()
        assert "holds the archive of another database" in other.archiver.status.failure
        assert len([p for p in rig.archive_dir.iterdir() if p.is_dir()]) == 1
    finally:
        other.close()


@pytest.mark.slow
def test_what_no_moment_needs_is_deleted(rig: Rig) -> None:
    """With a window of nothing only the newest base backup and its chain stay."""
    rig.archive()
    rig.write(1)
    rig.base()
    rig.archive(rig.write(1))
    rig.settings = replace(rig.settings, keep=timedelta())
    assert len(rig.series.bases) == 2
    rig.base()
    assert [one.kind for one in rig.series.bases] == [FULL, "incremental", "incremental"]
    rig.base(FULL)
    moment = rig.write(1)
    rig.archive(rig.write(1))
    # The one before the newest is where the window begins.
    rig.base("incremental")
    assert [one.kind for one in rig.series.bases] == [FULL, "incremental"]
    first = rig.series.bases[-1].first_segment
    size = rig.series.bases[0].segment_bytes
    numbers = [int(n[16:], 16) for n in rig.series.log_segments()]
    assert size == 16 << 20
    assert min(numbers, default=first) >= rig.series.bases[0].first_segment
    rig.archive()
    with pytest.raises(ArchiveError, match="The archive holds every moment"):
        rig.restore(moment, "gone")
    assert rig.notes(rig.restore(None)) == [1, 2, 3, 4]


def copy_of(kept: Rig, folder: Path) -> Rig:
    """The same archive, to break."""
    made = Rig(folder)
    shutil.copytree(kept.archive_dir, made.archive_dir)
    made.archiver = kept.archiver
    made.moments, made.bases = kept.moments, kept.bases
    return made
