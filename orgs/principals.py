"""Who asks now, and which audiences they may read.

An `Actor` says who acts, for whom and where. `resolve` turns it into a `Principal`, the frozen
value that everything that reads or writes takes. Audiences are resolved for each request and
never kept: leaving a group takes effect with the next question.

Upper apps register how audiences of their kinds are resolved (`register`): this module knows
organisations, groups, members and explicit lists.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from orgs.models import Audience, AudienceEntry, AudienceKind, Group, GroupMembership, Role
from orgs.rls import Scope, organisation_scope, scope

MODERATORS = (Role.ADMIN, Role.CURATOR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who acts: a member, a robot, or a robot for a member; and where.

    group: the group in which it is asked; it narrows what may come up, never widens it.
    delegated: the member has given the robot leave to read what is private to them.
    include_direct: rows of direct conversations and of other groups may come up as well.
    """

    organisation_id: UUID
    member_id: UUID | None = None
    robot_id: UUID | None = None
    role: str | None = None
    group_id: UUID | None = None
    delegated: bool = False
    include_direct: bool = False
    scopes: frozenset[str] = frozenset()
    name: str = ""

    @property
    def is_person(self) -> bool:
        """A member who asks for themselves, not a robot that speaks for one."""
        return self.member_id is not None and self.robot_id is None

    @property
    def moderates(self) -> bool:
        """Curator's rights; a robot that acts for a curator has none of them."""
        return self.is_person and self.role in MODERATORS

    @property
    def sees_own(self) -> bool:
        """Whether what is private to the member is open here."""
        return self.is_person or self.delegated

    @property
    def ranges_freely(self) -> bool:
        """Whether no group narrows what comes up."""
        return (self.sees_own and self.include_direct) or (self.is_person and not self.group_id)


@dataclass(frozen=True, slots=True)
class Principal:
    """An actor with the ids of the audiences it may read.

    own_audience: the asker's alone, a robot's internal one or the person's own.
    """

    actor: Actor
    audiences: frozenset[UUID]
    organisation_audience: UUID
    own_audience: UUID

    @property
    def organisation_id(self) -> UUID:
        return self.actor.organisation_id

    def narrowed(self, audiences: frozenset[UUID]) -> "Principal":
        """The same asker, reading only what is also in `audiences`."""
        return replace(self, audiences=self.audiences & audiences)

    @contextmanager
    def scope(self, deposit: tuple[UUID, ...] = ()) -> Iterator[None]:
        """A transaction in which the database shows what this principal may read."""
        with scope(
            Scope(
                organisation=self.actor.organisation_id,
                audiences=tuple(sorted(self.audiences)),
                deposit=deposit,
            )
        ):
            yield


Resolver = Callable[[Actor], list["QuerySet[Audience]"]]
_resolvers: list[Resolver] = []


def register(resolver: Resolver) -> Resolver:
    """Add a resolver: actor -> querysets of the audiences that it may read."""
    _resolvers.append(resolver)
    return resolver


def resolve(actor: Actor) -> Principal:
    """Look up what the actor may read now; one query."""
    with organisation_scope(actor.organisation_id):
        parts = [part.values_list("id", "kind", "key") for r in _resolvers for part in r(actor)]
        found = list(parts[0].union(*parts[1:], all=True))
    by_name = {(kind, key): id_ for id_, kind, key in found}
    own = (
        (AudienceKind.ROBOT, str(actor.robot_id))
        if actor.robot_id
        else (AudienceKind.MEMBER, str(actor.member_id))
    )
    return Principal(
        actor,
        frozenset(id_ for id_, _, _ in found),
        organisation_audience=by_name[(AudienceKind.ORGANISATION, "")],
        own_audience=by_name[own],
    )


def groups_of(actor: Actor) -> "QuerySet[GroupMembership, Any]":
    """The group ids in which the member is, as a queryset for a subquery."""
    return GroupMembership.objects.filter(
        organisation_id=actor.organisation_id,
        member_id=actor.member_id,  # type: ignore[misc]  # no member: no groups
    ).values("group_id")


def readable_groups(actor: Actor) -> "QuerySet[Group]":
    """The groups whose rows a person reads: their own and, for curators, the open ones."""
    groups = Group.objects.filter(organisation_id=actor.organisation_id)
    mine = Q(id__in=groups_of(actor))
    return groups.filter(mine | Q(confidential=False)) if actor.moderates else groups.filter(mine)


def _naming(actor: Actor, kinds: tuple[str, ...]) -> "QuerySet[Audience]":
    """Lists of these kinds that name the member, or a group the member is in."""
    entries = AudienceEntry.objects.filter(organisation_id=actor.organisation_id).filter(
        Q(kind="member", reader=actor.member_id) | Q(kind="group", reader__in=groups_of(actor))
    )
    return Audience.objects.filter(
        organisation_id=actor.organisation_id, kind__in=kinds, id__in=entries.values("audience_id")
    )


@register
def member_audiences(actor: Actor) -> list["QuerySet[Audience]"]:
    """The organisation's, and what a member reads through groups, lists and as themselves."""
    audiences = Audience.objects.filter(organisation_id=actor.organisation_id)
    parts = [audiences.filter(kind=AudienceKind.ORGANISATION)]
    if actor.member_id is None:
        return parts
    if actor.sees_own:
        parts.append(audiences.filter(kind=AudienceKind.MEMBER, key=str(actor.member_id)))
    named = _naming(actor, (AudienceKind.EXPLICIT, AudienceKind.REVIEW))
    if actor.ranges_freely:
        by_group = readable_groups(actor).values("id")
        parts += [audiences.filter(kind=AudienceKind.GROUP, group_id__in=by_group), named]
        if actor.moderates:
            parts.append(audiences.filter(kind=AudienceKind.REVIEW))
    elif actor.group_id:
        # The caller has made sure that the group is one the actor reads.
        parts.append(audiences.filter(kind=AudienceKind.GROUP, group_id=actor.group_id))
        parts.append(named.filter(group_id=actor.group_id, kind=AudienceKind.EXPLICIT))
    return parts


def shareable_audiences(organisation_id: UUID, group_id: UUID) -> frozenset[UUID]:
    """Audiences that every current member of the group may read (safe to say there)."""
    with organisation_scope(organisation_id):
        members = set(
            GroupMembership.objects.filter(
                organisation_id=organisation_id, group_id=group_id
            ).values_list("member_id", flat=True)
        )
        audiences = Audience.objects.filter(organisation_id=organisation_id)
        safe = set(
            audiences.filter(
                Q(kind=AudienceKind.ORGANISATION) | Q(kind=AudienceKind.GROUP, group_id=group_id)
            ).values_list("id", flat=True)
        )
        if not members:
            return frozenset(safe)
        entries = AudienceEntry.objects.filter(
            organisation_id=organisation_id, audience__kind=AudienceKind.EXPLICIT
        )
        covered: dict[UUID, set[UUID]] = {}
        for audience_id, reader in entries.filter(kind="member", reader__in=members).values_list(
            "audience_id", "reader"
        ):
            covered.setdefault(audience_id, set()).add(reader)
        safe |= {audience_id for audience_id, who in covered.items() if who >= members}
        safe |= set(
            entries.filter(kind="group", reader=group_id).values_list("audience_id", flat=True)
        )
    return frozenset(safe)
