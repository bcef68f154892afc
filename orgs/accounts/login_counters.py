"""Where attempts at signing in are counted: in Redis, and while that is away in this process."""

import json
import logging
import time
from collections.abc import Callable
from typing import Any

import redis
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache

log = logging.getLogger("commonmind.throttling")

# After a failure Redis is left alone for so long: a sign-in asks it a dozen times.
PAUSE_SECONDS = 5


class JSONSerializer:
    """Counts as JSON: what lies in Redis is never unpickled."""

    def dumps(self, value: Any) -> bytes:
        return json.dumps(value).encode()

    def loads(self, data: bytes) -> Any:
        return json.loads(data)


class SteadyCache(RedisCache):
    """Django's cache in Redis; people get in, and guessing stays slow, while Redis is away."""

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
                self._away_until = time.monotonic() + PAUSE_SECONDS
                log.warning("attempts are counted in this process: %s", type(error).__name__)
        return near()

    def clear(self) -> None:
        """Forget every count, here and there."""
        self._away_until = 0.0
        self._nearby.clear()
        super().clear()

    def add(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None
    ) -> bool:
        return self._try(
            lambda: super(SteadyCache, self).add(key, value, timeout, version),
            lambda: self._nearby.add(key, value, timeout, version),
        )

    def get(self, key: Any, default: Any = None, version: Any = None) -> Any:
        return self._try(
            lambda: super(SteadyCache, self).get(key, default, version),
            lambda: self._nearby.get(key, default, version),
        )

    def set(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None
    ) -> None:
        self._try(
            lambda: super(SteadyCache, self).set(key, value, timeout, version),
            lambda: self._nearby.set(key, value, timeout, version),
        )

    def delete(self, key: Any, version: Any = None) -> bool:
        return self._try(
            lambda: super(SteadyCache, self).delete(key, version),
            lambda: self._nearby.delete(key, version),
        )
