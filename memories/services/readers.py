"""Who can read a memory, in words and by name, for somebody who reads it themselves.

A page of memories costs as many queries as one memory. Group names come only from groups that
the asker reads, so that nothing is learnt from a list that names another group.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Q

from memories.models import Memory
from orgs.models import Audience, AudienceEntry, AudienceKind, Group, GroupMembership, Member
from orgs.principals import MODERATORS, Principal, readable_groups
from robots.models import Delegation, Robot, RobotGroup

SHOWN = 8


@dataclass(frozen=True, slots=True)
class Readers:
    """An audience as people say it.

    label: a few words for a list; sentence: who can read this; names: of people, the asker first
    as "You"; more: how many are not named.
    """

    kind: str
    label: str
    sentence: str
    names: tuple[str, ...] = ()
    more: int = 0


@dataclass(slots=True)
class _Known:
    """Everything looked up for a set of audiences."""

    organisation: str
    members: dict[UUID, Member] = field(default_factory=dict)
    in_group: dict[UUID, list[UUID]] = field(default_factory=dict)
    robots: dict[UUID, str] = field(default_factory=dict)
    robots_in: dict[UUID, list[UUID]] = field(default_factory=dict)
    groups: dict[UUID, Group] = field(default_factory=dict)
    entries: dict[UUID, list[tuple[str, UUID]]] = field(default_factory=dict)
    helpers: list[str] = field(default_factory=list)


def people(count: int) -> str:
    """1 person, 2 people."""
    return "1 person" if count == 1 else f"{count:,} people"


def and_robots(count: int) -> str:
    """The rest of a sentence: nothing, " and 1 robot", " and 2 robots"."""
    if not count:
        return ""
    return " and 1 robot" if count == 1 else f" and {count:,} robots"


def readers_of(
    principal: Principal, memories: Iterable[Memory], organisation: str
) -> dict[UUID, Readers]:
    """Readers by audience id; call inside the principal's scope. At most seven queries."""
    audiences = {memory.audience_id: memory.audience for memory in memories}
    known = _look_up(principal, list(audiences.values()), organisation)
    return {id_: _words(principal, audience, known) for id_, audience in audiences.items()}


def _look_up(principal: Principal, audiences: list[Audience], organisation: str) -> _Known:
    tenant = {"organisation_id": principal.organisation_id}
    kinds = {audience.kind for audience in audiences}
    known = _Known(organisation)
    if kinds & {AudienceKind.ORGANISATION, AudienceKind.GROUP, AudienceKind.EXPLICIT, "review"}:
        rows = Member.objects.filter(**tenant, removed_at=None)
        rows = rows.only("id", "name", "role", "organisation_id")
        known.members = {member.id: member for member in rows.order_by("name")}
        robots = Robot.objects.filter(**tenant, builtin=None, retired_at=None)
        known.robots = dict(robots.values_list("id", "name"))
    lists = [a.id for a in audiences if a.kind in (AudienceKind.EXPLICIT, AudienceKind.REVIEW)]
    entries = AudienceEntry.objects.filter(**tenant, audience_id__in=lists) if lists else ()
    for entry in entries:
        known.entries.setdefault(entry.audience_id, []).append((entry.kind, entry.reader))
    named = {r for rows in known.entries.values() for kind, r in rows if kind == "group"}
    named |= {a.group_id for a in audiences if a.kind == AudienceKind.GROUP and a.group_id}
    if named:
        _look_up_groups(principal, named, known)
    if AudienceKind.MEMBER in kinds:
        known.helpers = _helpers(principal)
    return known


def _look_up_groups(principal: Principal, ids: set[UUID], known: _Known) -> None:
    tenant = {"organisation_id": principal.organisation_id}
    mine = readable_groups(principal.actor).filter(id__in=ids)
    known.groups = {group.id: group for group in mine}
    for group, member in GroupMembership.objects.filter(
        **tenant, group_id__in=known.groups
    ).values_list("group_id", "member_id"):
        known.in_group.setdefault(group, []).append(member)
    for group, robot in RobotGroup.objects.filter(**tenant, group_id__in=known.groups).values_list(
        "group_id", "robot_id"
    ):
        known.robots_in.setdefault(group, []).append(robot)


def _helpers(principal: Principal) -> list[str]:
    """Robots that read, for the asker, what is private to the asker."""
    tenant = {"organisation_id": principal.organisation_id}
    member = principal.actor.member_id
    if member is None:
        return []
    trusted = Delegation.objects.filter(**tenant, member_id=member, revoked_at=None)
    robots = Robot.objects.filter(
        Q(owner_id=member) | Q(id__in=trusted.values("robot_id")), **tenant, retired_at=None
    )
    return list(robots.order_by("name").values_list("name", flat=True))


