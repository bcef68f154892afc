"""The audit trail for admins: who did what to which thing, with names that the admin may know.

What a robot did to a block, to what a profession reads and to what is gone shows no member, nor the
robot if it serves one (`untold_entries`), and no filter by them finds it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, Q, QuerySet
from django.db.models.functions import Left

from memories.access.audience_labels import audience_type_label
from memories.store.models.choices import Kind, Status
from memories.store.models.memory import Memory
from orgs.database.driver.servers import HOME, switched_to_server
from orgs.errors import NotFoundError
from orgs.models.audiences import Audience
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Group
from orgs.models.users import User
from orgs.organisations.references import parse_uuid
from orgs.principals import Actor, Principal, readable_groups, resolve_principal
from robots.models.keys import Key
from robots.models.robots import Robot
from robots.models.teams import Team
from robots.registry.untold_entries import with_untold

PAGE_SIZE = 50
# A memory is called by so much of its text, in these states.
MAX_TEXT = 200
IN_USE = (Status.ACTIVE, Status.ARCHIVED, Status.PENDING_REVIEW)
# The most entries of one file.
MAX_EXPORTED = 10_000
# The most people or robots that a search by name considers, and the most words of the name.
MAX_NAME_MATCHES = 200
MAX_NAME_WORDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Filters. kind: the first word of actions ("memory"); acts: actions; fields: of a
    memory, whose edits are found beside the acts; who: the id of the member or robot that did it;
    person, robot: words of the name of the member or robot that did it;
    about: the id of the object; member: what they did and what was done to them."""

    kind: str = ""
    acts: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    who: UUID | None = None
    person: str = ""
    robot: str = ""
    about: UUID | None = None
    member: UUID | None = None
    staff: bool = False
    memory: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    before: UUID | None = None


@dataclass(slots=True)
class AuditPage:
    """A page of entries, newest first; `before` continues it. Names by id, as far as the admin may
    know them.

    memories: those that the admin reads. texts: what of them is in use says now; nothing of what is
    forgotten or encrypted. untold: the ids of entries that name no member; robots_untold: no robot
    either.
    """

    entries: list[AuditEntry] = field(default_factory=list)
    before: UUID | None = None
    people: dict[UUID, str] = field(default_factory=dict)
    robots: dict[UUID, str] = field(default_factory=dict)
    groups: dict[UUID, str] = field(default_factory=dict)
    teams: dict[UUID, str] = field(default_factory=dict)
    keys: dict[UUID, str] = field(default_factory=dict)
    memories: set[UUID] = field(default_factory=set)
    texts: dict[UUID, str] = field(default_factory=dict)
    places: dict[UUID, str] = field(default_factory=dict)
    staff: dict[UUID, str] = field(default_factory=dict)
    untold: set[UUID] = field(default_factory=set)
    robots_untold: set[UUID] = field(default_factory=set)


def get_audit_page(actor: Actor, wanted: AuditFilter, *, most: int = PAGE_SIZE) -> AuditPage:
    """A page of the trail, of up to `most` entries, for admins of the organisation. Raises
    NotFoundError.

    Name and id of a memory or group that the admin may not read are left out. A filter by such an
    id finds as little as an unknown id.
    """
    if not (actor.is_person and actor.role == Role.ADMIN):
        raise NotFoundError("no such page")
    principal = resolve_principal(actor)
    with principal.scope():
        about = wanted.about or wanted.memory
        if about and not _may_filter_by(actor, about):
            return AuditPage()
        found = list(_filter_entries(actor, wanted)[: most + 1])
        entries = found[:most]
        trail = AuditPage(
            entries=entries,
            untold={one.id for one in entries if one.untold},
            robots_untold={one.id for one in entries if one.robot_untold},
        )
        if len(found) > most:
            trail.before = found[most - 1].id
        _load_names(principal, trail)
    return trail


def get_memory_audit_page(
    actor: Actor, memory_id: UUID, *, before: UUID | None = None
) -> AuditPage:
    """What was done to one memory that the admin reads. Raises NotFoundError."""
    principal = resolve_principal(actor)
    with principal.scope():
        if not Memory.objects.filter(id=memory_id).for_people().exists():
            raise NotFoundError("no such memory")
    return get_audit_page(actor, AuditFilter(about=memory_id, before=before))


def get_member_audit_page(
    actor: Actor, member_id: UUID, *, before: UUID | None = None
) -> tuple[str, AuditPage]:
    """The name of a member, with what they did and what was done to them. Raises NotFoundError."""
    with resolve_principal(actor).scope():
        known = Member.objects.filter(organisation_id=actor.organisation_id, id=member_id)
        name = known.values_list("name", flat=True).first()
        if name is None:
            raise NotFoundError("no such member")
    return name, get_audit_page(actor, AuditFilter(member=member_id, before=before))


def _may_filter_by(actor: Actor, thing: UUID) -> bool:
    """Whether the admin may filter by this id: memories and groups only if they read them."""
    tenant = {"organisation_id": actor.organisation_id, "id": thing}
    if Memory.objects.filter(**tenant).exists() or readable_groups(actor).filter(id=thing).exists():
        return True
    return any(model.objects.filter(**tenant).exists() for model in (Member, Robot, Team, Key))


