"""A profile: the facts that hold now about a member, a group or a topic, as far as the asker reads.

It is made when it is asked for, from readable rows alone: so it is never older than what is kept,
tells nothing of what its reader may not read, and leaves nothing behind that had to be erased.
Facts are sentences of memories, with their references resolved where a restatement has done so.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Q

from memories.embedding.tokens.token_count import count_tokens
from memories.language.relative_dates import local_date
from memories.language.rendering.model_text import render_entry
from memories.language.text_language import prepare_words
from memories.profiles.fact_rules import ProfileTopic
from memories.profiles.select_facts import (
    FactCandidate,
    ProfileRow,
    compare_facts,
    content_stems,
    read_group_facts,
    read_member_facts,
    read_topic_facts,
)
from memories.retrieval.candidates.candidate_features import (
    IS_TURN_SQL,
    PROVEN_SQL,
    SAID_AT_SQL,
    SPEAKER_SQL,
)
from memories.retrieval.candidates.search_conditions import in_group_sql
from memories.retrieval.recall import load_memories
from memories.retrieval.search_types import FactState
from memories.state.supersede_memory import holds_sql
from memories.store.conversation_turns import ACCOUNT_KEY_PREFIX
from memories.store.models.memory import Memory
from memories.store.speakers.attribution import attribution_of, with_marked_speaker
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from orgs.expiry import not_expired_sql
from orgs.models.memberships import Member
from orgs.models.organisations import Group
from orgs.organisations.references import get_member
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor
from robots.access.personal_robot_actor import resolve_owner_actor
from robots.people.directory import get_visible_group, visible_members

DEFAULT_MAX_TOKENS, MAX_TOKENS = 1_000, 8_000
# How many memories are found, how many of them are read, how many characters of each, and of all
# together. Of more the newest count.
MAX_FOUND, MAX_ROWS, MAX_CHARACTERS, MAX_CHARACTERS_OF_ALL = 3_000, 500, 1_500, 40_000
# Tokens that a fact has at least, with its day and who said it.
FEWEST_TOKENS = 8

# Memories about a member, said by one, or with the name of one in their own words.
_ABOUT_MEMBER_SQL = """
SELECT id FROM (
    (SELECT m.id FROM memories_memory m WHERE m.organisation_id = %(organisation)s
        AND (m.member_id = %(member)s OR m.speaker_member_id = %(member)s
            OR (m.author_id = %(member)s AND m.speaker = ''))
        AND (%(until)s::timestamptz IS NULL OR m.created_at < %(until)s)
    ORDER BY m.id DESC LIMIT %(most_found)s)
    UNION
    (SELECT t.memory_id
    FROM memories_words_query(%(language)s::regconfig, %(name)s, '<->') AS asked
    JOIN memories_text t ON t.organisation_id = %(organisation)s AND t.own @@ asked
    JOIN memories_memory m ON m.organisation_id = t.organisation_id AND m.id = t.memory_id
        AND (%(until)s::timestamptz IS NULL OR m.created_at < %(until)s)
    ORDER BY t.memory_id DESC LIMIT %(most_found)s)
) AS about ORDER BY id DESC LIMIT %(most_found)s"""
_OF_GROUP_SQL = """
SELECT m.id FROM memories_memory m WHERE m.organisation_id = %(organisation)s
    AND m.group_id = %(group)s ORDER BY m.id DESC LIMIT %(most_found)s"""
_ON_TOPIC_SQL = """
SELECT t.memory_id AS id
FROM memories_words_query(%(language)s::regconfig, %(topic)s, '&') AS asked
JOIN memories_text t ON t.organisation_id = %(organisation)s AND t.own @@ asked
ORDER BY t.memory_id DESC LIMIT %(most_found)s"""
# Words of which a turn of a conversation that states a fact mostly has one.
_SIGNS = (
    r"\m(liv|move|work|job|team|manager|boss|allerg|vegan|vegetarian|eat|prefer|favou?rite|love"
    r"|hate|like|speak|learn|play|wife|husband|partner|son|daughter|child|kid|mother|father|mum|brother"
    r"|sister|dog|cat|every|always|never|usually|number|born|married|divorced|engaged|own|drive|car"
    r"|bike|house|flat|address|leave|start|new|now|any ?more|longer|quit|stopped|sold)|@"
)
# The ids are found first, as an array: in a join they were found again for each memory, which took
# seconds. What was written down as a fact comes first, then turns with such a word, and of each the
# newest.
_ROWS_SQL = """
SELECT id, text, said_at, speaker, proven, noted, shared, member_id, said_by
FROM (
    SELECT m.id, left(coalesce(nullif(r.text, ''), m.content), {most_characters}) AS text,
        {said_at} AS said_at, {speaker} AS speaker, {proven} AS proven, {noted} AS noted,
        m.audience_id = %(organisation_audience)s AS shared, m.member_id,
        coalesce(m.speaker_member_id, CASE WHEN m.speaker = '' THEN m.author_id END) AS said_by,
        sum(least(length(m.content), {most_characters})) OVER (ORDER BY ({noted}) DESC,
            (left(m.content, {most_characters}) ~* '{signs}') DESC, m.id DESC) AS so_far
    FROM memories_memory m
    LEFT JOIN memories_restatement r ON r.organisation_id = m.organisation_id
        AND r.memory_id = m.id
    WHERE m.organisation_id = %(organisation)s AND m.id = ANY (ARRAY({found}))
        AND m.status = 'active' AND NOT m.sensitive AND {not_expired}
        AND left(m.key, {prefix_length}) IS DISTINCT FROM '{account_prefix}'
        AND {holds}
        AND (%(deposits)s OR m.deposited_by IS NULL)
        AND (%(notes)s OR m.kind <> 'internal') AND {in_group}
        AND (%(include_shared)s OR m.audience_id <> %(organisation_audience)s)
) AS t WHERE so_far <= {most_of_all} ORDER BY so_far LIMIT {most_rows}
"""
_STATEMENTS = {
    (found, narrowed): _ROWS_SQL.format(
        found=found,
        in_group=in_group_sql("m") if narrowed else "true",
        said_at=SAID_AT_SQL,
        speaker=SPEAKER_SQL,
        proven=PROVEN_SQL,
        noted=f"NOT {IS_TURN_SQL}",
        not_expired=not_expired_sql(),
        holds=holds_sql(),
        # What anybody in the world writes to a member is no fact about them.
        account_prefix=ACCOUNT_KEY_PREFIX,
        prefix_length=len(ACCOUNT_KEY_PREFIX),
        most_rows=MAX_ROWS,
        most_characters=MAX_CHARACTERS,
        most_of_all=MAX_CHARACTERS_OF_ALL,
        signs=_SIGNS,
    )
    for found in (_ABOUT_MEMBER_SQL, _OF_GROUP_SQL, _ON_TOPIC_SQL)
    for narrowed in (False, True)
}
# How many present members have this first name, and how many the whole name.
_NAMESAKES_SQL = """
SELECT count(*), count(*) FILTER (WHERE lower(p.name) = lower(%(name)s))
FROM orgs_member p WHERE p.organisation_id = %(organisation)s AND p.removed_at IS NULL
    AND (lower(p.name) = lower(%(first)s) OR starts_with(lower(p.name), lower(%(first)s) || ' '))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileQuery:
    """Whose profile: a member, a group or a topic, one of them. asker: the member for whom a robot
    asks."""

    member: str | None = None
    group: str | None = None
    topic: str | None = None
    asker: str | None = None
    max_tokens: int = DEFAULT_MAX_TOKENS


