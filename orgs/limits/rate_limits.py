"""Who may ask how often: by key, account, organisation and address; reading and writing apart."""

import hashlib
import math
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from threading import Lock
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest

from orgs.api.problems import ProblemError
from orgs.limits import token_buckets
from orgs.limits.addresses import client_network
from orgs.limits.token_buckets import Bucket, BucketResult

SAFE_METHODS = ("GET", "HEAD", "OPTIONS", "TRACE")
DAY_SECONDS = 86_400.0
TOO_MANY_DETAIL = "Too many calls in a short time. Wait for as long as Retry-After says."
MAX_RECENT_KEYS = 10_000


class RateLimitError(ProblemError):
    """A limit is reached; the answer is 429 with the time to wait."""

    def __init__(self, verdict: BucketResult) -> None:
        super().__init__(429, "too-many", TOO_MANY_DETAIL)
        self.headers = rate_limit_headers(verdict)


def rate_limit_headers(verdict: BucketResult) -> dict[str, str]:
    """The headers of a refusal: Retry-After, and RateLimit as in the IETF draft."""
    refused = verdict.refused
    if refused is None:
        return {}
    wait = max(1, math.ceil(verdict.wait))
    return {
        "Retry-After": str(wait),
        "RateLimit-Policy": f'"{refused.policy}";q={refused.capacity};w={refused.window:g}',
        "RateLimit": f'"{refused.policy}";r=0;t={wait}',
    }


def consume(*wanted: Bucket) -> BucketResult:
    """Take from these buckets; one with capacity 0 means no limit. Raises RateLimitError."""
    limited = [bucket for bucket in wanted if bucket.capacity > 0]
    if not limited:
        return BucketResult(None, 0.0, ())
    verdict = token_buckets.limiter.take(limited, now=time.time())
    if verdict.refused:
        raise RateLimitError(verdict)
    return verdict


def consume_for_organisation(
    organisation_id: UUID, *, writes: bool, size: int, cost: int = 1, also: Bucket | None = None
) -> None:
    """Count a call for the organisation. size: bytes of its body. Raises RateLimitError.

    Call it only after authentication: a key's text names an organisation, which anybody could
    forge. cost: how many calls it counts for. also: what the caller's own bucket has yet to give.
    """
    wanted = [_organisation_bucket(organisation_id, writes=writes, cost=cost)]
    if also is not None:
        wanted.append(also)
    if writes and size:
        quota, name = settings.ORGANISATION_BYTES_PER_DAY, f"organisation-bytes:{organisation_id}"
        # A body larger than the whole quota counts as the quota, else it could never be sent.
        wanted.append(Bucket(name, "organisation-bytes", quota, DAY_SECONDS, min(size, quota)))
    consume(*wanted)


def consume_for_recent_key(digest: str, organisation_id: UUID) -> Bucket | None:
    """Count a reading call for its key and its organisation, if the key was right before.

    digest: see `key_digest`. Returns the key's bucket; None for any other key: then nothing is
    counted. Raises RateLimitError.
    """
    if not _recent_keys.has(digest):
        return None
    bucket = _key_bucket(digest, writes=False)
    consume(bucket, _organisation_bucket(organisation_id, writes=False))
    return bucket


def presented_key(authorization: str) -> str | None:
    """The text of the key in the header `Authorization`, not yet checked; None if it presents
    none."""
    scheme, _, key = authorization.partition(" ")
    return key.strip() if scheme.lower() in ("bearer", "token") else None


def key_digest(authorization: str) -> str:
    """The digest by which a presented key is counted; empty without a key."""
    shown = presented_key(authorization)
    return hashlib.sha256(shown.encode()).hexdigest()[:32] if shown else ""


def _key_bucket(digest: str, *, writes: bool) -> Bucket:
    kind = "key-writes" if writes else "key-reads"
    return Bucket(f"{kind}:{digest}", kind, settings.LIMITS[kind])


def _organisation_bucket(organisation_id: UUID, *, writes: bool, cost: int = 1) -> Bucket:
    kind = "organisation-writes" if writes else "organisation-reads"
    capacity = settings.LIMITS[kind]
    # A call that counts for more than the whole limit takes the limit, else it could never be made.
    return Bucket(f"{kind}:{organisation_id.hex}", kind, capacity, cost=min(cost, capacity))


def body_size(request: HttpRequest) -> int:
    """The length of the body as the request states it, in bytes."""
    try:
        return max(0, int(request.META.get("CONTENT_LENGTH") or 0))
    except ValueError:
        return 0


# The bucket that `consume_for_recent_key` took from for a call that then went the usual way.
COUNTED_SCOPE_KEY = "commonmind.counted"


