"""What whoever runs the service finds out by one command: each part with its state, in a sentence,
and what to do. Nothing is changed, and neither a text nor an organisation is named."""

import contextlib
import logging
import shutil
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import django
import psycopg
import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone
from django.utils.module_loading import import_string
from kombu.exceptions import OperationalError

from config.archive.status import STOPPED
from config.monitoring.archive_state import archive_state, find_archive_status, find_log_slot
from config.monitoring.health import (
    MIN_FREE_BYTES,
    data_folder_id,
    encoder_state,
    encryption_state,
)
from config.monitoring.server_states import find_absent, find_faults, read_server_states
from config.releases.database_release import find_newer_migration
from config.version import VERSION
from memories.jobs.leases import PendingState
from memories.jobs.models import JobState
from memories.jobs.overdue_work import count_waiting_work
from orgs.database.backup.protection_check import list_protection_faults
from orgs.database.backup.restore_marker import has_unfinished_restore
from orgs.database.role_checks import list_excess_rights, list_unsafe_connections
from orgs.database.standby import monitor as standby
from orgs.placement.moving.unfinished_moves import list_unfinished_moves

log = logging.getLogger("commonmind.start")

OK, WARNING, FAULT = "ok", "warning", "fault"
# `config.embedded.servers.provisioning` makes them; a test compares the lists.
EXTENSIONS = ("vector", "pg_trgm", "btree_gin", "unaccent")
MIN_POSTGRES = 17
# Work that nobody has taken for so long: the workers or beat are away, or far too few.
LATE = timedelta(minutes=15)
# For the answers of workers.
ANSWER_SECONDS = 2.0
# A share of the disk below which there is a warning.
MIN_FREE_SHARE = 0.1
# A failure of the archive that is younger is told, also if it is over.
RECENT = timedelta(days=1)
MAX_CLOCK_SKEW = timedelta(seconds=5)
PROVISION = "`python -m config.embedded provision`, as a superuser (DATABASE_ADMIN_URL), makes it."
UNSHARED = "what is uploaded or exported on one host is not found on the other."
MIGRATE = "Run `manage.py migrate --database owner`."
_EXTENSIONS_SQL = "SELECT extname, extversion FROM pg_extension"
_VERSION_SQL = "SELECT current_setting('server_version_num')::int"
_CLOCK_SQL = "SELECT clock_timestamp()"


@dataclass(frozen=True, slots=True)
class Finding:
    """state: OK, WARNING or FAULT. text: a sentence. advice: what to do, empty if nothing."""

    part: str
    state: str
    text: str
    advice: str = ""

    def as_dict(self) -> dict[str, str]:
        """For JSON."""
        return asdict(self)


def diagnose() -> list[Finding]:
    """What is found about each part. A part that cannot be looked at is a fault as well."""
    return [_look(part, check) for part, check in CHECKS.items()]


def _look(part: str, check: Callable[[], tuple[str, ...]]) -> Finding:
    try:
        return Finding(part, *check())
    except (DatabaseError, psycopg.Error) as error:
        # Only the class: a message may name a value.
        text = f"The database did not answer ({type(error).__name__})."
        return Finding(part, FAULT, text, "Start it, and look at DATABASE_URL and its log.")
    except redis.RedisError as error:
        text = f"The broker did not answer ({type(error).__name__})."
        return Finding(part, FAULT, text, "Start it, and look at REDIS_URL and its log.")


def _check_roles() -> tuple[str, ...]:
    for state, found in ((FAULT, list_unsafe_connections()), (WARNING, list_excess_rights())):
        if found:
            return state, " ".join(one.msg for one in found), str(found[0].hint)
    return OK, "Row-level security binds every role of the service."


def _check_protection() -> tuple[str, ...]:
    with psycopg.connect(**connection.get_connection_params()) as database:
        found = list_protection_faults(database)
    if not found:
        return OK, "Row-level security is on and forced on every table of an organisation."
    advice = "Stop the site. Restore the last backup elsewhere and compare, or run the migrations."
    return FAULT, f"{'; '.join(found)}.", advice


def _check_servers() -> tuple[str, ...]:
    states = read_server_states(connection.get_connection_params())
    if faults := find_faults(states):
        advice = (
            "Stop the server with the lower timeline at once: what it takes is lost. Where none "
            "takes writes, see docs/scaling.md."
        )
        return FAULT, " ".join(faults), advice
    if absent := find_absent(states):
        advice = "Start it: until then nobody can replace the primary, or one fewer can."
        return WARNING, f"{', '.join(absent)} does not answer.", advice
    primary = next(one for one in states if one.is_primary)
    standbys = [one.name for one in states if not one.is_primary]
    told = f"{primary.name} takes writes (timeline {primary.timeline})"
    return OK, f"{told}; standby: {', '.join(standbys)}." if standbys else f"{told}."


