"""Suggest what one persona learned to personas of the same role in another industry.

A lesson is suggested if at least ROBOTS robots have said it, not counting built-in ones; if it was
confirmed within BLOCK_FRESH_DAYS; if it has a vector; and if the other persona has neither the same
words nor a restatement. All personal robots that a member ever had count as one. It is suggested to
each persona once, whatever is decided. Robots count only for the persona where they said it.

The worker makes suggestions, because nobody else may read both personas.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from memories.indexing.models import SEARCHED_VECTORS_SQL
from memories.jobs.job_queue import WORKER
from memories.lifecycle.decay import CONFIRMED_AT_SQL
from memories.store.dependents import SUMMARY_KEY_PREFIX
from memories.store.models.memory import PROPOSITION_OF
from memories.store.organisation_models import find_serving_model
from orgs import audit
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from orgs.expiry import not_expired_sql
from orgs.models.base import day_of
from orgs.principals import Actor
from personas.blocks.block_views import fresh_period
from personas.learning.persona_audiences import list_persona_audiences
from robots.models.robots import Robot

MIN_ROBOTS = 2
# The most suggestions of one transaction.
BATCH_SIZE = 500

_INSERT_SUGGESTIONS = f"""
WITH place AS MATERIALIZED (
    SELECT * FROM unnest(%(personas)s::uuid[], %(audiences)s::uuid[], %(industries)s::text[],
        %(roles)s::text[]) AS p (persona_id, audience_id, industry, role)
), personal AS MATERIALIZED (
    SELECT * FROM unnest(%(personal)s::uuid[], %(owners)s::uuid[]) AS r (robot_id, member_id)
), lesson AS MATERIALIZED (
    SELECT m.id, m.audience_id, m.kind, m.content_hash, p.industry, p.role, v.embedding
    FROM place p JOIN memories_memory m
        ON m.organisation_id = %(organisation)s AND m.audience_id = p.audience_id
    JOIN {SEARCHED_VECTORS_SQL} v ON v.organisation_id = m.organisation_id AND v.memory_id = m.id
        AND v.model = %(model)s
    WHERE m.status = 'active' AND NOT m.sensitive AND m.valid_until IS NULL AND m.valid_from IS NULL
        AND {not_expired_sql()}
        AND NOT m.source ? '{PROPOSITION_OF}' AND coalesce(m.key,
            '') NOT LIKE '{SUMMARY_KEY_PREFIX}%%'
        AND {CONFIRMED_AT_SQL} >= %(since)s
        AND (SELECT count(DISTINCT coalesce(own.member_id, said.robot_id))
             FROM memories_contribution said LEFT JOIN personal own ON own.robot_id = said.robot_id
             WHERE said.organisation_id = m.organisation_id AND said.memory_id = m.id
                AND said.robot_id <> ALL(%(builtin)s::uuid[])) >= %(robots)s
), missing AS (
    SELECT DISTINCT ON (t.persona_id, l.content_hash) l.*, t.persona_id
    FROM lesson l JOIN place t ON t.role = l.role AND t.industry <> l.industry
    WHERE NOT EXISTS (
        SELECT 1 FROM personas_suggestion s
        JOIN memories_memory o ON o.organisation_id = s.organisation_id AND o.id = s.memory_id
        WHERE s.organisation_id = %(organisation)s AND s.persona_id = t.persona_id
            AND (s.memory_id = l.id OR o.content_hash = l.content_hash)
    ) AND NOT EXISTS (
        SELECT 1 FROM memories_memory o WHERE o.organisation_id = %(organisation)s
            AND o.audience_id = t.audience_id AND o.content_hash = l.content_hash
            AND o.status <> 'archived'
    ) AND NOT EXISTS (
        SELECT 1 FROM {SEARCHED_VECTORS_SQL} o WHERE o.organisation_id = %(organisation)s
            AND o.audience_id = t.audience_id AND o.model = %(model)s
            AND o.embedding <=> l.embedding <= %(reach)s
    )
    ORDER BY t.persona_id, l.content_hash, l.id LIMIT %(most)s
)
INSERT INTO personas_suggestion (id, organisation_id, memory_id, audience_id, kind, persona_id,
                                 state, suggested_at)
SELECT gen_random_uuid(), %(organisation)s, id, audience_id, kind, persona_id, 'open', %(now)s
FROM missing
ON CONFLICT (organisation_id, memory_id, persona_id) DO NOTHING
RETURNING 1
"""


def create_suggestions(organisation_id: UUID, *, now: datetime) -> int:
    """Write new suggestions, at most BATCH. Returns how many."""
    places = list_persona_audiences(organisation_id)
    if len({place.role_key for place in places}) == len(places):
        return 0
    with organisation_scope(organisation_id):
        robots = Robot.objects.filter(organisation_id=organisation_id)
        builtin = list(robots.exclude(builtin=None).values_list("id", flat=True))
        owners = dict(robots.exclude(owner=None).values_list("id", "owner_id"))
    model = find_serving_model(organisation_id, using=WORKER)
    values: dict[str, Any] = {
        "organisation": organisation_id,
        "personas": [place.persona_id for place in places],
        "audiences": [place.audience_id for place in places],
        "industries": [place.industry_key for place in places],
        "roles": [place.role_key for place in places],
        "model": model.number,
        "reach": 1 - model.twin,
        "robots": MIN_ROBOTS,
        "builtin": builtin,
        "personal": list(owners),
        "owners": list(owners.values()),
        # A lesson was confirmed some time on its day, so the whole day counts.
        "since": day_of(now) - fresh_period(),
        "now": now,
        "most": BATCH_SIZE,
    }
    with organisation_scope(organisation_id, using=WORKER):
        made = len(fetch_all(_INSERT_SUGGESTIONS, values, WORKER))
        if made:
            audit.record_entry(
                "suggestion.made",
                actor=Actor(organisation_id=organisation_id),
                now=now,
                target_type="suggestion",
                using=WORKER,
                suggestions=made,
            )
    return made
