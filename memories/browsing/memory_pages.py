"""The memories of the pages: lists, and one memory with its origin."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from django.db import connection

from memories.access.audience_summary import AudienceSummary
from memories.access.load_audience_summaries import load_memory_audience_summaries
from memories.access.permissions import (
    ChangeForbiddenError,
    get_readable_memory,
    is_red_line_exempt,
    may_change,
    may_erase_q,
    may_forget,
    may_publish,
    may_restore,
    red_line_allows_q,
)
from memories.access.references import ReferenceLookup
from memories.access.writer_rights import does_writer_reach
from memories.answers.answer_question import (
    RecalledText,
    select_answer,
    select_disagreeing,
)
from memories.answers.select_sentences import AnswerSpan
from memories.browsing.conversation_pages.folded_list import (
    FoldedConversation,
    LineCount,
    folded_q,
    load_lines,
)
from memories.browsing.memory_versions import (
    MAX_MOVES,
    TierHistory,
    TierMove,
    VersionPage,
    build_tier_history,
    load_versions,
)
from memories.browsing.saved_views import count_each
from memories.browsing.selection import (
    NEWEST_FIRST,
    FilterOptions,
    Selection,
    count_up_to_limit,
    estimate_count,
    list_ids,
    list_sorted_ids,
    load_filter_options,
    load_in_order,
    select_memories,
)
from memories.restatement.models import Restatement
from memories.restatement.restate import find_restatement
from memories.retrieval.answering.confidence import is_irrelevant
from memories.retrieval.recall import recall_as_principal, resolve_asker
from memories.retrieval.resolve_filters import Query
from memories.review.contradictions import UNDECIDED_SQL, find_undecided
from memories.store.lineage import ANCESTORS_SQL, MAX_LEVELS, Lineage, group_by_level
from memories.store.models.choices import Kind, Status
from memories.store.models.memory import Memory
from memories.store.models.version import Contribution
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.memberships import Role
from orgs.models.organisations import Group
from orgs.principals import Actor, Principal, resolve_principal
from robots.people.directory import visible_groups

PAGE_SIZE = 30
MAX_TURNS_AROUND = 2
MAX_VERSIONS = 10
MAX_CONTRIBUTIONS = 20
MAX_RELATED = 10
# At most this many saved views show how many memories they hold.
MAX_COUNTED_VIEWS = 12
# Reads the query of a saved view into a selection; None if it is no longer valid.
ParseSavedView = Callable[[str], Selection | None]


@dataclass(frozen=True, slots=True)
class ListedMemory:
    """A memory with its readers, and whether the asker may change and forget it. publishes: whether
    what they change holds at once; looked up where one memory is changed (`editable`).

    Viewers change nothing, but may forget what is about them or said by them. A protected memory is
    forgettable only for its subject or speaker, or if it is private to the asker.
    """

    memory: Memory
    readers: AudienceSummary
    changeable: bool
    forgettable: bool
    publishes: bool = True


@dataclass(frozen=True, slots=True)
class MemoryListPage:
    """A page of memories; `older_than` continues after the last one, None at the end.

    erasable: the ids of those that the asker may erase for good, if asked for.

    count: (how many match, whether that is exact). answered: for a question yes, unsure or no;
    folded: the ids of those that do not answer it; answers: the sentences that do; disagrees: the
    ids of those that say otherwise.

    conversations: where turns are folded, the conversation shown at a row, by the row's id; lines:
    the number of lines, if that is exact.
    """

    rows: list[ListedMemory]
    older_than: UUID | None = None
    count: tuple[int, bool] | None = None
    options: FilterOptions | None = None
    erasable: frozenset[UUID] = frozenset()
    answered: str = ""
    folded: frozenset[UUID] = frozenset()
    answers: Sequence[AnswerSpan] = ()
    disagrees: Sequence[UUID] = ()
    conversations: Mapping[UUID, FoldedConversation] = field(default_factory=dict)
    lines: LineCount | None = None


@dataclass(frozen=True, slots=True)
class MemoryDetailPage:
    """One memory with the robots that said it, the turns around it (oldest first), its sources and
    derived memories, its versions (newest first) and its tier history."""

    shown: ListedMemory
    contributions: list[Contribution]
    before: list[Memory]
    after: list[Memory]
    lineage: Lineage
    history: VersionPage
    restorable: bool
    standing: TierHistory
    restatement: Restatement | None = None
    writer_reads: bool = False
    disputed_by: Sequence[Memory] = ()


def to_listed_memories(
    principal: Principal, rows: Sequence[Memory], organisation: str
) -> list[ListedMemory]:
    """The memories with their readers and the asker's rights; call inside the principal's scope."""
    readers = load_memory_audience_summaries(principal, rows, organisation)
    return [
        ListedMemory(
            row,
            readers[row.audience_id],
            changeable=principal.actor.role != Role.VIEWER and may_change(principal, row),
            forgettable=may_forget(principal, row)
            and (not row.red_line or is_red_line_exempt(principal.actor, row)),
        )
        for row in rows
    ]


def list_memories(
    actor: Actor,
    selection: Selection,
    *,
    organisation: str,
    now: datetime,
    text: str = "",
    order: str = NEWEST_FIRST,
    after: UUID | None = None,
    fold: bool = False,
    whole: ParseSavedView | None = None,
) -> MemoryListPage:
    """A page of the memories that match, and how many match.

    text: a part of their text, for memories that no recall finds. order: see `in_order`. after: the
    last one of the page before. fold: whether the turns of a chat are one line. whole: reads saved
    views; then the page also has the filter options and the counts of saved views. Raises
    NotFoundError for a group that the asker may not know.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        chosen = _load_options(principal, selection, whole, now)
        rows = select_memories(principal, selection, now, text=text)
        counted = count_up_to_limit(rows, now, fold=fold)
        everything = not selection and not text
        count = estimate_count(principal, counted.memories, everything=everything)
        ids = list_sorted_ids(
            principal,
            rows,
            order,
            counted.memories,
            after=after,
            most=PAGE_SIZE + 1,
            now=now,
            fold=fold,
        )
        kept = ids[:PAGE_SIZE]
        found = load_lines(rows, kept, now) if fold else load_in_order(principal, kept)
        talks = {one.turn.id: one for one in found if isinstance(one, FoldedConversation)}
        turns = [one.turn if isinstance(one, FoldedConversation) else one for one in found]
        shown = to_listed_memories(principal, turns, organisation)
    return MemoryListPage(
        shown,
        kept[-1] if len(ids) > PAGE_SIZE else None,
        count=count,
        options=chosen,
        conversations=talks,
        lines=counted if fold and count[1] else None,
    )


