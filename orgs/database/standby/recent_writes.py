"""How far in the log a caller's last write reaches, so that they read what they wrote.

Whoever has changed something is answered by the primary until the standby has replayed that place.
It is kept in Valkey, for all web processes, by the ids of the robot and of the member. While Valkey
does not answer, nobody knows what was written elsewhere, and the primary answers everybody.
"""

import logging
import time
from collections.abc import Iterable
from typing import Any
from uuid import UUID

import redis
from django.conf import settings
from django.db import DatabaseError
from redis.backoff import NoBackoff
from redis.retry import Retry

from orgs.database.prepared_statements import fetch_all
from orgs.database.standby.server_identity import WRITTEN_SQL
from orgs.database.time_budget import without_budget

log = logging.getLogger("commonmind.standby")

# A standby that is further behind than five seconds is not asked at all; this is plenty.
KEPT_SECONDS = 60
# After a failure of Valkey the primary answers for this long.
RETRY_SECONDS = 5.0
TIMEOUT_SECONDS = 0.25
_PREFIX = "commonmind:written:"
# Two writes of one caller may end in another order than their notes arrive.
_NOTE_SCRIPT = """
for _, key in ipairs(KEYS) do
  local known = tonumber(redis.call('GET', key) or '0')
  redis.call('SET', key, string.format('%.0f', math.max(known, tonumber(ARGV[1]))), 'EX', ARGV[2])
end
"""


class RecentWrites:
    """The notes of all processes."""

    def __init__(self) -> None:
        self._client: Any = None
        self._script: Any = None
        self._away_until = 0.0

    def note(self, callers: Iterable[UUID]) -> None:
        """These have changed something, which is committed. Never raises."""
        keys = [f"{_PREFIX}{one}" for one in callers]
        try:
            with without_budget():
                [(written,)] = fetch_all(WRITTEN_SQL, ())
            self._connect()
            self._script(keys=keys, args=[written, KEPT_SECONDS])
        except (redis.RedisError, DatabaseError) as error:
            self._pause(error)

    def find(self, callers: Iterable[UUID]) -> int | None:
        """How far the last write of any of these reaches, 0 without one; None if that is not
        known."""
        if time.monotonic() < self._away_until:
            return None
        try:
            self._connect()
            found = self._client.mget([f"{_PREFIX}{one}" for one in callers])
        except redis.RedisError as error:
            self._pause(error)
            return None
        return max((int(one) for one in found if one), default=0)

    def _connect(self) -> None:
        if self._client is None:
            self._client = redis.Redis.from_url(
                settings.REDIS_URL,
                socket_connect_timeout=TIMEOUT_SECONDS,
                socket_timeout=TIMEOUT_SECONDS,
                retry=Retry(NoBackoff(), 0),
            )
            self._script = self._client.register_script(_NOTE_SCRIPT)

    def _pause(self, error: Exception) -> None:
        self._away_until = time.monotonic() + RETRY_SECONDS
        log.warning("the primary answers, what was written is unknown: %s", type(error).__name__)


recent_writes = RecentWrites()
