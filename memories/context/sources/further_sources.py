"""The sources beside the recalled memories: what a member has at hand whatever is asked."""

from dataclasses import replace
from datetime import timedelta, tzinfo
from typing import Any
from uuid import UUID

from django.db.models import Case, Q, QuerySet, TextField, When, Window
from django.db.models.functions import Left, RowNumber
from django.db.models.lookups import GreaterThan

from memories.action_items.task_queries import TaskQuery, list_tasks_in_scope
from memories.context.connectors.accounts import list_account_ids
from memories.context.connectors.models import AccountEntry, AccountType
from memories.context.sources.context_query import (
    DEFAULT_MAX_ENTITIES,
    ContextBuildState,
    build_memory_piece,
    format_day,
    format_time,
    resolve_dates,
)
from memories.context.sources.conversation_summary import READ_CHARACTERS, build_summary_piece
from memories.context.sources.pieces import ContextPiece
from memories.knowledge_graph.models import EntityType
from memories.language.relative_dates import local_date
from memories.language.rendering.model_text import render_line, render_name
from memories.profiles.build_profile import ProfileFact, build_profile
from memories.retrieval.candidates.search_conditions import IN_GROUP_SQL
from memories.retrieval.recall import load_memories
from memories.state.supersede_memory import holds_sql
from memories.store.models.choices import PREFERENCE_ALWAYS_ABOVE, Status
from memories.store.speakers.attribution import attribution_of_message, bare_name
from orgs.database.prepared_statements import fetch_all
from orgs.expiry import not_expired_sql
from orgs.iso_times import to_zone
from orgs.models.audiences import AudienceType
from orgs.models.memberships import Member
from orgs.principals import Actor
from robots.conversations.message_rules import CHATTER, QUARANTINED
from robots.models.conversations import Conversation, Message
from robots.models.robots import Robot

# Events and mails of a member; see `context.connectors`.

EVENT, MAIL = "event", "mail"
MAX_ENTRIES, PERIOD = 10, timedelta(days=7)
# How many of the recalled memories are so surely in the text that their entries are left out.
FIRST_RECALLED = 5
# The most characters of a mail after its subject.
MAX_MAIL_CHARACTERS = 300


def load_events(asked: ContextBuildState) -> list[ContextPiece] | None:
    """The events of now and the next seven days, the soonest first."""
    rows = _entries_queryset(asked, AccountType.CALENDAR, at__lte=asked.now + PERIOD)
    if rows is None:
        return None
    still = Q(until__gte=asked.now) | Q(until=None, at__gte=asked.now)
    found = list(rows.filter(still).order_by("at", "id")[:MAX_ENTRIES])
    found = _without_recalled(asked, found)
    return [_event_piece(row, asked.zone) for row in found]


def load_mails(asked: ContextBuildState) -> list[ContextPiece] | None:
    """The mails of the last seven days, the newest first."""
    rows = _entries_queryset(asked, AccountType.MAIL, at__gte=asked.now - PERIOD, at__lte=asked.now)
    if rows is None:
        return None
    found = list(rows.order_by("-at", "-id")[:MAX_ENTRIES])
    found = _without_recalled(asked, found)
    return [_mail_piece(row, asked.zone) for row in found]


def _entries_queryset(asked: ContextBuildState, kind: str, **when: Any) -> Any:
    """The entries whose memories stand; None without a member, and in a group, where others would
    read them.

    Anybody in the world writes mails and invitations. So what a gate held, what none has looked at
    yet, and what the member forgot is in no context: it has no memory, or one that is not shown.
    """
    actor = asked.actor
    if actor.member_id is None or actor.group_id is not None or not actor.sees_own:
        return None
    ids = list_account_ids(asked.principal, asked.query.accounts, kind)
    return AccountEntry.objects.filter(
        organisation_id=asked.principal.organisation_id,
        kind=kind,
        account_id__in=ids,
        # Consolidation and ageing archive, and change nothing about what is on today.
        memory__status__in=(Status.ACTIVE, Status.ARCHIVED),
        **when,
    )


def _without_recalled(asked: ContextBuildState, rows: list[AccountEntry]) -> list[AccountEntry]:
    """The entries whose memories are not among the first that were recalled; those say it whole."""
    hits = asked.served.hits if asked.served else []
    first = {hit.id for hit in hits[:FIRST_RECALLED]}
    return [row for row in rows if row.memory_id not in first]


