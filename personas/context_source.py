"""The asker's blocks, as the first section of every context: one query for all of them.

The organisation's own block comes first, then the member's, their personas', those of the roles and
industries of these, and last what was learned for everybody. Personas share tokens by confidence:
of two with .9 and .3 the first gets three times as many as the second.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.context.sources.context_query import MEMORY, ContextBuildState
from memories.context.sources.pieces import ContextPiece
from memories.embedding.tokens.token_count import count_tokens
from memories.lifecycle.decay import CONFIRMED_AT_SQL
from memories.state.supersede_memory import holds_sql
from memories.store.models.memory import PROPOSITION_OF
from orgs.cohort_types import COHORT_TYPES, GLOBAL_LEVEL, is_global_sql
from orgs.database.prepared_statements import fetch_all
from orgs.expiry import not_expired_sql
from orgs.models.audiences import AudienceType
from personas.blocks.block_views import fresh_period
from personas.blocks.entry_weight import entry_weight
from personas.blocks.layers import LAYER_RULES, block_hint, block_label, normalise_line
from personas.models.blocks import Layer

BLOCK = "block"
# The layer of the block whose entries are of this level.
SHARED_LAYERS = {AudienceType.PERSONA.value: Layer.SHARED, GLOBAL_LEVEL: Layer.GLOBAL}
# The most lines of one audience: a persona's block holds fewer, an industry or role may have more.
MAX_LINES = 200
# The least confidence that counts, so that every persona gets some tokens.
MIN_CONFIDENCE = 0.01
# The budget from which a robot is told how to use each block.
MIN_TOKENS_FOR_HINTS = 1_000

_ENTRIES_SQL = f"""
WITH served AS MATERIALIZED (
    SELECT coalesce(%(member)s::uuid, (
        SELECT r.owner_id FROM robots_robot r
        WHERE r.organisation_id = %(organisation)s AND r.id = %(robot)s::uuid)) AS member
), mine AS MATERIALIZED (
    SELECT p.id::text AS persona, p.handle, p.industry_key, p.role_key, s.confidence
    FROM personas_association s
    JOIN personas_persona p ON p.organisation_id = s.organisation_id AND p.id = s.persona_id
    WHERE s.organisation_id = %(organisation)s AND s.confirmed_at IS NOT NULL
        AND s.member_id = (SELECT member FROM served)
), levels AS MATERIALIZED (
    SELECT DISTINCT ON (a.id) a.id, a.kind, x.handle, x.confidence, CASE WHEN a.kind = 'persona'
        THEN (SELECT b.id FROM personas_block b WHERE b.organisation_id = a.organisation_id
            AND b.persona_id::text = x.persona) END AS block
    FROM orgs_audience a
    JOIN mine x ON a.kind = 'persona' AND a.key = x.persona
        OR a.kind = 'industry' AND a.key = x.industry_key
        OR a.kind = 'role' AND a.key = x.role_key
    WHERE a.organisation_id = %(organisation)s AND a.id = ANY(%(audiences)s::uuid[])
    ORDER BY a.id, x.confidence DESC
), cohorts AS (
    SELECT * FROM levels
    UNION ALL
    SELECT a.id, '{GLOBAL_LEVEL}', '', 1, (SELECT b.id FROM personas_block b
        WHERE b.organisation_id = a.organisation_id AND b.layer = 'global_experience')
    FROM orgs_audience a WHERE a.organisation_id = %(organisation)s
        AND a.id = ANY(%(audiences)s::uuid[]) AND {is_global_sql("a")}
), lines AS (
    SELECT m.id, v.kind AS level, v.handle, v.confidence, 0 AS position, v.block
    FROM cohorts v CROSS JOIN LATERAL (
        SELECT m.id FROM memories_memory m
        WHERE m.organisation_id = %(organisation)s AND m.audience_id = v.id
            AND m.status = 'active' ORDER BY m.id DESC LIMIT {MAX_LINES}) m
    UNION ALL
    SELECT l.memory_id, b.layer, '', 1, l.position, b.id FROM personas_block b
    JOIN personas_blockline l ON l.organisation_id = b.organisation_id AND l.block_id = b.id
    WHERE b.organisation_id = %(organisation)s AND b.member_id = %(member)s::uuid
        AND CASE WHEN b.robot_id IS NULL THEN %(own)s
            ELSE %(told)s AND b.robot_id = %(robot)s::uuid END
)
SELECT m.id, n.level, n.handle, n.confidence, n.position, m.content, m.key, {CONFIRMED_AT_SQL},
    n.block
FROM lines n JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = n.id
WHERE m.status = 'active' AND NOT m.sensitive AND NOT m.source ? '{PROPOSITION_OF}'
    AND {not_expired_sql()} AND {holds_sql()}
