"""What a reference means: an id, a group's external id, or a member's `platform:identifier`.

Ids win: what can be read as an id is looked up only as an id, so no name can hide one.
"""

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError, ReferenceNotFoundError
from orgs.models.memberships import ExternalIdentity, Member
from orgs.models.organisations import Group
from orgs.names.lookalikes import INVISIBLE_FAULT, has_invisible_character

LOOKS_LIKE_ID = "This can be read as an id. Choose another name."
MAX_PLATFORM, MAX_IDENTIFIER = 40, 300


def require_storable(reference: str) -> str:
    """The reference, if the database can store it. Raises NotFoundError."""
    try:
        reference.encode()
    except UnicodeEncodeError as error:
        raise NotFoundError("a lone surrogate") from error
    if "\x00" in reference:
        raise NotFoundError("a NUL character")
    return reference


def parse_uuid(reference: str | UUID) -> UUID | None:
    """The id, in any spelling that `UUID()` takes, or None."""
    if isinstance(reference, UUID):
        return reference
    try:
        return UUID(reference)
    except ValueError:
        return None


def reference_fault(reference: str) -> str:
    """Why this cannot be an external id, as a sentence; empty if it can."""
    if parse_uuid(reference):
        return LOOKS_LIKE_ID
    return INVISIBLE_FAULT if has_invisible_character(reference) else ""


def identity_fault(identity: str) -> str:
    """Why this is no valid `platform:identifier`, as a sentence; empty if it is."""
    platform, _, identifier = identity.partition(":")
    if not (0 < len(platform) <= MAX_PLATFORM and 0 < len(identifier) <= MAX_IDENTIFIER):
        return "Not a platform:identifier."
    if any(c.isspace() for c in platform) or identifier != identifier.strip():
        return "A blank beside the colon, or in the platform."
    return reference_fault(identity)


def find_groups(
    organisation_id: UUID,
    references: Iterable[str | UUID],
    among: "QuerySet[Group] | None" = None,
) -> dict[str, Group]:
    """The groups that these references mean, by reference; one that means none is left out.

    By id or external id; of several of one external id the one that comes first in `among`.
    among: the groups that the asker may know. It is part of the query, so a hidden group looks like
    an absent one and takes no longer. At most one statement, however many references there are.
    """
    groups = Group.objects.order_by("id") if among is None else among
    ids, names = sorted_out(references)
    if not (ids or names):
        return {}
    # Only what was given is in the condition: each has an index of its own.
    wanted = Q(id__in=ids) if ids else Q()
    wanted |= Q(external_id__in=names) if names else Q()
    found: dict[str, Group] = {}
    for group in groups.filter(wanted, organisation_id=organisation_id):
        for reference in ids.get(group.id, ()):
            found[reference] = group
        if group.external_id in names:
            found.setdefault(group.external_id, group)
    return found


def get_group(
    organisation_id: UUID, reference: str | UUID, among: "QuerySet[Group] | None" = None
) -> Group:
    """The one of `find_groups`. Raises NotFoundError."""
    found = find_groups(organisation_id, [reference], among)
    if not found:
        raise ReferenceNotFoundError("group", reference)
    return found[str(reference)]


def sorted_out(references: Iterable[str | UUID]) -> tuple[dict[UUID, list[str]], set[str]]:
    """(the references that are ids by id, the names). What the database cannot store means
    nothing and is left out."""
    ids: dict[UUID, list[str]] = {}
    names: set[str] = set()
    for reference in dict.fromkeys(map(str, references)):
        if by_id := parse_uuid(reference):
            ids.setdefault(by_id, []).append(reference)
            continue
        with suppress(NotFoundError):
            names.add(require_storable(reference))
    return ids, names


def find_members(
    organisation_id: UUID,
    references: Iterable[str | UUID],
    group: Group | None = None,
    among: "QuerySet[Member] | None" = None,
    *,
    claimed: bool = False,
    removed: bool = False,
) -> dict[str, Member]:
    """The members that these references mean, by reference; one that means none is left out.

    By id or `platform:identifier`; of the readings of a name the one that wins (`by_weight`).
    among: the members that the asker may know, as for groups. claimed: unconfirmed identities count
    too; never use it where it is decided who reads. removed: find removed members as well, only to
    look for what they said. At most two statements, one for ids and one for names.
    """
    members = (Member.objects.all() if among is None else among).filter(
        organisation_id=organisation_id
    )
    if not removed:
        members = members.filter(removed_at=None)
    ids, names = sorted_out(references)
    found: dict[str, Member] = {}
    for member in members.filter(id__in=ids) if ids else ():
        found |= dict.fromkeys(ids[member.id], member)
    read = ExternalIdentity.objects.called(organisation_id, names)
    read = read if claimed else read.conferring()
    # The winning reading is chosen before the member is looked up: if the asker does not know that
    # member, the name means nobody. The next reading never takes its place.
    wins = read.inside(group.id if group else None).winning()
    rows = ExternalIdentity.objects.filter(id__in=wins.values("id"), member__in=members)
    for one in rows.select_related("member") if names else ():
        found[f"{one.platform}:{one.identifier}"] = one.member
    return found


def get_member(
    organisation_id: UUID,
    reference: str | UUID,
    group: Group | None = None,
    among: "QuerySet[Member] | None" = None,
    *,
    claimed: bool = False,
    removed: bool = False,
) -> Member:
    """The one of `find_members`. Raises NotFoundError."""
    found = find_members(
        organisation_id, [reference], group, among, claimed=claimed, removed=removed
    )
    if not found:
        raise ReferenceNotFoundError("member", reference)
    return found[str(reference)]


def link_identity(
    *,
    organisation_id: UUID,
    platform: str,
    identifier: str,
    member_id: UUID,
    group_id: UUID | None = None,
    confirmed_at: datetime | None = None,
) -> ExternalIdentity:
    """Say that `platform:identifier` is this member. Raises AlreadyExistsError when it is another.

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
            raise AlreadyExistsError(f"the identity {identity} of another member")
    return identity
