"""Who asks, and which audiences they may read.

An `Actor` says who acts, for whom and where. `resolve` turns it into a `Principal`, the frozen
value that all reading and writing code takes. Audiences are resolved for each request and never
cached: whoever leaves a group reads nothing of it from the next request on.

This module knows organisations, groups, members and explicit lists. Higher apps tell how audiences
of their kinds are resolved (`cohort_audience_conditions`, `robot_audience_conditions`).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import md5
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Q, QuerySet

from orgs.database.driver.servers import server_of
from orgs.database.prepared_statements import fetch_all, fetch_last
from orgs.database.rls import (
    Scope,
    fetch_in_scope,
    once_more_if_moved,
    organisation_scope,
    scope,
    scope_statement,
)
from orgs.models.audiences import COHORT_AUDIENCE_TYPES, Audience, AudienceEntry, AudienceType
from orgs.models.memberships import Role
from orgs.models.organisations import (
    DEFAULT_ENCODERS,
    ENCODERS_SQL,
    EncoderChoice,
    Group,
    GroupMembership,
    Organisation,
    parse_encoders,
)
from orgs.wired_functions import wired

MODERATOR_ROLES = (Role.ADMIN, Role.CURATOR)
# The scope of keys that administer; `robots.access.keys` says for whom it counts.
MANAGE_SCOPE = "manage"


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who acts: a member, a robot, or a robot for a member; and where.

    group_id: the group in which it is asked; it narrows what may come up, never widens it.
    delegated: the member lets the robot read what is private to them.
    include_direct: rows of direct conversations and of other groups may come up as well.
    told: a robot that acts for a member reads what it was told by them in direct conversations.
    names_row: the call names one row by its id; a robot that acts for nobody then also reads its
    direct conversations.
    key_id: the key by which a robot asks; it opens nothing, and is stored with what is written.
    owner_id, owner_role: of a personal robot the member who owns it, with their role; of any other
    robot None.
    key_groups: of a key that is limited to groups their ids; it reads and writes what is in them
    and nothing else. None without a limit.
    """

    organisation_id: UUID
    member_id: UUID | None = None
    robot_id: UUID | None = None
    role: str | None = None
    group_id: UUID | None = None
    delegated: bool = False
    include_direct: bool = False
    told: bool = False
    names_row: bool = False
    scopes: frozenset[str] = frozenset()
    name: str = ""
    key_id: UUID | None = None
    owner_id: UUID | None = None
    owner_role: str | None = None
    key_groups: frozenset[UUID] | None = None

    @property
    def own_member_id(self) -> UUID | None:
        """The only member that the actor is: the person who asks, or the owner of a personal robot.
        None for a robot that serves nobody in particular."""
        return self.member_id if self.is_person else self.owner_id

    @property
    def writing_role(self) -> str | None:
        """The role by which the actor writes: a personal robot has its owner's. None for a robot
        without an owner, which no role binds."""
        return self.role if self.is_person else self.owner_role

    @property
    def only_reads(self) -> bool:
        """Whether a viewer asks, or the personal robot of one."""
        return self.writing_role == Role.VIEWER

    @property
    def is_person(self) -> bool:
        """Whether a member asks for themselves, not a robot for a member."""
        return self.member_id is not None and self.robot_id is None

    @property
    def is_robot_alone(self) -> bool:
        """Whether a robot asks, and for nobody else."""
        return self.robot_id is not None and self.member_id is None

    @property
    def moderates(self) -> bool:
        """Whether the actor has a curator's rights; a robot that acts for a curator has none of
        them."""
        return self.is_person and self.role in MODERATOR_ROLES

    @property
    def administers(self) -> bool:
        """Whether the actor has an admin's rights over the organisation and its groups, members,
        robots and keys: an admin, or a robot by a key with `manage`. They open no memory by
        themselves; who has them can seat a robot in a group and make a key of it, on record."""
        if self.is_person:
            return self.role == Role.ADMIN
        return self.member_id is None and MANAGE_SCOPE in self.scopes

    @property
    def sees_own(self) -> bool:
        """Whether what is private to the member is open here."""
        return self.is_person or self.delegated

    @property
    def caller_ids(self) -> tuple[UUID, ...]:
        """Robot, member and owner: who has read or written what this call reads or writes."""
        return tuple(id_ for id_ in (self.robot_id, self.member_id, self.owner_id) if id_)

    def naming_a_row(self) -> "Actor":
        """The same actor in a call that names one row by its id."""
        return replace(self, names_row=True)

    @property
    def ranges_freely(self) -> bool:
        """Whether no group narrows what comes up."""
        return (self.sees_own and self.include_direct) or (self.is_person and not self.group_id)


