"""The memories that answer the query: as many as may fit, best first, none left out for its age."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from memories.context.sources.context_query import (
    WEAK_BELOW,
    ContextBuildState,
    ContextQuery,
    build_memory_piece,
)
from memories.context.sources.pieces import ContextPiece
from memories.context.token_budget import WorkingMemoryItem, sort_items
from memories.language.query_cues import ends_with_question_mark
from memories.language.text_comparison import normalise_text
from memories.retrieval.answering.confidence import ANSWERED_VALUES, YES, classify_confidence
from memories.retrieval.candidates.search_conditions import build_conditions
from memories.retrieval.pipeline import run_search
from memories.retrieval.recall import (
    Query,
    build_request,
    load_memories,
    select_still_active,
)
from memories.retrieval.reranking.rerank import LOGIT_WEIGHT
from memories.retrieval.search_types import Hit, SearchFilters, SearchRequest
from memories.store.models.memory import Memory
from orgs.database.answer_size import bytes_of, fitting, text_columns
from orgs.database.prepared_statements import fetch_all
<<<<<<< HEAD
from orgs.expiry import not_expired_sql
from orgs.models.audiences import AudienceType
from orgs.models.memberships import Member
from orgs.principals import Actor
from robots.conversations.message_rules import QUARANTINED
from robots.models.conversations import Conversation, Message

# Events and mails of a member; see `context.connectors`.

EVENT, MAIL = "event", "mail"
MAX_ENTRIES, PERIOD = 10, timedelta(days=7)
# The most characters of a mail after its subject.
MAX_MAIL_CHARACTERS = 300


def load_events(asked: ContextBuildState) -> list[ContextPiece] | None:
    """The events of now and the next seven days, the soonest first."""
    rows = _entries_queryset(asked, AccountType.CALENDAR, at__lte=asked.now + PERIOD)
    if rows is None:
        return None
    still = Q(until__gte=asked.now) | Q(until=None, at__gte=asked.now)
    found = list(rows.filter(still).order_by("at", "id")[:MAX_ENTRIES])
    zone = _member_time_zone(asked) if found else None
    return [_event_piece(row, zone) for row in found]


def load_mails(asked: ContextBuildState) -> list[ContextPiece] | None:
    """The mails of the last seven days, the newest first."""
    rows = _entries_queryset(asked, AccountType.MAIL, at__gte=asked.now - PERIOD, at__lte=asked.now)
    if rows is None:
        return None
    found = list(rows.order_by("-at", "-id")[:MAX_ENTRIES])
    zone = _member_time_zone(asked) if found else None
    return [_mail_piece(row, zone) for row in found]


def _entries_queryset(asked: ContextBuildState, kind: str, **when: Any) -> Any:
    """The entries; None without a member, and in a group, where others would read them."""
    actor = asked.actor
    if actor.member_id is None or actor.group_id is not None or not actor.sees_own:
        return None
    ids = list_account_ids(asked.principal, asked.query.accounts, kind)
    return AccountEntry.objects.filter(
        organisation_id=asked.principal.organisation_id, kind=kind, account_id__in=ids, **when
    )


def _member_time_zone(asked: ContextBuildState) -> tzinfo:
    return Member.objects.get(
        organisation_id=asked.principal.organisation_id, id=asked.actor.member_id
    ).zone


def _event_piece(row: AccountEntry, zone: tzinfo | None) -> ContextPiece:
    at = row.at.astimezone(zone)
    when = f"{at:%Y-%m-%d}, all day" if row.all_day else f"{at:%Y-%m-%d %H:%M}"
    if row.until and not row.all_day:
        when += f" to {row.until.astimezone(zone):%H:%M}"
    where = f", {render_line(row.place)}" if row.place else ""
    return ContextPiece(
        head=(when,),
        text=f"{render_line(row.title)}{where}",
        type=EVENT,
        id=row.id,
        more={"account": row.account_id, "starts_at": row.at, "ends_at": row.until},
    )


def _mail_piece(row: AccountEntry, zone: tzinfo | None) -> ContextPiece:
    begins = f": {render_line(row.text[:MAX_MAIL_CHARACTERS])}" if row.text else ""
    return ContextPiece(
        head=(f"{row.at.astimezone(zone):%Y-%m-%d %H:%M}", f"from {bare_name(row.person)}"),
        text=f"{render_line(row.title)}{begins}",
        type=MAIL,
        id=row.id,
        more={"account": row.account_id, "sent_at": row.at},
    )


# The people and things that the recalled memories name.

ENTITY = "entity"
MAX_ENTITIES = 50
# Action items have a section of their own.
_LISTED_TYPES = tuple(type_ for type_ in EntityType.values if type_ != EntityType.ACTION_ITEM)
# The weight of a thing is the sum over the memories that name it: 1 for the first hit, 1/2 for the
# second, ...
_ENTITIES_SQL = """
SELECT (array_agg(e.id ORDER BY e.extracted_at DESC, e.id))[1], e.type,
    (array_agg(e.name ORDER BY e.extracted_at DESC, e.id))[1], count(*)
