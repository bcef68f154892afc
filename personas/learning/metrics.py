"""Figures about personas, for curators: counts of the last eight weeks, without members' names.

Of a persona that fewer than three people taught there are none.

About conversations the database gives only averages over three members or more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from orgs.database.prepared_statements import fetch_all
from orgs.models.base import day_of
from orgs.models.memberships import sharing_sql
from orgs.principals import Actor, resolve_principal
from personas.blocks.layers import LAYER_RULES, block_label
from personas.blocks.teachers import with_few_teachers
from personas.learning.persona_audiences import PersonaAudience, list_persona_audiences
from personas.learning.tool_outcomes import ToolMetrics, ToolRate, load_tool_rates
from personas.learning.trends import WINDOW_COUNT, WINDOW_LENGTH
from personas.models.blocks import Layer

CURATORS_ONLY = "Only curators and admins see figures about personas."
GATE_ACTIONS = ("passed", "sanitised", "held", "quarantined")
ASSOCIATION_OUTCOMES = ("made", "confirmed", "removed")

# By word how many: members who are present and share by their number of personas, which may be 0;
# and acts by name.
_MEMBERS, _ACTS = "members", "acts"
_COUNTS_SQL = f"""
SELECT '{_MEMBERS}', personas::text, count(*) FROM (
    SELECT m.id, count(s.id) AS personas FROM orgs_member m
    LEFT JOIN personas_association s ON s.organisation_id = m.organisation_id
        AND s.member_id = m.id AND s.confirmed_at IS NOT NULL
    WHERE m.organisation_id = %(organisation)s AND {sharing_sql("m")}
    GROUP BY m.id) x
GROUP BY personas
UNION ALL
SELECT '{_ACTS}', e.action, count(*) FROM orgs_auditentry e
WHERE e.organisation_id = %(organisation)s AND e.action = ANY(%(actions)s::text[])
    AND e.at >= %(since)s AND e.at <= %(now)s
GROUP BY e.action
"""
_GROWTH = """
SELECT b.id, w.at, coalesce(v.entries, 0), coalesce(v.characters, 0)
FROM unnest(%(blocks)s::uuid[]) AS b (id)
CROSS JOIN unnest(%(ends)s::timestamptz[]) AS w (at)
LEFT JOIN LATERAL (
    SELECT jsonb_array_length(v.lines) AS entries, v.characters FROM personas_blockversion v
    WHERE v.organisation_id = %(organisation)s AND v.block_id = b.id AND v.made_at <= w.at
    ORDER BY v.number DESC LIMIT 1) v ON true