@dataclass(frozen=True, slots=True)
class Principal:
    """An actor with the ids of the audiences it may read.

    own_audience: the audience of the asker alone, for a robot its own notes.
    reader: whose uses of memories this asker knows exactly; see `reader_of`.
    language: the organisation's text-search configuration. encoders: its embedding models.
    sayable: if others read the answer as well, the audiences of which everything may be said to
    them; of other audiences only what is flagged as shareable. None if the asker alone reads it.
    cohorts: those of `audiences` that people of one profession read. named: ids of `audiences` by
    (kind, key).
    """

    actor: Actor
    audiences: frozenset[UUID]
    organisation_audience: UUID
    own_audience: UUID
    reader: UUID
    language: str = "english"
    sayable: frozenset[UUID] | None = None
    cohorts: frozenset[UUID] = frozenset()
    named: Mapping[tuple[str, str], UUID] = field(default_factory=dict, compare=False, repr=False)
    encoders: EncoderChoice = DEFAULT_ENCODERS

    @property
    def organisation_id(self) -> UUID:
        return self.actor.organisation_id

    def narrowed(self, audiences: frozenset[UUID]) -> "Principal":
        """The same asker, reading only what is also in `audiences`."""
        return replace(self, audiences=self.audiences & audiences)

    @contextmanager
    def scope(self, deposit: tuple[UUID, ...] = (), *, relaxed: bool = False) -> Iterator[None]:
        """A transaction in which the database shows what this principal may read.

        relaxed: a crash of the server may lose what is written (counts, not content).
        """
        with scope(self.opens(deposit, relaxed=relaxed)):
            yield

    def opens(self, deposit: tuple[UUID, ...] = (), *, relaxed: bool = False) -> Scope:
        """The scope of this principal, for the database. deposit: audiences that it may write
        into."""
        return Scope(
            organisation=self.actor.organisation_id,
            audiences=tuple(sorted(self.audiences)),
            deposit=deposit,
            reader=self.reader,
            relaxed=relaxed,
        )


# SQL conditions on the table of audiences (alias a): an audience that fulfils one of them is
# readable. They are fixed texts with the parameters %(organisation)s, %(member)s, %(robot)s and
# %(group)s. Queries of the ORM would be built anew for each request, and every request needs this.


@wired
def cohort_audience_conditions(actor: Actor) -> list[str]:
    """The conditions for audiences of personas, industries and roles."""
    raise NotImplementedError


@wired
def robot_audience_conditions(actor: Actor) -> list[str]:
    """The conditions for an actor who is a robot, alone or for a member."""
    raise NotImplementedError


@wired
def owner_audience_sql() -> str:
    """The query of the own audience of the member whom a robot serves alone, with the same
    parameters; no row for other robots."""
    raise NotImplementedError


# Whether a limit of the key lets the audience `a` be read; groups: an array of ids, or null.
WITHIN_KEY_GROUPS = "({groups} IS NULL OR coalesce({group} = ANY ({groups}), false))"
_WITHIN_SQL = WITHIN_KEY_GROUPS.format(groups="%(key_groups)s::uuid[]", group="a.group_id")
_READABLE_SQL = (
    f"SELECT a.id, a.kind, a.key, {_WITHIN_SQL} AS within FROM orgs_audience a "
    "WHERE a.organisation_id = %(organisation)s AND {condition}"
)
# The language, and in the lines after it the embedding models.
_LANGUAGE = (
    f"SELECT o.id, 'language', o.language || E'\\n' || {ENCODERS_SQL}, true "
    "FROM orgs_organisation o WHERE o.id = %(organisation)s AND o.removed_at IS NULL"
)


_SET_AUDIENCES = (
    "SELECT set_config('app.audiences', (SELECT '{{' || string_agg(r.id::text, ',') || '}}' "
    "FROM ({readable}) r WHERE r.within), true)"
)


