"""Each person and each robot that can read a memory, with the reason, for somebody who reads it.

The lines, the counts and the sentence come from one query (`reader_query`). Some readers are
counted without a name, because the asker may not know it: who has which persona, whom a personal
robot serves, and which robots are in a group that the asker does not see. The people of such a
group are not even counted; the sheet says that there is one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID, uuid4

from django.utils.translation import gettext

from memories.access.audience_summary import (
    AudienceReader,
    AudienceSummary,
    build_audience_summary,
    build_new_readers_summary,
)
from memories.access.permissions import get_readable_memory, may_change
from memories.access.reader_list import reasons
from memories.access.reader_list.reader_query import (
    ReaderPageQuery,
    ReaderQueryResult,
    UnsavedAudience,
    load_audience_readers,
)
from memories.access.visibility import MemoryRequestError
from memories.store.models.choices import Kind, Status
from memories.store.models.memory import Memory
from orgs.errors import NotFoundError
from orgs.languages.page_text import lazy_text
from orgs.models.audiences import Audience, AudienceType
from orgs.models.memberships import Member
from orgs.models.organisations import Organisation
from orgs.organisations.references import get_member
from orgs.principals import Actor, Principal, resolve_principal
from robots.people.directory import visible_members

# The parts of a sheet, each with who is in it: what, and whether they can read now.
SECTIONS = {
    "people": ("person", True),
    "robots": ("robot", True),
    "helpers": ("helper", True),
    "away": ("person", False),
    "keyless": ("robot", False),
}
# Notes among robots have no sheet.
_ROBOT_ONLY_TYPES = (AudienceType.ROBOT, AudienceType.TEAM)
OTHERS_ACCESS_DENIED = (
    "Who wrote it, whom it is about, and those who curate may ask whether somebody else reads it."
)
CANNOT_SIGN_IN = lazy_text("cannot sign in")
# At most this many present audiences are looked up to find the new readers.
MAX_CURRENT_AUDIENCES = 40


@dataclass(frozen=True, slots=True)
class ReaderListEntry:
    """One reader, and why. mine: the asker, or a robot that works for the asker."""

    name: str
    because: str
    mine: bool


@dataclass(frozen=True, slots=True)
class ReaderListSection:
    """People, robots, robots that read for one of the people (helpers), people who cannot sign in
    yet (away), or robots without a key (keyless).

    count: all of them; more: how many named ones follow after these lines; unnamed: how many of
    them the asker may not know by name.
    """

    name: str
    count: int
    lines: tuple[ReaderListEntry, ...]
    more: int
    unnamed: int


@dataclass(frozen=True, slots=True)
class ReaderList:
    """newly: it holds only people and robots who could not read before. hidden: how many groups
    read it that the asker does not see. start: how many lines of each part were left out at the
    front."""

    audience: AudienceSummary
    parts: tuple[ReaderListSection, ...]
    newly: bool
    hidden: int
    start: int


@dataclass(frozen=True, slots=True)
class TargetAudience:
    """The audience that a memory would get: private, organisation, group:<id>, or shared with these
    members."""

    value: str
    people: tuple[UUID, ...] = ()


def list_memory_readers(
    actor: Actor,
    memory_id: UUID,
    *,
    organisation: str,
    wish: TargetAudience | None = None,
    start: int = 0,
    most: int,
) -> ReaderList:
    """Who reads a memory now; with a wish, who would newly read it there.

    start, most: how many lines of each part are left out at the front, and how many are given at
    most. Raises NotFoundError for a memory or an audience that the asker does not read, and for a
    forgotten memory, which nobody reads.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        memory = get_readable_memory(principal, memory_id)
        if memory.kind == Kind.INTERNAL or memory.status == Status.FORGOTTEN:
            raise NotFoundError("no such memory")
        place = memory.audience if wish is None else resolve_target_audience(principal, wish)
        return build_reader_list(
            principal,
            place,
            organisation=organisation,
            memory=memory,
            before=() if wish is None else (memory.audience_id,),
            part=ReaderPageQuery(start, most),
        )


def list_audience_readers(
    actor: Actor, audience_id: UUID, *, organisation: str, start: int = 0, most: int
) -> ReaderList:
    """Who reads the memories of an audience now; it may have none yet.

    Raises NotFoundError for an audience that the asker does not read.
    """
    principal = resolve_principal(actor)
    if audience_id not in principal.audiences:
        raise NotFoundError("no such readers")
    with principal.scope():
        rows = Audience.objects.filter(organisation_id=principal.organisation_id, id=audience_id)
        place = rows.exclude(kind__in=_ROBOT_ONLY_TYPES).first()
        if place is None:
            raise NotFoundError("no such readers")
        part = ReaderPageQuery(start, most)
        return build_reader_list(principal, place, organisation=organisation, part=part)


def list_new_readers(
    actor: Actor,
    places: Sequence[UUID],
    wish: TargetAudience,
    *,
    organisation: str,
    most: int,
) -> ReaderList:
    """Who would newly read at least one of several memories. places: their present audiences.

    Raises NotFoundError for an audience that the asker does not read.
    """
    principal = resolve_principal(actor)
    if not principal.audiences.issuperset(places):
        raise NotFoundError("no such readers")
    with principal.scope():
        return build_reader_list(
            principal,
            resolve_target_audience(principal, wish),
            organisation=organisation,
            before=places,
            part=ReaderPageQuery(0, most),
        )


@dataclass(frozen=True, slots=True)
class MemberAccess:
    """Whether a member reads a memory, and why or why not; can_read is None if the asker may not
    know."""

    member: Member
    can_read: bool | None
    reason: str


