"""Token buckets in Redis, or in this process while Redis is down.

A bucket holds at most `capacity` tokens and fills steadily. A call takes some, or is refused with
the time until there are enough. A call takes from several buckets: from all of them or from none.
"""

import logging
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

log = logging.getLogger("commonmind.limits")

# After a failure Redis is not asked for this long.
REDIS_RETRY_SECONDS = 5.0
MAX_LOCAL_BUCKETS = 20_000
KEY_PREFIX = "commonmind:bucket:"


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket, and what a call takes from it. name: its key. policy: its name in answers.

    capacity: tokens; window: seconds in which an empty bucket fills; cost: tokens that are taken,
    below 0 if they are given back; need: tokens that must be there; None for the cost.
    """

    name: str
    policy: str
    capacity: int
    window: float = 60.0
    cost: int = 1
    need: int | None = None

    @property
    def needed(self) -> int:
        return self.cost if self.need is None else self.need


@dataclass(frozen=True, slots=True)
class BucketResult:
    """refused: the bucket that had too little, or None. wait: seconds until it has enough. left:
    the tokens in each bucket afterwards."""

    refused: Bucket | None
    wait: float
    left: tuple[float, ...]


# KEYS: buckets. ARGV: now, then capacity, window, cost and need of each. If a clock goes
# back, or another machine has another clock, no bucket fills twice.
_SCRIPT = """
local now, held, refused, wait = tonumber(ARGV[1]), {}, 0, 0
for i, key in ipairs(KEYS) do
  local capacity, window = tonumber(ARGV[i * 4 - 2]), tonumber(ARGV[i * 4 - 1])
  local need = tonumber(ARGV[i * 4 + 1])
  local kept = redis.call('HMGET', key, 'tokens', 'at')
  local tokens, at = tonumber(kept[1]) or capacity, tonumber(kept[2]) or now
  if at < now then tokens = tokens + (now - at) * capacity / window else now = at end
  held[i] = {math.min(capacity, tokens), now}
  now = tonumber(ARGV[1])
  local missing = (need - held[i][1]) * window / capacity
  if missing > 0 and missing > wait then refused, wait = i, missing end
end
local left = {tostring(refused), tostring(wait)}
for i, key in ipairs(KEYS) do
  local capacity, window = tonumber(ARGV[i * 4 - 2]), tonumber(ARGV[i * 4 - 1])
  local cost, tokens = tonumber(ARGV[i * 4]), held[i][1]
  if refused == 0 and cost ~= 0 then
    tokens = math.min(capacity, math.max(0, tokens - cost))
    redis.call('HSET', key, 'tokens', tostring(tokens), 'at', tostring(held[i][2]))
    redis.call('PEXPIRE', key, math.ceil((capacity - tokens) * window / capacity * 1000) + 1000)
  end
  left[i + 2] = tostring(tokens)
end
return left
"""


class InProcessBuckets:
    """The same buckets in this process, for the time that Redis is down; bounded in number."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, buckets: Sequence[Bucket], now: float) -> BucketResult:
        with self._lock:
            held = [self._held(bucket, now) for bucket in buckets]
            waits = [
                ((bucket.needed - tokens) * bucket.window / bucket.capacity, n)
                for n, (bucket, (tokens, _)) in enumerate(zip(buckets, held, strict=True))
            ]
            wait, worst = max(waits, default=(0.0, 0))
            refused = buckets[worst] if wait > 0 else None
            left = []
            for bucket, (tokens, at) in zip(buckets, held, strict=True):
                rest = tokens
                if refused is None and bucket.cost:
                    rest = min(float(bucket.capacity), max(0.0, tokens - bucket.cost))
                    self._kept[bucket.name] = (rest, at)
                    self._kept.move_to_end(bucket.name)
                left.append(rest)
            while len(self._kept) > MAX_LOCAL_BUCKETS:
                self._kept.popitem(last=False)
        return BucketResult(refused, max(wait, 0.0), tuple(left))

    def _held(self, bucket: Bucket, now: float) -> tuple[float, float]:
        tokens, at = self._kept.get(bucket.name, (float(bucket.capacity), now))
        at, passed = max(at, now), max(0.0, now - at)
        return min(bucket.capacity, tokens + passed * bucket.capacity / bucket.window), at


class Limiter:
    """Buckets in Redis; while Redis is down, in each process on its own."""

    def __init__(self) -> None:
        self.nearby = InProcessBuckets()
        self._script: Any = None
        self._away_until = 0.0

    def take(self, buckets: Sequence[Bucket], *, now: float) -> BucketResult:
        """Take from all of the buckets, or from none. now: seconds since the epoch."""
        if time.monotonic() >= self._away_until:
            try:
                return self._shared(buckets, now)
            except redis.RedisError as error:
                self._away_until = time.monotonic() + REDIS_RETRY_SECONDS
                log.warning("calls are counted in this process: %s", type(error).__name__)
        return self.nearby.take(buckets, now)

    def _shared(self, buckets: Sequence[Bucket], now: float) -> BucketResult:
        if self._script is None:
            client = redis.Redis.from_url(
                settings.REDIS_URL,
                socket_connect_timeout=0.25,
                socket_timeout=0.25,
                retry=Retry(NoBackoff(), 0),
            )
            self._script = client.register_script(_SCRIPT)
        values: list[float] = [now]
        for bucket in buckets:
            values += [bucket.capacity, bucket.window, bucket.cost, bucket.needed]
        worst, wait, *left = self._script(
            keys=[KEY_PREFIX + bucket.name for bucket in buckets], args=values
        )
        refused = buckets[int(worst) - 1] if int(worst) else None
        return BucketResult(refused, float(wait), tuple(map(float, left)))


limiter = Limiter()