def _words(principal: Principal, audience: Audience, known: _Known) -> Readers:
    match audience.kind:
        case AudienceKind.ORGANISATION:
            return _everyone(principal, known)
        case AudienceKind.GROUP:
            return _group(principal, audience.group_id, known)
        case AudienceKind.MEMBER:
            return _only_you(known)
        case AudienceKind.REVIEW:
            return _review(principal, audience.id, known)
    return _list(principal, audience.id, known)


def _named(principal: Principal, ids: Iterable[UUID], known: _Known) -> tuple[list[str], int]:
    """Names, the asker first, and how many are left."""
    me = principal.actor.member_id
    chosen = [known.members[id_] for id_ in dict.fromkeys(ids) if id_ in known.members]
    chosen.sort(key=lambda member: (member.id != me, member.name.lower()))
    names = ["You" if member.id == me else member.name for member in chosen[:SHOWN]]
    return names, len(chosen) - len(names)


def _everyone(principal: Principal, known: _Known) -> Readers:
    names, more = _named(principal, known.members, known)
    who = f"All {people(len(known.members))}" if len(known.members) > 1 else "You"
    return Readers(
        AudienceKind.ORGANISATION,
        f"Everyone in {known.organisation}",
        f"{who}{and_robots(len(known.robots))} in {known.organisation} can read this.",
        tuple(names),
        more,
    )


def _curators(known: _Known) -> list[UUID]:
    return [member.id for member in known.members.values() if member.role in MODERATORS]


def _group(principal: Principal, group_id: UUID | None, known: _Known) -> Readers:
    group = known.groups.get(group_id) if group_id else None
    if group is None or group_id is None:
        return Readers(AudienceKind.GROUP, "A group", "The people of its group can read this.")
    inside = known.in_group.get(group_id, [])
    robots = and_robots(len([r for r in known.robots_in.get(group_id, ()) if r in known.robots]))
    sentence = f"{people(len(inside))}{robots} in {group.name} can read this"
    others = [] if group.confidential else [m for m in _curators(known) if m not in inside]
    if others:
        sentence += f", and {len(others)} who curate"
    names, more = _named(principal, [*inside, *others], known)
    return Readers(AudienceKind.GROUP, group.name, f"{sentence}.", tuple(names), more)


def _only_you(known: _Known) -> Readers:
    sentence = "Only you can read this."
    if known.helpers:
        sentence = f"Only you can read this, and {_joined(known.helpers)} when working for you."
    return Readers(AudienceKind.MEMBER, "Only you", sentence)


def _review(principal: Principal, audience_id: UUID, known: _Known) -> Readers:
    authors = [reader for kind, reader in known.entries.get(audience_id, ()) if kind == "member"]
    names, more = _named(principal, [*authors, *_curators(known)], known)
    return Readers(
        AudienceKind.REVIEW,
        "Waiting for review",
        "Its author and those who curate can read this, until somebody has decided.",
        tuple(names),
        more,
    )


def _list(principal: Principal, audience_id: UUID, known: _Known) -> Readers:
    entries = known.entries.get(audience_id, [])
    members = [reader for kind, reader in entries if kind == "member"]
    robots = [known.robots[r] for kind, r in entries if kind == "robot" and r in known.robots]
    groups = [known.groups[r].name for kind, r in entries if kind == "group" and r in known.groups]
    hidden = sum(1 for kind, r in entries if kind == "group" and r not in known.groups)
    names, more = _named(principal, members, known)
    parts = [f"everyone in {name}" for name in groups]
    if hidden:
        parts.append("one more group" if hidden == 1 else f"{hidden} more groups")
    if members:
        parts.append("you" if members == [principal.actor.member_id] else people(len(members)))
    parts += robots
    sentence = f"{_joined(parts)} can read this."
    label = _short([*groups, *names, *robots], more + hidden)
    return Readers(
        AudienceKind.EXPLICIT, label, sentence[0].upper() + sentence[1:], tuple(names), more
    )


def _joined(words: list[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _short(names: list[str], hidden: int) -> str:
    """Two names and how many others."""
    rest = len(names) - 2 + hidden
    if rest <= 0:
        return _joined(names) or "Some people"
    return f"{', '.join(names[:2])} and {rest} more"
