"""The memories of the pages: lists, and one memory with its origin."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from django.db import connection

from memories.access.lookup import fetch
from memories.access.permissions import (
    NotYours,
    erasable,
    may_change,
    may_forget,
    may_publish,
    may_restore,
)
from memories.access.reader_sentences import AudienceSentence
from memories.access.readers import readers_of
from memories.access.red_lines import is_their_own, unheld
from memories.access.references import References
from memories.library.history import History, versions_of
from memories.library.saved_views import how_many_each
from memories.library.selection import (
    AS_THEY_CAME,
    Options,
    Selection,
    about_how_many,
    counted_no_further,
    ids_of,
    in_order,
    matching,
    memories_of,
    options,
)
from memories.library.threads.folded import (
    FoldedConversation,
    LineCount,
    folds,
    lines_of,
)
from memories.library.tier_history import MOVES, Moved, TierHistory, tier_history
from memories.restatement.models import Restatement
from memories.restatement.restate import restatement_of
from memories.retrieval.answering.confidence import is_folded
from memories.retrieval.recall import Query, asker, serve
from memories.store.lineage import ABOVE, LEVELS, Lineage, by_level
from memories.store.models.choices import Kind, Status
from memories.store.models.contribution import Contribution
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.errors import NotFound
from orgs.models.memberships import Role
from orgs.models.organisations import Group
from orgs.principals import Actor, Principal, resolve
from robots.people.directory import known_groups

PAGE = 30
TURNS_AROUND = 2
VERSIONS = 10
CONTRIBUTIONS = 20
CONNECTED = 10
# At most this many saved views show how many memories they hold.
COUNTED_VIEWS = 12
# Reads the query of a saved view into a selection; None if it is no longer valid.
ReadView = Callable[[str], Selection | None]


@dataclass(frozen=True, slots=True)
class ListedMemory:
    """A memory with its readers, and whether the asker may change and forget it. publishes: whether
    what they change holds at once; looked up where one memory is changed (`editable`).

    Viewers change nothing, but may forget what is about them or said by them. A protected memory is
    forgettable only for its subject or speaker, or if it is private to the asker.
    """

    memory: Memory
    readers: AudienceSentence
    changeable: bool
    forgettable: bool
    publishes: bool = True


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """A page of memories; `older_than` continues after the last one, None at the end.

    erasable: the ids of those that the asker may erase for good, if asked for.

    count: (how many match, whether that is exact). answered: for a question yes, unsure or no;
    folded: the ids of those that do not answer it.

    conversations: where turns are folded, the conversation shown at a row, by the row's id; lines:
    the number of lines, if that is exact.
    """

    rows: list[ListedMemory]
    older_than: UUID | None = None
    count: tuple[int, bool] | None = None
    options: Options | None = None
    erasable: frozenset[UUID] = frozenset()
    answered: str = ""
    folded: frozenset[UUID] = frozenset()
    conversations: Mapping[UUID, FoldedConversation] = field(default_factory=dict)
    lines: LineCount | None = None


@dataclass(frozen=True, slots=True)
class Detail:
    """One memory with the robots that said it, the turns around it (oldest first), its sources and
    derived memories, its versions (newest first) and its tier history."""

    shown: ListedMemory
    contributions: list[Contribution]
    before: list[Memory]
    after: list[Memory]
    lineage: Lineage
    history: History
    restorable: bool
    standing: TierHistory
    restatement: Restatement | None = None


def show(principal: Principal, rows: Sequence[Memory], organisation: str) -> list[ListedMemory]:
    """The memories with their readers and the asker's rights; call inside the principal's scope."""
    readers = readers_of(principal, rows, organisation)
    return [
        ListedMemory(
            row,
            readers[row.audience_id],
            changeable=principal.actor.role != Role.VIEWER and may_change(principal, row),
            forgettable=may_forget(principal, row)
            and (not row.red_line or is_their_own(principal.actor, row)),
        )
        for row in rows
    ]


def library(
    actor: Actor,
    selection: Selection,
    *,
    organisation: str,
    now: datetime,
    text: str = "",
    order: str = AS_THEY_CAME,
    after: UUID | None = None,
    fold: bool = False,
    whole: ReadView | None = None,
) -> MemoryPage:
    """A page of the memories that match, and how many match.

    text: a part of their text, for memories that no recall finds. order: see `in_order`. after: the
    last one of the page before. fold: whether the turns of a chat are one line. whole: reads saved
    views; then the page also has the filter options and the counts of saved views. Raises NotFound
    for a group that the asker may not know.
    """
    principal = resolve(actor)
    with principal.scope():
        chosen = _options(principal, selection, whole, now)
        rows = matching(principal, selection, now, text=text)
        counted = counted_no_further(rows, now, fold=fold)
        everything = not selection and not text
        count = about_how_many(principal, counted.memories, everything=everything)
        ids = in_order(
            principal, rows, order, counted.memories, after=after, most=PAGE + 1, now=now, fold=fold
        )
        kept = ids[:PAGE]
        found = lines_of(rows, kept, now) if fold else memories_of(principal, kept)
        talks = {one.turn.id: one for one in found if isinstance(one, FoldedConversation)}
        turns = [one.turn if isinstance(one, FoldedConversation) else one for one in found]
        shown = show(principal, turns, organisation)
    return MemoryPage(
        shown,
        kept[-1] if len(ids) > PAGE else None,
        count=count,
        options=chosen,
        conversations=talks,
        lines=counted if fold and count[1] else None,
    )


def matching_ids(
    actor: Actor, selection: Selection, *, now: datetime, fold: bool = False
) -> list[UUID]:
    """The ids of all matches, up to the limit of counting. fold: leave out folded turns.

    Raises NotFound like `library`.
    """
    principal = resolve(actor)
    with principal.scope():
        _options(principal, selection, None, now)
        rows = matching(principal, selection, now)
        return ids_of(rows.exclude(folds(now)) if fold else rows)


def forgotten(
    actor: Actor, *, organisation: str, now: datetime, older_than: UUID | None = None
) -> MemoryPage:
    """A page of forgotten memories that the asker may restore, however old."""
    principal = resolve(actor)
    with principal.scope():
        rows = matching(principal, Selection(status=Status.FORGOTTEN), now)
        if older_than:
            rows = rows.filter(id__lt=older_than)
        page, more = rows.with_names().newest(PAGE)
        shown = show(principal, page, organisation)
        mine = Memory.objects.filter(erasable(actor), unheld(actor), id__in=[r.id for r in page])
        may = frozenset(mine.values_list("id", flat=True))
    return MemoryPage(shown, page[-1].id if more else None, erasable=may)


def found(
    actor: Actor,
    query: Query,
    selection: Selection,
    *,
    organisation: str,
    now: datetime,
    whole: ReadView | None = None,
) -> MemoryPage:
    """The hits of a question among the active memories that match, best first."""
    principal = asker(actor, query)
    with principal.scope():
        chosen = _options(principal, selection, whole, now)
    answer = serve(principal, replace(query, narrow=selection.as_filters()), now=now)
    hits = [hit for hit, _ in answer.hits]
    with principal.scope():
        shown = show(principal, [memory for _, memory in answer.hits], organisation)
    folded = frozenset(hit.id for hit in hits if is_folded(hit))
    return MemoryPage(shown, options=chosen, answered=answer.answered, folded=folded)


def _options(
    principal: Principal, selection: Selection, whole: ReadView | None, now: datetime
) -> Options | None:
    """The filter options, if `whole`. Raises NotFound for a group that the asker may not know."""
    chosen = options(principal) if whole else None
    if chosen is not None and whole:
        groups = {None, *(id_ for id_, _ in chosen.groups)}
        read = {id_: whole(query) for id_, _, query in chosen.views[:COUNTED_VIEWS]}
        known = {id_: one for id_, one in read.items() if one is not None and one.group in groups}
        chosen.held = how_many_each(principal, known, now=now)
    if selection.group is None:
        return chosen
    if chosen is not None:
        known_group = selection.group in groups
    else:
        known_group = known_groups(principal.actor).filter(id=selection.group).exists()
    if not known_group:
        raise NotFound("no such group")
    return chosen


def detail(actor: Actor, memory_id: UUID, *, organisation: str) -> Detail:
    """One memory with its details. Raises NotFound; a forgotten one is found only for those who may
    restore it."""
    principal = resolve(actor)
    with principal.scope():
        memory = _find(principal, memory_id)
        shown = show(principal, [memory], organisation)[0]
        contributions = Contribution.objects.filter(
            organisation_id=principal.organisation_id, memory_id=memory.id
        ).select_related("robot", "member")
        before, after, lineage, moves = _connected(principal, memory)
        return Detail(
            shown,
            list(contributions.order_by("first_at", "id")[:CONTRIBUTIONS]),
            before,
            after,
            lineage,
            versions_of(principal, memory, limit=VERSIONS),
            restorable=(shown.changeable or shown.forgettable)
            and memory.status in (Status.FORGOTTEN, Status.ARCHIVED)
            and may_restore(principal, memory),
            standing=tier_history(memory, moves),
            restatement=restatement_of(memory),
        )


# Its neighbouring turns, its sources, its derived memories, and its last moves between tiers.
_CONNECTED = f"""
SELECT c.*, NULL, NULL, NULL, NULL::timestamptz FROM (
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
(SELECT 'above ' || higher.height, higher.id FROM ({ABOVE}) AS higher)
) AS c (what, id)
UNION ALL
(SELECT 'moved', t.memory_id, t.from_tier, t.to_tier, t.reason, t.moved_at
 FROM memories_transition t
 WHERE t.organisation_id = %(organisation)s AND t.memory_id = %(id)s
 ORDER BY t.moved_at DESC, t.id DESC LIMIT %(moves)s)
