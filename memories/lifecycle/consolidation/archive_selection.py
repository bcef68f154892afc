"""Which memories of a full tier are archived: the least important first, then the oldest, never a
red line.

The database chooses, so the size of an audience does not matter; each choice is bounded. Call
inside a scope that reads the audience.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.store.dependents import SUMMARY_KEY_PREFIX
from memories.store.known_use import CURRENT_TIER_SQL
from orgs.database.prepared_statements import fetch_all
from orgs.expiry import not_expired_sql
from orgs.models.audiences import AudienceType
from orgs.models.memberships import Member

# The most memories of one transaction.
MAX_MEMORIES = 1_000

# A summary is made only of memories that are equal in these columns: the same subject, speaker and
# end of validity.
PARTITION_COLUMNS = ("kind", "group_id", "member_id", "speaker_member_id", "speaker", "valid_until")
# A memory that was summarised before and is active again was restored by somebody, so it stays. One
# with an open wish for protection stays until that is decided. Sensitive ones stay.
_SELECT_SQL = f"""
WITH held AS MATERIALIZED (
    SELECT m.id, m.importance, m.created_at, m.kind, m.group_id, m.member_id, m.speaker_member_id,
        m.speaker, m.valid_until, m.red_line OR m.sensitive OR EXISTS (
            SELECT 1 FROM memories_derivation d JOIN memories_memory s
                ON s.organisation_id = d.organisation_id AND s.id = d.memory_id
            WHERE d.organisation_id = m.organisation_id AND d.source_id = m.id
                AND s.key = %(summary)s || s.id::text
        ) OR EXISTS (
            SELECT 1 FROM memories_proposal w WHERE w.organisation_id = m.organisation_id
                AND w.memory_id = m.id AND w.cause = 'red_line' AND w.state = 'open') AS stays
    FROM memories_memory m LEFT JOIN memories_use u
        ON u.organisation_id = m.organisation_id AND u.memory_id = m.id
    WHERE m.organisation_id = %(organisation)s AND m.audience_id = %(audience)s
        AND m.status = 'active' AND {not_expired_sql()}
        AND {CURRENT_TIER_SQL} = %(tier)s
), ranked AS (
    SELECT id, row_number() OVER (ORDER BY importance, created_at, id) AS place,
        -- The second of a part is where its summary comes in.
        (row_number() OVER (
            PARTITION BY kind, group_id, member_id, speaker_member_id, speaker, valid_until
            ORDER BY importance, created_at, id) = 2
         AND coalesce(member_id <> ALL(%(unwilling)s::uuid[]), true)
         AND coalesce(speaker_member_id <> ALL(%(unwilling)s::uuid[]), true))::int AS summary
    FROM held WHERE NOT stays
), counted AS (
    SELECT id, place, place - sum(summary) OVER (ORDER BY place) AS freed, summary FROM ranked
), chosen AS (
    SELECT id, place, summary FROM (
        SELECT *, lag(freed, 1, 0) OVER (ORDER BY place) AS before FROM counted) c
    WHERE before < (SELECT count(*) FROM held) - %(capacity)s
    ORDER BY place LIMIT %(most)s
)
SELECT (SELECT count(*) FROM held), coalesce(array_agg(id ORDER BY place), '{{}}'),
    coalesce(sum(summary), 0)
FROM chosen
"""
_MEDOIDS_SQL = """
WITH vectors AS (
    SELECT p.part, p.id, e.own
    FROM unnest(%(ids)s::uuid[], %(parts)s::int[]) AS p (id, part)
    JOIN memories_embedding e ON e.organisation_id = %(organisation)s AND e.memory_id = p.id
        AND e.model = %(model)s
), centres AS (
    SELECT part, avg(own) AS centre FROM vectors GROUP BY part
)
SELECT DISTINCT ON (v.part) v.part, v.id
FROM vectors v JOIN centres c ON c.part = v.part
ORDER BY v.part, v.own <=> c.centre, v.id
"""


@dataclass(frozen=True, slots=True)
class AudienceTier:
    """A tier of one audience, and how many active memories it may hold."""

    organisation_id: UUID
    audience_id: UUID
    tier: str
    capacity: int


@dataclass(frozen=True, slots=True)
class ArchiveSelection:
    """What would be archived. count: active memories there now. ids: in their order, at most
    `most`. summaries: how many summaries would be made of them."""

    count: int
    ids: list[UUID]
    summaries: int


def select_to_archive(
    place: AudienceTier, *, unwilling: set[UUID], now: datetime, most: int
) -> ArchiveSelection:
    """The fewest memories to archive so that the rest, with the summaries, fits; none if it fits
    already.

    unwilling: members about whom nothing new is made.
    """
    values: dict[str, Any] = {
        "organisation": place.organisation_id,
        "audience": place.audience_id,
        "tier": place.tier,
        "capacity": place.capacity,
        "summary": SUMMARY_KEY_PREFIX,
        "unwilling": sorted(unwilling),
        "now": now,
        "most": most,
    }
    [(count, ids, summaries)] = fetch_all(_SELECT_SQL, values)
    return ArchiveSelection(count, list(ids), int(summaries))


def members_without_consent(place: AudienceTier, kind: str) -> set[UUID]:
    """Members who have paused learning, or opted out of sharing where others read the audience.

    kind: of the audience.
    """
    members = Member.objects.filter(organisation_id=place.organisation_id)
    paused = members.filter(learning_paused_at__isnull=False)
    found = set(paused.values_list("id", flat=True))
    if kind != AudienceType.MEMBER:
        out = members.filter(sharing_off_at__isnull=False)
        found |= set(out.values_list("id", flat=True))
    return found


def find_medoids(organisation_id: UUID, parts: list[list[UUID]], model: int) -> dict[int, UUID]:
    """{index of a part: the member nearest the centroid of those that have a vector}."""
    pairs = [(id_, number) for number, part in enumerate(parts) for id_ in part]
    if not pairs:
        return {}
    values: dict[str, Any] = {
        "organisation": organisation_id,
        "ids": [id_ for id_, _ in pairs],
        "parts": [number for _, number in pairs],
        "model": model,
    }
    return dict(fetch_all(_MEDOIDS_SQL, values))
