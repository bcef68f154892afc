"""Put the database back as it was at a moment, into a DATA_DIR that has none.

The base backup and its chain are read, checked (pg_verifybackup) and combined (pg_combinebackup);
a server without any network plays the log up to the moment. It is closed before it opens for
others: a marker keeps the site from starting until what was erased since is erased again.
"""

import contextlib
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import psycopg

from config.archive.archive_settings import ArchiveSettings
from config.archive.catalogue import (
    HISTORY_NAME,
    BaseBackup,
    Series,
    choose_base,
    choose_series,
    find_chain,
    format_moment,
    segment_label,
    segment_number,
)
from config.archive.errors import ArchiveError, describe_os_error
from config.archive.retention import load_all_series
from config.archive.storage.encryption import ContentReader, iter_decrypted
from config.archive.storage.folder_storage import Storage, load_bytes
from config.embedded.errors import EmbeddedError
from config.embedded.processes import leftover_processes
from config.embedded.processes.logs import extract_error_line
from config.embedded.servers.postgres import Postgres
from config.embedded.servers.services import DATABASE
from orgs.database import erasure_ledger
from orgs.database.backup.restore_marker import RECOVERED, Marker, write_marker

Reporter = Callable[[str], None]
SCRATCH, NEXT = "restore.new", "cluster.new"
ENDED_EARLY = "recovery ended before configured recovery target was reached"
HBA = "local all postgres trust\n"
NETWORK_HBA = """\
host all all 127.0.0.1/32 scram-sha-256
host replication all 127.0.0.1/32 scram-sha-256
"""
POSTGRESQL_CONF = "include_if_exists = 'commonmind.conf'\n"


@dataclass(frozen=True, slots=True)
class RecoveryPlan:
    """at: the moment, None for the newest. chain: from the full base backup on. segments: names, in
    order. missing: the name of a segment behind the last of these, if others follow it."""

    series: Series
    at: datetime | None
    chain: tuple[BaseBackup, ...]
    segments: tuple[str, ...]
    missing: str

    @property
    def base(self) -> BaseBackup:
        """The base backup that the log is played on."""
        return self.chain[-1]


def plan_recovery(
    settings: ArchiveSettings, storage: Storage, at: datetime | None, base_id: str = ""
) -> RecoveryPlan:
    """What is needed for the moment. base_id: take this base backup, not the last one before.

    Raises ArchiveError if it cannot be restored, with what can.
    """
    every = load_all_series(settings, storage)
    if base_id:
        series = next((one for one in every if any(b.id == base_id for b in one.bases)), None)
        if series is None:
            raise ArchiveError(f"There is no base backup {base_id} in the archive.")
        base = series.find_base(base_id)
        if at and base.ended_at > at:
            raise ArchiveError(f"The base backup {base_id} was made after that moment.")
        until = series.state.until if series.state else base.ended_at
        if at and at > until:
            raise ArchiveError(
                f"{format_moment(at)} cannot be restored from the base backup {base_id}: the last "
                f"moment that its series holds is {format_moment(until)}."
            )
    else:
        series = choose_series(every, at)
        base = choose_base(series, at)
    chain = find_chain(series.bases, base)
    if chain is None:
        raise ArchiveError(f"The base backup {base.id} adds to one that is missing.")
    last = series.last_whole_segment(base)
    if last < base.last_segment:
        label = segment_label(last + 1, base.timeline, base.segment_bytes)
        raise ArchiveError(
            f"The segment {label} is missing in the archive, so the base backup {base.id} cannot "
            "be used. Name an earlier one with --base."
        )
    numbers = {name: segment_number(name, base.segment_bytes) for name in series.log_segments()}
    needed = [name for name, n in numbers.items() if base.first_segment <= n <= last]
    missing = ""
    if max(numbers.values()) > last:
        missing = segment_label(last + 1, base.timeline, base.segment_bytes)
    return RecoveryPlan(series, at, tuple(chain), tuple(sorted(needed)), missing)


