"""Who can read a memory, in words and by name, for somebody who reads it themselves.

A page of memories costs as many queries as one memory. Only groups that the asker reads are named,
so a list reveals no other group. The sentences count those who can read now; people who cannot sign
in and robots without a key are named in a note.
"""

from collections.abc import Iterable
from dataclasses import replace
from uuid import UUID

from memories.access.reader_sentences import AudienceSentence, in_words, newly_in_words
from memories.access.sheet.reader_rows import look_up
from memories.store.models.memory import Memory
from orgs.models.audiences import Audience
from orgs.principals import Principal


def readers_of(
    principal: Principal, memories: Iterable[Memory], organisation: str
) -> dict[UUID, AudienceSentence]:
    """Readers by audience id; call inside the principal's scope. One query."""
    return readers_in(principal, [memory.audience for memory in memories], organisation)


def readers_in(
    principal: Principal, places: Iterable[Audience], organisation: str
) -> dict[UUID, AudienceSentence]:
    """`readers_of` for audiences that the asker may read."""
    audiences = {audience.id: audience for audience in places}
    known = look_up(principal, list(audiences))
    return {
        id_: replace(
            in_words(audience.kind, organisation, known[id_].summed()),
            group=audience.group_id if known[id_].groups else None,
        )
        for id_, audience in audiences.items()
    }


def newly_in(
    principal: Principal, place: Audience, before: Audience, organisation: str
) -> AudienceSentence:
    """Who would read it in `place` and does not read it in `before`; the asker reads both. One
    query."""
    known = look_up(principal, [place.id, before.id], before=(before.id,))[place.id]
    return newly_in_words(place.kind, organisation, known.summed())


def newly_in_from(
    principal: Principal, place: Audience, before: Iterable[Audience], organisation: str
) -> AudienceSentence:
    """Who would newly read one or more memories that move from `before` to `place`. One query."""
    places = tuple(sorted({audience.id for audience in before}))
    known = look_up(principal, [place.id, *places], before=places)[place.id]
    return newly_in_words(place.kind, organisation, known.summed(), what="one or more of them")
