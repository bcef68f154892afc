"""Send what waits, several messages at a time, and write down what became of each.

Every look at a delivery is in the scope of the endpoint's owner as it is then: a row about an
audience that they no longer read is not even shown, and a text comes from the memory as they read
it now, so nothing is stored that an erasure would have to find.
"""

import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from memories.browsing.change_feed.change_feed import audience_name
from memories.browsing.change_feed.feed_position import audience_mark
from memories.browsing.memory_queries import filter_memories
from memories.store.models.memory import Memory
from memories.webhooks.models import (
    DeliveryError,
    DeliveryState,
    DisabledReason,
    EventType,
    WebhookDelivery,
    WebhookEndpoint,
)
from memories.webhooks.owners import (
    WORKER,
    EndpointOwner,
    EndpointStoppedError,
    list_open_endpoints,
    resolve_owner,
    stop_endpoint,
)
from memories.webhooks.retry_schedule import compute_delay, compute_pause
from memories.webhooks.signatures import format_message_id, open_secret, signed_headers
from orgs.database.rls import organisation_scope
from orgs.expiry import has_expired
from orgs.outbound.post import PostResult, post_message
from orgs.outbound.url_rules import InvalidUrlError, check_url
from orgs.principals import Principal, resolve_principal
from orgs.secret_box import SecretLostError

log = logging.getLogger("commonmind.webhooks")

# Messages on their way at the same time: of one endpoint, of one organisation, and of a worker. So
# a slow receiver holds up no other endpoint, and many slow ones no other organisation.
MAX_OF_ENDPOINT, MAX_OF_ORGANISATION, MAX_OF_WORKER = 4, 16, 64
# Longer than an attempt may take: what a worker had that died comes back then.
LEASE = timedelta(seconds=60)
# Seconds between two looks for further messages while some are on their way.
LOOK_SECONDS = 1.0
# These are about a memory that the owner has; the others say that it has left them.
_ABOUT_PRESENT = (
    EventType.MEMORY_CREATED,
    EventType.MEMORY_CHANGED,
    EventType.DECISION_RECORDED,
)
GONE_STATUS = 410

