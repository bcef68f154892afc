"""Organisations, groups, identities and audiences: one verb per use case.

Every function here runs inside the organisation's scope or opens it; `organisation_id` is the
tenant, `now` the caller's clock.
"""

import hashlib
import secrets
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils.text import slugify

from orgs import audit
from orgs.models import (
    Audience,
    AudienceEntry,
    AudienceKind,
    Group,
    GroupMembership,
    IngestProfile,
    Member,
    Organisation,
    Role,
    new_id,
)
from orgs.principals import Actor
from orgs.rls import organisation_scope
from orgs.services.errors import AlreadyExists, NotFound, UnfitName
from orgs.services.references import IS_AN_ID, as_uuid
from orgs.turns import take_turns

_created: list[Callable[[Organisation, datetime], None]] = []


def on_organisation_created(hook: Callable[[Organisation, datetime], None]) -> None:
    """Let an upper app give every new organisation what it needs (the built-in robots)."""
    _created.append(hook)


def create_organisation(
    *, name: str, now: datetime, slug: str = "", language: str = "english"
) -> Organisation:
    """Create the tenant, its audience and what upper apps add.

    Raises AlreadyExists when the slug is taken.
    """
    organisation = Organisation(
        id=new_id(),
        name=name.strip(),
        slug=slug or slugify(name)[:80] or secrets.token_hex(4),
        language=language,
        created_at=now,
    )
    with organisation_scope(organisation.id):
        try:
            with transaction.atomic():
                organisation.save(force_insert=True)
        except IntegrityError as error:
            raise AlreadyExists(f"an organisation with the slug {organisation.slug}") from error
        ensure_audience(organisation.id, AudienceKind.ORGANISATION)
        for hook in _created:
            hook(organisation, now)
    return organisation


def find_organisation(reference: str) -> Organisation:
    """By slug, id or exact name; for commands of the machine's owner, who may list tenants.

    Raises NotFound; also when a name is not unique.
    """
    by_id = as_uuid(reference)
    match = Q(id=by_id) if by_id else Q(slug=reference) | Q(name=reference)
    found = list(Organisation.objects.using("owner").filter(match)[:2])
    if len(found) != 1:
        raise NotFound(
            f"no organisation {reference}" if not found else f"several organisations {reference}"
        )
    return found[0]


def ensure_audience(
    organisation_id: UUID, kind: str, key: str = "", group_id: UUID | None = None
) -> UUID:
    """The id of the audience of this kind and key; created if it is not there yet."""
    found = (
        Audience.objects.filter(organisation_id=organisation_id, kind=kind, key=key)
        .values_list("id", flat=True)
        .first()
    )
    if found:
        return found
    Audience.objects.bulk_create(
        [Audience(organisation_id=organisation_id, kind=kind, key=key, group_id=group_id)],
        ignore_conflicts=True,
    )
    return Audience.objects.values_list("id", flat=True).get(
        organisation_id=organisation_id, kind=kind, key=key
    )


Reader = tuple[str, UUID]


def readers_digest(readers: Iterable[Reader], group_id: UUID | None) -> str:
    """64 hex digits that name a set of readers, whatever their order, inside its group."""
    lines = sorted({f"{kind}:{reader}" for kind, reader in readers})
    return hashlib.sha256("\n".join([str(group_id or "-"), *lines]).encode()).hexdigest()


def ensure_explicit_audience(
    organisation_id: UUID,
    readers: Iterable[Reader],
    group_id: UUID | None = None,
    kind: str = AudienceKind.EXPLICIT,
) -> UUID:
    """The audience of exactly these readers; one row per distinct set (and group)."""
    chosen = sorted(set(readers), key=str)
    digest = readers_digest(chosen, group_id)
    audience_id = ensure_audience(organisation_id, kind, digest, group_id)
    entries = AudienceEntry.objects.filter(organisation_id=organisation_id, audience_id=audience_id)
    if entries.count() != len(chosen):
        AudienceEntry.objects.bulk_create(
            [
                AudienceEntry(
                    organisation_id=organisation_id,
                    audience_id=audience_id,
                    kind=reader_kind,
                    reader=reader,
                )
                for reader_kind, reader in chosen
            ],
            ignore_conflicts=True,
        )
    return audience_id


def create_group(
    *,
    organisation_id: UUID,
    external_id: str,
    now: datetime,
    name: str = "",
    confidential: bool = True,
    owner_id: UUID | None = None,
    profile: str = IngestProfile.OPEN,
    among: "QuerySet[Group] | None" = None,
) -> Group:
    """Create a group with its audience. Makers of groups take turns.

    among: the groups that the maker may know; one that is hidden from them may have the same
    external id. Raises AlreadyExists for one that they know, UnfitName for one like an id.
    """
    group = Group(
        organisation_id=organisation_id,
        external_id=external_id,
        name=name or external_id,
        confidential=confidential,
        profile=profile,
        owner_id=owner_id,
        created_at=now,
    )
    if as_uuid(external_id):
        raise UnfitName(IS_AN_ID)
    with organisation_scope(organisation_id):
        take_turns(organisation_id, "group")
        known = Group.objects.all() if among is None else among
        if known.filter(organisation_id=organisation_id, external_id=external_id).exists():
            raise AlreadyExists(f"a group with the external id {external_id}")
        group.save(force_insert=True)
        ensure_audience(organisation_id, AudienceKind.GROUP, str(group.id), group.id)
    return group


def set_confidential(*, actor: Actor, group: Group, confidential: bool, now: datetime) -> None:
    """Change who may curate a group; recorded, since it widens or narrows reading."""
    _change_group(actor, group, now, confidential=confidential)


def set_profile(*, actor: Actor, group: Group, profile: str, now: datetime) -> None:
    """Change who reads what is posted in a group from now on; recorded as well."""
    _change_group(actor, group, now, profile=profile)


def _change_group(actor: Actor, group: Group, now: datetime, **change: Any) -> None:
    if not (actor.is_person and (actor.role == Role.ADMIN or actor.member_id == group.owner_id)):
        raise PermissionError("only an admin or the group's owner changes this")
    with organisation_scope(actor.organisation_id):
        Group.objects.filter(organisation_id=actor.organisation_id, id=group.id).update(**change)
        audit.record(
            f"group.{next(iter(change))}",
            actor=actor,
            now=now,
            target=group.id,
            target_type="group",
            **change,
        )


def add_to_group(*, organisation_id: UUID, group_id: UUID, member_ids: Iterable[UUID]) -> int:
    """Put members into a group; those already there stay, and who was removed stays out.

    Returns how many were added.
    """
    with organisation_scope(organisation_id):
        wanted = list(dict.fromkeys(member_ids))
        standing = set(
            Member.objects.filter(
                organisation_id=organisation_id, id__in=wanted, removed_at=None
            ).values_list("id", flat=True)
        )
        present = set(
            GroupMembership.objects.filter(
                organisation_id=organisation_id, group_id=group_id
            ).values_list("member_id", flat=True)
        )
        new = [m for m in wanted if m in standing and m not in present]
        GroupMembership.objects.bulk_create(
            [
                GroupMembership(organisation_id=organisation_id, group_id=group_id, member_id=m)
                for m in new
            ],
            ignore_conflicts=True,
        )
    return len(new)


def remove_from_group(*, organisation_id: UUID, group_id: UUID, member_id: UUID) -> None:
    """Take a member out; what they read through the group is closed at once."""
    with organisation_scope(organisation_id):
        GroupMembership.objects.filter(
            organisation_id=organisation_id, group_id=group_id, member_id=member_id
        ).delete()