def resolve_principal(actor: Actor) -> Principal:
    """Look up what the actor may read now; one query, one round trip.

    Raises Organisation.DoesNotExist for one that was removed meanwhile.
    """
    parts = [_READABLE_SQL.format(condition=condition) for condition in audience_conditions(actor)]
    if actor.robot_id and actor.member_id is None:
        parts.append(f"SELECT w.id, 'owner', '', true FROM ({owner_audience_sql()}) AS w")
    statement = " UNION ALL ".join([_LANGUAGE, *parts])
    values = _values(actor)
    found = fetch_in_scope(Scope(organisation=actor.organisation_id), statement, values)
    if not found or found[0][1] != "language":
        raise Organisation.DoesNotExist("removed")
    (_, _, chosen, _), *found = found
    language, _, encoders = chosen.partition("\n")
    owner = [id_ for id_, kind, *_ in found if kind == "owner"]
    # Whose notes and whose organisation it is counts also for a key that opens neither.
    by_name = {(kind, key): id_ for id_, kind, key, _ in found}
    found = [row for row in found if row[1] != "owner" and row[3]]
    own = (
        (AudienceType.ROBOT, str(actor.robot_id))
        if actor.robot_id
        else (AudienceType.MEMBER, str(actor.member_id))
    )
    return Principal(
        actor,
        frozenset(id_ for id_, *_ in found),
        organisation_audience=by_name[(AudienceType.ORGANISATION, "")],
        own_audience=by_name[own],
        reader=reader_of(
            actor,
            by_name[own],
            by_name.get((AudienceType.MEMBER, str(actor.member_id)), next(iter(owner), None)),
        ),
        language=language,
        cohorts=frozenset(id_ for id_, kind, *_ in found if kind in COHORT_AUDIENCE_TYPES),
        named={(kind, key): id_ for id_, kind, key, _ in found},
        encoders=parse_encoders(encoders),
    )


def reader_of(actor: Actor, own: UUID, private: UUID | None) -> UUID:
    """Whose uses of memories the actor knows exactly: what others were served they are not told.

    own: the actor's own audience; private: that of the member for whom it acts, if it is open, or
    of the member whom it serves alone. A member is one reader with their own robot and with robots
    to whom what is private to them is open; so is a robot that acts for nobody. A robot that acts
    for a member without their leave is another for each member, and so is a key that is limited to
    groups: it is not told what its robot was served elsewhere.
    """
    if actor.key_groups is not None:
        groups = ",".join(sorted(map(str, actor.key_groups)))
        name = f"{own}{actor.member_id or ''}{groups}".encode()
        return UUID(bytes=md5(name, usedforsecurity=False).digest())
    if actor.member_id is None:
        return private or own
    if actor.sees_own and private is not None:
        return private
    name = f"{own}{actor.member_id}".encode()
    return UUID(bytes=md5(name, usedforsecurity=False).digest())


# The same as SQL, of the audiences and the member's id as text.
READER_FOR_MEMBER = "md5({own}::text || {member}::text)::uuid"
READER_FOR_KEY_GROUPS = (
    "md5({own}::text || coalesce({member}::text, '') || "
    "(SELECT string_agg(g::text, ',' ORDER BY g) FROM unnest({groups}) AS g))::uuid"
)


def audience_conditions(actor: Actor) -> list[str]:
    """SQL conditions on the table of audiences (alias a): whichever fulfils one is readable."""
    found = member_audience_conditions(actor) + cohort_audience_conditions(actor)
    return found + robot_audience_conditions(actor) if actor.robot_id else found


def _values(actor: Actor) -> dict[str, Any]:
    return {
        "organisation": actor.organisation_id,
        "member": actor.member_id,
        "robot": actor.robot_id,
        "group": actor.group_id,
        "key_groups": None if actor.key_groups is None else sorted(actor.key_groups),
    }