def _event_piece(row: AccountEntry, zone: tzinfo) -> ContextPiece:
    all_day = f"{format_day(local_date(row.at, zone))}, all day"
    when = all_day if row.all_day else format_time(row.at, zone)
    if row.until and not row.all_day:
        when += f" to {to_zone(row.until, zone):%H:%M}"
    where = f", {render_line(row.place)}" if row.place else ""
    return ContextPiece(
        head=(when,),
        text=f"{render_line(row.title)}{where}",
        type=EVENT,
        id=row.id,
        said=row.title,
        message=row.memory_id,
        more={"account": row.account_id, "starts_at": row.at, "ends_at": row.until},
    )


def _mail_piece(row: AccountEntry, zone: tzinfo) -> ContextPiece:
    begins = f": {render_line(row.text[:MAX_MAIL_CHARACTERS])}" if row.text else ""
    return ContextPiece(
        head=(format_time(row.at, zone), f"from {bare_name(row.person)}"),
        text=f"{render_line(row.title)}{begins}",
        type=MAIL,
        id=row.id,
        said=row.title,
        message=row.memory_id,
        more={"account": row.account_id, "sent_at": row.at},
    )


# The people and things that the recalled memories name.

ENTITY = "entity"
MAX_ENTITIES = 50
# Action items have a section of their own. Days and plain words say nothing of whom or what the
# memories are about, so they come only if they are asked for; and so does what a rule guessed.
_ALLOWED_TYPES = tuple(type_ for type_ in EntityType.values if type_ != EntityType.ACTION_ITEM)
_USUAL_TYPES = tuple(
    type_ for type_ in _ALLOWED_TYPES if type_ not in (EntityType.DATE, EntityType.CONCEPT)
)
MIN_ENTITY_CONFIDENCE = 0.6
# The weight of a thing is the sum over the memories that name it: 1 for the first hit, 1/2 for the
# second, ...
_ENTITIES_SQL = """
SELECT (array_agg(e.id ORDER BY e.extracted_at DESC, e.id))[1], e.type,
    (array_agg(e.name ORDER BY e.extracted_at DESC, e.id))[1], count(*)
FROM unnest(%(memories)s::uuid[]) WITH ORDINALITY AS given (memory, place)
JOIN memories_entity e ON e.organisation_id = %(organisation)s AND e.memory_id = given.memory
WHERE e.type = ANY(%(types)s) AND e.confidence >= %(sure)s
GROUP BY e.node, e.type
ORDER BY e.type = 'concept', sum(1 / given.place::float8) DESC, e.node LIMIT %(most)s
"""


def load_entities(asked: ContextBuildState) -> list[ContextPiece]:
    """At most `max_entities` of the wanted types, best first: things that the best memories or many
    memories name, with a confidence of MIN_ENTITY_CONFIDENCE. Dates and concepts come only if their
    type is wanted; concepts come last, since any notable word is one. None unless asked for."""
    hits = asked.served.hits if asked.served else []
    most = asked.query.max_entities
    if most is None:
        most = DEFAULT_MAX_ENTITIES if asked.query.entity_types else 0
    values: dict[str, Any] = {
        "organisation": asked.principal.organisation_id,
        "memories": [hit.id for hit in hits],
        "types": [
            one for one in _ALLOWED_TYPES if one in (asked.query.entity_types or _USUAL_TYPES)
        ],
        "sure": MIN_ENTITY_CONFIDENCE,
        "most": most,
    }
    rows = fetch_all(_ENTITIES_SQL, values) if hits and most else []
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
    AND {not_expired_sql("n")} AND {holds_sql("n")}
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
    return [
        build_memory_piece(found[id_], asked.zone, asked.now, importance=found[id_].importance)
        for id_ in ids
        if id_ in found
    ]


# The robot that asks, as admins and it itself have described it.

ROBOT = "robot"


def load_own_description(asked: ContextBuildState) -> list[ContextPiece] | None:
    """Personality and purpose of the robot that asks, for its own prompt; None for a person and for
    a robot without either."""
    if asked.actor.robot_id is None:
        return None
    rows = Robot.objects.filter(
        organisation_id=asked.principal.organisation_id, id=asked.actor.robot_id
    )
    [(robot, purpose, personality)] = rows.values_list("id", "purpose", "personality")
    described = (("how you speak and behave", personality), ("what you are for", purpose))
    return [
        ContextPiece(head=(head,), text=text, type=ROBOT, id=robot)
        for head, text in described
        if text.strip()
    ] or None


# What is known about the member for whom it is, in this share of the budget.

PROFILE_SHARE = 0.2


def load_profile(asked: ContextBuildState) -> list[ContextPiece] | None:
    """The facts that hold about the member who asks, or for whom a robot asks, in the order of a
    profile; None unless it is asked for, and for another time than now."""
    if not asked.query.include_profile or asked.query.as_of is not None:
        return None
    members = Member.objects.filter(organisation_id=asked.principal.organisation_id)
    member = members.filter(id=asked.actor.member_id).first()
    if member is None:
        return None
    found = build_profile(
        asked.principal,
        member,
        max_tokens=int(PROFILE_SHARE * asked.query.max_tokens),
        now=asked.now,
        zone=asked.zone,
        include_shared=asked.query.include_shared,
        deposits=False,
    )
    return [_fact_piece(fact, asked) for fact in found.facts]


