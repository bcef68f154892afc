"""A conversation with its turns in order, and the memories made from them.

A conversation is found by one of its turns that the asker reads. Its own name often contains that
of the group, which not everybody may know.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import JSONField, Q
from django.db.models.expressions import RawSQL

from memories.access.permissions import get_readable_memory
from memories.restatement.models import Restatement
from memories.store.models.choices import Kind, Status
from memories.store.models.memory import Memory, MemoryQuerySet
from memories.store.models.version import Derivation
from orgs.errors import NotFoundError
from orgs.expiry import not_expired_sql
from orgs.principals import Actor, Principal, resolve_principal

# The figures of a conversation for one line: turns, people and days, as far as the asker reads.

# At most this many turns of a conversation are counted; `more` says if there are others.
MAX_TURNS = 1_000

# The figures of the conversation of a memory. The speaker of a turn is a member, a mere name, or
# the person who wrote it.
_STATS_SQL = f"""
(SELECT jsonb_build_array(count(*), count(DISTINCT who), min(at), max(at),
        (array_agg(id ORDER BY position, id))[1])
 FROM (
    SELECT m.id, m.position, coalesce(m.occurred_at, m.created_at) AS at,
        coalesce(m.speaker_member_id::text, nullif(lower(m.speaker), ''), m.author_id::text) AS who
    FROM memories_memory m
    WHERE m.organisation_id = memories_memory.organisation_id
      AND m.conversation = memories_memory.conversation
      AND m.group_id IS NOT DISTINCT FROM memories_memory.group_id AND m.status = 'active'
      AND m.kind <> 'internal' AND {not_expired_sql(now="%s::timestamptz")}
    ORDER BY m.position, m.id LIMIT %s
 ) AS turn)
"""


@dataclass(frozen=True, slots=True)
class ConversationStats:
    """turns: number of readable active turns, at most MOST; more: whether there are others. people:
    number of their speakers. opening: the first turn."""

    turns: int
    more: bool
    people: int
    first: datetime
    last: datetime
    opening: UUID


def stats_annotation(now: datetime) -> RawSQL:
    """An annotation of memories with the figures, for `parse_stats`; evaluate inside the asker's
    scope."""
    return RawSQL(_STATS_SQL, (now, MAX_TURNS + 1), output_field=JSONField())  # noqa: S611 - a constant


def parse_stats(value: list[Any] | None) -> ConversationStats | None:
    """The figures of an annotation; None without a readable turn."""
    if not value or not value[0]:
        return None
    turns, people, first, last, opening = value
    return ConversationStats(
        min(turns, MAX_TURNS),
        turns > MAX_TURNS,
        people,
        datetime.fromisoformat(first),
        datetime.fromisoformat(last),
        UUID(opening),
    )


PAGE_SIZE = 50
# How many turns before the anchor a page shows.
TURNS_BEFORE_ANCHOR = 5
MAX_DERIVED = 100


@dataclass(frozen=True, slots=True)
class DerivedMemory:
    """A memory that was made from turns of the page. sources: the ids of these turns, in their
    order."""

    memory: Memory
    sources: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """A page of a conversation. anchor: the memory at which it was opened.

    restated: restatements by the id of the turn. earlier, later: the turns before and after which
    the neighbouring pages begin, None at an end.
    """

    anchor: Memory
    turns: list[Memory]
    figures: ConversationStats
    restated: dict[UUID, str] = field(default_factory=dict)
    learnt: list[DerivedMemory] = field(default_factory=list)
    earlier: UUID | None = None
    later: UUID | None = None


def get_conversation_page(
    actor: Actor,
    memory_id: UUID,
    *,
    before: UUID | None = None,
    after: UUID | None = None,
    now: datetime,
) -> ConversationPage:
    """The page of turns around a memory, or before or after another turn of its conversation.

    Raises NotFoundError for a memory that the asker may not read, that belongs to no conversation,
    or whose conversation has no turn left that they read.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        anchor = _get_anchor(principal, memory_id)
        rows = _conversation_turns(principal, anchor, now)
        figures = _load_stats(principal, anchor, now)
        if figures is None:
            raise NotFoundError("no such conversation")
        ids, earlier, later = _page_ids(principal, anchor, rows, before, after)
        known = rows.with_names().in_bulk(ids)
        turns = [known[id_] for id_ in ids if id_ in known]
        return ConversationPage(
            anchor,
            turns,
            figures,
            _load_restatements(principal, ids),
            _load_derived(principal, ids, now),
            ids[0] if ids and earlier else None,
            ids[-1] if ids and later else None,
        )


