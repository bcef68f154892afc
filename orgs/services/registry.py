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
    ExternalIdentity,
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


class AlreadyExists(Exception):
    """The thing exists already; the message names it."""


class NotFound(Exception):
    """Absent, or not for the asker: the two are never told apart."""


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
) -> Group:
    """Create a group with its audience. Raises AlreadyExists for a taken external id."""
    group = Group(
        organisation_id=organisation_id,
        external_id=external_id,
        name=name or external_id,
        confidential=confidential,
        profile=profile,
        owner_id=owner_id,
        created_at=now,
    )
    with organisation_scope(organisation_id):
        if Group.objects.filter(organisation_id=organisation_id, external_id=external_id).exists():
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
    """Put members into a group; those already there stay. Returns how many were added."""
    with organisation_scope(organisation_id):
        present = set(
            GroupMembership.objects.filter(
                organisation_id=organisation_id, group_id=group_id
            ).values_list("member_id", flat=True)
        )
        new = [m for m in dict.fromkeys(member_ids) if m not in present]
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


def link_identity(
    *,
    organisation_id: UUID,
    platform: str,
    identifier: str,
    member_id: UUID,
    confirmed_at: datetime | None = None,
) -> ExternalIdentity:
    """Say that `platform:identifier` is this member. Raises AlreadyExists when it is another."""
    with organisation_scope(organisation_id):
        identity, created = ExternalIdentity.objects.get_or_create(
            organisation_id=organisation_id,
            platform=platform,
            identifier=identifier,
            defaults={"member_id": member_id, "confirmed_at": confirmed_at},
        )
        if not created and identity.member_id != member_id:
            raise AlreadyExists(f"the identity {identity} of another member")
    return identity


def storable(reference: str) -> str:
    """The reference, if the database can hold it at all. Raises NotFound."""
    try:
        reference.encode()
    except UnicodeEncodeError as error:
        raise NotFound("a lone surrogate") from error
    if "\x00" in reference:
        raise NotFound("a NUL character")
    return reference


def as_uuid(reference: str) -> UUID | None:
    """The id that the text spells, or None."""
    try:
        return UUID(reference)
    except ValueError:
        return None


def find_group(
    organisation_id: UUID, reference: str, among: "QuerySet[Group] | None" = None
) -> Group:
    """By id or external id. Raises NotFound.

    among: the groups that the asker may know. They stand in the one query, so that a hidden
    group is neither told from an absent one nor does it take longer.
    """
    by_id = as_uuid(storable(reference))
    match = Q(external_id=reference) | Q(id=by_id) if by_id else Q(external_id=reference)
    groups = Group.objects.all() if among is None else among
    group = groups.filter(match, organisation_id=organisation_id).first()
    if group is None:
        raise NotFound("no such group")
    return group


def find_member(
    organisation_id: UUID,
    reference: str,
    group: Group | None = None,
    among: "QuerySet[Member] | None" = None,
    *,
    claimed: bool = False,
) -> Member:
    """By id or `platform:identifier`; inside a group a name known only there wins.

    among: the members that the asker may know, as for groups. claimed: an identity that nobody
    has confirmed will do, since nothing hangs on it. Raises NotFound.
    """
    members = (Member.objects.all() if among is None else among).filter(
        organisation_id=organisation_id
    )
    by_id = as_uuid(storable(reference))
    if by_id:
        member = members.filter(id=by_id).first()
    else:
        platform, _, identifier = reference.partition(":")
        names = [f"{group.external_id}/{identifier}", identifier] if group else [identifier]
        identities = ExternalIdentity.objects.all()
        known = {
            identity.identifier: identity
            for identity in (identities if claimed else identities.conferring())
            .filter(
                organisation_id=organisation_id,
                platform=platform,
                identifier__in=names,
                member__in=members,
            )
            .select_related("member")
        }
        identity = next((known[n] for n in names if n in known), None)
        member = identity.member if identity else None
    if member is None:
        raise NotFound("no such member")
    return member
