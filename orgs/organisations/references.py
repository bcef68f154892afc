"""What a reference means: an id, a group's external id, or a member's `platform:identifier`.

Ids win: what can be read as an id is looked up only as an id, so no name can hide one.
"""

from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExists, NotFound
from orgs.models.memberships import ExternalIdentity, Member
from orgs.models.organisations import Group
from orgs.names.lookalikes import UNSEEN, is_unseen

IS_AN_ID = "This can be read as an id. Choose another name."
MAX_PLATFORM, MAX_IDENTIFIER = 40, 300


def storable(reference: str) -> str:
    """The reference, if the database can store it. Raises NotFound."""
    try:
        reference.encode()
    except UnicodeEncodeError as error:
        raise NotFound("a lone surrogate") from error
    if "\x00" in reference:
        raise NotFound("a NUL character")
    return reference


def as_uuid(reference: str | UUID) -> UUID | None:
    """The id, in any spelling that `UUID()` takes, or None."""
    if isinstance(reference, UUID):
        return reference
    try:
        return UUID(reference)
    except ValueError:
        return None


def fault_of_reference(reference: str) -> str:
    """Why this cannot be an external id, as a sentence; empty if it can."""
    if as_uuid(reference):
        return IS_AN_ID
    return UNSEEN if is_unseen(reference) else ""


def fault_of_identity(identity: str) -> str:
    """Why this is no valid `platform:identifier`, as a sentence; empty if it is."""
    platform, _, identifier = identity.partition(":")
    if not (0 < len(platform) <= MAX_PLATFORM and 0 < len(identifier) <= MAX_IDENTIFIER):
        return "Not a platform:identifier."
    if any(c.isspace() for c in platform) or identifier != identifier.strip():
        return "A blank beside the colon, or in the platform."
    return fault_of_reference(identity)


def find_group(
    organisation_id: UUID, reference: str | UUID, among: "QuerySet[Group] | None" = None
) -> Group:
    """By id or external id; of several the one that comes first in `among`. Raises NotFound.

    among: the groups that the asker may know. It is part of the one query, so a hidden group looks
    like an absent one and takes no longer.
    """
    groups = Group.objects.order_by("id") if among is None else among
    group = groups.filter(organisation_id=organisation_id, **_called(reference)).first()
    if group is None:
        raise NotFound("no such group")
    return group


def _called(reference: str | UUID) -> dict[str, str | UUID]:
    if by_id := as_uuid(reference):
        return {"id": by_id}
    return {"external_id": storable(str(reference))}


def find_member(
    organisation_id: UUID,
    reference: str | UUID,
    group: Group | None = None,
    among: "QuerySet[Member] | None" = None,
    *,
    claimed: bool = False,
    removed: bool = False,
) -> Member:
    """By id or `platform:identifier`; of the readings of a name the one that wins (`by_weight`).

    among: the members that the asker may know, as for groups. claimed: unconfirmed identities count
    too; never use it where it is decided who reads. removed: find removed members as well, only to
    look for what they said. Raises NotFound.
    """
    members = (Member.objects.all() if among is None else among).filter(
        organisation_id=organisation_id
    )
    if not removed:
        members = members.filter(removed_at=None)
    if by_id := as_uuid(reference):
        member = members.filter(id=by_id).first()
    else:
        platform, _, identifier = storable(str(reference)).partition(":")
        read = ExternalIdentity.objects.named(organisation_id, platform, identifier)
        read = read if claimed else read.conferring()
        # The winning reading is chosen before the member is looked up: if the asker does not know
        # that member, the name means nobody. The next reading never takes its place.
        wins = read.inside(group.id if group else None).by_weight()[:1]
        member = members.filter(id__in=wins.values("member_id")).first()
    if member is None:
        raise NotFound("no such member")
    return member


def link_identity(
    *,
    organisation_id: UUID,
    platform: str,
    identifier: str,
    member_id: UUID,
    group_id: UUID | None = None,
    confirmed_at: datetime | None = None,
) -> ExternalIdentity:
    """Say that `platform:identifier` is this member. Raises AlreadyExists when it is another.

    group_id: only inside this group; for imports of chats whose names hold in that chat alone.
    """
    with organisation_scope(organisation_id):
        identity, created = ExternalIdentity.objects.get_or_create(
            organisation_id=organisation_id,
            platform=platform,
            identifier=identifier,
            group_id=group_id,
            defaults={"member_id": member_id, "confirmed_at": confirmed_at},
        )
        if not created and identity.member_id != member_id:
            raise AlreadyExists(f"the identity {identity} of another member")
    return identity
