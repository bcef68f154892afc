"""The filters of a query, with the ids of the groups, members, robots and teams that it names."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import Any
from uuid import UUID

from memories.access.visibility import audience_types
from memories.restatement.names import fold_names
from memories.retrieval.search_types import SearchFilters
from memories.store.tag_names import coerce_query_tags
from orgs.organisations.references import find_members
from orgs.principals import Actor
from robots.people.directory import find_known_groups
from robots.registry.robots import find_robots
from robots.teams.teams import find_teams, visible_teams

_NO_ID = UUID(int=0)


def resolve_filters(
    actor: Actor,
    given: Mapping[str, Any],
    ranges: tuple[tuple[datetime | None, datetime | None], ...] = (),
    as_of: date | None = None,
) -> SearchFilters:
    """The filters of a query with references resolved to ids; call it in the asker's scope. An
    unknown reference matches nothing, like a hidden one. as_of: a time; a day has none."""
    at = as_of if isinstance(as_of, datetime) else None
    if not given:
        return SearchFilters(ranges=ranges, as_of=at)
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
        teams=_resolve_ids(
            given.get("teams", ()), partial(find_teams, organisation_id, among=visible_teams(actor))
        ),
        kinds=tuple(given.get("kinds", ())),
        types=tuple(given.get("types", ())),
        categories=tuple(given.get("categories", ())),
        tiers=tuple(given.get("tiers", ())),
        levels=tuple(given.get("levels", ())),
        tags=coerce_query_tags(given.get("tags", ())),
        keywords=fold_names(given.get("keywords", ())),
        persons=fold_names(given.get("persons", ())),
        entities=fold_names(given.get("entities", ())),
        topics=fold_names(given.get("topics", ())),
        metadata=given.get("metadata"),
        min_importance=given.get("min_importance"),
        ranges=ranges,
        as_of=at,
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
