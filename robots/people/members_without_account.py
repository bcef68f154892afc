"""Members without an account: made, or found by their identity."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from orgs import audit
from orgs.database.advisory_locks import acquire_advisory_lock
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError
from orgs.members.invitations import create_member
from orgs.models.memberships import Member
from orgs.organisations.references import find_members, get_member, link_identity
from orgs.principals import Actor
from robots.models.keys import KeyScope
from robots.people.directory import manageable_members, visible_members


def ensure_member(actor: Actor, data: Mapping[str, Any], now: datetime) -> tuple[Member, bool]:
    """The member with this identity, unchanged, or a new one without an account. Tells whether they
    are new.

    data: identity and name. Raises AlreadyExistsError for the identity of a member whom the caller
    may not know, and what `create_member_without_account` raises.
    """
    try:
        return create_member_without_account(actor, data, now), True
    except AlreadyExistsError as error:
        if error.existing is None:
            raise
        with organisation_scope(actor.organisation_id):
            return get_member(actor.organisation_id, str(error.existing)), False


def _known_member_id(actor: Actor, member: Member, identity: str) -> UUID | None:
    """The id of the member, if the caller may know them: by a group, or because a robot that acts
    for members may act for the one who has this identity."""
    if visible_members(actor).filter(id=member.id).exists():
        return member.id
    if actor.owner_id is not None or KeyScope.ACT_FOR not in actor.scopes:
        return None
    acting = find_members(actor.organisation_id, [identity]).get(identity)
    return member.id if acting is not None and acting.id == member.id else None


def _check_identity_free(actor: Actor, identity: str) -> None:
    """Raises AlreadyExistsError, with the id of the identity's member if the caller may know them.

    Of two calls at once the second finds the member whom the first one made.
    """
    acquire_advisory_lock(actor.organisation_id, "member")
    taken = find_members(actor.organisation_id, [identity], claimed=True)
    if identity in taken:
        raise AlreadyExistsError(
            "This identity belongs to a member already.",
            existing=_known_member_id(actor, taken[identity], identity),
        )


def create_member_without_account(actor: Actor, data: Mapping[str, Any], now: datetime) -> Member:
    """Add a member without an account. data: name, and perhaps identity (platform:identifier).

    Raises AlreadyExistsError for a known identity, and what `check_name` raises.
    """
    organisation_id = actor.organisation_id
    platform, _, identifier = data.get("identity", "").partition(":")
    with organisation_scope(organisation_id):
        if identifier:
            _check_identity_free(actor, data["identity"])
        member, _secret = create_member(
            organisation_id=organisation_id,
            name=data["name"],
            beside=manageable_members(actor),
            now=now,
        )
        if identifier:
            link_identity(
                organisation_id=organisation_id,
                platform=platform,
                identifier=identifier,
                member_id=member.id,
            )
        audit.record_entry(
            "member.created", actor=actor, now=now, target=member.id, target_type="member"
        )
    return member
