"""As whom an endpoint reads, with the rights that they have now."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.webhooks.models import DisabledReason, WebhookEndpoint
from orgs import audit
from orgs.accounts.sessions import actor_of
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.memberships import Member, Role, can_sign_in_q
from orgs.models.organisations import Organisation
from orgs.principals import Actor
from robots.access.keys import find_key_caller
from robots.models.keys import KeyScope

WORKER = "worker"


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointOwner:
    """What the worker knows of an endpoint. member_id or robot_id: its owner. failures,
    paused_until: see `WebhookEndpoint`."""

    organisation_id: UUID
    id: UUID
    member_id: UUID | None
    robot_id: UUID | None
    key_id: UUID | None
    failures: int = 0
    paused_until: datetime | None = None


class EndpointStoppedError(Exception):
    """Nothing may be sent to an endpoint any more; reason says why."""

    def __init__(self, reason: DisabledReason) -> None:
        super().__init__(str(reason))
        self.reason = reason


def check_may_own(actor: Actor) -> None:
    """Raise NotFoundError for members other than admins, and PermissionError for robots that act
    for a member or serve a viewer: neither has endpoints."""
    if actor.is_person:
        if actor.role != Role.ADMIN:
            raise NotFoundError("no webhooks")
    elif not actor.is_robot_alone:
        raise PermissionError("A robot that acts for a member has no webhooks; ask without one.")
    elif actor.only_reads:
        raise PermissionError("Viewers have no webhooks, and so have their robots.")


def resolve_owner(owner: EndpointOwner, now: datetime) -> Actor:
    """Who an endpoint is read as. Raises EndpointStoppedError for an owner who may have none any
    more."""
    if owner.member_id is not None:
        with organisation_scope(owner.organisation_id):
            member = (
                Member.objects.filter(can_sign_in_q(), role=Role.ADMIN)
                .filter(organisation_id=owner.organisation_id, id=owner.member_id)
                .first()
            )
        if member is None:
            raise EndpointStoppedError(DisabledReason.OWNER)
        return actor_of(member)
    caller = owner.key_id and find_key_caller(owner.organisation_id, owner.key_id, now)
    if not caller or caller.robot_id != owner.robot_id or caller.key_groups is not None:
        raise EndpointStoppedError(DisabledReason.KEY)
    actor = caller.actor()
    if not actor.is_robot_alone or KeyScope.READ not in actor.scopes or actor.only_reads:
        raise EndpointStoppedError(DisabledReason.KEY)
    return actor


def list_open_endpoints(organisation_id: UUID) -> list[EndpointOwner]:
    """The endpoints of an organisation that are not switched off, unless it is suspended or
    closed; in the role of the worker."""
    with organisation_scope(organisation_id, using=WORKER):
        rows = WebhookEndpoint.objects.using(WORKER).filter(
            organisation_id=organisation_id, disabled_at=None
        )
        found = rows.order_by("id").values(
            "organisation_id", "id", "member_id", "robot_id", "key_id", "failures", "paused_until"
        )
        endpoints = [EndpointOwner(**row) for row in found]
    if endpoints:
        with organisation_scope(organisation_id):
            here = Organisation.objects.filter(
                id=organisation_id, suspended_at=None, removed_at=None
            )
            if here.exists():
                return endpoints
    return []


def stop_endpoint(owner: EndpointOwner, reason: DisabledReason, now: datetime) -> None:
    """Switch an endpoint off for a reason, and record it; once more changes nothing."""
    with organisation_scope(owner.organisation_id, using=WORKER):
        rows = WebhookEndpoint.objects.using(WORKER).filter(
            organisation_id=owner.organisation_id, id=owner.id, disabled_at=None
        )
        if rows.update(disabled_at=now, disabled_for=reason):
            audit.record_entry(
                "webhook.disabled",
                actor=Actor(organisation_id=owner.organisation_id),
                now=now,
                target=owner.id,
                target_type="webhook",
                using=WORKER,
                reason=str(reason),
            )