def _check_moves() -> tuple[str, ...]:
    found = list_unfinished_moves()
    if not found:
        return OK, "No organisation is on its way to another server."
    kept = sum(one.kept_bytes for one in found) / 10**9
    told = f"The log that is kept for them has {kept:.1f} GB, and grows until they are over."
    advice = "`manage.py move_organisation --status` names them: go on with --to, or say --cancel."
    if waiting := sum(one.waiting for one in found):
        return FAULT, f"{waiting} moves to another server broke off. {told}", advice
    return WARNING, f"{sum(one.moves for one in found)} organisations move. {told}", advice


def _check_extensions() -> tuple[str, ...]:
    with connection.cursor() as cursor:
        cursor.execute(_EXTENSIONS_SQL)
        there = dict(cursor.fetchall())
        cursor.execute(_VERSION_SQL)
        version = cursor.fetchone()[0] // 10_000
    if version < MIN_POSTGRES:
        advice = f"Move the data to PostgreSQL {MIN_POSTGRES} or newer."
        return FAULT, f"The server is PostgreSQL {version}.", advice
    if missing := [name for name in EXTENSIONS if name not in there]:
        return FAULT, f"The database has no {', '.join(missing)}.", PROVISION
    told = ", ".join(f"{name} {there[name]}" for name in EXTENSIONS)
    return OK, f"PostgreSQL {version} with {told}."


def _check_migrations() -> tuple[str, ...]:
    loader = MigrationLoader(connection)
    known, done = set(loader.disk_migrations), set(loader.applied_migrations)
    if newer := find_newer_migration():
        advice = "Run that release again, or restore a backup of before."
        return FAULT, f"The database is of a newer release ({newer}).", advice
    if missing := sorted(f"{app} {name}" for app, name in known - done):
        return FAULT, f"{len(missing)} migrations are not done, such as {missing[0]}.", MIGRATE
    if has_unfinished_restore():
        advice = "Run the restore again with `--resume`."
        return FAULT, "A restore of this database is unfinished.", advice
    return OK, f"All {len(known):,} migrations are done."


def _broker() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=2)


def _check_broker() -> tuple[str, ...]:
    with _broker() as client:
        told: Any = client.config_get("maxmemory-policy")
    policy = told.get("maxmemory-policy", "")
    if policy not in ("noeviction", ""):
        advice = "Set `maxmemory-policy noeviction`: it would drop messages when it is full."
        return WARNING, f"The broker drops keys when it is full ({policy}).", advice
    return OK, "The broker answers."


def _check_workers() -> tuple[str, ...]:
    with _broker() as client:
        client.ping()
    answers = ask_workers("ping")
    if not answers:
        advice = "Start the workers, and beat; look at their logs."
        return FAULT, "No worker answers: nothing is embedded, imported or erased.", advice
    return OK, f"{len(answers)} workers answer."


def _check_queue() -> tuple[str, ...]:
    found = count_waiting_work(timezone.now())
    rows, jobs = found.embeddings[PendingState.DEAD], found.jobs[JobState.DEAD]
    if found.waits > LATE:
        text = f"Work has waited for {found.waits // timedelta(minutes=1):,} minutes."
        advice = "See whether workers and beat run; if they do, start more of them."
        return FAULT, text, advice
    if rows or jobs:
        text = f"{rows:,} embeddings and {jobs:,} jobs were given up."
        advice = "The page of jobs says why, and tries them again or drops them."
        return WARNING, text, advice
    return OK, "Nothing waits for long, and nothing was given up."


def _check_disk() -> tuple[str, ...]:
    usage = shutil.disk_usage(settings.DATA_DIR)
    text = f"DATA_DIR has {usage.free / 1e9:,.1f} GB free of {usage.total / 1e9:,.1f} GB."
    advice = "Make room: without it nothing is written. The database may lie on another disk."
    if usage.free < MIN_FREE_BYTES:
        return FAULT, text, advice
    return (OK, text) if usage.free >= MIN_FREE_SHARE * usage.total else (WARNING, text, advice)


def _check_folder() -> tuple[str, ...]:
    own, apart = data_folder_id(), count_workers_elsewhere()
    if not own:
        advice = "Let the user of the service write there: uploads, exports and logs lie in it."
        return FAULT, "DATA_DIR cannot be written.", advice
    if apart:
        advice = "Let all hosts share one DATA_DIR, see docs/scaling.md."
        return FAULT, f"{apart} workers have another DATA_DIR: {UNSHARED}", advice
    return OK, "The workers that answer have the same DATA_DIR as this process."


def count_workers_elsewhere() -> int:
    """How many of the workers that answer do not share DATA_DIR with this process."""
    found = [folder for answer in ask_workers("data_folder") for folder in answer.values()]
    # One of the release before knows no such question, and answers with an error.
    return sum(isinstance(one, str) and one not in ("", data_folder_id()) for one in found)


def ask_workers(command: str) -> Sequence[Mapping[str, Any]]:
    """What the workers answer to a command within ANSWER_SECONDS, each by its name.

    By a connection of its own: a process that a worker forks ends what the pool of its parent has,
    and would wait there for an answer that went to the parent, until the parent kills it.
    """
    sender = import_string(settings.TASK_SENDER)
    with sender.connection_for_write() as own:
        found = sender.control.broadcast(
            command, reply=True, timeout=ANSWER_SECONDS, connection=own
        )
    return found or ()