def _get_anchor(principal: Principal, memory_id: UUID) -> Memory:
    memory = get_readable_memory(principal, memory_id)
    if memory.kind == Kind.INTERNAL or memory.status == Status.FORGOTTEN:
        raise NotFoundError("no such memory")
    if not memory.conversation:
        raise NotFoundError("it belongs to no conversation")
    return memory


def _load_stats(principal: Principal, anchor: Memory, now: datetime) -> ConversationStats | None:
    rows = Memory.objects.filter(organisation_id=principal.organisation_id, id=anchor.id)
    found = rows.annotate(figures=stats_annotation(now)).values_list("figures", flat=True)
    return parse_stats(found.first())


def _conversation_turns(principal: Principal, anchor: Memory, now: datetime) -> MemoryQuerySet:
    rows = Memory.objects.filter(
        organisation_id=principal.organisation_id, conversation=anchor.conversation
    )
    of = Q(group_id=anchor.group_id) if anchor.group_id else Q(group_id__isnull=True)
    rows = rows.filter(of)
    return rows.active(now).for_people()


def _page_ids(
    principal: Principal,
    anchor: Memory,
    rows: MemoryQuerySet,
    before: UUID | None,
    after: UUID | None,
) -> tuple[list[UUID], bool, bool]:
    """The ids in order, and whether there are earlier and later ones."""
    if before:
        found = _ids_before(rows, _get_turn_position(principal, anchor, before), PAGE_SIZE + 1)
        return found[:PAGE_SIZE][::-1], len(found) > PAGE_SIZE, True
    if after:
        found = _ids_after(rows, _get_turn_position(principal, anchor, after), PAGE_SIZE + 1)
        return found[:PAGE_SIZE], True, len(found) > PAGE_SIZE
    place = (anchor.position, anchor.id)
    lead = _ids_before(rows, place, TURNS_BEFORE_ANCHOR + 1)
    rest = _ids_after(rows, place, PAGE_SIZE + 1, itself=True)
    ids = [*lead[:TURNS_BEFORE_ANCHOR][::-1], *rest]
    return ids[:PAGE_SIZE], len(lead) > TURNS_BEFORE_ANCHOR, len(ids) > PAGE_SIZE


def _get_turn_position(principal: Principal, anchor: Memory, turn_id: UUID) -> tuple[int, UUID]:
    """The (position, id) of a turn that an address names. Raises NotFoundError for a turn of
    another conversation."""
    turn = get_readable_memory(principal, turn_id)
    if (turn.conversation, turn.group_id) != (anchor.conversation, anchor.group_id):
        raise NotFoundError("no such turn")
    return turn.position, turn.id


def _ids_before(rows: MemoryQuerySet, place: tuple[int, UUID], most: int) -> list[UUID]:
    position, id_ = place
    earlier = rows.filter(Q(position__lt=position) | Q(position=position, id__lt=id_))
    return list(earlier.order_by("-position", "-id").values_list("id", flat=True)[:most])


def _ids_after(
    rows: MemoryQuerySet, place: tuple[int, UUID], most: int, *, itself: bool = False
) -> list[UUID]:
    position, id_ = place
    same = Q(position=position, id__gte=id_) if itself else Q(position=position, id__gt=id_)
    later = rows.filter(Q(position__gt=position) | same)
    return list(later.order_by("position", "id").values_list("id", flat=True)[:most])


def _load_restatements(principal: Principal, ids: Sequence[UUID]) -> dict[UUID, str]:
    rows = Restatement.objects.filter(
        organisation_id=principal.organisation_id, memory_id__in=ids
    ).exclude(text="")
    return dict(rows.values_list("memory_id", "text"))


def _load_derived(principal: Principal, ids: Sequence[UUID], now: datetime) -> list[DerivedMemory]:
    """The memories made from these turns, in the order of the turns, without turns themselves."""
    links = Derivation.objects.filter(
        organisation_id=principal.organisation_id, source_id__in=ids
    ).exclude(memory_id__in=ids)
    order = {id_: place for place, id_ in enumerate(ids)}
    sources: dict[UUID, list[UUID]] = {}
    for made, source in links.order_by("-memory_id").values_list("memory_id", "source_id")[
        :MAX_DERIVED
    ]:
        sources.setdefault(made, []).append(source)
    rows = Memory.objects.filter(organisation_id=principal.organisation_id)
    known = rows.active(now).for_people().with_names().in_bulk(list(sources)) if sources else {}
    learnt = [
        DerivedMemory(row, tuple(sorted(sources[id_], key=lambda one: order[one])))
        for id_, row in known.items()
    ]
    return sorted(learnt, key=lambda one: (order[one.sources[0]], one.memory.id))
