"""Slow down guessing of passwords: failures are counted by e-mail and address, in Redis."""

import hashlib
import logging

import redis
from django.conf import settings

log = logging.getLogger("commonmind.throttling")

FAILURES = 8
WINDOW_SECONDS = 600


def _client() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=0.5, socket_timeout=0.5)


def _name(email: str, address: str) -> str:
    # A digest, so that Redis holds no list of who signs in from where.
    return "sign-in:" + hashlib.sha256(f"{email}\n{address}".encode()).hexdigest()


def is_blocked(email: str, address: str) -> bool:
    """Whether there were too many failures within the window.

    Without Redis nobody is blocked: people must get in while a cache is down.
    """
    try:
        count = _client().get(_name(email, address))
    except redis.RedisError as error:
        log.warning("sign-in is not throttled: %s", type(error).__name__)
        return False
    return int(count or 0) >= FAILURES


def count_failure(email: str, address: str) -> None:
    """Note a failure; the window begins with the first one."""
    name = _name(email, address)
    try:
        with _client().pipeline() as pipe:
            pipe.set(name, 0, ex=WINDOW_SECONDS, nx=True)
            pipe.incr(name)
            pipe.execute()
    except redis.RedisError as error:
        log.warning("failed sign-in not counted: %s", type(error).__name__)


def forget_failures(email: str, address: str) -> None:
    """The right password ends the count."""
    try:
        _client().delete(_name(email, address))
    except redis.RedisError as error:
        log.warning("failed sign-ins not forgotten: %s", type(error).__name__)