def list_matching_ids(
    actor: Actor, selection: Selection, *, now: datetime, fold: bool = False
) -> list[UUID]:
    """The ids of all matches, up to the limit of counting. fold: leave out folded turns.

    Raises NotFoundError like `library`.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        _load_options(principal, selection, None, now)
        rows = select_memories(principal, selection, now)
        return list_ids(rows.exclude(folded_q(now)) if fold else rows)


def list_forgotten(
    actor: Actor, *, organisation: str, now: datetime, older_than: UUID | None = None
) -> MemoryListPage:
    """A page of forgotten memories that the asker may restore, however old."""
    principal = resolve_principal(actor)
    with principal.scope():
        rows = select_memories(principal, Selection(status=Status.FORGOTTEN), now)
        if older_than:
            rows = rows.filter(id__lt=older_than)
        page, more = rows.with_names().newest(PAGE_SIZE)
        shown = to_listed_memories(principal, page, organisation)
        mine = Memory.objects.filter(
            may_erase_q(actor), red_line_allows_q(actor), id__in=[r.id for r in page]
        )
        may = frozenset(mine.values_list("id", flat=True))
    return MemoryListPage(shown, page[-1].id if more else None, erasable=may)


def search_memories(
    actor: Actor,
    query: Query,
    selection: Selection,
    *,
    organisation: str,
    now: datetime,
    whole: ParseSavedView | None = None,
) -> MemoryListPage:
    """The hits of a question among the active memories that match, best first."""
    principal = resolve_asker(actor, query)
    with principal.scope():
        chosen = _load_options(principal, selection, whole, now)
    query = replace(query, narrow=selection.as_filters())
    answer = recall_as_principal(principal, query, now=now, recorded=False)
    hits = [hit for hit, _ in answer.hits]
    with principal.scope():
        shown = to_listed_memories(principal, [memory for _, memory in answer.hits], organisation)
        undecided = find_undecided(principal.organisation_id, [hit.id for hit in hits])
    hits = [replace(hit, undecided=undecided.get(hit.id)) for hit in hits]
    folded = frozenset(hit.id for hit in hits if is_irrelevant(hit))
    texts = {
        memory.id: RecalledText(memory.content, memory.speaker, memory.holds_now)
        for _, memory in answer.hits
    }
    spans = select_answer(query.text, answer.confidence, hits, texts)
    return MemoryListPage(
        shown,
        options=chosen,
        answered=answer.answered,
        folded=folded,
        answers=spans,
        disagrees=select_disagreeing(hits, texts, spans),
    )


def _load_options(
    principal: Principal, selection: Selection, whole: ParseSavedView | None, now: datetime
) -> FilterOptions | None:
    """The filter options, if `whole`. Raises NotFoundError for an unknown or foreign group."""
    chosen = load_filter_options(principal) if whole else None
    if chosen is not None and whole:
        groups = {None, *(id_ for id_, _ in chosen.groups)}
        read = {id_: whole(query) for id_, _, query in chosen.views[:MAX_COUNTED_VIEWS]}
        known = {id_: one for id_, one in read.items() if one is not None and one.group in groups}
        chosen.held = count_each(principal, known, now=now)
    if selection.group is None:
        return chosen
    if chosen is not None:
        known_group = selection.group in groups
    else:
        known_group = visible_groups(principal.actor).filter(id=selection.group).exists()
    if not known_group:
        raise NotFoundError("no such group")
    return chosen


def get_detail_page(actor: Actor, memory_id: UUID, *, organisation: str) -> MemoryDetailPage:
    """One memory with its details. Raises NotFoundError; a forgotten one is found only for those
    who may restore it."""
    principal = resolve_principal(actor)
    with principal.scope():
        memory = _get_for_people(principal, memory_id)
        shown = to_listed_memories(principal, [memory], organisation)[0]
        contributions = Contribution.objects.filter(
            organisation_id=principal.organisation_id, memory_id=memory.id
        ).select_related("robot", "member")
        before, after, lineage, moves, disputes = _load_related(principal, memory)
        return MemoryDetailPage(
            shown,
            list(contributions.order_by("first_at", "id")[:MAX_CONTRIBUTIONS]),
            before,
            after,
            lineage,
            load_versions(principal, memory, limit=MAX_VERSIONS),
            restorable=(shown.changeable or shown.forgettable)
            and memory.status in (Status.FORGOTTEN, Status.ARCHIVED)
            and may_restore(principal, memory),
            standing=build_tier_history(memory, moves),
            restatement=find_restatement(memory),
            writer_reads=does_writer_reach(memory),
            disputed_by=disputes,
        )


# Its neighbouring turns, its sources, its derived memories, and its last moves between tiers.
_RELATED_SQL = f"""
SELECT c.*, NULL, NULL, NULL, NULL::float8, NULL::timestamptz FROM (
(SELECT 'before', m.id FROM memories_memory m
 WHERE m.organisation_id = %(organisation)s AND m.conversation = %(conversation)s
   AND m.group_id IS NOT DISTINCT FROM %(group)s AND m.status = 'active' AND m.id <> %(id)s
   AND m.position <= %(position)s
 ORDER BY m.position DESC, m.id DESC LIMIT %(turns)s)
UNION ALL
(SELECT 'after', m.id FROM memories_memory m
 WHERE m.organisation_id = %(organisation)s AND m.conversation = %(conversation)s
   AND m.group_id IS NOT DISTINCT FROM %(group)s AND m.status = 'active' AND m.id <> %(id)s
   AND m.position > %(position)s
 ORDER BY m.position, m.id LIMIT %(turns)s)
UNION ALL
(SELECT 'derived_from', d.source_id FROM memories_derivation d
 WHERE d.organisation_id = %(organisation)s AND d.memory_id = %(id)s
 ORDER BY d.source_id DESC LIMIT %(most)s)
UNION ALL
(SELECT 'used_in', d.memory_id FROM memories_derivation d
 WHERE d.organisation_id = %(organisation)s AND d.source_id = %(id)s
 ORDER BY d.memory_id DESC LIMIT %(most)s)
UNION ALL
(SELECT 'above ' || higher.height, higher.id FROM ({ANCESTORS_SQL}) AS higher)
UNION ALL
(SELECT 'disputed', u.id FROM memories_memory m CROSS JOIN LATERAL ({UNDECIDED_SQL}) AS u
 WHERE m.organisation_id = %(organisation)s AND m.id = %(id)s AND u.id IS NOT NULL)
) AS c (what, id)
UNION ALL
(SELECT 'moved', t.memory_id, t.from_tier, t.to_tier, t.reason, t.surprise, t.moved_at
 FROM memories_transition t
 WHERE t.organisation_id = %(organisation)s AND t.memory_id = %(id)s
 ORDER BY t.moved_at DESC, t.id DESC LIMIT %(moves)s)