def warn_if_folder_unshared() -> None:
    """Say in the log of a process that starts if workers have another DATA_DIR."""
    threading.Thread(target=_warn_if_unshared, name="data-folder", daemon=True).start()


def _warn_if_unshared() -> None:
    with contextlib.suppress(redis.RedisError, OperationalError):
        if apart := count_workers_elsewhere():
            log.warning("%s workers have another DATA_DIR: %s", apart, UNSHARED)


def _check_archive() -> tuple[str, ...]:
    now, slot, status = timezone.now(), find_log_slot(), find_archive_status()
    kept = f"The database keeps {slot.kept_bytes / 1e6:,.0f} MB of its log for it." if slot else ""
    if not settings.ARCHIVE_DIR:
        if slot is None:
            return OK, "There is no continuous archive (ARCHIVE_DIR)."
        advice = "Set ARCHIVE_DIR again, or end it by `make archive ARGS=off`: the disk fills."
        return FAULT, f"There is no archive any more. {kept}", advice
    state = archive_state(now)
    if status is None or state == STOPPED:
        advice = "Start it (`make run` does), and look at its log: the disk of the database fills."
        return FAULT, f"Nobody makes the archive. {kept}", advice
    told = f"{status.until:%Y-%m-%d %H:%M:%S} UTC" if status.until else "no moment yet"
    if state != OK or (slot and slot.is_lost):
        text = f"The archive is behind: it reaches to {told}. {status.failure} {kept}"
        return FAULT, " ".join(text.split()), "Mend that soon: the disk of the database fills."
    if status.failed_at and now - status.failed_at < RECENT:
        text = f"The archive reaches to {told}, but failed within the last day: {status.failure}"
        return WARNING, text, "See whether that is mended; `make archive ARGS=status` says more."
    return OK, f"The archive reaches to {told}."


def _check_clocks() -> tuple[str, ...]:
    with connection.cursor() as cursor:
        before = datetime.now(UTC)
        cursor.execute(_CLOCK_SQL)
        there, after = cursor.fetchone()[0], datetime.now(UTC)
    skew = max(before - there, there - after, timedelta())
    if skew <= MAX_CLOCK_SKEW:
        return OK, "The clocks of this machine and of the database agree."
    text = f"The clock of the database differs by {skew.total_seconds():,.0f} seconds."
    return FAULT, text, "Keep both machines by NTP: leases, expiry and sessions go by the clock."


def _check_standby() -> tuple[str, ...]:
    if standby.standby_state() == standby.OFF:
        return OK, "There is no standby (DATABASE_REPLICA_URL); the primary answers all searches."
    found = standby.look_thoroughly()
    if found.state == standby.OK:
        return OK, "The standby answers searches, and is at most five seconds behind."
    if found.state == standby.REFUSED:
        advice = "Mend DATABASE_REPLICA_URL (docs/scaling.md). Until then the primary answers."
        return FAULT, f"DATABASE_REPLICA_URL is not used: {found.reason}.", advice
    if found.state == standby.BEHIND:
        advice = "See whether it replays the log. Until then the primary answers all searches."
        return WARNING, "The standby is more than five seconds behind.", advice
    advice = "Start it, and look at its log. Until then the primary answers all searches."
    return WARNING, "The standby does not answer.", advice


def _check_encoder() -> tuple[str, ...]:
    if encoder_state() == "ok":
        return OK, f"The embedding model {settings.ENCODER} works."
    advice = "`manage.py check_encoder` says why. Until then words alone find."
    return FAULT, f"The embedding model {settings.ENCODER} does not work.", advice


def _check_encryption() -> tuple[str, ...]:
    if (state := encryption_state()) == "ok":
        return OK, "Sensitive memories can be encrypted and read."
    if state == "off":
        return OK, "There is no encryption key, so nothing sensitive is accepted."
    advice = "Put the key back into ENCRYPTION_KEYS or the file of ENCRYPTION_KEY_FILE."
    return FAULT, f"Encryption: {state}.", advice


def _check_versions() -> tuple[str, ...]:
    python = ".".join(map(str, sys.version_info[:3]))
    return OK, f"Commonmind {VERSION}, Python {python}, Django {django.get_version()}."


CHECKS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "roles": _check_roles,
    "protection": _check_protection,
    "servers": _check_servers,
    "moves": _check_moves,
    "extensions": _check_extensions,
    "migrations": _check_migrations,
    "broker": _check_broker,
    "workers": _check_workers,
    "queue": _check_queue,
    "disk": _check_disk,
    "folder": _check_folder,
    "archive": _check_archive,
    "clocks": _check_clocks,
    "standby": _check_standby,
    "model": _check_encoder,
    "encryption": _check_encryption,
    "versions": _check_versions,
}