FROM unnest(%(memories)s::uuid[]) WITH ORDINALITY AS given (memory, place)
JOIN memories_entity e ON e.organisation_id = %(organisation)s AND e.memory_id = given.memory
WHERE e.type = ANY(%(types)s)
GROUP BY e.node, e.type
ORDER BY e.type = 'concept', sum(1 / given.place::float8) DESC, e.node LIMIT %(most)s
"""


def load_entities(asked: ContextBuildState) -> list[ContextPiece]:
    """At most `max_entities` of the wanted types, best first: things that the best memories or many
    memories name. Concepts come last, since any notable word is one."""
    hits = asked.served.hits if asked.served else []
    values: dict[str, Any] = {
        "organisation": asked.principal.organisation_id,
        "memories": [hit.id for hit in hits],
        "types": [
            one for one in _LISTED_TYPES if one in (asked.query.entity_types or _LISTED_TYPES)
        ],
        "most": asked.query.max_entities,
    }
    rows = fetch_all(_ENTITIES_SQL, values) if hits and asked.query.max_entities else []
    return [
        ContextPiece(
            head=(type_, f"in {_format_memory_count(count)}"),
            text=render_name(name),
            type=ENTITY,
            id=id_,
            more={"entity_type": type_, "name": name},
        )
        for id_, type_, name, count in rows
    ]


def _format_memory_count(count: int) -> str:
    return "1 memory" if count == 1 else f"{count} memories"


# The most important preferences, which every context has, whatever the query.
# One's own come first, also those that one wrote for a group, then those of few readers and of
# the group, then those of everyone, so that none that others wrote for many displaces one's own.

MAX_PREFERENCES = 5
# A deposit (written by a robot without the member's delegation) is not given unasked. Category and
# least importance are literals, as in the partial index that finds them.
_PREFERENCES_SQL = f"""
SELECT n.id FROM memories_memory n
WHERE n.organisation_id = %(organisation)s
    AND n.category = 'preference' AND n.importance > {PREFERENCE_ALWAYS_ABOVE}
    AND n.status = 'active' AND NOT n.sensitive
    AND {not_expired_sql("n")}
    AND n.superseded_by_id IS NULL AND n.deposited_by IS NULL
    AND (%(member)s::uuid IS NULL OR n.member_id = %(member)s::uuid
         OR (n.member_id IS NULL AND n.speaker_member_id IS NULL))
    AND (%(context_group)s::uuid IS NULL OR {IN_GROUP_SQL})
    AND (%(include_shared)s::bool OR n.audience_id <> %(organisation_audience)s::uuid)
ORDER BY CASE
        WHEN n.audience_id = %(own)s::uuid THEN 0
        WHEN n.author_id = %(member)s::uuid THEN 1
        WHEN n.member_id = %(member)s::uuid THEN 2
        WHEN n.audience_id = %(organisation_audience)s::uuid THEN 4 ELSE 3 END,
    n.importance DESC, n.id DESC LIMIT %(most)s