def is_counted(request: HttpRequest) -> bool:
    """Whether the call was counted for its key and its organisation already."""
    return COUNTED_SCOPE_KEY in getattr(request, "scope", {})


class RequestCaller:
    """Who seems to ask, before anything is looked up: the network and the digest of the key."""

    def __init__(self, request: HttpRequest) -> None:
        self.network = client_network(request)
        self.key = key_digest(request.META.get("HTTP_AUTHORIZATION", ""))
        # The key's or the account's bucket from which the call has taken one.
        self.counted: Bucket | None = getattr(request, "scope", {}).get(COUNTED_SCOPE_KEY)

    def consume_for_key(self, *, writes: bool) -> None:
        """Count a call with a key, and refuse networks that present too many wrong keys.

        A key that was right before is not refused because of wrong keys from the same network.
        A call that was counted already is not counted again. Raises RateLimitError.
        """
        if self.counted is not None:
            return
        self.counted = _key_bucket(self.key, writes=writes)
        wanted = [self.counted]
        if not _recent_keys.has(self.key):
            wanted.append(self._wrong(cost=0))
        consume(*wanted)

    def refund(self) -> None:
        """The call was refused after it was counted: it takes nothing, or a call that counts for
        several would never find enough by trying again."""
        if self.counted is not None and self.counted.capacity > 0:
            returned = replace(self.counted, cost=-1, need=0)
            token_buckets.limiter.take([returned], now=time.time())

    def more_of_counted(self, weight: int) -> Bucket | None:
        """What a call that counts for `weight` calls has yet to take from its own bucket."""
        if self.counted is None or weight <= 1:
            return None
        return replace(self.counted, cost=max(0, min(weight, self.counted.capacity) - 1))

    def check_wrong_keys(self) -> None:
        """Count nothing. Raises RateLimitError for a network that presents too many wrong keys."""
        if not _recent_keys.has(self.key):
            consume(self._wrong(cost=0))

    def consume_for_account(self, account: object, kind: str) -> None:
        """Count a call of somebody who has signed in. Raises RateLimitError."""
        self.counted = Bucket(f"{kind}:account:{account}", kind, settings.LIMITS[kind])
        consume(self.counted)

    def consume_for_address(self) -> None:
        """Count a call of somebody who is not signed in, for the network. Raises RateLimitError."""
        consume(Bucket(f"address:{self.network}", "address", settings.LIMITS["address"]))

    def record_key_check(self, *, right: bool) -> None:
        """Note whether the key was right; a wrong one is counted for the network."""
        if right:
            _recent_keys.add(self.key)
            return
        _recent_keys.drop(self.key)
        wrong = self._wrong(cost=1, need=0)
        if wrong.capacity > 0:
            token_buckets.limiter.take([wrong], now=time.time())

    def _wrong(self, *, cost: int, need: int = 1) -> Bucket:
        most = settings.LIMITS["wrong-keys"]
        return Bucket(f"wrong-keys:{self.network}", "wrong-keys", most, cost=cost, need=need)


def is_known_key(digest: str) -> bool:
    """Whether a key was right lately in this process. digest: see `key_digest`."""
    return _recent_keys.has(digest)


# For how many calls a dear one counts. The figures are estimates of how much more it takes than a
# plain recall or one memory. A body is not yet checked here: what is no list has no items.
# So many items of a batch cost what one call costs.
ITEMS_PER_CALL = 5
CONTEXT_WEIGHT = 2
# Reading the first twenty results again, by the second model.
RERANK_WEIGHT = 10


def weigh_items(body: Mapping[str, Any]) -> int:
    """A batch: one for each five items that it has begun."""
    items = body.get("items")
    return max(1, -(-len(items) // ITEMS_PER_CALL)) if isinstance(items, list) else 1


def weigh_question(body: Mapping[str, Any]) -> int:
    """A question: one, and what reranking takes."""
    return 1 + RERANK_WEIGHT * (body.get("rerank") is True)


def weigh_context(body: Mapping[str, Any]) -> int:
    """A context or an answer: more than its recall."""
    return CONTEXT_WEIGHT - 1 + weigh_question(body)


class RecentKeys:
    """Digests of keys that were right lately, in this process; the oldest are dropped."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, None] = OrderedDict()

    def has(self, key: str) -> bool:
        return key in self._kept

    def add(self, key: str) -> None:
        with self._lock:
            self._kept[key] = None
            self._kept.move_to_end(key)
            while len(self._kept) > MAX_RECENT_KEYS:
                self._kept.popitem(last=False)

    def drop(self, key: str) -> None:
        with self._lock:
            self._kept.pop(key, None)


_recent_keys = RecentKeys()
