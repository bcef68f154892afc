"""The audit trail as admins read it: who did what to which thing, named where they may know it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from memories.store.models.memory import Memory
from orgs.errors import NotFound
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Group
from orgs.models.users import User
from orgs.principals import Actor, readable_groups, resolve
from robots.models.keys import Key
from robots.models.robots import Robot
from robots.models.teams import Team

PAGE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to look for. kind: the first word of actions ("memory"); who: a member or robot."""

    kind: str = ""
    who: UUID | None = None
    staff: bool = False
    memory: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    before: UUID | None = None


@dataclass(slots=True)
class Trail:
    """A page of entries, newest first; `before` goes on. The names are by id, as far as known."""

    entries: list[AuditEntry] = field(default_factory=list)
    before: UUID | None = None
    people: dict[UUID, str] = field(default_factory=dict)
    robots: dict[UUID, str] = field(default_factory=dict)
    groups: dict[UUID, str] = field(default_factory=dict)
    teams: dict[UUID, str] = field(default_factory=dict)
    keys: dict[UUID, str] = field(default_factory=dict)
    memories: set[UUID] = field(default_factory=set)
    staff: dict[UUID, str] = field(default_factory=dict)


def read_trail(actor: Actor, wanted: Wanted) -> Trail:
    """A page of the trail, for admins of the organisation. Raises NotFound.

    A memory or group that the admin may not read keeps its name and id to itself, and asking for
    one by its id finds what an id that nothing has would find.
    """
    if not (actor.is_person and actor.role == Role.ADMIN):
        raise NotFound("no such page")
    principal = resolve(actor)
    with principal.scope():
        if wanted.memory and not Memory.objects.filter(id=wanted.memory).exists():
            return Trail()
        found = list(_matching(actor, wanted)[: PAGE + 1])
        trail = Trail(entries=found[:PAGE])
        if len(found) > PAGE:
            trail.before = found[PAGE - 1].id
        _name(actor, trail)
    return trail


def _matching(actor: Actor, wanted: Wanted) -> "QuerySet[AuditEntry]":
    rows = AuditEntry.objects.filter(organisation_id=actor.organisation_id).order_by("-id")
    if wanted.kind:
        rows = rows.filter(action__startswith=f"{wanted.kind}.")
    if wanted.who:
        rows = rows.filter(member=wanted.who) | rows.filter(robot=wanted.who)
    if wanted.staff:
        rows = rows.filter(staff__isnull=False)
    if wanted.memory:
        rows = rows.filter(target=wanted.memory)
    if wanted.since:
        rows = rows.filter(at__gte=wanted.since)
    if wanted.until:
        rows = rows.filter(at__lt=wanted.until)
    return rows.filter(id__lt=wanted.before) if wanted.before else rows


def _targets(entries: Iterable[AuditEntry], kind: str) -> list[UUID]:
    return [e.target for e in entries if e.target_type == kind and e.target]


def _name(actor: Actor, trail: Trail) -> None:
    tenant = {"organisation_id": actor.organisation_id}
    rows: Sequence[AuditEntry] = trail.entries
    people = [e.member for e in rows if e.member] + _targets(rows, "member")
    people += [UUID(e.detail[k]) for e in rows for k in ("speaker", "author") if k in e.detail]
    robots = [e.robot for e in rows if e.robot] + _targets(rows, "robot")
    robots += [UUID(e.detail["written_by_robot"]) for e in rows if "written_by_robot" in e.detail]
    robots += [
        UUID(e.detail["robot"]) for e in rows if e.target_type == "team" and "robot" in e.detail
    ]
    memories, keys = _targets(rows, "memory"), _targets(rows, "key")
    trail.people = _names(Member, people, tenant)
    trail.robots = _names(Robot, robots, tenant)
    trail.teams = _names(Team, _targets(rows, "team"), tenant)
    groups = readable_groups(actor).filter(id__in=_targets(rows, "group"))
    trail.groups = dict(groups.values_list("id", "name"))
    if keys:
        known = Key.objects.filter(**tenant, id__in=keys)
        trail.keys = dict(known.values_list("id", "prefix"))
    if memories:
        known_memories = Memory.objects.filter(**tenant, id__in=memories)
        trail.memories = set(known_memories.values_list("id", flat=True))
    staff = {e.staff for e in rows if e.staff}
    if staff:
        trail.staff = {u.pk: str(u) for u in User.objects.filter(pk__in=staff)}


def _names(
    model: type[Member] | type[Robot] | type[Group] | type[Team],
    ids: list[UUID],
    tenant: dict[str, UUID],
) -> dict[UUID, str]:
    if not ids:
        return {}
    return dict(model.objects.filter(**tenant, id__in=set(ids)).values_list("id", "name"))