"""


def load_preferences(asked: ContextBuildState) -> list[ContextPiece]:
    """Up to MOST preferences with an importance above PREFERENCE_ALWAYS_ABOVE: one's own, then
    what one wrote oneself for others, then what others say one wants, then those of the group, then
    those of everyone; of each the most important first, then the newest.

    With a member: their preferences and those of nobody in particular. Without one a robot's own
    are its notes.
    """
    principal, member = asked.principal, asked.actor.member_id
    own = principal.named.get((AudienceType.MEMBER, str(member))) if member else None
    values: dict[str, Any] = {
        "organisation": principal.organisation_id,
        "organisation_audience": principal.organisation_audience,
        "own": own if member else principal.own_audience,
        "context_group": asked.actor.group_id,
        "member": member,
        "include_shared": asked.query.include_shared,
        "now": asked.now,
        "most": MAX_PREFERENCES,
    }
    ids = [id_ for (id_,) in fetch_all(_PREFERENCES_SQL, values)]
    found = load_memories(principal.organisation_id, ids) if ids else {}
    asked.memories.update(ids)
    return [
        build_memory_piece(found[id_], importance=found[id_].importance)
        for id_ in ids
        if id_ in found
    ]


# The latest messages of the conversations that the context is for.

# How many messages of how many conversations, and how old a message may be.
MAX_MESSAGES, MAX_CONVERSATIONS, MAX_AGE = 12, 3, timedelta(days=7)
MESSAGE = "message"


def load_recent_messages(asked: ContextBuildState) -> list[ContextPiece] | None:
    """The latest messages, the last one first, so that it stays when the budget is short."""
    if not asked.query.include_recent:
        return None
    here = Conversation.objects.filter(
        organisation_id=asked.principal.organisation_id, **_conversation_filter(asked.actor)
    )
    latest = here.filter(last_message_at__isnull=False).order_by("-last_message_at", "-id")
    ids = list(latest.values_list("id", flat=True)[:MAX_CONVERSATIONS])
    since = asked.now - MAX_AGE
    rows = Message.objects.filter(
        organisation_id=asked.principal.organisation_id,
        conversation_id__in=ids,
        withdrawn_at=None,
        sent_at__gte=since,
        sent_at__lte=asked.now,
    ).exclude(reason=QUARANTINED)
    rows = rows.select_related("speaker_member", "author", "robot")
    found = list(rows.order_by("-sent_at", "-id")[:MAX_MESSAGES]) if ids else []
    asked.messages.update(message.id for message in found)
    return [_message_piece(message) for message in found]


def _conversation_filter(actor: Actor) -> dict[str, object]:
    """The filter: conversations of the group, else direct ones of the member, the robot, or both
    together."""
    if actor.group_id is not None:
        return {"group_id": actor.group_id}
    alone: dict[str, object] = {"group_id": None, "member_id": actor.member_id}
    return alone if actor.robot_id is None else alone | {"robot_id": actor.robot_id}


def _message_piece(message: Message) -> ContextPiece:
    said = attribution_of_message(message)
    return ContextPiece(
        head=(f"{message.sent_at:%Y-%m-%d %H:%M}", *said.head),
        text=message.content,
        type=MESSAGE,
        id=message.id,
        more={"conversation": message.conversation_id, **said.citation},
    )


# Open tasks for a context.

TASK = "task"
MAX_TASKS = 10


def load_open_tasks(asked: ContextBuildState) -> list[ContextPiece]:
    """The pending tasks of the member who asks, or for whom a robot asks, and tasks without an
    assignee.

    Deposits (written by a robot without the member's delegation) are left out: they are listed, but
    not given unasked.
    """
    found = list_tasks_in_scope(
        asked.principal,
        TaskQuery(limit=MAX_TASKS),
        include_shared=asked.query.include_shared,
        deposits=False,
        now=asked.now,
    )
    return [
        ContextPiece(
            head=(
                f"for {render_name(one.assignee_name)}" if one.assignee_name else "",
                f"due {one.due_at:%Y-%m-%d %H:%M} UTC" if one.due_at else "",
                f"priority {one.priority}",
            ),
            text=one.title,
            type=TASK,
            id=one.id,
            more={"memory": one.memory, "priority": one.priority, "due_at": one.due_at},
        )
        for one in found
    ]


# The most memories in a context, with those of earlier sections.
MAX_MEMORIES = 20
# This many times the wanted hits are fetched: some are too weak, some are in the context already.
OVERFETCH_FACTOR = 3
=======

# How many memories are looked up: as many as fit if each has FEW_TOKENS with its head, within
# bounds. Of a wanted number this many times as many, because some are said twice or are too weak.
FEW_TOKENS, MIN_HITS, MAX_HITS, OVERFETCH_FACTOR = 20, 20, 200, 3
# Where the question is answered, a memory with less confidence than this is not about it. In 760
# questions of LoCoMo it cost none of 400 answers that were among the first 100 (`make bench`).
NOT_ABOUT_BELOW = 0.02
# For how many of the best the head says what relative times mean; for all it cost a point of
# evidence at 2,000 tokens.
WITH_DATES = 12
# Of how many of the best the turns beside them are looked up; a turn with more characters can be
# read without its question.
WITH_NEIGHBOURS, MAX_REPLY_CHARACTERS = 3, 100
>>>>>>> d6d5df99 (A context fills its budget, and age leaves nothing out)


def load_recalled_memories(asked: ContextBuildState) -> list[ContextPiece]:
    """The memories for the query, best first; those that say the same once.

    Weak ones (below WEAK_BELOW) come after all that answer as well; only a `min_strength` that the
    caller gave leaves any out. Where one answers, those that are not about the query are left out.
    """
    query = asked.query
    recall_query = asked.recall_query or build_recall_query(query)
    question = build_request(asked.principal, recall_query, asked.now)
    if asked.reranked is None:
        served = run_search(question)
    else:
        served = select_still_active(asked.principal, recall_query, asked.reranked, asked.now)
    strong = [hit for hit in served.hits if hit.strength >= (query.min_strength or 0.0)]
    asked.weak = len(served.hits) - len(strong)
    rows = _load_rows(asked, _about_the_query(strong))
    asked.served = replace(served, hits=[hit for hit in strong if hit.id in rows])
    chosen, repeats = _without_repeats(asked.served.hits, rows)
    places = _places(asked, chosen, rows)
    with_dates = {hit.id for hit in chosen[:WITH_DATES]}
    pieces = {
        hit.id: replace(
            _build_piece(
                asked, rows[hit.id], hit, repeats.get(hit.id, []), dates=hit.id in with_dates
            ),
            score=score,
            weak=hit.strength < WEAK_BELOW,
            place=places[hit.id],
        )
        for hit, score in zip(chosen, effective_scores(chosen), strict=True)
    }
    return _add_neighbours(asked, question, pieces, rows)


def build_recall_query(query: ContextQuery) -> Query:
    """The recall that finds the memories of a context; its times are in words still."""
    limit = min(MAX_HITS, max(MIN_HITS, query.max_tokens // FEW_TOKENS))
    if query.max_memories is not None:
        limit = min(limit, max(1, OVERFETCH_FACTOR * query.max_memories))
    filters = {**query.filters, "categories": query.categories} if query.categories else None
    return Query(
        text=query.text,
        limit=limit,
        group=query.group,
        member=query.member,
        include_shared=query.include_shared,
        shared_limit=query.shared_limit,
        prefer_personal=query.prefer_personal,
        filters=query.filters if filters is None else filters,
        timeframe=query.timeframe,
        rerank=query.rerank,
        profile=query.profile,
    )


def _about_the_query(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without those that are not about the query, if one answers it."""
    if not any(classify_confidence(hit.answers) == YES for hit in hits):
        return list(hits)
    return [hit for hit in hits if hit.answers >= NOT_ABOUT_BELOW]


def effective_scores(hits: Sequence[Hit]) -> list[float]:
    """A score for each hit, in the order of the hits, from which the order in a context follows.

    It never rises from one hit to the next, so that the given order stays. A weak one gets the
    lowest score of the others that answer as well (yes, unsure or no) or better. Pure.
    """
    scores: list[float] = []
    for hit in hits:
        score = hit.score + LOGIT_WEIGHT * (hit.rerank or 0.0)
        scores.append(min(score, scores[-1]) if scores else score)
    levels = [ANSWERED_VALUES.index(classify_confidence(hit.answers)) for hit in hits]
    lowest = dict[int, float]()
    for hit, level, score in zip(hits, levels, scores, strict=True):
        if hit.strength >= WEAK_BELOW:
            for wider in range(level, len(ANSWERED_VALUES)):
                lowest[wider] = min(lowest.get(wider, score), score)
    return [
        min(score, lowest.get(level, score)) if hit.strength < WEAK_BELOW else score
        for hit, level, score in zip(hits, levels, scores, strict=True)
    ]


def _load_rows(asked: ContextBuildState, hits: Sequence[Hit]) -> Mapping[UUID, Memory]:
    """The rows of the first hits whose texts fit into one answer."""
    ids = [hit.id for hit in hits]
    stored = Memory.objects.filter(organisation_id=asked.principal.organisation_id, id__in=ids)
    sizes = dict(stored.values_list("id", bytes_of(text_columns(Memory))))
    known = [id_ for id_ in ids if id_ in sizes]
    first = known[: fitting([sizes[id_] for id_ in known])]
    return load_memories(asked.principal.organisation_id, first)


def _without_repeats(
    hits: Sequence[Hit], rows: Mapping[UUID, Memory]
) -> tuple[list[Hit], dict[UUID, list[Memory]]]:
    """The hits without those that say in the same words, of the same speaker and for the same
    readers, what a better one says; and these others by the better one."""
    kept: list[Hit] = []
    first: dict[tuple[object, ...], UUID] = {}
    repeats: dict[UUID, list[Memory]] = {}
    for hit in hits:
        row = rows[hit.id]
        who = (row.audience_id, row.speaker_member_id, row.speaker, row.author_id, row.valid_until)
        better = first.setdefault((normalise_text(row.content), *who), hit.id)
        if better == hit.id:
            kept.append(hit)
        else:
            repeats.setdefault(better, []).append(row)
    return kept, repeats


def _build_piece(
    asked: ContextBuildState, memory: Memory, hit: Hit, repeats: Sequence[Memory], *, dates: bool
) -> ContextPiece:
    """The piece of a hit; of what was said several times the newest, with the number of times."""
    newest = max([memory, *repeats], key=lambda row: (row.occurred_at or row.created_at, row.id))
    piece = build_memory_piece(newest, asked.zone, score=round(hit.score, 6))
    if not dates:
        piece = replace(piece, dates=())
    if not repeats:
        return piece
    more = {**piece.more, "repeats": [row.id for row in (memory, *repeats) if row.id != newest.id]}
    return replace(
        piece,
        id=newest.id,
        head=(*piece.head, f"said {len(repeats) + 1} times"),
        more=more,
    )


def _places(
    asked: ContextBuildState, hits: Sequence[Hit], rows: Mapping[UUID, Memory]
) -> dict[UUID, int]:
    """Where each stands in the text: the best first, or in the wanted order of `token_budget`."""
    if asked.query.order is None:
        scores = effective_scores(hits)
        weak = [hit.strength < WEAK_BELOW for hit in hits]
        ranked = sorted(range(len(hits)), key=lambda at: (-scores[at], weak[at], at))
        return {hits[at].id: place for place, at in enumerate(ranked)}
    items = [_to_item(rows[hit.id]) for hit in hits]
    ordered = sort_items(items, asked.query.order, now=asked.now)
    return {item.id: place for place, item in enumerate(ordered)}


def _to_item(memory: Memory) -> WorkingMemoryItem:
    return WorkingMemoryItem(
        id=memory.id,
        tokens=0,
        importance=memory.importance,
        access_count=memory.access_count,
        added_at=memory.created_at,
        last_used_at=memory.last_accessed_at or memory.created_at,
    )


# The turns directly before and after a turn, for the same readers, that could be served themselves:
# the conditions on n are those of the search.
_NEIGHBOURS_SQL = """
SELECT h.id, before.id, after.id FROM memories_memory h
LEFT JOIN LATERAL (
    SELECT y.id FROM memories_memory y
    WHERE y.organisation_id = %(organisation)s AND y.conversation = h.conversation
      AND y.audience_id = h.audience_id AND y.status = 'active'
      AND (y.position, y.id) < (h.position, h.id)
    ORDER BY y.position DESC, y.id DESC LIMIT 1) AS before ON true
LEFT JOIN LATERAL (
    SELECT y.id FROM memories_memory y
    WHERE y.organisation_id = %(organisation)s AND y.conversation = h.conversation
      AND y.audience_id = h.audience_id AND y.status = 'active'
      AND (y.position, y.id) > (h.position, h.id)
    ORDER BY y.position, y.id LIMIT 1) AS after ON true
WHERE h.organisation_id = %(organisation)s AND h.id = ANY(%(ids)s::uuid[])
"""
_SERVABLE_SQL = """
SELECT x.id FROM memories_memory x
JOIN memories_text n ON n.organisation_id = x.organisation_id AND n.memory_id = x.id
WHERE x.organisation_id = %(organisation)s AND x.id = ANY(%(ids)s::uuid[]) AND x.status = 'active'
  AND octet_length(x.content) <= %(most_bytes)s
  AND (x.expires_at IS NULL OR x.expires_at > %(now)s::timestamptz) {narrowed}
"""
# A longer turn is no question that its reply needs.
_MOST_BYTES = 2_000


def _add_neighbours(
    asked: ContextBuildState,
    question: SearchRequest,
    pieces: Mapping[UUID, ContextPiece],
    rows: Mapping[UUID, Memory],
) -> list[ContextPiece]:
    """The pieces; the best ones with the question that a short turn answers, and with the turn that
    answers a question."""
    best = list(pieces)[:WITH_NEIGHBOURS]
    best = [id_ for id_ in best if pieces[id_].id == id_ and rows[id_].conversation]
    around = (
        fetch_all(_NEIGHBOURS_SQL, {"organisation": question.organisation_id, "ids": best})
        if best
        else []
    )
    found = _load_servable(question, {id_ for row in around for id_ in row[1:] if id_})
    made = dict(pieces)
    for id_, before, after in around:
        said, asker, reply = rows[id_].content, found.get(before), found.get(after)
        short = len(said) <= MAX_REPLY_CHARACTERS and not ends_with_question_mark(said)
        if short and asker and ends_with_question_mark(asker.content):
            made[id_] = replace(made[id_], before=_neighbour(asked, pieces, asker))
        if ends_with_question_mark(said) and reply:
            made[id_] = replace(made[id_], after=_neighbour(asked, pieces, reply))
    return list(made.values())


def _neighbour(
    asked: ContextBuildState, pieces: Mapping[UUID, ContextPiece], memory: Memory
) -> ContextPiece:
    known = pieces.get(memory.id)
    same = known is not None and known.id == memory.id
    return known if known and same else build_memory_piece(memory, asked.zone)


def _load_servable(question: SearchRequest, ids: set[UUID]) -> Mapping[UUID, Memory]:
    """The short ones of these memories that the search could serve. The filters of the query are
    for answers; a turn beside one is none."""
    if not ids:
        return {}
    conditions, values = build_conditions(replace(question, filters=SearchFilters()))
    values |= {"ids": sorted(ids), "now": question.now, "most_bytes": _MOST_BYTES}
    narrowed = "".join(f" AND {condition}" for condition in conditions)
    rows = fetch_all(_SERVABLE_SQL.format(narrowed=narrowed), values)
    return load_memories(question.organisation_id, [id_ for (id_,) in rows])
