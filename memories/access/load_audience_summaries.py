"""Who can read a memory, in words and by name, for somebody who reads it themselves.

A page of memories costs as many queries as one memory. Only groups that the asker reads are named,
so a list reveals no other group. The sentences count those who can read now; people who cannot sign
in and robots without a key are named in a note.
"""

from collections.abc import Iterable
from dataclasses import replace
from uuid import UUID

from django.utils.translation import gettext

from memories.access.audience_summary import (
    AudienceSummary,
    build_audience_summary,
    build_new_readers_summary,
)
from memories.access.reader_list.reader_query import load_audience_readers
from memories.store.models.memory import Memory
from orgs.models.audiences import Audience
from orgs.principals import Principal


def load_memory_audience_summaries(
    principal: Principal, memories: Iterable[Memory], organisation: str
) -> dict[UUID, AudienceSummary]:
    """Readers by audience id; call inside the principal's scope. One query."""
    return load_audience_summaries(
        principal, [memory.audience for memory in memories], organisation
    )


def load_audience_summaries(
    principal: Principal, places: Iterable[Audience], organisation: str
) -> dict[UUID, AudienceSummary]:
    """`load_memory_audience_summaries` for audiences that the asker may read."""
    audiences = {audience.id: audience for audience in places}
    known = load_audience_readers(principal, list(audiences))
    return {
        id_: replace(
            build_audience_summary(audience.kind, organisation, known[id_].summed()),
            group=audience.group_id if known[id_].groups else None,
        )
        for id_, audience in audiences.items()
    }


def load_new_readers_summary(
    principal: Principal, place: Audience, before: Audience, organisation: str
) -> AudienceSummary:
    """Who would read it in `place` and does not read it in `before`; the asker reads both. One
    query."""
    known = load_audience_readers(principal, [place.id, before.id], before=(before.id,))[place.id]
    return build_new_readers_summary(place.kind, organisation, known.summed())


def load_new_readers_summary_of_many(
    principal: Principal, place: Audience, before: Iterable[Audience], organisation: str
) -> AudienceSummary:
    """Who would newly read one or more memories that move from `before` to `place`. One query."""
    places = tuple(sorted({audience.id for audience in before}))
    known = load_audience_readers(principal, [place.id, *places], before=places)[place.id]
    return build_new_readers_summary(
        place.kind, organisation, known.summed(), what=gettext("one or more of them")
    )