def get_member_access(actor: Actor, memory_id: UUID, member: str | None = None) -> MemberAccess:
    """Whether a member can read a memory now, as the list of its readers says it.

    member: a reference, by default the person who asks. Everybody may ask about themselves; about
    others its author, whom it is about, and those who curate and read it. Raises NotFoundError for
    a memory that the asker does not read, and for a member whom they do not know; PermissionError
    about others; MemoryRequestError for a robot that names nobody.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        memory = get_readable_memory(principal, memory_id)
        whom = member or (actor.is_person and str(actor.member_id))
        if not whom:
            raise MemoryRequestError("Name the `member`: whether they read it is asked.")
        about = get_member(actor.organisation_id, whom, among=visible_members(actor))
        if actor.own_member_id != about.id and not may_change(principal, memory):
            raise PermissionError(OTHERS_ACCESS_DENIED)
        known = load_audience_readers(
            principal, [memory.audience_id], part=ReaderPageQuery(member=about.id)
        )[memory.audience_id]
        organisation = Organisation.objects.values_list("name", flat=True)
        names = reasons.AudienceNames(
            memory.audience.kind,
            organisation.get(id=actor.organisation_id),
            known.groups,
            known.teams,
            known.cohort,
        )
    reader = next((one for one in known.listed if one.id == about.id), None)
    if memory.status == Status.FORGOTTEN:
        return MemberAccess(about, False, "It was forgotten; nobody reads it.")
    if reader is not None:
        reason = reasons.reason_text(reader, names, _memory_participants(memory))
        return MemberAccess(about, reader.enters, reason if reader.enters else str(CANNOT_SIGN_IN))
    if actor.is_person and actor.member_id == about.id:
        return MemberAccess(about, True, "you have read it just now")
    if known.hidden or any(one.what == "person" and not one.known for one in known.counts):
        return MemberAccess(about, None, "Not all of its readers are known to you.")
    return MemberAccess(about, False, "not among its readers")


def resolve_target_audience(
    principal: Principal, wish: TargetAudience
) -> Audience | UnsavedAudience:
    """The audience that a wish means, or a list that is not stored yet. Raises NotFoundError."""
    if wish.value == "shared":
        me = principal.actor.member_id
        return UnsavedAudience(uuid4(), tuple({*wish.people, *([me] if me else [])}))
    kind, _, group = wish.value.partition(":")
    own = {"private": principal.own_audience, "organisation": principal.organisation_audience}
    id_ = principal.named.get((AudienceType.GROUP, group)) if kind == "group" else own.get(kind)
    if id_ is None or id_ not in principal.audiences:
        raise NotFoundError("no such readers")
    return Audience.objects.get(organisation_id=principal.organisation_id, id=id_)


def build_reader_list(
    principal: Principal,
    place: Audience | UnsavedAudience,
    *,
    organisation: str,
    memory: Memory | None = None,
    before: Sequence[UUID] = (),
    part: ReaderPageQuery,
) -> ReaderList:
    """The sheet of an audience that the asker reads; call inside their scope. One query.

    before: present audiences, which the asker reads too; then the sheet holds only readers who do
    not yet read every one of these. Without another audience than `place` among them nobody is new.
    Only the first MOST_BEFORE of them count.
    """
    drawn = place if isinstance(place, UnsavedAudience) else None
    kind = AudienceType.EXPLICIT if drawn else place.kind  # type: ignore[union-attr]
    others = tuple(sorted(set(before) - {place.id}))[:MAX_CURRENT_AUDIENCES]
    wanted = [*others, *([] if drawn else [place.id])]
    known = load_audience_readers(principal, wanted, before=others, drawn=drawn, part=part)[
        place.id
    ]
    if before and not others:
        known = ReaderQueryResult(groups=known.groups, teams=known.teams, cohort=known.cohort)
    words = build_new_readers_summary if before else build_audience_summary
    named = reasons.AudienceNames(kind, organisation, known.groups, known.teams, known.cohort)
    did = _memory_participants(memory)
    said = words(kind, organisation, known.summed())
    if isinstance(place, Audience) and known.groups:
        said = replace(said, group=place.group_id)
    return ReaderList(
        audience=said,
        parts=tuple(
            found
            for name in SECTIONS
            if (found := _build_section(name, known, named, did, part.start)).count
        ),
        newly=bool(before),
        hidden=known.hidden,
        start=part.start,
    )


def _build_section(
    name: str,
    known: ReaderQueryResult,
    place: reasons.AudienceNames,
    did: reasons.MemoryParticipants,
    start: int,
) -> ReaderListSection:
    what, enters = SECTIONS[name]
    counts = [one for one in known.counts if (one.what, one.enters) == (what, enters)]
    told = sum(one.number for one in counts if one.known)
    lines = [one for one in known.listed if (one.what, one.enters) == (what, enters)]
    return ReaderListSection(
        name=name,
        count=sum(one.number for one in counts),
        lines=tuple(_build_entry(one, place, did) for one in lines),
        more=max(0, told - start - len(lines)),
        unnamed=sum(one.number for one in counts if not one.known),
    )


def _build_entry(
    reader: AudienceReader, place: reasons.AudienceNames, did: reasons.MemoryParticipants
) -> ReaderListEntry:
    you = reader.mine and reader.what == "person"
    name = gettext("You") if you else reader.name
    return ReaderListEntry(name, reasons.reason_text(reader, place, did), reader.mine)


def _memory_participants(memory: Memory | None) -> reasons.MemoryParticipants:
    if memory is None:
        return reasons.MemoryParticipants()
    teller = memory.teller
    wrote = (memory.author_id, teller.id if teller else None)
    return reasons.MemoryParticipants(
        wrote=frozenset(id_ for id_ in wrote if id_),
        said=memory.speaker_member_id,
        about=memory.member_id,
        heard=frozenset(memory.listeners or ()),
    )