@dataclass(frozen=True, slots=True)
class ProfileFact:
    """A fact. text: its sentences, as the reader may know them; memory: its source, with names;
    whole: whether the memory says no more; contradicted_by: a newer memory that may say
    otherwise."""

    topic: ProfileTopic
    text: str
    memory: Memory
    said_at: datetime
    contradicted_by: UUID | None
    whole: bool

    @property
    def state(self) -> FactState:
        """Whether it holds, or is disputed."""
        return FactState.CURRENT if self.contradicted_by is None else FactState.DISPUTED


@dataclass(frozen=True, slots=True)
class Profile:
    """The facts, by topic and the newest first. left_out: how many had no room; outdated: how many
    do not hold any more, which are left out as well; tokens: of all lines."""

    facts: Sequence[ProfileFact] = ()
    left_out: int = 0
    outdated: int = 0
    tokens: int = 0


def read_profile(actor: Actor, query: ProfileQuery, *, now: datetime) -> tuple[Any, Profile]:
    """(the member, the group or the topic, its profile).

    A personal robot that names nobody asks for its own member. Raises NotFoundError for a member or
    a group that the asker may not know.
    """
    asking = resolve_owner_actor(actor) if query.asker is None else actor
    acting = resolve_actor(asking, member=query.asker, told=True)
    principal = resolve_principal(acting)
    subject: Member | Group | str = query.topic or ""
    if query.member is not None:
        subject = _get_known_member(acting, query.member)
    elif query.group is not None:
        subject = get_visible_group(acting, query.group)
    with principal.scope():
        found = build_profile(principal, subject, max_tokens=query.max_tokens, now=now)
    return subject, found


