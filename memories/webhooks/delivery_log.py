"""What an endpoint was sent and is owed, for its owner; what is old is deleted."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet

from memories.jobs.old_rows import delete_old_rows, old_rows_sql
from memories.webhooks.endpoints import forget_failures, get_endpoint
from memories.webhooks.models import (
    DeliveryState,
    EventType,
    WebhookDelivery,
    WebhookEndpoint,
)
from memories.webhooks.owners import check_may_own
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.principals import Actor, resolve_principal

# Rows of a page; what is counted of dead deliveries.
PAGE_SIZE, MAX_COUNT = 50, 1_000
_DELETE_OLD_SQL = old_rows_sql(
    "memories_webhookdelivery", "created_at < %(before)s ORDER BY created_at"
)


def endpoint_deliveries(actor: Actor, endpoint_id: UUID) -> "QuerySet[WebhookDelivery]":
    """The deliveries of an endpoint about what its owner may still know of; inside their scope.
    Raises NotFoundError."""
    endpoint = get_endpoint(actor, endpoint_id)
    return WebhookDelivery.objects.filter(
        organisation_id=actor.organisation_id, endpoint_id=endpoint.id
    )


@dataclass(frozen=True, slots=True)
class DeliveryPage:
    """deliveries: the newest first. before: where the next page begins; None on the last. dead: how
    many were given up, at most MAX_COUNT."""

    endpoint: WebhookEndpoint
    deliveries: list[WebhookDelivery]
    before: UUID | None
    dead: int


def filter_deliveries(
    rows: "QuerySet[WebhookDelivery]", *, state: str = "", event: str = ""
) -> "QuerySet[WebhookDelivery]":
    """Those of a state and of an event; empty is any."""
    chosen = {name: value for name, value in (("state", state), ("event", event)) if value}
    return rows.filter(**chosen)


def get_delivery_page(
    actor: Actor,
    endpoint_id: UUID,
    *,
    state: str = "",
    event: str = "",
    before: UUID | None = None,
) -> DeliveryPage:
    """An endpoint with a page of its deliveries. Raises NotFoundError."""
    with resolve_principal(actor).scope():
        endpoint = get_endpoint(actor, endpoint_id)
        every = endpoint_deliveries(actor, endpoint_id)
        dead = filter_deliveries(every, state=DeliveryState.DEAD).order_by()[:MAX_COUNT].count()
        rows = filter_deliveries(every, state=state, event=event)
        if before is not None:
            rows = rows.filter(id__lt=before)
        found = list(rows.order_by("-id")[: PAGE_SIZE + 1])
    shown, more = found[:PAGE_SIZE], len(found) > PAGE_SIZE
    return DeliveryPage(endpoint, shown, shown[-1].id if more else None, dead)


def get_delivery(
    actor: Actor, endpoint_id: UUID, delivery_id: UUID
) -> tuple[WebhookEndpoint, WebhookDelivery]:
    """One delivery and its endpoint. Raises NotFoundError."""
    with resolve_principal(actor).scope():
        endpoint = get_endpoint(actor, endpoint_id)
        row = endpoint_deliveries(actor, endpoint_id).filter(id=delivery_id).first()
    if row is None:
        raise NotFoundError("no such delivery")
    return endpoint, row


def enqueue_test(actor: Actor, endpoint_id: UUID, *, now: datetime) -> WebhookDelivery:
    """Have a message without content sent. Raises NotFoundError, AlreadyExistsError while another
    one waits or the endpoint is switched off, and what `check_may_own` raises."""
    check_may_own(actor)
    principal = resolve_principal(actor)
    with principal.scope():
        endpoint = get_endpoint(actor, endpoint_id, lock=True)
        if endpoint.disabled_at is not None:
            raise AlreadyExistsError("This webhook is switched off.")
        waiting = endpoint_deliveries(actor, endpoint_id).filter(
            event=EventType.TEST, state=DeliveryState.WAITING
        )
        if waiting.exists():
            raise AlreadyExistsError("Another test of this webhook waits.")
        delivery = WebhookDelivery(
            organisation_id=actor.organisation_id,
            endpoint_id=endpoint.id,
            owner_audience_id=endpoint.audience_id,
            audience_id=endpoint.audience_id,
            event=EventType.TEST,
            created_at=now,
            next_attempt_at=now,
        )
        delivery.save(force_insert=True)
        forget_failures(endpoint)
    return delivery


def redeliver(
    actor: Actor, endpoint_id: UUID, delivery_id: UUID, *, now: datetime
) -> WebhookDelivery:
    """Have a delivery sent once more, with the same id and as many attempts as a new one.

    Raises NotFoundError, AlreadyExistsError while it waits or the endpoint is switched off, and
    what `check_may_own` raises.
    """
    check_may_own(actor)
    principal = resolve_principal(actor)
    with principal.scope():
        endpoint = get_endpoint(actor, endpoint_id, lock=True)
        rows = endpoint_deliveries(actor, endpoint_id).filter(id=delivery_id)
        delivery = rows.select_for_update(of=("self",)).first()
        if delivery is None:
            raise NotFoundError("no such delivery")
        if delivery.state == DeliveryState.WAITING:
            raise AlreadyExistsError("It waits to be sent.")
        if endpoint.disabled_at is not None:
            raise AlreadyExistsError("This webhook is switched off.")
        delivery.state, delivery.attempts = DeliveryState.WAITING, 0
        delivery.next_attempt_at, delivery.leased_until = now, None
        delivery.save(update_fields=["state", "attempts", "next_attempt_at", "leased_until"])
        forget_failures(endpoint)
    return delivery


def redeliver_dead(actor: Actor, endpoint_id: UUID, *, now: datetime) -> int:
    """Have every delivery that was given up sent once more, as `redeliver`; returns how many.

    Raises NotFoundError, AlreadyExistsError while the endpoint is switched off, and what
    `check_may_own` raises.
    """
    check_may_own(actor)
    principal = resolve_principal(actor)
    with principal.scope():
        endpoint = get_endpoint(actor, endpoint_id, lock=True)
        if endpoint.disabled_at is not None:
            raise AlreadyExistsError("This webhook is switched off.")
        dead = filter_deliveries(endpoint_deliveries(actor, endpoint_id), state=DeliveryState.DEAD)
        count = dead.update(
            state=DeliveryState.WAITING, attempts=0, next_attempt_at=now, leased_until=None
        )
        forget_failures(endpoint)
    return count


def delete_old_deliveries(organisation_id: UUID, *, now: datetime) -> int:
    """Delete deliveries older than the setting WEBHOOK_LOG_DAYS, sent or not; returns how many."""
    before = now - timedelta(days=settings.WEBHOOK_LOG_DAYS)
    return delete_old_rows(organisation_id, _DELETE_OLD_SQL, before)
