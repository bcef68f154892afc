"""A cache for counts of sign-in attempts: in Redis, and in this process while Redis is down."""

import json
import logging
import time
from collections.abc import Callable
from typing import Any

import redis
from django.core.cache import cache
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache

log = logging.getLogger("commonmind.throttling")

# After a failure Redis is not asked for this long, because a sign-in asks it a dozen times.
REDIS_RETRY_SECONDS = 5
# How long the counts of failed sign-ins are kept, one for each hour.
_HOUR_SECONDS, _KEPT_HOURS = 3_600, 25


class JSONSerializer:
    """Serialises counts as JSON, so that nothing from Redis is ever unpickled."""

    def dumps(self, value: Any) -> bytes:
        return json.dumps(value).encode()

    def loads(self, data: bytes) -> Any:
        return json.loads(data)


class FallbackCache(RedisCache):
    """Django's Redis cache. While Redis is down, people can still sign in and guesses are
    limited."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        waits = {"socket_connect_timeout": 0.5, "socket_timeout": 0.5}
        options = {"serializer": JSONSerializer, **waits, **params.get("OPTIONS", {})}
        super().__init__(server, {"KEY_PREFIX": "commonmind", **params, "OPTIONS": options})
        self._nearby = LocMemCache("commonmind-attempts", params)
        self._away_until = 0.0

    def _try(self, far: Callable[[], Any], near: Callable[[], Any]) -> Any:
        if time.monotonic() >= self._away_until:
            try:
                return far()
            except redis.RedisError as error:
                self._away_until = time.monotonic() + REDIS_RETRY_SECONDS
                log.warning("attempts are counted in this process: %s", type(error).__name__)
        return near()

    def clear(self) -> None:
        """Delete all counts, in this process and in Redis."""
        self._away_until = 0.0
        self._nearby.clear()
        super().clear()

    def add(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None
    ) -> bool:
        return self._try(
            lambda: super(FallbackCache, self).add(key, value, timeout, version),
            lambda: self._nearby.add(key, value, timeout, version),
        )

    def get(self, key: Any, default: Any = None, version: Any = None) -> Any:
        return self._try(
            lambda: super(FallbackCache, self).get(key, default, version),
            lambda: self._nearby.get(key, default, version),
        )

    def get_many(self, keys: Any, version: Any = None) -> dict[Any, Any]:
        return self._try(
            lambda: super(FallbackCache, self).get_many(keys, version),
            lambda: self._nearby.get_many(keys, version),
        )

    def set(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None
    ) -> None:
        self._try(
            lambda: super(FallbackCache, self).set(key, value, timeout, version),
            lambda: self._nearby.set(key, value, timeout, version),
        )

    def delete(self, key: Any, version: Any = None) -> bool:
        return self._try(
            lambda: super(FallbackCache, self).delete(key, version),
            lambda: self._nearby.delete(key, version),
        )

    def incr(self, key: Any, delta: int = 1, version: Any = None) -> int:
        return self._try(
            lambda: super(FallbackCache, self).incr(key, delta, version),
            lambda: self._nearby.incr(key, delta, version),
        )


def on_sign_in_failed(**kwargs: Any) -> None:
    """Receiver of Django's `user_login_failed`: count it, without the account and the address."""
    key = _hour_key(int(time.time()) // _HOUR_SECONDS)
    try:
        if not cache.add(key, 1, _KEPT_HOURS * _HOUR_SECONDS):
            cache.incr(key)
    except ValueError:
        # The hour has ended in between.
        log.debug("a failed sign-in is not counted")


def count_failed_sign_ins() -> int:
    """How many sign-ins failed in the last 24 hours, by the hour, at this server."""
    hour = int(time.time()) // _HOUR_SECONDS
    return sum(cache.get_many([_hour_key(hour - n) for n in range(_KEPT_HOURS - 1)]).values())


def _hour_key(hour: int) -> str:
    return f"failed-sign-ins:{hour}"