class Recovery:
    """One restore into a DATA_DIR; the caller holds its lock."""

    def __init__(
        self,
        settings: ArchiveSettings,
        storage: Storage,
        plan: RecoveryPlan,
        say: Reporter = lambda text: None,
    ) -> None:
        self.settings, self.storage, self.plan, self.say = settings, storage, plan, say
        self.server = Postgres(settings.data_dir)

    def run(self, database: str = DATABASE) -> None:
        """Do all of it. Raises ArchiveError and EmbeddedError; then nothing is in the DATA_DIR that
        would start, and it can be done again."""
        server = self.server
        server._prepare_folders()
        if server.cluster.exists():
            raise ArchiveError(
                f"{self.settings.data_dir} has a database already: restore into a new DATA_DIR."
            )
        scratch, cluster = server.home / SCRATCH, server.home / NEXT
        for folder in (scratch, cluster):
            shutil.rmtree(folder, ignore_errors=True)
        try:
            server.account.own_folder(scratch)
            self._read_chain(scratch)
            self._combine(scratch, cluster)
            self._read_log(scratch / "log")
            self._play(cluster, scratch / "log", database)
            self._read_ledgers()
            self._read_job_files()
            cluster.rename(server.cluster)
        except OSError as error:
            raise ArchiveError(describe_os_error(error, str(self.settings.data_dir))) from None
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
            shutil.rmtree(cluster, ignore_errors=True)

    def _read_chain(self, scratch: Path) -> None:
        for number, base in enumerate(self.plan.chain):
            self.say(f"Reading the base backup {base.id} ...")
            folder = scratch / f"{number:03d}"
            self.server.account.own_folder(folder)
            name = f"{self.plan.series.name}/base/{base.id}/data"
            self._extract(name, folder)
            self._verify(folder, base)

    def _extract(self, name: str, folder: Path) -> None:
        """Unpack a tar of the archive; its files belong to the server's account."""
        try:
            with self.storage.open_stored(name) as source:
                content = ContentReader(iter_decrypted(source, name, self.settings.keyring))
                with tarfile.open(fileobj=content, mode="r|", bufsize=1 << 20) as tar:
                    for member in tar:
                        # "data" refuses names and links that lead out of the folder.
                        tar.extract(member, folder, filter="data")
        except tarfile.TarError as error:
            raise ArchiveError(f"{name} is damaged ({type(error).__name__}).") from None
        _change_owner(folder, self.server)

    def _verify(self, folder: Path, base: BaseBackup) -> None:
        try:
            # The log is not in it: -n.
            self._run_program("pg_verifybackup", "-n", "-q", str(folder))
        except EmbeddedError as error:
            raise ArchiveError(
                f"The base backup {base.id} is damaged ({error}). Name an earlier one with --base."
            ) from None

    def _run_program(self, name: str, *arguments: str) -> None:
        self.server.run_to_end([str(self.server.programs / name), *arguments])

    def _combine(self, scratch: Path, cluster: Path) -> None:
        parts = sorted(scratch.glob("[0-9][0-9][0-9]"))
        if len(parts) == 1:
            parts[0].rename(cluster)
        else:
            self.say("Combining the base backups ...")
            # The parts are ours alone, so their files may be linked.
            arguments = ["--link", *map(str, parts), "-o", str(cluster)]
            self._run_program("pg_combinebackup", *arguments)
            self._run_program("pg_verifybackup", "-n", "-q", str(cluster))
        cluster.chmod(0o700)

    def _read_log(self, folder: Path) -> None:
        self.say(f"Reading {len(self.plan.segments):,} segments of the log ...")
        folder.mkdir(mode=0o700)
        histories = [name for name in self.plan.series.segments if HISTORY_NAME.fullmatch(name)]
        for name in [*histories, *self.plan.segments]:
            stored = f"{self.plan.series.name}/wal/{name}"
            content = load_bytes(self.storage, self.settings.keyring, stored)
            if name not in histories:
                content = content.ljust(self.plan.base.segment_bytes, b"\0")
            (folder / name).write_bytes(content)
        _change_owner(folder, self.server)

    def _play(self, cluster: Path, log: Path, database: str) -> None:
        """Recover to the moment, set a new password, and close the database by a marker."""
        if (cluster / "PG_VERSION").read_text().strip() != "18":
            raise ArchiveError("The base backup is not of PostgreSQL 18, which is here.")
        if not (cluster / "commonmind.conf").exists():
            # It is of a server of one's own, whose settings may not fit here.
            self._write(cluster / "postgresql.conf", POSTGRESQL_CONF)
            (cluster / "postgresql.auto.conf").unlink(missing_ok=True)
        self._write(cluster / "pg_hba.conf", NETWORK_HBA)
        moment = format_moment(self.plan.at) if self.plan.at else "the newest state"
        self.say(f"Playing the log up to {moment} ...")
        with _PrivateServer(self.server, cluster, log) as private:
            words = private.recover(self.plan.at)
            if words is not None and ENDED_EARLY in words:
                if self.plan.missing:
                    raise ArchiveError(
                        f"The segment {self.plan.missing} is missing in the archive, and the "
                        f"moment lies behind it: {_last_commit(words)}."
                    )
                # Nothing was changed between the moment and the end of the archive.
                words = private.recover(None)
            if words is not None:
                raise ArchiveError(f"The log cannot be played ({extract_error_line(words)}).")
            marker = Marker(RECOVERED, f"{self.plan.base.id}", moment)
            private.close(self.server.password, database, marker)
            private.stop()

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o600)
        if self.server.account.dropped:
            os.chown(path, self.server.account.uid, self.server.account.gid)

    def _read_ledgers(self) -> None:
        """Join the ledgers of every series with the one here: an erasure is never undone."""
        path = self.settings.data_dir / erasure_ledger.FILE_NAME
        for series in load_all_series(self.settings, self.storage):
            if not series.ledgers:
                continue
            content = load_bytes(self.storage, self.settings.keyring, series.ledgers[-1])
            with tempfile.NamedTemporaryFile(dir=self.settings.data_dir) as copy:
                copy.write(content)
                copy.flush()
                theirs = erasure_ledger.read_entries(Path(copy.name))
            known = erasure_ledger.read_entries(path)
            erasure_ledger.append_entries(erasure_ledger.missing_entries(known, theirs), path)

    def _read_job_files(self) -> None:
        name = f"{self.plan.series.name}/base/{self.plan.base.id}/files"
        with self.storage.open_stored(name) as source:
            content = ContentReader(iter_decrypted(source, name, self.settings.keyring))
            with tarfile.open(fileobj=content, mode="r|", bufsize=1 << 20) as tar:
                for member in tar:
                    tar.extract(member, self.settings.data_dir, filter="data")


