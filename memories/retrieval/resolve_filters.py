"""A query with the ids of the groups, members, robots and teams that it names."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings

from memories.access.visibility import audience_types
from memories.language.query_cues import is_about_self, is_when_question
from memories.restatement.names import fold_names
from memories.retrieval.reranking.rerank import deepen_limit
from memories.retrieval.scoring_profiles import DEFAULT_LIMIT, effective_tiers
from memories.retrieval.search_types import SearchFilters, SearchRequest
from memories.retrieval.strategies.registry import ALIASES
from memories.retrieval.timeframes.parse_timeframe import TimeRange
from memories.store.organisation_models import to_organisation_models
from memories.store.tag_names import coerce_query_tags
from orgs.organisations.references import find_members
from orgs.principals import Actor, Principal
from robots.people.directory import find_known_groups
from robots.registry.robots import find_robots
from robots.teams.teams import find_teams, visible_teams

_NO_ID = UUID(int=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A recall as it was asked; references are ids, external ids or platform:id.

    timeframe: times in words or as ranges, combined by OR, or AUTO for the time that the text
    names; recall resolves them into `ranges`. as_of: only what was said up to then and held then; a
    day means its end, for whoever asks. narrow: filters that are looked up already, instead of
    `filters` and `ranges`. working: whether every hit enters the robot's working memory.
    prefer_personal, shared_limit: see `select_nearest_audience`; 0 is include_shared=False.
    """

    text: str
    limit: int = DEFAULT_LIMIT
    group: str | None = None
    member: str | None = None
    shareable_with: str | None = None
    strategy: str = "auto"
    fusion: str = "minmax"
    min_similarity: float | None = None
    include_shared: bool = True
    prefer_personal: bool = True
    shared_limit: int | None = None
    include_direct: bool = False
    filters: dict[str, Any] = field(default_factory=dict)
    timeframe: tuple[str | TimeRange, ...] = ()
    ranges: tuple[TimeRange, ...] = ()
    as_of: date | None = None
    counts: bool = True
    narrow: SearchFilters | None = None
    explain: bool = False
    rerank: bool = False
    profile: str = "balanced"
    tier_strategy: str | None = None
    include_expired: bool = False
    working: bool = False

    @property
    def is_narrowed(self) -> bool:
        """Whether more than the group narrows what may come up."""
        open_query = Query(text="")
        return any(
            getattr(self, name) != getattr(open_query, name)
            for name in ("filters", "narrow", "tier_strategy", "include_shared", "shared_limit")
        )

    @property
    def asks_everywhere(self) -> bool:
        """Whether no answer means that nobody could answer: what is narrowed may be answered
        elsewhere, and at another time."""
        return not (self.is_narrowed or self.ranges or self.timeframe or self.as_of)


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


def resolve_query(principal: Principal, query: Query, now: datetime) -> SearchRequest:
    """The question with its references resolved; call in the asker's scope."""
    actor, models = principal.actor, to_organisation_models(principal.encoders)
    filters = query.narrow or resolve_filters(actor, query.filters, query.ranges, query.as_of)
    # Reranking needs more hits, but that must not make the search continue in slower tiers.
    deeper = query.rerank and query.tier_strategy != "fast_first"
    return SearchRequest(
        organisation_id=actor.organisation_id,
        text=query.text,
        language=principal.language,
        models=models,
        model=models.serving.number,
        meaning_floor=models.serving.meaning_floor,
        weights=models.serving.answers if models.serving.reads(query.text) else None,
        limit=deepen_limit(query.limit) if deeper else query.limit,
        now=now,
        strategy=ALIASES.get(query.strategy, query.strategy),
        automatic=query.strategy == "auto",
        fusion=query.fusion,
        asker=actor.member_id,
        asks_when=is_when_question(query.text),
        asks_about_self=actor.member_id is not None and is_about_self(query.text),
        context_group=actor.group_id,
        sayable=principal.sayable,
        audiences=principal.audiences,
        organisation_audience=principal.organisation_audience,
        include_direct=actor.include_direct,
        include_shared=query.include_shared and query.shared_limit != 0,
        prefer_personal=query.prefer_personal,
        shared_limit=query.shared_limit,
        min_similarity=query.min_similarity,
        with_similarity=query.explain,
        profile=query.profile,
        tier_strategy=query.tier_strategy,
        include_expired=query.include_expired,
        cohorts=tuple(sorted(principal.cohorts & principal.audiences)),
        fresh_days=settings.BLOCK_FRESH_DAYS,
        filters=replace(filters, tiers=effective_tiers(query.tier_strategy, filters.tiers)),
    )
