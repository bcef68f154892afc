"""Filters as SQL, in fixed fragments with parameters, for use inside the search. Pure."""

from typing import Any

from psycopg.types.json import Jsonb

from memories.restatement.name_conditions import NAME_CONDITIONS
from memories.retrieval.search_types import SearchFilters, SearchRequest
from memories.store.known_use import LOOKED_UP_TIER_SQL
from memories.store.models.levels import LEVEL_SQL
from robots.registry.personal_robot_sql import hidden_robot_sql

Conditions = tuple[list[str], dict[str, Any]]
# A memory `m` is shareable, and nobody whom it concerns has opted out of sharing.
SHAREABLE_SQL = (
    "m.shareable AND NOT m.sensitive "
    "AND NOT EXISTS (SELECT 1 FROM orgs_member p "
    "WHERE p.organisation_id = %(organisation)s AND p.id IN (m.member_id, m.speaker_member_id) "
    "AND p.sharing_off_at IS NOT NULL)"
)
_SHAREABLE_ROW_SQL = (
    "EXISTS (SELECT 1 FROM memories_memory m WHERE m.organisation_id = %(organisation)s "
    f"AND m.id = n.memory_id AND {SHAREABLE_SQL})"
)


def in_group_sql(
    row: str = "n",
    *,
    organisation_audience: str = "%(organisation_audience)s",
    context_group: str = "%(context_group)s",
) -> str:
    """The condition for rows that may come up in the group in which it is asked.

    row: the alias of a row with audience, kind and group. The others are the SQL of the ids.
    """
    return (
        f"({row}.audience_id = {organisation_audience} OR ({row}.kind <> 'direct' "
        f"AND ({row}.group_id IS NULL OR {row}.group_id = {context_group})))"
    )


IN_GROUP_SQL = in_group_sql()


# Memories that everyone in the organisation reads, and the others.
ORGANISATION_WIDE_SQL = "n.audience_id = %(organisation_audience)s"
NOT_ORGANISATION_WIDE_SQL = "n.audience_id IS DISTINCT FROM %(organisation_audience)s"
_VISIBILITIES_SQL = """n.audience_id = ANY (ARRAY(SELECT a.id FROM orgs_audience a
    WHERE a.organisation_id = %(organisation)s AND a.kind = ANY(%(visibilities)s) AND a.id = ANY (
        (SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])))"""


def build_conditions(question: SearchRequest) -> Conditions:
    """Conditions on the narrow tables (alias n), which carry audience, kind and group."""
    sql: list[str] = []
    values: dict[str, Any] = {"organisation": question.organisation_id}
    if question.context_group and not question.include_direct:
        sql.append(IN_GROUP_SQL)
        values["context_group"] = question.context_group
        values["organisation_audience"] = question.organisation_audience
    if question.sayable is not None:
        sql.append(f"(n.audience_id = ANY(%(sayable)s) OR {_SHAREABLE_ROW_SQL})")
        values["sayable"] = list(question.sayable)
    if not question.include_shared:
        sql.append(NOT_ORGANISATION_WIDE_SQL)
        values["organisation_audience"] = question.organisation_audience
    if question.filters.groups:
        sql.append("n.group_id = ANY(%(groups)s)")
        values["groups"] = list(question.filters.groups)
    if question.filters.visibilities:
        sql.append(_VISIBILITIES_SQL)
        values["visibilities"] = list(question.filters.visibilities)
    if question.filters.kinds:
        sql.append("n.kind = ANY(%(kinds)s)")
        values["kinds"] = list(question.filters.kinds)
    if question.filters.ids:
        sql.append("n.memory_id = ANY(%(ids)s)")
        values["ids"] = list(question.filters.ids)
    wide, more = _memory_conditions(question.filters)
    if wide:
        sql.append(
            "EXISTS (SELECT 1 FROM memories_memory m WHERE m.organisation_id = %(organisation)s "
            f"AND m.id = n.memory_id AND {' AND '.join(wide)})"
        )
        values |= more
    return sql, values


# A robot that the asker may not see matches nothing.
_ROBOT_VISIBLE_SQL = f"NOT {hidden_robot_sql('c.organisation_id', 'c.robot_id', 'c.audience_id')}"
_FILTERS_SQL = {
    "types": "m.type = ANY(%(types)s)",
    "categories": "m.category = ANY(%(categories)s)",
    "tiers": f"{LOOKED_UP_TIER_SQL} = ANY(%(tiers)s)",
    "robots": "EXISTS (SELECT 1 FROM memories_contribution c WHERE c.memory_id = m.id "
    f"AND c.organisation_id = m.organisation_id AND c.robot_id = ANY(%(robots)s) AND "
    f"{_ROBOT_VISIBLE_SQL})",
    # Memories that a present robot of the team brought, and notes of the team by anybody.
    "teams": "(EXISTS (SELECT 1 FROM memories_contribution c JOIN robots_teamrobot t "
    "ON t.organisation_id = c.organisation_id AND t.robot_id = c.robot_id "
    f"WHERE c.organisation_id = m.organisation_id AND c.memory_id = m.id AND {_ROBOT_VISIBLE_SQL} "
    "AND t.team_id = ANY(%(teams)s)) OR m.audience_id IN (SELECT a.id FROM orgs_audience a "
    "WHERE a.organisation_id = %(organisation)s AND a.kind = 'team' "
    "AND a.key = ANY(%(teams)s::uuid[]::text[])))",
    "levels": f"{LEVEL_SQL} = ANY(%(levels)s)",
    "members": "(m.member_id = ANY(%(members)s) OR m.speaker_member_id = ANY(%(members)s))",
    "tags": "m.tags && %(tags)s::varchar[]",
    **NAME_CONDITIONS,
}


_SAID_AT_SQL = "coalesce(m.occurred_at, m.created_at)"
# Said up to a time, and true then.
_HELD_THEN_SQL = (
    f"{_SAID_AT_SQL} <= %(as_of)s AND (m.valid_from IS NULL OR m.valid_from <= %(as_of)s) "
    "AND (m.valid_until IS NULL OR m.valid_until > %(as_of)s)"
)


def _memory_conditions(filters: SearchFilters) -> Conditions:
    """Conditions on the memory itself (alias m)."""
    sql: list[str] = []
    values: dict[str, Any] = {}
    for name, fragment in _FILTERS_SQL.items():
        if chosen := getattr(filters, name):
            sql.append(fragment)
            values[name] = list(chosen)
    if filters.metadata:
        sql.append("m.metadata @> %(metadata)s")
        values["metadata"] = Jsonb(dict(filters.metadata))
    if filters.source:
        sql.append("m.source @> %(source)s")
        values["source"] = Jsonb(dict(filters.source))
    if not filters.deposits:
        sql.append("m.deposited_by IS NULL")
    if filters.min_importance is not None:
        sql.append("m.importance >= %(min_importance)s")
        values["min_importance"] = filters.min_importance
    if filters.as_of is not None:
        sql.append(_HELD_THEN_SQL)
        values["as_of"] = filters.as_of
    if filters.ranges:
        parts = []
        for index, (since, until) in enumerate(filters.ranges):
            at = _SAID_AT_SQL
            bounds = []
            if since is not None:
                bounds.append(f"{at} >= %(since_{index})s")
                values[f"since_{index}"] = since
            if until is not None:
                bounds.append(f"{at} <= %(until_{index})s")
                values[f"until_{index}"] = until
            parts.append(f"({' AND '.join(bounds) or 'true'})")
        sql.append(f"({' OR '.join(parts)})")
    return sql, values