"""


def _connected(
    principal: Principal, memory: Memory
) -> tuple[list[Memory], list[Memory], Lineage, list[Moved]]:
    """(turns before, turns after, lineage, moves), as far as the asker may read them; two
    queries."""
    with connection.cursor() as cursor:
        cursor.execute(
            _CONNECTED,
            {
                "organisation": principal.organisation_id,
                "conversation": memory.conversation,
                "group": memory.group_id,
                "id": memory.id,
                "position": memory.position,
                "turns": TURNS_AROUND,
                "most": CONNECTED,
                "moves": MOVES,
                "levels": LEVELS,
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
    lineage = Lineage(those("derived_from"), those("used_in"), by_level(above, known))
    moves = [Moved(*move) for name, _, *move in found if name == "moved"]
    return those("before")[::-1], those("after"), lineage, moves


def _find(principal: Principal, memory_id: UUID) -> Memory:
    memory = fetch(principal, memory_id)
    if memory.kind == Kind.INTERNAL:
        raise NotFound("no such memory")
    return memory


def readable(actor: Actor, memory_id: UUID) -> Memory:
    """One memory without details. Raises NotFound."""
    principal = resolve(actor)
    with principal.scope():
        return _find(principal, memory_id)


def one(actor: Actor, memory_id: UUID, *, organisation: str) -> ListedMemory:
    """One memory with its readers. Raises NotFound."""
    principal = resolve(actor)
    with principal.scope():
        return show(principal, [_find(principal, memory_id)], organisation)[0]


def editable(actor: Actor, memory_id: UUID, *, organisation: str) -> ListedMemory:
    """An active memory that the asker may change, with `publishes`. NotFound, or NotYours."""
    shown = one(actor, memory_id, organisation=organisation)
    if not shown.changeable:
        raise NotYours("You may read this memory, but it is not yours to change.")
    with organisation_scope(actor.organisation_id):
        return replace(shown, publishes=may_publish(actor, shown.memory))


def group_named(actor: Actor, reference: str) -> UUID:
    """A group that the asker reads, by its external id. Raises NotFound."""
    with organisation_scope(actor.organisation_id):
        return References(actor).group(reference).id


def groups_to_ask_in(actor: Actor) -> list[Group]:
    """The groups that the asker reads, by name."""
    with organisation_scope(actor.organisation_id):
        return list(known_groups(actor).order_by("name"))