Post = Callable[..., PostResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingMessage:
    """A leased delivery, ready to be sent. headers: with the signatures. leased_until: proves that
    it is still ours."""

    owner: EndpointOwner
    delivery_id: UUID
    attempts: int
    leased_until: datetime
    url: str
    body: bytes
    headers: dict[str, str]


def send_due(
    organisation_ids: Iterable[UUID],
    *,
    seconds: float,
    post: Post = post_message,
    draw: Callable[[], float] = random.random,
) -> int:
    """Send what is due to the endpoints of these organisations, for at most about so many seconds
    and those of one attempt. Returns how many attempts were made.

    post: sends one message. draw: a random number from 0 to 1, for the delays.
    """
    return _Sender(list(organisation_ids), post, draw).run(seconds)


class _Sender:
    """One run. The rows are read and written here; threads only send."""

    def __init__(self, organisation_ids: list[UUID], post: Post, draw: Callable[[], float]) -> None:
        self._organisation_ids, self._post, self._draw = organisation_ids, post, draw
        self._on_way: dict[Future[PostResult], OutgoingMessage] = {}
        self._attempts = 0

    def run(self, seconds: float) -> int:
        ends = time.monotonic() + seconds
        with ThreadPoolExecutor(MAX_OF_WORKER, thread_name_prefix="webhook") as threads:
            while True:
                if time.monotonic() < ends:
                    self._start(threads)
                if not self._on_way:
                    return self._attempts
                over, _ = wait(self._on_way, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED)
                for future in over:
                    self._finish(future)

    def _start(self, threads: ThreadPoolExecutor) -> None:
        """Send from every endpoint as much as there is room for, those first that have least on
        their way."""
        endpoints = [one for id_ in self._organisation_ids for one in list_open_endpoints(id_)]
        busy = Counter(one.owner.id for one in self._on_way.values())
        whole = Counter(one.owner.organisation_id for one in self._on_way.values())
        for owner in sorted(endpoints, key=lambda one: busy[one.id]):
            # After a failure one message says whether the receiver is back.
            room = min(
                (1 if owner.failures else MAX_OF_ENDPOINT) - busy[owner.id],
                MAX_OF_ORGANISATION - whole[owner.organisation_id],
                MAX_OF_WORKER - len(self._on_way),
            )
            if room <= 0 or not _has_due(owner, timezone.now()):
                continue
            for message in _try_lease(owner, room):
                whole[owner.organisation_id] += 1
                future = threads.submit(
                    self._post,
                    message.url,
                    message.body,
                    message.headers,
                    private_hosts=settings.WEBHOOK_PRIVATE_HOSTS,
                )
                self._on_way[future] = message

    def _finish(self, future: Future[PostResult]) -> None:
        message = self._on_way.pop(future)
        self._attempts += 1
        try:
            result = future.result()
        except Exception as error:
            log.warning("a webhook was not sent: %s", type(error).__name__)
            result = PostResult(None, "unreachable")
        record_result(message, result, now=timezone.now(), draw=self._draw)


def _try_lease(owner: EndpointOwner, most: int) -> list[OutgoingMessage]:
    """`lease_messages`; one endpoint that fails holds up no other."""
    try:
        return lease_messages(owner, most, now=timezone.now())
    except Exception as error:
        # Only the class: a message may quote a row.
        log.warning("a webhook was not prepared: %s", type(error).__name__)
        return []


def due_q(now: datetime) -> Q:
    """Deliveries that are to be sent now and that no worker has."""
    free = Q(leased_until=None) | Q(leased_until__lt=now)
    return free & Q(state=DeliveryState.WAITING, next_attempt_at__lte=now)


def _worker_rows(owner: EndpointOwner) -> "QuerySet[WebhookDelivery]":
    return WebhookDelivery.objects.using(WORKER).filter(
        organisation_id=owner.organisation_id, endpoint_id=owner.id
    )


def _has_due(owner: EndpointOwner, now: datetime) -> bool:
    if owner.paused_until is not None and owner.paused_until > now:
        return False
    with organisation_scope(owner.organisation_id, using=WORKER):
        return _worker_rows(owner).filter(due_q(now)).exists()


def lease_messages(owner: EndpointOwner, most: int, *, now: datetime) -> list[OutgoingMessage]:
    """Lease up to `most` due deliveries of an endpoint, and make their messages.

    What the owner may no longer know of is withheld. An endpoint whose owner may have none any
    more, or whose secret is lost, is switched off.
    """
    try:
        actor = resolve_owner(owner, now)
        principal = resolve_principal(actor)
        with principal.scope():
            endpoint = WebhookEndpoint.objects.filter(
                organisation_id=owner.organisation_id, id=owner.id, disabled_at=None
            ).first()
            found = [] if endpoint is None else _lease(principal, endpoint, owner, most, now)
    except EndpointStoppedError as stopped:
        stop_endpoint(owner, stopped.reason, now)
        return []
    _withhold_unreadable(owner, principal, now)
    return found


def _lease(
    principal: Principal,
    endpoint: WebhookEndpoint,
    owner: EndpointOwner,
    most: int,
    now: datetime,
) -> list[OutgoingMessage]:
    """Inside the owner's scope, which shows only what is about audiences that they read."""
    secrets = _open_secrets(endpoint, now)
    try:
        check_url(endpoint.url, private_hosts=settings.WEBHOOK_PRIVATE_HOSTS)
    except InvalidUrlError as error:
        raise EndpointStoppedError(DisabledReason.ADDRESS) from error
    rows = WebhookDelivery.objects.filter(
        due_q(now), organisation_id=owner.organisation_id, endpoint_id=owner.id
    )
    order = rows.order_by("next_attempt_at", "id")
    found = list(order.select_for_update(of=("self",), skip_locked=True)[:most])
    about = [row.subject for row in found if row.event in _ABOUT_PRESENT]
    present = filter_memories(principal, {}, now).filter(id__in=[id_ for id_ in about if id_])
    memories = {memory.id: memory for memory in present} if about else {}
    messages = []
    for row in found:
        memory = memories.get(row.subject) if row.subject else None
        row.attempted_at = now
        if row.event in _ABOUT_PRESENT and memory is None:
            row.state, row.next_attempt_at, row.leased_until = DeliveryState.WITHHELD, None, None
        else:
            row.attempts, row.leased_until = row.attempts + 1, now + LEASE
            messages.append(_message(row, endpoint, owner, secrets, memory, now))
        row.save(
            update_fields=["attempted_at", "state", "next_attempt_at", "attempts", "leased_until"]
        )
    return messages


def _open_secrets(endpoint: WebhookEndpoint, now: datetime) -> list[str]:
    """The secrets that sign now, the newest first. Raises EndpointStoppedError."""
    stored = [endpoint.secret]
    if endpoint.previous_secret and not has_expired(endpoint.previous_expires_at, now):
        stored.append(endpoint.previous_secret)
    try:
        return [open_secret(one, endpoint.id) for one in stored]
    except SecretLostError as error:
        raise EndpointStoppedError(DisabledReason.UNSIGNED) from error


def _message(
    row: WebhookDelivery,
    endpoint: WebhookEndpoint,
    owner: EndpointOwner,
    secrets: Sequence[str],
    memory: Memory | None,
    now: datetime,
) -> OutgoingMessage:
    body = orjson.dumps(
        {"type": row.event, "timestamp": row.created_at, "data": _data(row, endpoint, memory)},
        option=orjson.OPT_UTC_Z,
    )
    assert row.leased_until is not None  # noqa: S101 - for the type checker
    return OutgoingMessage(
        owner=owner,
        delivery_id=row.id,
        attempts=row.attempts,
        leased_until=row.leased_until,
        url=endpoint.url,
        body=body,
        headers=signed_headers(secrets, format_message_id(row.id), int(now.timestamp()), body),
    )


def _data(row: WebhookDelivery, endpoint: WebhookEndpoint, memory: Memory | None) -> dict[str, Any]:
    """Ids and fixed words. The text only if the endpoint asks for it, as the owner reads it now;
    never one that is kept encrypted."""
    data: dict[str, Any] = {"id": row.subject, **row.facts}
    if memory is not None:
        data["audience"] = audience_name(audience_mark(memory.audience_id))
        if endpoint.with_text:
            data["content"] = None if memory.sensitive else memory.content
    return data


def _withhold_unreadable(owner: EndpointOwner, principal: Principal, now: datetime) -> None:
    """What is about audiences that the owner reads no longer stays unsent for good."""
    with organisation_scope(owner.organisation_id, using=WORKER):
        due = _worker_rows(owner).filter(due_q(now)).exclude(audience_id__in=principal.audiences)
        hidden = dict(due.values_list("id", "audience_id"))
    if not hidden:
        return
    # Looked up behind the rows: an audience that the owner has gained meanwhile may have some.
    readable = resolve_principal(principal.actor).audiences
    lost = [id_ for id_, audience_id in hidden.items() if audience_id not in readable]
    with organisation_scope(owner.organisation_id, using=WORKER):
        _worker_rows(owner).filter(id__in=lost, state=DeliveryState.WAITING).update(
            state=DeliveryState.WITHHELD, next_attempt_at=None, leased_until=None
        )


def record_result(
    message: OutgoingMessage, result: PostResult, *, now: datetime, draw: Callable[[], float]
) -> None:
    """Write down what became of an attempt, unless another worker has the delivery now. 410
    switches the endpoint off."""
    status = result.status
    sent = status is not None and 200 <= status < 300
    delay = None if sent else compute_delay(message.attempts, draw)
    state = DeliveryState.SENT if sent else DeliveryState.WAITING if delay else DeliveryState.DEAD
    owner = message.owner
    with organisation_scope(owner.organisation_id, using=WORKER):
        rows = _worker_rows(owner).filter(
            id=message.delivery_id,
            state=DeliveryState.WAITING,
            leased_until=message.leased_until,
        )
        rows.update(
            state=state,
            next_attempt_at=now + delay if delay else None,
            leased_until=None,
            status=status,
            error="" if sent else result.error or DeliveryError.STATUS,
        )
        _record_failures(owner, failed=not sent, now=now)
    if status == GONE_STATUS:
        stop_endpoint(owner, DisabledReason.GONE, now)


def _record_failures(owner: EndpointOwner, *, failed: bool, now: datetime) -> None:
    """Count a failed attempt and leave the endpoint alone for a while, or forget those before."""
    rows = WebhookEndpoint.objects.using(WORKER).filter(
        organisation_id=owner.organisation_id, id=owner.id
    )
    if not failed:
        rows.exclude(failures=0).update(failures=0, paused_until=None)
        return
    # Those that were on their way together count as one.
    together = rows.filter(Q(paused_until=None) | Q(paused_until__lte=now))
    pause = now + compute_pause(owner.failures + 1)
    together.update(failures=owner.failures + 1, paused_until=pause)
