"""Whether the standby may be searched now; one look a second in each process that searches.

A look asks the primary how far its log reaches, and the standby how far it has replayed it. So a
search learns from the standby alone whether that is at most MAX_LAG_SECONDS behind, by the log and
not by clocks. Between looks a search that fails says so, and the primary answers until a look
succeeds: one call pays for a standby that is away, not each.
"""

import logging
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Lock, Thread
from typing import Any, cast

import psycopg
from django.db import Error as DatabaseError
from django.db import connections
from prometheus_client import Counter, Gauge
from psycopg.pq import Format

from orgs.database.driver.pipeline import run_pipeline
from orgs.database.driver.servers import HOME, current_server
from orgs.database.driver.standby_reads import STANDBY_ALIAS, has_standby
from orgs.database.prepared_statements import fetch_all
from orgs.database.standby.server_identity import (
    FLUSHED_SQL,
    NOT_LET_IN,
    STATE_SQL,
    ServerIdentity,
    ServerState,
    find_fault,
    find_role_fault,
    is_refusal,
    parse_state,
    read_identity,
)

log = logging.getLogger("commonmind.standby")

LOOK_SECONDS = 1.0
# What is older is not served: the primary answers.
MAX_LAG_SECONDS = 5.0
# How long a look may take, and how long it holds.
LOOK_TIMEOUT, LOOK_HOLDS_SECONDS = 1.0, 4.0
# Whether it is the same database, role and schema is looked at so often.
IDENTITY_SECONDS = 30.0
# After failed searches in a row the standby is left alone for 1, 2, 4 ... seconds.
MAX_PAUSE_SECONDS = 30.0

LAG = Gauge(
    "commonmind_standby_lag_seconds",
    "How far the standby is behind, by the last look.",
    ["alias"],
    multiprocess_mode="livemax",
)
IN_USE = Gauge(
    "commonmind_standby_in_use",
    "Whether every process may search the standby; 0 if one may not.",
    ["alias"],
    multiprocess_mode="livemin",
)
SEARCHES = Counter(
    "commonmind_standby_searches_total",
    "Searches for which a standby is set, by who answered: the standby, or the primary and why.",
    ["outcome"],
)

OFF, OK, UNKNOWN = "off", "ok", "unknown"
AWAY, BEHIND, REFUSED = "away", "behind", "refused"


@dataclass(frozen=True, slots=True)
class Look:
    """What a look found. state: OK, UNKNOWN, AWAY, BEHIND or REFUSED. reason: of a refusal, a
    clause. at: by time.monotonic()."""

    state: str
    reason: str = ""
    at: float = 0.0

    @property
    def words(self) -> str:
        """For the log: one or a few words."""
        return f"{self.state}: {self.reason}" if self.reason else self.state


