"""Which member a `platform:identifier` is: robots say it, an admin or a code confirms it.

Every robot of the organisation that knows the member sees their identities. An identity that
nobody has confirmed tells robots whom others mean. For a member with an account it opens nothing
until an admin confirms it or the member proves it with a code, whatever confidence a robot states.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F, Q

from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError, ReferenceNotFoundError
from orgs.models.memberships import ExternalIdentity, Member, Role
from orgs.organisations.references import parse_uuid
from orgs.principals import Actor
from robots.access.writer_identity import check_acting_for, may_act_for
from robots.errors import WrongCodeError
from robots.identities.identity_code import is_valid_code
from robots.models.identities import IdentityLink
from robots.models.keys import KeyScope
from robots.people.directory import get_manageable_member, get_visible_member, visible_members
from robots.registry.robots import WEB, ensure_builtin_robot

MAX_IDENTITIES = 100
# The platform of imports: such a name says who the speaker of an imported line is.
IMPORT_PLATFORM = "import"
IDENTITY_TAKEN = "This identity belongs to a member already."


@dataclass(frozen=True, slots=True)
class VisibleIdentity:
    """An identity and the links of robots to it. full: ids of robots whose evidence and known_as
    the asker may see."""

    identity: ExternalIdentity
    links: list[IdentityLink]
    full: frozenset[UUID]


def list_identities(actor: Actor, reference: str) -> tuple[Member, list[VisibleIdentity]]:
    """A member whom the asker knows, with their first MOST identities.

    Robots and admins may ask for anybody, other people for themselves. Raises NotFoundError, and
    PermissionError for another person's.
    """
    member = get_manageable_member(actor, reference, claimed=True)
    if not (actor.administers or may_act_for(actor, member.id)):
        raise PermissionError("Robots and admins see by which names others are known elsewhere.")
    with organisation_scope(actor.organisation_id):
        rows = ExternalIdentity.objects.filter(
            organisation_id=actor.organisation_id, member_id=member.id
        )
        return member, _visible_identities(
            actor, list(rows.order_by("platform", "identifier")[:MAX_IDENTITIES])
        )


def _visible_identities(actor: Actor, rows: list[ExternalIdentity]) -> list[VisibleIdentity]:
    links = IdentityLink.objects.filter(
        organisation_id=actor.organisation_id, identity_id__in=[row.id for row in rows]
    ).select_related("robot")
    by_identity: dict[UUID, list[IdentityLink]] = {row.id: [] for row in rows}
    for link in links.order_by("created_at", "id"):
        by_identity[link.identity_id].append(link)
    return [
        VisibleIdentity(
            row,
            by_identity[row.id],
            frozenset(
                link.robot_id
                for link in by_identity[row.id]
                if _is_admin(actor) or link.robot_id == actor.robot_id
            ),
        )
        for row in rows
    ]


def link_member_identity(
    actor: Actor, reference: str, data: Mapping[str, Any], *, now: datetime
) -> tuple[VisibleIdentity, bool]:
    """Say that an identity is this member. Returns it and whether it is new.

    data: identity, and perhaps known_as, confidence (0-1), evidence, proof. An admin who says it
    confirms it, and so does the member's own code (`proof`), sent from that identity. It holds in
    every group: only an import says what a name means in one group.

    Raises NotFoundError for the member, AlreadyExistsError for an identity or name of somebody
    else, WrongCodeError for a code that is not theirs, and PermissionError for people who are no
    admins and for the platform `import` without the scope manage.
    """
    member = get_visible_member(actor, reference)
    if actor.is_person and not _is_admin(actor):
        raise PermissionError("Admins say who is who; robots say what they have seen.")
    if not actor.is_person:
        check_acting_for(actor, member.id)
    platform, _, identifier = data["identity"].partition(":")
    if platform == IMPORT_PLATFORM and not (_is_admin(actor) or KeyScope.MANAGE in actor.scopes):
        raise PermissionError("Imports give these names, and who manages members.")
    tenant = {"organisation_id": actor.organisation_id}
    with organisation_scope(actor.organisation_id):
        proven = "proof" in data and _is_code_valid(member, data["proof"], now)
        if "proof" in data and not proven:
            raise WrongCodeError
        row, created = ExternalIdentity.objects.get_or_create(
            **tenant,
            platform=platform,
            identifier=identifier,
            group_id=None,
            defaults={"member_id": member.id, "created_at": now},
        )
        if row.member_id != member.id:
            if not proven or row.confirmed_at is not None:
                theirs = visible_members(actor).filter(id=row.member_id)
                raise AlreadyExistsError(
                    IDENTITY_TAKEN, existing=theirs.values_list("id", flat=True).first()
                )
            row, created = _transfer_identity(actor, row, member, now), True
        _store_link(actor, row, data, now)
        _record("identity.linked", actor, row, now)
        if (_is_admin(actor) or proven) and row.confirmed_at is None:
            _set_confirmed(row, now)
            _record("identity.proven" if proven else "identity.confirmed", actor, row, now)
        row.member = member
        return _visible_identities(actor, [row])[0], created


def _is_code_valid(member: Member, code: str, now: datetime) -> bool:
    """Check the code with the member locked, so that a code proves one name only."""
    of = {"organisation_id": member.organisation_id, "id": member.id}
    Member.objects.select_for_update(of=("self",)).get(**of)
    return is_valid_code(member, code, now=now)


def _transfer_identity(
    actor: Actor, claimed: ExternalIdentity, member: Member, now: datetime
) -> ExternalIdentity:
    """Give an unconfirmed identity of somebody else to the member who has proven it.

    The row is made anew, so that no link of a robot stays. Raises AlreadyExistsError where it
    belongs to somebody without an account: robots act for them under it, and they cannot object.
    """
    of = {"organisation_id": claimed.organisation_id, "id": claimed.id, "confirmed_at": None}
    row = ExternalIdentity.objects.select_for_update(of=("self",)).filter(**of).first()
    if row is None or not Member.objects.filter(id=row.member_id, user__isnull=False).exists():
        raise AlreadyExistsError(IDENTITY_TAKEN)
    _record("identity.unlinked", actor, row, now)
    row.delete()
    return ExternalIdentity.objects.create(
        organisation_id=member.organisation_id,
        platform=claimed.platform,
        identifier=claimed.identifier,
        member_id=member.id,
        created_at=now,
    )


def _store_link(
    actor: Actor, row: ExternalIdentity, data: Mapping[str, Any], now: datetime
) -> None:
    tenant = {"organisation_id": actor.organisation_id}
    robot_id = actor.robot_id or ensure_builtin_robot(actor.organisation_id, WEB, now).id
    said = {name: data[name] for name in ("known_as", "confidence", "evidence") if name in data}
    try:
        with transaction.atomic():
            IdentityLink.objects.update_or_create(
                **tenant,
                identity_id=row.id,
                robot_id=robot_id,
                defaults=said,
                create_defaults={**said, "created_at": now},
            )
    except IntegrityError as error:
        raise AlreadyExistsError("You know somebody else by this name already.") from error


def unlink_identity(actor: Actor, reference: str, identity: str, *, now: datetime) -> None:
    """Take back the link of the asking robot, or, as an admin, delete the identity.

    An unconfirmed identity is deleted with its last link, or by a key that manages; so is a
    confirmed one to which the robot of that key has no link. Messages said under it stay with the
    member. Raises NotFoundError: also for a robot that has no link to it and may not delete it.
    """
    member = get_manageable_member(actor, reference, claimed=True)
    with organisation_scope(actor.organisation_id):
        row = _get_identity(actor, member, identity)
        links = IdentityLink.objects.filter(
            organisation_id=actor.organisation_id, identity_id=row.id
        )
        said, _ = links.filter(robot_id=actor.robot_id).delete()
        manages = KeyScope.MANAGE in actor.scopes or (said and not links.exists())
        # What the robot of a key with `manage` has said of a confirmed identity goes first.
        manages = manages if row.confirmed_at is None else actor.administers and not said
        if _is_admin(actor) or manages:
            row.delete()
        elif not said:
            raise NotFoundError("not said by this robot")
        _record("identity.unlinked", actor, row, now)


def confirm_identity(
    actor: Actor, reference: str, identity: str, *, now: datetime
) -> VisibleIdentity:
    """Confirm that the identity is this member: from now on it counts where it is decided who
    reads.

    Raises NotFoundError, and PermissionError for anybody without an admin's rights.
    """
    if not actor.administers:
        raise PermissionError("Only an admin confirms who somebody is.")
    member = get_manageable_member(actor, reference, claimed=True)
    with organisation_scope(actor.organisation_id):
        row = _get_identity(actor, member, identity)
        if row.confirmed_at is None:
            _set_confirmed(row, now)
            _record("identity.confirmed", actor, row, now)
        row.member = member
        return _visible_identities(actor, [row])[0]


def get_member_by_any_name(actor: Actor, reference: str) -> Member:
    """A member by id, by an identity, or by the asking robot's own name for them.

    Raises NotFoundError.
    """
    try:
        return get_manageable_member(actor, reference, claimed=True)
    except NotFoundError:
        if actor.robot_id is None:
            raise
    with organisation_scope(actor.organisation_id):
        said = IdentityLink.objects.filter(
            organisation_id=actor.organisation_id, robot_id=actor.robot_id, known_as=reference
        ).exclude(known_as="")
        found = visible_members(actor).filter(id__in=said.values("identity__member_id")).first()
    if found is None:
        raise ReferenceNotFoundError("member", reference)
    return found


def _get_identity(actor: Actor, member: Member, identity: str) -> ExternalIdentity:
    platform, _, identifier = identity.partition(":")
    match = Q(platform=platform, identifier=identifier)
    if by_id := parse_uuid(identity):
        match |= Q(id=by_id)
    row = (
        ExternalIdentity.objects.select_for_update(of=("self",))
        .filter(match, organisation_id=actor.organisation_id, member_id=member.id)
        .order_by(F("group_id").asc(nulls_first=True), "id")
        .first()
    )
    if row is None:
        raise NotFoundError("no such identity")
    return row


def _is_admin(actor: Actor) -> bool:
    return actor.is_person and actor.role == Role.ADMIN


def _set_confirmed(row: ExternalIdentity, now: datetime) -> None:
    row.confirmed_at = now
    row.save(update_fields=["confirmed_at"])


def _record(action: str, actor: Actor, row: ExternalIdentity, now: datetime) -> None:
    audit.record_entry(
        action,
        actor=actor,
        now=now,
        target=row.member_id,
        target_type="member",
        platform=row.platform,
        identity=str(row.id),
    )