def _fact_piece(fact: ProfileFact, asked: ContextBuildState) -> ContextPiece:
    """The memory of a fact, with the words of the fact."""
    more = {"state": str(fact.state), "topic": str(fact.topic)}
    piece = build_memory_piece(fact.memory, asked.zone, asked.now, **more)
    if fact.contradicted_by is not None:
        more = {**piece.more, "contradicted_by": str(fact.contradicted_by)}
        piece = replace(piece, head=(*piece.head, str(fact.state)), more=more)
    # A sentence of a longer memory does not say what the memory says.
    return replace(piece, text=fact.text, dates=(), said=piece.said if fact.whole else "")


# The latest messages of the conversations that the context is for.

# How many messages of how many conversations, and how old a message may be.
MAX_MESSAGES, MAX_CONVERSATIONS, MAX_AGE = 12, 3, timedelta(days=7)
# How many messages before these are summed up, and after how many of the latest a summary is
# fitted into the budget.
MAX_SUMMARISED, BEFORE_SUMMARY = 108, 4
MESSAGE = "message"


def load_recent_messages(asked: ContextBuildState) -> list[ContextPiece] | None:
    """The latest messages that say something, the last one first, so that it stays when the budget
    is short; in the text the oldest comes first, after a summary of what was said before in each
    conversation."""
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
    ).exclude(reason__in=(QUARANTINED, CHATTER))
    found = _load_beginnings(asked, rows) if ids else []
    latest_pieces = [
        _message_piece(message, -number, asked.zone)
        for number, message in enumerate(found[:MAX_MESSAGES])
    ]
    earlier: dict[UUID, list[Message]] = {}
    for message in reversed(found[MAX_MESSAGES:]):
        earlier.setdefault(message.conversation_id, []).append(message)
    # In the text the summary of the conversation with the latest message is the last one.
    before = -len(found) - len(earlier)
    summaries = [
        build_summary_piece(earlier[id_], before - number, asked.zone)
        for number, id_ in enumerate(ids)
        if id_ in earlier
    ]
    return [
        *latest_pieces[:BEFORE_SUMMARY],
        *filter(None, summaries),
        *latest_pieces[BEFORE_SUMMARY:],
    ]


def _load_beginnings(asked: ContextBuildState, rows: "QuerySet[Message]") -> list[Message]:
    """The latest of the rows: MAX_MESSAGES of them whole, of those before them only the beginning
    of their texts. One statement."""
    latest = ("-sent_at", "-id")
    ids = rows.order_by(*latest).values("id")[: MAX_MESSAGES + MAX_SUMMARISED]
    chosen = Message.objects.filter(
        organisation_id=asked.principal.organisation_id, id__in=ids
    ).select_related("speaker_member", "author", "robot")
    number = Window(RowNumber(), order_by=latest)
    said = Case(
        When(GreaterThan(number, MAX_MESSAGES), then=Left("content", READ_CHARACTERS)),
        default="content",
        output_field=TextField(),
    )
    found = list(chosen.order_by(*latest).defer("content").annotate(said=said))
    for message in found:
        message.content = message.said  # type: ignore[attr-defined]
    return found


def _conversation_filter(actor: Actor) -> dict[str, object]:
    """The filter: conversations of the group, else direct ones of the member, the robot, or both
    together."""
    if actor.group_id is not None:
        return {"group_id": actor.group_id}
    alone: dict[str, object] = {"group_id": None, "member_id": actor.member_id}
    return alone if actor.robot_id is None else alone | {"robot_id": actor.robot_id}


def _message_piece(message: Message, place: int, zone: tzinfo) -> ContextPiece:
    said, at = attribution_of_message(message), message.sent_at
    speaker_zone = said.person.zone if said.person else zone
    return ContextPiece(
        head=(
            format_time(at, zone),
            *said.head,
        ),
        dates=resolve_dates(message.content, at, speaker_zone, zone),
        text=message.content,
        type=MESSAGE,
        id=message.id,
        more={"conversation": message.conversation_id, **said.citation},
        said=message.content,
        place=place,
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
                f"due {format_time(one.due_at, asked.zone)}" if one.due_at else "",
                f"priority {one.priority}",
            ),
            text=one.title,
            type=TASK,
            id=one.id,
            more={"memory": one.memory, "priority": one.priority, "due_at": one.due_at},
        )
        for one in found
    ]