"""


def _load_related(
    principal: Principal, memory: Memory
) -> tuple[list[Memory], list[Memory], Lineage, list[TierMove], list[Memory]]:
    """(turns before, turns after, lineage, moves, what says otherwise), as far as the asker may
    read them; two queries."""
    with connection.cursor() as cursor:
        cursor.execute(
            _RELATED_SQL,
            {
                "organisation": principal.organisation_id,
                "conversation": memory.conversation,
                "group": memory.group_id,
                "id": memory.id,
                "position": memory.position,
                "turns": MAX_TURNS_AROUND,
                "most": MAX_RELATED,
                "moves": MAX_MOVES,
                "levels": MAX_LEVELS,
            },
        )
        found = cursor.fetchall()
    rows = Memory.objects.filter(organisation_id=principal.organisation_id).for_people()
    known = (
        rows.exclude(status=Status.FORGOTTEN)
        .with_names()
        .in_bulk([id_ for name, id_, *_ in found if name != "moved"])
    )

    def those(what: str) -> list[Memory]:
        return [known[id_] for name, id_, *_ in found if name == what and id_ in known]

    above = [
        (id_, int(what.removeprefix("above ")))
        for what, id_, *_ in found
        if what.startswith("above ")
    ]
    lineage = Lineage(those("derived_from"), those("used_in"), group_by_level(above, known))
    moves = [TierMove(*move) for name, _, *move in found if name == "moved"]
    return those("before")[::-1], those("after"), lineage, moves, those("disputed")


def _get_for_people(principal: Principal, memory_id: UUID) -> Memory:
    memory = get_readable_memory(principal, memory_id)
    if memory.kind == Kind.INTERNAL:
        raise NotFoundError("no such memory")
    return memory


def get_memory(actor: Actor, memory_id: UUID) -> Memory:
    """One memory without details. Raises NotFoundError."""
    principal = resolve_principal(actor)
    with principal.scope():
        return _get_for_people(principal, memory_id)


def get_listed_memory(actor: Actor, memory_id: UUID, *, organisation: str) -> ListedMemory:
    """One memory with its readers. Raises NotFoundError."""
    principal = resolve_principal(actor)
    with principal.scope():
        return to_listed_memories(principal, [_get_for_people(principal, memory_id)], organisation)[
            0
        ]


def get_editable_memory(actor: Actor, memory_id: UUID, *, organisation: str) -> ListedMemory:
    """An active memory that the asker may change, with `publishes`. NotFound, or NotYours."""
    shown = get_listed_memory(actor, memory_id, organisation=organisation)
    if not shown.changeable:
        raise ChangeForbiddenError("You may read this memory, but it is not yours to change.")
    with organisation_scope(actor.organisation_id):
        return replace(shown, publishes=may_publish(actor, shown.memory))


def get_group_id(actor: Actor, reference: str) -> UUID:
    """A group that the asker reads, by its external id. Raises NotFoundError."""
    with organisation_scope(actor.organisation_id):
        return ReferenceLookup(actor).group(reference).id


def list_readable_groups(actor: Actor) -> list[Group]:
    """The groups that the asker reads, by name."""
    with organisation_scope(actor.organisation_id):
        return list(visible_groups(actor).order_by("name"))