class _PrivateServer:
    """A server that only this process reaches, by a socket in a folder of its own."""

    def __init__(self, server: Postgres, cluster: Path, log: Path) -> None:
        self.server, self.cluster, self.log = server, cluster, log
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "_PrivateServer":
        # The path of a socket may have about 100 bytes, so it is not below DATA_DIR.
        self.folder = Path(tempfile.mkdtemp(prefix="commonmind-"))
        self.hba = self.folder / "hba.conf"
        self.hba.write_text(HBA)
        _change_owner(self.folder, self.server)
        return self

    def __exit__(self, *details: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def recover(self, at: datetime | None) -> str | None:
        """Play the log. None when the server is open, else what it printed before it gave up."""
        signal_file = self.cluster / "recovery.signal"
        signal_file.touch(mode=0o600)
        _change_owner(signal_file, self.server)
        options = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            "unix_socket_permissions": "0700",
            "hba_file": str(self.hba),
            "restore_command": f'cp "{self.log}/%f" "%p"',
            "recovery_target_action": "promote",
            # Without it the server would ask for as many connections as the old one allowed.
            "hot_standby": "off",
            "shared_preload_libraries": "",
            "archive_mode": "off",
            "ssl": "off",
            "logging_collector": "off",
            "log_destination": "stderr",
        }
        if at is not None:
            options["recovery_target_time"] = at.isoformat()
        words = [part for n, v in options.items() for part in ("-c", f"{n}={v}")]
        output = self.folder / "log"
        with output.open("wb") as out:
            self.process = subprocess.Popen(
                [str(self.server.programs / "postgres"), "-D", str(self.cluster), *words],
                cwd=self.cluster,
                env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "TZ": "UTC"},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
                preexec_fn=leftover_processes.die_with_parent(3),  # noqa: PLW1509  # it makes one system call
                umask=0o077,
                **self.server.account.popen_options,
            )
        while self.process.poll() is None:
            with contextlib.suppress(psycopg.OperationalError), self._connection("postgres"):
                return None
            time.sleep(0.1)
        return output.read_text(errors="replace")

    @contextlib.contextmanager
    def _connection(self, database: str) -> Iterator["psycopg.Connection[tuple[object, ...]]"]:
        with psycopg.connect(
            host=str(self.folder), user="postgres", dbname=database, autocommit=True,
            connect_timeout=10,
        ) as connection:  # fmt: skip
            yield connection

    def close(self, password: str, database: str, marker: Marker) -> None:
        """Give the superuser the password of this DATA_DIR, and close the database."""
        try:
            with self._connection("postgres") as connection:
                hashed = connection.pgconn.encrypt_password(
                    password.encode(), b"postgres", b"scram-sha-256"
                )
                connection.execute(
                    psycopg.sql.SQL("ALTER ROLE postgres PASSWORD {}").format(hashed.decode())
                )
            with self._connection(database) as connection:
                write_marker(connection, marker)
        except psycopg.Error as error:
            words = " ".join(str(error).split())
            raise ArchiveError(f"What was restored is not ours ({words}).") from None

    def stop(self) -> None:
        """End it in an orderly way."""
        assert self.process is not None  # noqa: S101 - it was started
        self.process.send_signal(2)
        self.process.wait(120)


def _change_owner(path: Path, server: Postgres) -> None:
    if not server.account.dropped:
        return
    for one in [path, *(path.rglob("*") if path.is_dir() else ())]:
        os.chown(one, server.account.uid, server.account.gid, follow_symlinks=False)


def _last_commit(words: str) -> str:
    """What the server said of the last change that it found."""
    for line in reversed(words.splitlines()):
        if "last completed transaction was at log time" in line:
            return f"the last change before it is of {line.rpartition('log time ')[2]}"
    return "no change lies before it"
