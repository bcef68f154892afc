"""Who would be in which group and read what after an import, as far as its author may know."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID, uuid4

from django.db.models import Q

from memories.ingestion.file_import.import_lines import ImportLine
from memories.ingestion.file_import.import_people import ImportPeople, ScopedName
from orgs.models.audiences import Audience, AudienceType
from orgs.models.memberships import Member, can_sign_in_q
from orgs.models.organisations import GroupMembership
from orgs.organisations.audience_rows import ReaderKey, readers_digest
from orgs.principals import MODERATOR_ROLES, Actor, Principal
from robots.people.directory import manageable_groups, visible_groups

# The groups, members and audiences that an import would use, by the importer's rules; nothing is
# written.


@dataclass(frozen=True, slots=True)
class PlannedAudience:
    """A planned audience: everyone, a group, one member, or a list of members and groups inside a
    group."""

    kind: str
    group: UUID | None = None
    readers: frozenset[ReaderKey] = frozenset()


class PlannedPeople(ImportPeople):
    """The groups and members that an import would create, with temporary ids.

    made: external ids of new groups, by id. born: names of new members, by id. joining: ids of
    members who would join, by group, also members with an account, whom the import does not add to
    groups that its author does not read (see `closed`). planned: the audiences by id.
    """

    def __init__(self, *args: object, **named: object) -> None:
        self.made: dict[UUID, str] = {}
        self.born: dict[UUID, str] = {}
        self.joining: dict[UUID, set[UUID]] = defaultdict(set)
        self.planned: dict[UUID, PlannedAudience] = {}
        super().__init__(*args, **named)  # type: ignore[arg-type]

    def closed(self, group_id: UUID) -> bool:
        """Whether the import adds no member with an account to this group."""
        return self._closed(group_id)

    def known(self) -> dict[UUID, str]:
        """The existing members whom the file has named so far: {id: name in the file}."""
        return {
            id_: name[1]
            for name, id_ in self._members.items()
            if name in self._met and id_ not in self.born
        }

    def member(self, name: str, group: str | None) -> UUID:
        """As for an import, and note that the name was used."""
        self._met.add(self._name(name, group))
        return super().member(name, group)

    def _load_known_people(self) -> None:
        self._met: set[ScopedName] = set()
        super()._load_known_people()

    def _made(self, external_id: str) -> UUID:
        id_ = uuid4()
        self.made[id_] = external_id
        self.new_groups += 1
        return id_

    def _new_member(self, known: ScopedName) -> UUID:
        id_ = uuid4()
        self.born[id_] = known[1]
        return id_

    def _put(self, group_id: UUID, new: list[UUID]) -> None:
        self.joining[group_id].update(new)

    def _of_kind(self, kind: str, key: str, group_id: UUID | None) -> UUID:
        own = frozenset({("member", UUID(key))}) if kind == AudienceType.MEMBER else frozenset()
        return self._plan(PlannedAudience(kind, group_id, own))

    def _listed(self, readers: set[ReaderKey], group_id: UUID | None) -> UUID:
        return self._plan(PlannedAudience(AudienceType.EXPLICIT, group_id, frozenset(readers)))

    def _plan(self, audience: PlannedAudience) -> UUID:
        id_ = uuid4()
        self.planned[id_] = audience
        return id_

    def settle(self) -> None:
        """Replace the temporary ids of audiences that exist by their own ids; call inside the
        scope."""
        keys = {id_: _audience_key(one) for id_, one in self.planned.items()}
        rows = Audience.objects.filter(
            organisation_id=self.organisation.id, key__in={key for _, key in keys.values()}
        )
        there = {(kind, key): id_ for id_, kind, key in rows.values_list("id", "kind", "key")}
        own = {id_: there.get(key, id_) for id_, key in keys.items()}
        self.planned = {own[id_]: one for id_, one in self.planned.items()}
        self._audiences = {place: own[id_] for place, id_ in self._audiences.items()}


def _audience_key(audience: PlannedAudience) -> tuple[str, str]:
    """(kind, key), which identify an audience."""
    if audience.kind == AudienceType.EXPLICIT:
        return audience.kind, readers_digest(audience.readers, audience.group)
    if audience.kind == AudienceType.MEMBER:
        [(_, member_id)] = audience.readers
        return audience.kind, str(member_id)
    return audience.kind, str(audience.group) if audience.group else ""


# Whether the asker would read something: yes, no, or only as a member of the new groups.
YES, NO, IF_JOINED = "yes", "no", "seated"
YOU = "you"


@dataclass(frozen=True, slots=True)
class PlannedGroup:
    """A group of the file, with its number of lines."""

    name: str
    new: bool
    lines: int
    reads: str


@dataclass(frozen=True, slots=True)
class PlannedPerson:
    """Somebody whom the file names. enters: can sign in."""

    name: str
    new: bool
    enters: bool


@dataclass(frozen=True, slots=True)
class PlannedAudienceReaders:
    """The readers of some of the lines.

    name: of a group. names: of the people and groups of a list, as in the file. entering: people
    who can sign in and would read it; away: people who cannot sign in yet. counted: whether these
    two are known; they are not if the asker does not read a group. audience: the id, if it exists
    and the asker reads it.
    """

    kind: str
    lines: int
    reads: str
    name: str
    names: tuple[str, ...]
    new: bool
    counted: bool
    entering: int
    away: int
    audience: UUID | None = None


PlannedImportReaders = tuple[list[PlannedGroup], list[PlannedPerson], list[PlannedAudienceReaders]]


@dataclass(slots=True)
class _ExistingPeople:
    """Existing members and groups. people: members with an account: {id: whether they can sign in};
    bare: members without one. seats: members by group. known: groups whose members the asker may
    know; read: those of them that the asker reads; open: those that are not confidential."""

    actor: Actor
    cast: PlannedPeople
    people: dict[UUID, bool]
    bare: set[UUID]
    curators: set[UUID]
    seats: dict[UUID, set[UUID]]
    known: set[UUID]
    read: set[UUID]
    open: set[UUID]
    names: dict[UUID, str]

    def seated(self, group_id: UUID) -> set[UUID]:
        """The members that a group would have; an import adds nobody with an account to a closed
        one."""
        joining = self.cast.joining.get(group_id, set())
        if self.cast.closed(group_id):
            joining = joining - self.people.keys()
        return self.seats.get(group_id, set()) | joining

    def reads_group(self, group_id: UUID) -> str:
        if group_id in self.cast.made:
            return self._of_new_groups()
        return YES if group_id in self.read else NO

    def knows_seats(self, group_id: UUID) -> bool:
        """Whether the asker may know who is in a group."""
        return group_id in self.cast.made or group_id in self.known

    def _of_new_groups(self) -> str:
        """A robot sits in the groups that its import makes; people choose."""
        return YES if self.actor.robot_id else IF_JOINED

    def sits(self, group_id: UUID) -> str:
        """Whether the asker would read by being in this group. Curators of a group do not read its
        lists."""
        if group_id in self.cast.made:
            return self._of_new_groups()
        if self.actor.robot_id:
            return YES if group_id in self.read else NO
        return YES if self.actor.member_id in self.seated(group_id) else NO

    def counts(self, ids: set[UUID]) -> tuple[int, int]:
        """(how many can sign in, how many cannot yet); removed members are in neither."""
        entering = sum(self.people.get(id_, False) for id_ in ids)
        here = sum(id_ in self.people or id_ in self.bare or id_ in self.cast.born for id_ in ids)
        return entering, here - entering


def summarise_audiences(
    principal: Principal, cast: PlannedPeople, lines: Sequence[ImportLine], audiences: Counter[UUID]
) -> PlannedImportReaders:
    """Groups by their number of lines, people by name, and readers; call in the organisation's
    scope.

    audiences: the number of lines of each.
    """
    known = _load_existing_people(principal.actor, cast)
    reads = principal.audiences
    said = Counter(cast.groups[line.group] for line in lines if line.group in cast.groups)
    listed = {id_ for one in cast.planned.values() for kind, id_ in one.readers if kind == "group"}
    groups = [
        PlannedGroup(known.names[id_], id_ in cast.made, said[id_], known.reads_group(id_))
        for id_ in said.keys() | listed | cast.made.keys()
    ]
    people = [(name, False, known.people.get(id_, False)) for id_, name in cast.known().items()]
    people += [(name, True, False) for name in cast.born.values()]
    return (
        sorted(groups, key=lambda one: (-one.lines, one.name)),
        [PlannedPerson(*one) for one in sorted(people)],
        [
            replace(
                _audience_readers(cast.planned[id_], number, known),
                audience=id_ if id_ in reads else None,
            )
            for id_, number in audiences.most_common()
        ],
    )


def _load_existing_people(actor: Actor, cast: PlannedPeople) -> _ExistingPeople:
    here = {"organisation_id": actor.organisation_id}
    groups = {*cast.groups.values(), *filter(None, [cast.default_group])}
    found = _ExistingPeople(actor, cast, {}, set(), set(), {}, set(), set(), set(), {})
    found.names = {
        id_: cast.group_names.get(name, name) if id_ in cast.made else name
        for name, id_ in cast.groups.items()
    }
    known = manageable_groups(actor).filter(id__in=groups)
    for group_id, confidential, name in known.values_list("id", "confidential", "name"):
        found.known.add(group_id)
        if group_id == cast.default_group:
            # The file does not name it.
            found.names[group_id] = name
        if not confidential:
            found.open.add(group_id)
    # A person reads all of these, a robot those in which it sits.
    found.read |= found.known
    if actor.robot_id:
        found.read &= set(visible_groups(actor).values_list("id", flat=True))
    seats = GroupMembership.objects.filter(**here, group_id__in=found.known)
    for group_id, member_id in seats.values_list("group_id", "member_id"):
        found.seats.setdefault(group_id, set()).add(member_id)
    wanted = {actor.member_id, *cast.known()}.union(*found.seats.values())
    members = Member.objects.filter(**here, removed_at=None)
    rows = members.filter(Q(id__in=wanted) | Q(role__in=MODERATOR_ROLES))
    rows = rows.annotate(can_sign_in=can_sign_in_q())
    for id_, role, user, can_sign_in in rows.values_list("id", "role", "user_id", "can_sign_in"):
        if user is None:
            found.bare.add(id_)
        else:
            found.people[id_] = can_sign_in
        if role in MODERATOR_ROLES:
            found.curators.add(id_)
    return found


def _audience_readers(
    audience: PlannedAudience, lines: int, known: _ExistingPeople
) -> PlannedAudienceReaders:
    if audience.kind == AudienceType.ORGANISATION:
        entering, away = _count_everyone(known)
        return PlannedAudienceReaders(
            audience.kind, lines, YES, "", (), False, True, entering, away
        )
    group_id = audience.group
    if audience.kind == AudienceType.GROUP and group_id:
        reads = known.reads_group(group_id)
        ids = known.seated(group_id) | (known.curators if group_id in known.open else set())
        return PlannedAudienceReaders(
            audience.kind,
            lines,
            reads,
            known.names[group_id],
            (),
            group_id in known.cast.made,
            known.knows_seats(group_id),
            *known.counts(ids),
        )
    return _explicit_readers(audience, lines, known)


def _explicit_readers(
    audience: PlannedAudience, lines: int, known: _ExistingPeople
) -> PlannedAudienceReaders:
    members = {id_ for kind, id_ in audience.readers if kind == "member"}
    groups = {id_ for kind, id_ in audience.readers if kind == "group"}
    reads = {known.sits(id_) for id_ in groups}
    if known.actor.member_id in members:
        reads.add(YES)
    everybody = members.union(*(known.seated(id_) for id_ in groups))
    called = known.cast.known() | known.cast.born
    # The importer alone may read a line without being named in the file.
    names = [called.get(id_, YOU) for id_ in members] + [known.names[id_] for id_ in groups]
    return PlannedAudienceReaders(
        audience.kind,
        lines,
        next((one for one in (YES, IF_JOINED) if one in reads), NO),
        "",
        tuple(sorted(names)),
        False,
        all(known.knows_seats(id_) for id_ in groups),
        *known.counts(everybody),
    )


def _count_everyone(known: _ExistingPeople) -> tuple[int, int]:
    rows = Member.objects.filter(organisation_id=known.actor.organisation_id, removed_at=None)
    entering = rows.filter(can_sign_in_q()).count()
    return entering, rows.count() - entering + len(known.cast.born)