def _get_known_member(actor: Actor, reference: str) -> Member:
    """One of the members whom the asker knows, or the one for whom it asks."""
    with organisation_scope(actor.organisation_id):
        known = Q(id__in=visible_members(actor).values("id")) | Q(id=actor.member_id)
        among = Member.objects.filter(known, organisation_id=actor.organisation_id)
        return get_member(actor.organisation_id, reference, among=among, claimed=True)


def build_profile(
    principal: Principal,
    subject: Member | Group | str,
    *,
    max_tokens: int,
    now: datetime,
    zone: tzinfo = UTC,
    include_shared: bool = True,
    deposits: bool = True,
) -> Profile:
    """The profile of a member, a group or a topic. Call it inside the principal's scope.

    include_shared: whether facts count that everyone in the organisation reads. deposits: whether
    those do that a robot left where it does not read.
    """
    wanted = {"include_shared": include_shared, "deposits": deposits}
    read = partial(_fetch_rows, principal, now=now, wanted=wanted)
    if isinstance(subject, Member):
        themself = principal.actor.member_id == subject.id
        if subject.sharing_off_at is not None and not themself:
            return Profile()
        names = _list_names(principal, subject)
        # While somebody pauses learning, others learn nothing new about them here.
        until = None if themself else subject.learning_paused_at
        asked = {
            "member": subject.id,
            "name": prepare_words(names[0], is_query=True) if names else "",
            "until": until,
        }
        rows = read(_ABOUT_MEMBER_SQL, asked)
        found = read_member_facts(rows, subject.id, names)
    elif isinstance(subject, Group):
        found = read_group_facts(read(_OF_GROUP_SQL, {"group": subject.id}))
    elif content_stems(subject):
        rows = read(_ON_TOPIC_SQL, {"topic": prepare_words(subject, is_query=True)})
        found = read_topic_facts(rows, subject)
    else:
        return Profile()
    return _fit(principal, found, max_tokens=max_tokens, now=now, zone=zone)


def _list_names(principal: Principal, member: Member) -> list[str]:
    """The names that mean this member alone, of the first and the whole one, the shorter first."""
    first = member.name.split(maxsplit=1)[0] if member.name.strip() else member.name
    values = {"organisation": principal.organisation_id, "name": member.name, "first": first}
    [(same_first, same_name)] = fetch_all(_NAMESAKES_SQL, values)
    names = [first] if same_first <= 1 else []
    return [*names, member.name] if same_name <= 1 and member.name != first else names


def _fetch_rows(
    principal: Principal,
    found: str,
    asked: dict[str, Any],
    *,
    now: datetime,
    wanted: dict[str, bool],
) -> list[ProfileRow]:
    narrowed = principal.actor.group_id is not None and not principal.actor.include_direct
    values = asked | {
        "organisation": principal.organisation_id,
        "organisation_audience": principal.organisation_audience,
        "language": principal.language,
        "now": now,
        "most_found": MAX_FOUND,
        "notes": not principal.actor.is_person,
        **wanted,
    }
    if narrowed:
        values["context_group"] = principal.actor.group_id
    return [ProfileRow(*row) for row in fetch_all(_STATEMENTS[found, narrowed], values)]


def _fit(
    principal: Principal,
    candidates: Iterable[FactCandidate],
    *,
    max_tokens: int,
    now: datetime,
    zone: tzinfo,
) -> Profile:
    """The facts that hold, as many as fit: what does not fit is left out, and the next that fits is
    taken."""
    compared = compare_facts(candidates, now)
    held = [(one, hit) for one, hit in compared if hit.state is not FactState.OUTDATED]
    most = max_tokens // FEWEST_TOKENS
    memories = load_memories(principal.organisation_id, [one.row.id for one, _ in held[:most]])
    facts, tokens = [], 0
    for one, hit in held[:most]:
        memory = memories[one.row.id]
        fact = ProfileFact(
            topic=one.topic,
            text=with_marked_speaker(memory, one.text),
            memory=memory,
            said_at=memory.occurred_at or memory.created_at,
            contradicted_by=hit.replaced.by if hit.replaced else None,
            whole=one.row.is_short,
        )
        day = local_date(fact.said_at, zone).isoformat()
        cost = count_tokens(render_entry((day, *attribution_of(memory).head), fact.text))
        if tokens + cost <= max_tokens:
            facts.append(fact)
            tokens += cost
    order = list(ProfileTopic)
    facts.sort(key=lambda fact: (order.index(fact.topic), -fact.said_at.timestamp()))
    return Profile(facts, len(held) - len(facts), len(compared) - len(held), tokens)