UNION ALL
SELECT b.id, b.layer, '', 1, 0, b.own_text, NULL, b.created_at, b.id
FROM personas_block b
WHERE b.organisation_id = %(organisation)s AND b.layer = 'agent_persona' AND b.own_text <> ''
"""


@dataclass(frozen=True, slots=True)
class _Line:
    id: UUID
    level: str
    handle: str
    confidence: float
    position: int
    content: str
    key: str | None
    confirmed_at: datetime
    block: UUID | None

    def weight(self, now: datetime) -> float:
        return entry_weight(now - self.confirmed_at, fresh_for=fresh_period())


def block_pieces(asked: ContextBuildState) -> list[ContextPiece]:
    """The entries of all blocks of the asker: the organisation's first, then as in the module."""
    principal = asked.principal
    values: dict[str, Any] = {
        "organisation": principal.organisation_id,
        "audiences": sorted(principal.audiences),
        "member": asked.actor.member_id,
        "robot": asked.actor.robot_id,
        "own": asked.actor.sees_own and asked.actor.group_id is None,
        "told": asked.actor.told,
        "now": asked.now,
    }
    lines = [_Line(*row) for row in fetch_all(_ENTRIES_SQL, values)]
    if not asked.query.include_shared:
        own = (Layer.AGENT, Layer.HUMAN, Layer.PROFILE)
        lines = [one for one in lines if one.level in own]
    ordered = _order_lines(lines, asked.now)
    tells = asked.actor.robot_id is not None and asked.query.max_tokens >= MIN_TOKENS_FOR_HINTS
    return _with_hints(ordered) if tells else [_to_piece(one) for one in ordered]


def _with_hints(lines: Sequence[_Line]) -> list[ContextPiece]:
    """The pieces of the lines; before the first of each block that robots write, what belongs
    there and when to write."""
    found: list[ContextPiece] = []
    told: set[UUID] = set()
    for line in lines:
        layer = SHARED_LAYERS.get(line.level, line.level)
        hint = block_hint(layer, line.handle) if layer in LAYER_RULES else ""
        if hint and line.block is not None and line.block not in told:
            told.add(line.block)
            label = block_label(layer, line.handle)
            found.append(
                ContextPiece(
                    head=(f"block {label}",),
                    text=f"Belongs here: {hint}.",
                    type=BLOCK,
                    id=line.block,
                    more={"block": label, "hint": True},
                )
            )
        found.append(_to_piece(line))
    return found


def _order_lines(lines: Sequence[_Line], now: datetime) -> list[_Line]:
    """The lines in the order of the module: whatever is cut off at the end, personas keep their
    share."""

    def of(level: str) -> list[_Line]:
        return [one for one in lines if one.level == level]

    def best(some: Iterable[_Line]) -> list[_Line]:
        return sorted(some, key=lambda one: (-one.weight(now), -one.confirmed_at.timestamp()))

    own = [
        sorted(of(layer), key=lambda one: one.position) for layer in (Layer.PROFILE, Layer.HUMAN)
    ]
    personas: dict[str, list[_Line]] = {}
    for one in best(of(AudienceType.PERSONA)):
        personas.setdefault(one.handle, []).append(one)
    return [
        *of(Layer.AGENT),
        *(one for some in own for one in some),
        *interleave_personas(list(personas.values())),
        *best(of(AudienceType.ROLE)),
        *best(of(AudienceType.INDUSTRY)),
        *best(of(GLOBAL_LEVEL)),
    ]


def interleave_personas(personas: Sequence[Sequence[_Line]]) -> list[_Line]:
    """Lines of several personas in one list, by weighted fair queueing.

    Next comes the persona with the fewest tokens so far divided by its confidence. So personas
    share every beginning of the list by confidence."""
    left = [list(reversed(one)) for one in personas if one]
    had = [0.0] * len(left)
    found: list[_Line] = []
    while any(left):
        waiting = [place for place, one in enumerate(left) if one]
        place = min(waiting, key=lambda at: (had[at], -left[at][-1].confidence, at))
        line = left[place].pop()
        had[place] += count_tokens(_render_line(line)) / max(MIN_CONFIDENCE, line.confidence)
        found.append(line)
    return found


def _to_piece(line: _Line) -> ContextPiece:
    if line.level == Layer.AGENT:
        return ContextPiece(
            head=(_source_label(line),),
            text=line.content,
            type=BLOCK,
            id=line.id,
            more={"block": line.level},
        )
    cohort = line.level in (*COHORT_TYPES, GLOBAL_LEVEL)
    layer = SHARED_LAYERS.get(line.level, "" if cohort else line.level)
    block = block_label(layer, line.handle)
    return ContextPiece(
        head=(_source_label(line),),
        text=normalise_line(line.content),
        type=MEMORY,
        id=line.id,
        more={
            "block": block,
            "level": line.level if cohort else AudienceType.MEMBER.value,
            "persona": line.handle or None,
            "confirmed_at": line.confirmed_at,
        },
        said=line.content,
        key=line.key,
        audience=line.level if cohort else AudienceType.MEMBER,
        of_block=True,
    )


def _render_line(line: _Line) -> str:
    return f"({_source_label(line)}) {normalise_line(line.content)}"


def _source_label(line: _Line) -> str:
    match line.level:
        case Layer.AGENT:
            return "for every robot"
        case Layer.HUMAN:
            return "about this user"
        case Layer.PROFILE:
            return "how this user works"
        case AudienceType.PERSONA:
            return f"learned from {line.handle} users"
        case AudienceType.ROLE:
            return "for everyone of this role"
    return "learned for all" if line.level == GLOBAL_LEVEL else "for everyone of this industry"
