"""Write down what each endpoint is owed: read the feed of changes as its owner.

The position and the rows are written in one transaction, so nothing is lost and nothing is told
twice. What the owner may know at that moment is decided by the feed, not here.
"""

import logging
from collections.abc import Iterable, Iterator
from datetime import datetime
from uuid import UUID

from memories.browsing.change_feed.change_feed import (
    ChangeLine,
    ChangeType,
    CursorTooOldError,
    current_position,
    read_changes,
)
from memories.browsing.change_feed.feed_position import FeedPosition
from memories.curation.decision_records.models import Decision
from memories.webhooks.models import DeliveryState, EventType, WebhookDelivery, WebhookEndpoint
from memories.webhooks.owners import (
    EndpointOwner,
    EndpointStoppedError,
    list_open_endpoints,
    resolve_owner,
    stop_endpoint,
)
from memories.webhooks.read_acts import build_delivery, read_acts
from orgs.principals import Actor, Principal, resolve_principal

log = logging.getLogger("commonmind.webhooks")

# Lines of a page of the feed, and pages of one turn.
PAGE_SIZE, MAX_PAGES = 500, 10
# While so many wait for one endpoint its feed is not read on: the position keeps the rest.
MAX_WAITING = 10_000

_EVENT_OF_CHANGE = {
    ChangeType.MADE: EventType.MEMORY_CREATED,
    ChangeType.CHANGED: EventType.MEMORY_CHANGED,
    ChangeType.FORGOTTEN: EventType.MEMORY_FORGOTTEN,
    ChangeType.ERASED: EventType.MEMORY_ERASED,
    ChangeType.GONE: EventType.MEMORY_GONE,
}


def read_feeds(organisation_id: UUID, *, now: datetime) -> int:
    """Read the feeds of all endpoints of an organisation. Returns how many deliveries were
    written."""
    written = 0
    for owner in list_open_endpoints(organisation_id):
        try:
            written += read_feed(owner, now=now)
        except Exception as error:
            # Only the class: a message may quote a row. The next turn begins where this one did.
            log.warning("a feed was not read: %s", type(error).__name__)
    return written


def read_feed(owner: EndpointOwner, *, now: datetime) -> int:
    """Write the deliveries of what happened since the last turn. Returns how many.

    0 if another worker reads this feed now. An endpoint whose owner may have none any more is
    switched off.
    """
    try:
        actor = resolve_owner(owner, now)
    except EndpointStoppedError as stopped:
        stop_endpoint(owner, stopped.reason, now)
        return 0
    principal = resolve_principal(actor)
    with principal.scope():
        rows = WebhookEndpoint.objects.filter(
            organisation_id=owner.organisation_id, id=owner.id, disabled_at=None
        )
        endpoint = rows.select_for_update(skip_locked=True).first()
        if endpoint is None or _is_behind(endpoint):
            return 0
        owed = [*_read_changes(actor, principal, endpoint, now), *read_acts(actor, endpoint, now)]
        # An act within the overlap may have been told before.
        WebhookDelivery.objects.bulk_create(owed, ignore_conflicts=True)
        endpoint.save(update_fields=["position", "jobs_seen_at"])
    return len(owed)


def _is_behind(endpoint: WebhookEndpoint) -> bool:
    """Whether more waits for the endpoint than is written down for it."""
    waiting = WebhookDelivery.objects.filter(
        organisation_id=endpoint.organisation_id,
        endpoint_id=endpoint.id,
        state=DeliveryState.WAITING,
    )
    return waiting.order_by()[MAX_WAITING - 1 : MAX_WAITING].exists()


def _read_changes(
    actor: Actor, principal: Principal, endpoint: WebhookEndpoint, now: datetime
) -> list[WebhookDelivery]:
    owed: list[WebhookDelivery] = []
    for _ in range(MAX_PAGES):
        try:
            position = FeedPosition.from_bytes(bytes(endpoint.position))
            page = read_changes(actor, position, limit=PAGE_SIZE, now=now, whole=False)
        except (CursorTooOldError, ValueError):
            # What happened since is lost: a copy that must miss nothing asks /changes.
            endpoint.position = current_position(principal, now=now).to_bytes()
            break
        endpoint.position = page.position.to_bytes()
        owed += _deliveries(principal, endpoint, page.lines, now)
        if not page.more:
            break
    return owed


def _deliveries(
    principal: Principal, endpoint: WebhookEndpoint, lines: Iterable[ChangeLine], now: datetime
) -> Iterator[WebhookDelivery]:
    found = list(lines)
    decided: set[UUID] = set()
    if EventType.DECISION_RECORDED in endpoint.events:
        made = [line.id for line in found if line.change is ChangeType.MADE and line.id]
        rows = Decision.objects.filter(
            organisation_id=principal.organisation_id, memory_id__in=made
        )
        decided = set(rows.values_list("memory_id", flat=True))
    for line in found:
        events = [_EVENT_OF_CHANGE[line.change]]
        if line.id in decided and line.change is ChangeType.MADE:
            events.append(EventType.DECISION_RECORDED)
        for event in events:
            if event in endpoint.events:
                yield build_delivery(
                    endpoint,
                    event,
                    now,
                    audience_id=line.readers or principal.own_audience,
                    subject=line.id,
                    facts={"audience": line.audience} if line.audience else {},
                )