ORDER BY b.id, w.at
"""
_USE_SQL = """
SELECT a.id, (
    SELECT coalesce(sum(u.access_count), 0)::bigint FROM memories_memory m
    JOIN memories_known_use u ON u.organisation_id = m.organisation_id AND u.memory_id = m.id
    WHERE m.organisation_id = %(organisation)s AND m.audience_id = a.id
), (
    SELECT count(*) FROM memories_operation o
    WHERE o.organisation_id = %(organisation)s AND o.audience_id = a.id AND o.verb = 'remember'
        AND o.at >= %(since)s AND o.at <= %(now)s
) FROM unnest(%(audiences)s::uuid[]) AS a (id)
"""
_CONVERSATION_LENGTHS_SQL = "SELECT * FROM search.conversation_lengths(%(since)s)"


@dataclass(frozen=True, slots=True)
class BlockGrowth:
    """What a block held at the end of a week."""

    at: datetime
    entries: int
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockMetrics:
    """reads: how often the entries were served in answers since they were brought, as far as the
    asker may know it (`KnownUse`); writes: how often one was said or confirmed in the weeks of
    `PersonaMetrics`. industry, role: as people write them. reads_a_write: None without a write.
    weeks: the oldest first. few_teachers: too few people taught it, so its figures are None and
    there are no weeks.
    """

    persona: str
    industry: str
    role: str
    label: str
    limit: int
    few_teachers: bool
    reads: int | None
    writes: int | None
    reads_a_write: float | None
    weeks: tuple[BlockGrowth, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationMetrics:
    """About members who have a persona. The figures are None if fewer than three of them talked."""

    persona: str
    members: int | None = None
    conversations: int | None = None
    messages_each: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaMetrics:
    """since: from when counts are, the beginning of a day in UTC. personas_each: the mean over
    members; members: {how many personas: how many members}. gate: verdicts by word. associations:
    outcomes by word."""

    since: datetime
    personas_each: float
    members: Mapping[int, int]
    blocks: tuple[BlockMetrics, ...]
    gate: Mapping[str, int]
    associations: Mapping[str, int]
    conversations: tuple[ConversationMetrics, ...]
    tools: tuple[ToolMetrics, ...]


def compute_persona_metrics(actor: Actor, *, now: datetime) -> PersonaMetrics:
    """The figures of an organisation. Raises PermissionError for others than curators."""
    if not actor.moderates:
        raise PermissionError(CURATORS_ONLY)
    principal = resolve_principal(actor)
    # The page tells the day, so the whole of it counts.
    since = day_of(now - WINDOW_COUNT * WINDOW_LENGTH)
    places = list_persona_audiences(principal.organisation_id)
    values: dict[str, Any] = {
        "organisation": principal.organisation_id,
        "since": since,
        "now": now,
        "blocks": [place.block_id for place in places],
        "audiences": [place.audience_id for place in places],
        "ends": [now - WINDOW_LENGTH * ago for ago in reversed(range(WINDOW_COUNT))],
        "actions": [f"gate.{word}" for word in GATE_ACTIONS]
        + [f"association.{word}" for word in ASSOCIATION_OUTCOMES],
    }
    with principal.scope():
        counts = sorted(fetch_all(_COUNTS_SQL, values))
        grown = fetch_all(_GROWTH, values)
        used = {id_: (reads, writes) for id_, reads, writes in fetch_all(_USE_SQL, values)}
        lengths = {row[0]: row[1:] for row in fetch_all(_CONVERSATION_LENGTHS_SQL, values)}
        rates = load_tool_rates(principal.organisation_id, now)
        few = with_few_teachers(principal.organisation_id, values["audiences"])
    members = {int(word): int(many) for what, word, many in counts if what == _MEMBERS}
    acts = {str(word): int(many) for what, word, many in counts if what == _ACTS}
    everybody = sum(members.values())
    return PersonaMetrics(
        since=since,
        personas_each=sum(n * many for n, many in members.items()) / everybody
        if everybody
        else 0.0,
        members=members,
        blocks=tuple(
            _block_metrics(place, grown, used, few=place.audience_id in few) for place in places
        ),
        gate={word: acts.get(f"gate.{word}", 0) for word in GATE_ACTIONS},
        associations={word: acts.get(f"association.{word}", 0) for word in ASSOCIATION_OUTCOMES},
        conversations=tuple(_conversation_metrics(place, lengths) for place in places),
        tools=tuple(_tool_metrics(place, rates, few=place.audience_id in few) for place in places),
    )


def _tool_metrics(
    place: PersonaAudience, rates: Mapping[UUID, tuple[ToolRate, ...]], *, few: bool
) -> ToolMetrics:
    hidden = few or place.persona_id not in rates
    return ToolMetrics(
        persona=place.handle, few_people=hidden, tools=() if hidden else rates[place.persona_id]
    )


def _block_metrics(
    place: PersonaAudience,
    grown: Sequence[tuple[Any, ...]],
    used: Mapping[UUID, tuple[int, int]],
    *,
    few: bool,
) -> BlockMetrics:
    reads, writes = used.get(place.audience_id, (0, 0))
    return BlockMetrics(
        persona=place.handle,
        industry=place.industry,
        role=place.role,
        label=block_label(Layer.SHARED, place.handle),
        limit=LAYER_RULES[Layer.SHARED].limit,
        few_teachers=few,
        reads=None if few else reads,
        writes=None if few else writes,
        reads_a_write=reads / writes if writes and not few else None,
        weeks=()
        if few
        else tuple(BlockGrowth(*row) for block_id, *row in grown if block_id == place.block_id),
    )


def _conversation_metrics(
    place: PersonaAudience, lengths: Mapping[UUID, tuple[Any, ...]]
) -> ConversationMetrics:
    if place.persona_id not in lengths:
        return ConversationMetrics(persona=place.handle)
    members, conversations, messages = lengths[place.persona_id]
    return ConversationMetrics(
        persona=place.handle,
        members=members,
        conversations=conversations,
        messages_each=messages / conversations,
    )
