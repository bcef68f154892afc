"""Each person and each robot that can read a memory, with the reason, for somebody who reads it.

The lines, the counts and the sentence come from one query (`reader_rows`). Some readers are counted
without a name, because the asker may not know it: who has which persona, whom a personal robot
serves, and which robots are in a group that the asker does not see. The people of such a group are
not even counted; the sheet says that there is one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID, uuid4

from memories.access.lookup import fetch
from memories.access.reader_sentences import (
    AudienceSentence,
    Reader,
    in_words,
    newly_in_words,
)
from memories.access.sheet import reasons
from memories.access.sheet.reader_rows import Drawn, Known, Part, look_up
from memories.store.models.choices import Kind, Status
from memories.store.models.memory import Memory
from orgs.errors import NotFound
from orgs.models.audiences import Audience, AudienceKind
from orgs.principals import Actor, Principal, resolve

# The parts of a sheet, each with who is in it: what, and whether they can read now.
PARTS = {
    "people": ("person", True),
    "robots": ("robot", True),
    "helpers": ("helper", True),
    "away": ("person", False),
    "keyless": ("robot", False),
}
# Notes among robots have no sheet.
_ROBOTS_ALONE = (AudienceKind.ROBOT, AudienceKind.TEAM)
# At most this many present audiences are looked up to find the new readers.
MOST_BEFORE = 40


@dataclass(frozen=True, slots=True)
class SheetLine:
    """One reader, and why. mine: the asker, or a robot that works for the asker."""

    name: str
    because: str
    mine: bool


@dataclass(frozen=True, slots=True)
class SheetPart:
    """People, robots, robots that read for one of the people (helpers), people who cannot sign in
    yet (away), or robots without a key (keyless).

    count: all of them; more: how many named ones follow after these lines; unnamed: how many of
    them the asker may not know by name.
    """

    name: str
    count: int
    lines: tuple[SheetLine, ...]
    more: int
    unnamed: int


@dataclass(frozen=True, slots=True)
class ReaderSheet:
    """newly: it holds only people and robots who could not read before. hidden: how many groups
    read it that the asker does not see. start: how many lines of each part were left out at the
    front."""

    audience: AudienceSentence
    parts: tuple[SheetPart, ...]
    newly: bool
    hidden: int
    start: int


@dataclass(frozen=True, slots=True)
class Wish:
    """The audience that a memory would get: private, organisation, group:<id>, or shared with these
    members."""

    value: str
    people: tuple[UUID, ...] = ()


def sheet_of(
    actor: Actor,
    memory_id: UUID,
    *,
    organisation: str,
    wish: Wish | None = None,
    start: int = 0,
    most: int,
) -> ReaderSheet:
    """Who reads a memory now; with a wish, who would newly read it there.

    start, most: how many lines of each part are left out at the front, and how many are given at
    most. Raises NotFound for a memory or an audience that the asker does not read, and for a
    forgotten memory, which nobody reads.
    """
    principal = resolve(actor)
    with principal.scope():
        memory = fetch(principal, memory_id)
        if memory.kind == Kind.INTERNAL or memory.status == Status.FORGOTTEN:
            raise NotFound("no such memory")
        place = memory.audience if wish is None else target(principal, wish)
        return sheet_in(
            principal,
            place,
            organisation=organisation,
            memory=memory,
            before=() if wish is None else (memory.audience_id,),
            part=Part(start, most),
        )


def sheet_of_audience(
    actor: Actor, audience_id: UUID, *, organisation: str, start: int = 0, most: int
) -> ReaderSheet:
    """Who reads the memories of an audience now; it may have none yet.

    Raises NotFound for an audience that the asker does not read.
    """
    principal = resolve(actor)
    if audience_id not in principal.audiences:
        raise NotFound("no such readers")
    with principal.scope():
        rows = Audience.objects.filter(organisation_id=principal.organisation_id, id=audience_id)
        place = rows.exclude(kind__in=_ROBOTS_ALONE).first()
        if place is None:
            raise NotFound("no such readers")
        part = Part(start, most)
        return sheet_in(principal, place, organisation=organisation, part=part)


def newly_of(
    actor: Actor,
    places: Sequence[UUID],
    wish: Wish,
    *,
    organisation: str,
    most: int,
) -> ReaderSheet:
    """Who would newly read at least one of several memories. places: their present audiences.

    Raises NotFound for an audience that the asker does not read.
    """
    principal = resolve(actor)
    if not principal.audiences.issuperset(places):
        raise NotFound("no such readers")
    with principal.scope():
        return sheet_in(
            principal,
            target(principal, wish),
            organisation=organisation,
            before=places,
            part=Part(0, most),
        )


def target(principal: Principal, wish: Wish) -> Audience | Drawn:
    """The audience that a wish means, or a list that is not stored yet. Raises NotFound."""
    if wish.value == "shared":
        me = principal.actor.member_id
        return Drawn(uuid4(), tuple({*wish.people, *([me] if me else [])}))
    kind, _, group = wish.value.partition(":")
    own = {"private": principal.own_audience, "organisation": principal.organisation_audience}
    id_ = principal.named.get((AudienceKind.GROUP, group)) if kind == "group" else own.get(kind)
    if id_ is None or id_ not in principal.audiences:
        raise NotFound("no such readers")
    return Audience.objects.get(organisation_id=principal.organisation_id, id=id_)


def sheet_in(
    principal: Principal,
    place: Audience | Drawn,
    *,
    organisation: str,
    memory: Memory | None = None,
    before: Sequence[UUID] = (),
    part: Part,
) -> ReaderSheet:
    """The sheet of an audience that the asker reads; call inside their scope. One query.

    before: present audiences, which the asker reads too; then the sheet holds only readers who do
    not yet read every one of these. Without another audience than `place` among them nobody is new.
    Only the first MOST_BEFORE of them count.
    """
    drawn = place if isinstance(place, Drawn) else None
    kind = AudienceKind.EXPLICIT if drawn else place.kind  # type: ignore[union-attr]
    others = tuple(sorted(set(before) - {place.id}))[:MOST_BEFORE]
    wanted = [*others, *([] if drawn else [place.id])]
    known = look_up(principal, wanted, before=others, drawn=drawn, part=part)[place.id]
    if before and not others:
        known = Known(groups=known.groups, teams=known.teams, cohort=known.cohort)
    words = newly_in_words if before else in_words
    named = reasons.Place(kind, organisation, known.groups, known.teams, known.cohort)
    did = _did(memory)
    said = words(kind, organisation, known.summed())
    if isinstance(place, Audience) and known.groups:
        said = replace(said, group=place.group_id)
    return ReaderSheet(
        audience=said,
        parts=tuple(
            found for name in PARTS if (found := _part(name, known, named, did, part.start)).count
        ),
        newly=bool(before),
        hidden=known.hidden,
        start=part.start,
    )


def _part(
    name: str, known: Known, place: reasons.Place, did: reasons.Part, start: int
) -> SheetPart:
    what, enters = PARTS[name]
    counts = [one for one in known.counts if (one.what, one.enters) == (what, enters)]
    told = sum(one.number for one in counts if one.known)
    lines = [one for one in known.listed if (one.what, one.enters) == (what, enters)]
    return SheetPart(
        name=name,
        count=sum(one.number for one in counts),
        lines=tuple(_line(one, place, did) for one in lines),
        more=max(0, told - start - len(lines)),
        unnamed=sum(one.number for one in counts if not one.known),
    )


def _line(reader: Reader, place: reasons.Place, did: reasons.Part) -> SheetLine:
    you = reader.mine and reader.what == "person"
    name = "You" if you else reader.name
    return SheetLine(name, reasons.because(reader, place, did), reader.mine)


def _did(memory: Memory | None) -> reasons.Part:
    if memory is None:
        return reasons.Part()
    teller = memory.teller
    wrote = (memory.author_id, teller.id if teller else None)
    return reasons.Part(
        wrote=frozenset(id_ for id_ in wrote if id_),
        said=memory.speaker_member_id,
        about=memory.member_id,
        heard=frozenset(memory.listeners or ()),
    )