def _filter_entries(actor: Actor, wanted: AuditFilter) -> "QuerySet[Any]":
    """The entries as of `with_untold`. No filter by somebody finds what does not name them."""
    tenant = {"organisation_id": actor.organisation_id}
    rows = with_untold(AuditEntry.objects.filter(**tenant)).order_by("-id")
    if wanted.kind:
        rows = rows.filter(action__startswith=f"{wanted.kind}.")
    if wanted.acts:
        found = Q(action__in=wanted.acts)
        if wanted.fields:
            found |= Q(action="memory.edited", detail__fields__has_any_keys=list(wanted.fields))
        rows = rows.filter(found)
    if wanted.person:
        rows = rows.filter(member__in=_list_ids_by_name(Member, actor, wanted.person), untold=False)
    if wanted.robot:
        rows = rows.filter(
            robot__in=_list_ids_by_name(Robot, actor, wanted.robot), robot_untold=False
        )
    if wanted.member:
        # Not any target: by this filter, too, nobody finds the entries of a memory that they do not
        # read (see `_may_filter_by`).
        members = Member.objects.filter(**tenant, id=wanted.member)
        done_to_them = Q(Exists(members), target=wanted.member)
        rows = rows.filter(Q(member=wanted.member) | done_to_them, untold=False)
    if wanted.who:
        rows = rows.filter(
            Q(member=wanted.who, untold=False) | Q(robot=wanted.who, robot_untold=False)
        )
    if wanted.staff:
        rows = rows.filter(staff__isnull=False)
    if about := wanted.about or wanted.memory:
        # Of what was done to a memory all is listed; what was done to somebody may be untold.
        rows = rows.filter(Q(target_type="memory") | Q(untold=False), target=about)
    if wanted.since:
        rows = rows.filter(at__gte=wanted.since)
    if wanted.until:
        rows = rows.filter(at__lt=wanted.until)
    return rows.filter(id__lt=wanted.before) if wanted.before else rows


def _list_ids_by_name(model: type[Member] | type[Robot], actor: Actor, words: str) -> list[UUID]:
    """The ids of those whose name has every word."""
    rows = model.objects.filter(organisation_id=actor.organisation_id)
    for word in words.split()[:MAX_NAME_WORDS]:
        rows = rows.filter(name__icontains=word)
    return list(rows.order_by("id").values_list("id", flat=True)[:MAX_NAME_MATCHES])


def _list_targets(entries: Iterable[AuditEntry], kind: str) -> list[UUID]:
    return [e.target for e in entries if e.target_type == kind and e.target]


def _load_names(principal: Principal, trail: AuditPage) -> None:
    actor = principal.actor
    tenant = {"organisation_id": actor.organisation_id}
    rows: Sequence[AuditEntry] = trail.entries
    people = [e.member for e in rows if e.member] + _list_targets(rows, "member")
    people += [UUID(e.detail[k]) for e in rows for k in ("speaker", "author") if k in e.detail]
    robots = [e.robot for e in rows if e.robot] + _list_targets(rows, "robot")
    robots += [UUID(e.detail["written_by_robot"]) for e in rows if "written_by_robot" in e.detail]
    robots += [
        UUID(e.detail["robot"]) for e in rows if e.target_type == "team" and "robot" in e.detail
    ]
    memories, keys = _list_targets(rows, "memory"), _list_targets(rows, "key")
    newer = [str(e.detail.get("by")) for e in rows if e.action == "memory.superseded"]
    memories += [id_ for id_ in map(parse_uuid, newer) if id_]
    trail.people = _names_by_id(Member, people, tenant)
    trail.robots = _names_by_id(Robot, robots, tenant)
    trail.teams = _names_by_id(Team, _list_targets(rows, "team"), tenant)
    groups = readable_groups(actor).filter(id__in=_list_targets(rows, "group"))
    trail.groups = dict(groups.values_list("id", "name"))
    if keys:
        known = Key.objects.filter(**tenant, id__in=keys)
        trail.keys = dict(known.values_list("id", "prefix"))
    if memories:
        known_memories = Memory.objects.filter(**tenant, id__in=memories)
        fields = "id", "status", "kind", "sensitive", Left("content", MAX_TEXT)
        for id_, status, kind, sensitive, text in known_memories.values_list(*fields):
            trail.memories.add(id_)
            if status in IN_USE and kind != Kind.INTERNAL and not sensitive:
                trail.texts[id_] = text
        trail.places = _load_audience_labels(principal, rows)
    staff = {e.staff for e in rows if e.staff}
    if staff:
        with switched_to_server(HOME):
            trail.staff = {u.pk: str(u) for u in User.objects.filter(pk__in=staff)}


def _load_audience_labels(principal: Principal, rows: Sequence[AuditEntry]) -> dict[UUID, str]:
    """The labels of audiences between which memories moved, if the admin reads them."""
    told = [e.detail.get(word) for e in rows for word in ("before", "after")]
    ids = {
        id_ for id_ in map(parse_uuid, map(str, filter(None, told))) if id_
    } & principal.audiences
    known = Audience.objects.filter(id__in=ids).select_related("group") if ids else ()
    return {
        one.id: "you alone"
        if one.id == principal.own_audience
        else _lower_first(audience_type_label(one.kind, one.group.name if one.group else ""))
        for one in known
    }


def _lower_first(words: str) -> str:
    return words[:1].lower() + words[1:]


def _names_by_id(
    model: type[Member] | type[Robot] | type[Group] | type[Team],
    ids: list[UUID],
    tenant: dict[str, UUID],
) -> dict[UUID, str]:
    if not ids:
        return {}
    return dict(model.objects.filter(**tenant, id__in=set(ids)).values_list("id", "name"))