def fetch_as_actor(actor: Actor, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The rows of one SELECT in the scope of what the actor may read, for what every page shows.

    It is `resolve` and the statement in one round trip; nothing is cached.
    """

    def fetch() -> list[tuple[Any, ...]]:
        with server_of(actor.organisation_id):
            return _fetch_as_actor(actor, statement, values)

    return once_more_if_moved(fetch)


def _fetch_as_actor(actor: Actor, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    before = scope_statement(Scope(organisation=actor.organisation_id))
    parts = " UNION ALL ".join(
        _READABLE_SQL.format(condition=one) for one in audience_conditions(actor)
    )
    widened = (_SET_AUDIENCES.format(readable=parts), _values(actor))
    if not connection.in_atomic_block:
        return fetch_last([before, widened, (statement, values)])
    # After an error the roll-back narrows the scope again; else `before` does.
    with organisation_scope(actor.organisation_id), transaction.atomic():
        fetch_all(*widened)
        rows = fetch_all(statement, values)
        fetch_all(*before)
    return rows


def member_group_ids(actor: Actor) -> "QuerySet[GroupMembership, Any]":
    """The group ids in which the member is, as a queryset for a subquery."""
    return GroupMembership.objects.filter(
        organisation_id=actor.organisation_id,
        member_id=actor.member_id,  # type: ignore[misc]  # no member: no groups
    ).values("group_id")


def readable_groups(actor: Actor) -> "QuerySet[Group]":
    """The groups whose rows a person reads: their own and, for curators, the open ones."""
    groups = Group.objects.filter(organisation_id=actor.organisation_id)
    mine = Q(id__in=member_group_ids(actor))
    return groups.filter(mine | Q(confidential=False)) if actor.moderates else groups.filter(mine)


# The same as SQL, for a group `g`; takes %(organisation)s, %(me)s and %(moderates)s.
READABLE_GROUP_SQL = """(%(moderates)s AND NOT g.confidential OR g.id IN (
    SELECT group_id FROM orgs_groupmembership
    WHERE organisation_id = %(organisation)s AND member_id = %(me)s))"""
_MY_GROUPS = (
    "SELECT group_id FROM orgs_groupmembership "
    "WHERE organisation_id = %(organisation)s AND member_id = %(member)s"
)
_LISTED_READER_SQL = (
    "a.id IN (SELECT e.audience_id FROM orgs_audienceentry e "
    "WHERE e.organisation_id = %(organisation)s AND ((e.kind = 'member' AND e.reader = %(member)s) "
    f"OR (e.kind = 'group' AND e.reader IN ({_MY_GROUPS}))))"
)
# Lists of direct conversations, which are for the robot that had them and its member.
_NO_DIRECT_LIST_SQL = (
    "NOT EXISTS (SELECT FROM orgs_audienceentry d WHERE d.organisation_id = %(organisation)s "
    "AND d.audience_id = a.id AND d.kind = 'direct')"
)
_OPEN_GROUPS = (
    "SELECT id FROM orgs_group WHERE organisation_id = %(organisation)s AND NOT confidential"
)


def member_audience_conditions(actor: Actor) -> list[str]:
    """The organisation's audience, and a member's own, those of their groups, and lists of
    readers."""
    found = ["a.kind = 'organisation'"]
    if actor.member_id is None:
        return found
    if actor.sees_own:
        found.append("a.kind = 'member' AND a.key = %(member)s::text")
    if actor.ranges_freely:
        found.append(f"a.kind = 'group' AND a.group_id IN ({_MY_GROUPS})")
        listed = f"a.kind IN ('explicit', 'review') AND {_LISTED_READER_SQL}"
        # Where others read the answer of a robot, direct conversations stay out.
        if not (actor.is_person or actor.told):
            listed = f"{listed} AND {_NO_DIRECT_LIST_SQL}"
        found.append(listed)
        if actor.moderates:
            found.append(f"a.kind = 'group' AND a.group_id IN ({_OPEN_GROUPS})")
            found.append("a.kind = 'review'")
    elif actor.group_id:
        # The caller has checked that the actor reads this group.
        found.append("a.kind = 'group' AND a.group_id = %(group)s")
        found.append(f"a.kind = 'explicit' AND a.group_id = %(group)s AND {_LISTED_READER_SQL}")
    return found


def load_disclosable_audiences(organisation_id: UUID, group_id: UUID) -> frozenset[UUID]:
    """Ids of audiences that every current member of the group may read: their content may be said
    there."""
    with organisation_scope(organisation_id):
        members = set(
            GroupMembership.objects.filter(
                organisation_id=organisation_id, group_id=group_id
            ).values_list("member_id", flat=True)
        )
        audiences = Audience.objects.filter(organisation_id=organisation_id)
        safe = set(
            audiences.filter(
                Q(kind=AudienceType.ORGANISATION) | Q(kind=AudienceType.GROUP, group_id=group_id)
            ).values_list("id", flat=True)
        )
        if not members:
            return frozenset(safe)
        entries = AudienceEntry.objects.filter(
            organisation_id=organisation_id, audience__kind=AudienceType.EXPLICIT
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
