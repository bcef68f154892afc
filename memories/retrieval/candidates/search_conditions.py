"""Filters: their references as ids, and as SQL, in fixed fragments with parameters, for use inside
the search."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from memories.access.visibility import audience_types
from memories.retrieval.search_types import SearchFilters, SearchRequest
from memories.store.known_use import LOOKED_UP_TIER_SQL
from memories.store.tag_names import coerce_query_tags
from orgs.organisations.references import find_members
from orgs.principals import Actor
from robots.people.directory import find_known_groups
from robots.registry.personal_robot_sql import hidden_robot_sql
from robots.registry.robots import find_robots
from robots.teams.teams import find_teams

Conditions = tuple[list[str], dict[str, Any]]
_NO_ID = UUID(int=0)


def resolve_filters(
    actor: Actor,
    given: Mapping[str, Any],
    ranges: tuple[tuple[datetime | None, datetime | None], ...] = (),
) -> SearchFilters:
    """The filters of a query with references resolved to ids; call it in the asker's scope. An
    unknown reference matches nothing, like a hidden one."""
    if not given:
        return SearchFilters(ranges=ranges)
    organisation_id = actor.organisation_id
    return SearchFilters(
        groups=_resolve_ids(given.get("groups", ()), partial(find_known_groups, actor)),
        members=_resolve_ids(
            given.get("members", ()), partial(find_members, organisation_id, removed=True)
        ),
        robots=_resolve_ids(given.get("robots", ()), partial(find_robots, organisation_id)),
        visibilities=audience_types(
            given.get("visibilities", ()), member=actor.member_id is not None
        ),
        teams=_resolve_ids(given.get("teams", ()), partial(find_teams, organisation_id)),
        kinds=tuple(given.get("kinds", ())),
        types=tuple(given.get("types", ())),
        categories=tuple(given.get("categories", ())),
        tiers=tuple(given.get("tiers", ())),
        tags=coerce_query_tags(given.get("tags", ())),
        metadata=given.get("metadata"),
        min_importance=given.get("min_importance"),
        ranges=ranges,
    )


def _resolve_ids(
    references: Sequence[str], find: Callable[[Sequence[str]], Mapping[str, Any]]
) -> tuple[UUID, ...]:
    """The ids of what the references mean. All are looked up at once."""
    found = find(references) if references else {}
    return tuple(
        found[reference].id if reference in found else _NO_ID
        for reference in dict.fromkeys(references)
    )


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
    "members": "(m.member_id = ANY(%(members)s) OR m.speaker_member_id = ANY(%(members)s))",
    "tags": "m.tags && %(tags)s::varchar[]",
}


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
    if not filters.deposits:
        sql.append("m.deposited_by IS NULL")
    if filters.min_importance is not None:
        sql.append("m.importance >= %(min_importance)s")
        values["min_importance"] = filters.min_importance
    if filters.ranges:
        parts = []
        for index, (since, until) in enumerate(filters.ranges):
            at = "coalesce(m.occurred_at, m.created_at)"
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
