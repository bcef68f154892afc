"""Endpoints of webhooks, for their owners: made, changed, deleted, and their secrets rotated."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet

from memories.browsing.change_feed.change_feed import current_position
from memories.webhooks.models import DisabledReason, WebhookEndpoint
from memories.webhooks.owners import check_may_own
from memories.webhooks.signatures import make_secret, seal_secret
from orgs import audit
from orgs.database.advisory_locks import acquire_advisory_lock
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.base import new_id
from orgs.outbound.url_rules import check_url
from orgs.principals import Actor, Principal, resolve_principal

# Of one robot or member.
MAX_ENDPOINTS = 20
# For so long the former secret signs as well.
ROTATION_OVERLAP = timedelta(hours=24)


class TooManyEndpointsError(Exception):
    """The owner has as many endpoints as they may."""

    def __init__(self) -> None:
        super().__init__(f"You have {MAX_ENDPOINTS} webhooks, which is all that one may have.")


@dataclass(frozen=True, slots=True)
class EndpointWithSecret:
    """An endpoint with the text of its secret, which is shown this once."""

    endpoint: WebhookEndpoint
    secret: str


def own_endpoints(actor: Actor) -> "QuerySet[WebhookEndpoint]":
    """The endpoints of the robot or of the member; inside their scope."""
    rows = WebhookEndpoint.objects.filter(organisation_id=actor.organisation_id)
    if actor.is_person:
        return rows.filter(member_id=actor.member_id)  # type: ignore[misc]  # a person is one
    if actor.is_robot_alone:
        return rows.filter(robot_id=actor.robot_id)  # type: ignore[misc]
    return rows.none()


def get_endpoint(actor: Actor, endpoint_id: UUID, *, lock: bool = False) -> WebhookEndpoint:
    """One endpoint of the asker; inside their scope. Raises NotFoundError."""
    rows = own_endpoints(actor).filter(id=endpoint_id)
    found = rows.select_for_update().first() if lock else rows.first()
    if found is None:
        raise NotFoundError("no such webhook")
    return found


def create_endpoint(
    actor: Actor,
    *,
    url: str,
    events: list[str],
    with_text: bool,
    now: datetime,
    endpoint_id: UUID | None = None,
) -> EndpointWithSecret:
    """Make an endpoint, which is told what happens from now on. endpoint_id: of a form that makes
    one, however often it is sent.

    Raises InvalidUrlError, TooManyEndpointsError, AlreadyExistsError for an endpoint_id that is
    taken, and what `check_may_own` raises.
    """
    check_may_own(actor)
    check_url(url, private_hosts=settings.WEBHOOK_PRIVATE_HOSTS)
    principal, secret, id_ = resolve_principal(actor), make_secret(), endpoint_id or new_id()
    with principal.scope():
        acquire_advisory_lock(principal.organisation_id, f"webhooks:{principal.own_audience}")
        if endpoint_id is not None and own_endpoints(actor).filter(id=endpoint_id).exists():
            raise AlreadyExistsError("This webhook was made already.")
        if own_endpoints(actor).count() >= MAX_ENDPOINTS:
            raise TooManyEndpointsError
        endpoint = WebhookEndpoint(
            id=id_,
            organisation_id=principal.organisation_id,
            audience_id=principal.own_audience,
            member_id=actor.member_id,
            robot_id=actor.robot_id,
            key_id=actor.key_id,
            url=url,
            events=sorted(set(events)),
            with_text=with_text,
            secret=seal_secret(secret, id_),
            position=current_position(principal, now=now).to_bytes(),
            jobs_seen_at=now,
            created_at=now,
        )
        endpoint.save(force_insert=True)
        _record(principal, "webhook.created", endpoint, now, with_text=with_text)
    return EndpointWithSecret(endpoint, secret)


def update_endpoint(
    actor: Actor, endpoint_id: UUID, data: Mapping[str, Any], *, now: datetime
) -> WebhookEndpoint:
    """Change an endpoint; a robot's then sends by the key of this call. data: url, events,
    with_text and enabled, each optional.

    Raises NotFoundError, InvalidUrlError, and what `check_may_own` raises.
    """
    check_may_own(actor)
    if "url" in data:
        check_url(data["url"], private_hosts=settings.WEBHOOK_PRIVATE_HOSTS)
    principal = resolve_principal(actor)
    with principal.scope():
        endpoint = get_endpoint(actor, endpoint_id, lock=True)
        before = {name: getattr(endpoint, name) for name in _CHANGED_FIELDS}
        endpoint.key_id = actor.key_id
        endpoint.url = data.get("url", endpoint.url)
        endpoint.events = sorted(set(data.get("events", endpoint.events)))
        endpoint.with_text = data.get("with_text", endpoint.with_text)
        if data.get("enabled") is True:
            endpoint.disabled_at, endpoint.disabled_for = None, ""
        elif data.get("enabled") is False and endpoint.disabled_at is None:
            endpoint.disabled_at, endpoint.disabled_for = now, DisabledReason.ASKED
        changed = [name for name, value in before.items() if getattr(endpoint, name) != value]
        if changed:
            forget_failures(endpoint)
            endpoint.save(update_fields=changed)
            _record(principal, "webhook.changed", endpoint, now, what=changed)
    return endpoint


_CHANGED_FIELDS = ("key_id", "url", "events", "with_text", "disabled_at", "disabled_for")


def delete_endpoint(actor: Actor, endpoint_id: UUID, *, now: datetime) -> None:
    """Delete an endpoint with everything that it was sent or owed. Raises NotFoundError; who may
    have no endpoint any more may still delete theirs."""
    principal = resolve_principal(actor)
    with principal.scope():
        endpoint = get_endpoint(actor, endpoint_id, lock=True)
        _record(principal, "webhook.deleted", endpoint, now)
        endpoint.delete()


def rotate_secret(
    actor: Actor, endpoint_id: UUID, *, now: datetime, after: str | None = None
) -> EndpointWithSecret:
    """A new secret; the former one signs as well for ROTATION_OVERLAP. after: the
    `rotation_mark` that the asker saw.

    Raises NotFoundError, AlreadyExistsError if the secret was rotated since, and what
    `check_may_own` raises.
    """
    check_may_own(actor)
    principal, secret = resolve_principal(actor), make_secret()
    with principal.scope():
        endpoint = get_endpoint(actor, endpoint_id, lock=True)
        if after is not None and after != rotation_mark(endpoint):
            raise AlreadyExistsError("This webhook has another secret since.")
        endpoint.previous_secret = endpoint.secret
        endpoint.previous_expires_at = now + ROTATION_OVERLAP
        endpoint.secret = seal_secret(secret, endpoint.id)
        endpoint.save(update_fields=["previous_secret", "previous_expires_at", "secret"])
        _record(principal, "webhook.changed", endpoint, now, what=["secret"])
    return EndpointWithSecret(endpoint, secret)


def rotation_mark(endpoint: WebhookEndpoint) -> str:
    """Another one after each rotation: a form that is sent twice must not end a secret in use."""
    return endpoint.previous_expires_at.isoformat() if endpoint.previous_expires_at else ""


def forget_failures(endpoint: WebhookEndpoint) -> None:
    """Try at once: the owner has looked after the receiver."""
    endpoint.failures, endpoint.paused_until = 0, None
    endpoint.save(update_fields=["failures", "paused_until"])


def _record(
    principal: Principal, action: str, endpoint: WebhookEndpoint, now: datetime, **detail: Any
) -> None:
    audit.record_entry(
        action,
        actor=principal.actor,
        now=now,
        target=endpoint.id,
        target_type="webhook",
        **detail,
    )