class StandbyMonitor:
    """The state of the standby as this process knows it."""

    def __init__(self) -> None:
        self._lock, self._wake = Lock(), Event()
        self._thread: Thread | None = None
        self._connection: psycopg.Connection[Any] | None = None
        self._primary: tuple[float, ServerIdentity] | None = None
        self._verified_at = -IDENTITY_SECONDS
        # (when, how far the primary's log reached).
        self._samples: deque[tuple[float, int]] = deque(maxlen=32)
        self._failures, self._paused_until = 0, 0.0
        self.last = Look(UNKNOWN)

    def is_ready(self) -> bool:
        """Whether a search may ask the standby now, which is the home server's. The first call
        begins to look."""
        if not has_standby() or current_server() != HOME:
            return False
        self._ensure_thread()
        look = self.last
        return look.state == OK and time.monotonic() - look.at < LOOK_HOLDS_SECONDS

    def accepts(self, state: ServerState, *, written: int) -> bool:
        """Whether what a search was told by its own connection is good enough.

        written: how far the caller's last write reaches in the log, 0 without one.
        """
        needed = self._needed_position()
        known = self._primary
        return (
            state.is_standby
            and state.replayed is not None
            and needed is not None
            and known is not None
            and state.system == known[1].system
            and state.replayed >= max(needed, written)
        )

    def report_success(self) -> None:
        self._failures = 0

    def report_failure(self, error: Exception) -> None:
        """A search failed: the standby is left alone until a look after a pause succeeds."""
        with self._lock:
            pause = min(MAX_PAUSE_SECONDS, LOOK_SECONDS * 2**self._failures)
            if self.last.state == OK:
                self._failures = min(self._failures + 1, 16)
                self._paused_until = time.monotonic() + pause
        self._note(Look(AWAY, at=time.monotonic()), type(error).__name__)

    def look(self) -> Look:
        """Ask both servers, and keep what is found."""
        try:
            found = self._look()
        except (psycopg.Error, DatabaseError, OSError) as error:
            self._disconnect()
            found = Look(REFUSED, NOT_LET_IN) if is_refusal(error) else Look(AWAY)
        if found.state == OK and time.monotonic() < self._paused_until:
            found = Look(AWAY)
        found = Look(found.state, found.reason, time.monotonic())
        if found.state == OK and self.last.state not in (OK, UNKNOWN):
            # Connections of before lead nowhere.
            self._drop_pool()
        self._note(found)
        return found

    def _look(self) -> Look:
        now = time.monotonic()
        [(flushed,)] = fetch_all(FLUSHED_SQL, ())
        self._samples.append((now, flushed))
        if self._primary is None or now - self._primary[0] > IDENTITY_SECONDS:
            self._primary = now, read_identity(lambda sql: fetch_all(sql, ()))
        state = parse_state(self._ask(STATE_SQL))
        if not state.is_standby or now - self._verified_at > IDENTITY_SECONDS:
            self._verified_at = -IDENTITY_SECONDS
            there = read_identity(self._ask)
            fault = find_fault(self._primary[1], there, state) or find_role_fault(self._ask)
            if fault:
                return Look(REFUSED, fault)
            self._verified_at = now
        lag = self._lag(state.replayed or 0)
        LAG.labels(STANDBY_ALIAS).set(MAX_LAG_SECONDS if lag is None else lag)
        return Look(BEHIND if lag is None else OK)

    def _ask(self, statement: str) -> list[tuple[Any, ...]]:
        """The rows from the standby, within the time of a look."""
        if self._connection is None or self._connection.closed:
            self._verified_at = -IDENTITY_SECONDS
            parameters: dict[str, Any] = connections[STANDBY_ALIAS].get_connection_params()
            plain = {"autocommit": True, "connect_timeout": 2, "cursor_factory": psycopg.Cursor}
            self._connection = psycopg.connect(**parameters | plain)
        until = time.monotonic() + LOOK_TIMEOUT
        return run_pipeline(self._connection, [(statement, ())], Format.BINARY, until=until)[0]

    def _needed_position(self) -> int | None:
        """What a standby that is not too far behind has replayed; None if nobody looked lately."""
        since = time.monotonic() - MAX_LAG_SECONDS
        return next((flushed for at, flushed in tuple(self._samples) if at >= since), None)

    def _lag(self, replayed: int) -> float | None:
        """Seconds; None if it is more than allowed."""
        samples, needed = tuple(self._samples), self._needed_position()
        if needed is None or replayed < needed:
            return None
        missing = [at for at, flushed in samples if flushed > replayed]
        return time.monotonic() - missing[0] if missing else 0.0

    def _note(self, found: Look, because: str = "") -> None:
        before, self.last = self.last, found
        IN_USE.labels(STANDBY_ALIAS).set(found.state == OK)
        if found.words == before.words:
            return
        if found.state == OK:
            log.info("The standby answers searches.")
        elif found.state == REFUSED:
            log.warning("The standby is not used: %s.", found.reason)
        else:
            log.warning("The standby is %s; the primary answers. %s", found.state, because)

    def _drop_pool(self) -> None:
        with suppress(Exception):
            cast("Any", connections[STANDBY_ALIAS]).close_pool()

    def _disconnect(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._connection.close()
        self._connection = None

    def _ensure_thread(self) -> None:
        if self._thread is not None and self._thread.is_alive():
            return
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._run, name="standby", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while not self._wake.wait(LOOK_SECONDS if self.last.state != UNKNOWN else 0):
            try:
                self.look()
            except Exception as error:
                # Whatever it is, a search must not be the one that finds out.
                self._note(Look(AWAY, at=time.monotonic()), type(error).__name__)
            finally:
                connections.close_all()

    def stop(self) -> None:
        """End the looks. The next question begins anew."""
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
        self._disconnect()
        self.__init__()  # type: ignore[misc]


monitor = StandbyMonitor()


def standby_state() -> str:
    """For readyz, which anybody may ask: off, ok, or in a word why the primary answers alone. The
    reason of a refusal names roles; it is for the log and for doctor."""
    if not has_standby():
        return OFF
    monitor.is_ready()
    return monitor.last.state


def look_at_start() -> None:
    """Look once when a process starts, so that its log says at once why a standby is not used."""
    if has_standby():
        monitor.look()
        connections.close_all()
        monitor.is_ready()


def look_thoroughly() -> Look:
    """What is found by looks of their own, for as long as the standby may be behind."""
    looks = StandbyMonitor()
    for _ in range(int(MAX_LAG_SECONDS / LOOK_SECONDS)):
        if (found := looks.look()).state != BEHIND:
            break
        time.sleep(LOOK_SECONDS)
    looks.stop()
    return found
