"""Search, lists and histories as mem0 answers them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, F, Max, Min, Q
from rest_framework.exceptions import ValidationError

from memories.api.mem0.filters import ENTITIES, SOURCE, Filters
from memories.api.mem0.reach import Reach, resolve_reach, rows_by_id
from memories.browsing.memory_versions import MemoryVersion
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.recall import recall_as_principal
from memories.retrieval.resolve_filters import Query
from memories.retrieval.search_types import SearchFilters
from memories.store.models.memory import Memory
from orgs.database.answer_size import first_ids, rows_of, text_columns
from orgs.principals import Actor
from robots.access.acting_for_members import list_members_who_ended, may_act_for_members

# How many memories may match a filter that the search itself does not know.
MAX_MATCHING = 20_000
TOO_MANY_MATCH = f"More than {MAX_MATCHING:,} memories match. Narrow the filters."
PAGE_TOO_LARGE = "The texts of this page are too long for one answer. Ask for a smaller page_size."
TYPES = {"user": "user_id", "agent": "agent_id", "app": "app_id", "run": "run_id"}
MAX_ENTITIES = 1_000


def render_memory(row: Any) -> dict[str, Any]:
    """A memory as mem0 has it. row: a memory, or the row of an answer."""
    labels = (row.source or {}).get(SOURCE, {})
    updated_at = getattr(row, "updated_at", row.created_at)
    return {
        "id": str(row.id),
        "memory": row.content,
        "metadata": row.metadata,
        "categories": [row.category] if row.category else [],
        "created_at": row.created_at,
        "updated_at": updated_at,
        **{name: labels.get(name) for name in ENTITIES},
    }


def more_conditions(asked: Mapping[str, Any], now: datetime) -> Q:
    """The conditions of the fields beside the filters; empty without any."""
    found = Q()
    if "categories" in asked:
        found &= Q(category__in=asked["categories"])
    if asked.get("metadata"):
        found &= Q(metadata__contains=asked["metadata"])
    if "start_date" in asked:
        found &= Q(created_at__gte=asked["start_date"])
    if "end_date" in asked:
        found &= Q(created_at__lte=asked["end_date"])
    if asked.get("latest_only"):
        found &= Q(valid_until=None) | Q(valid_until__gt=now)
    return found


def search_memories(
    actor: Actor, asked: Mapping[str, Any], wanted: Filters, *, now: datetime
) -> list[dict[str, Any]]:
    """The best memories in reach, with their scores. Raises what `resolve_reach` raises, and
    ValidationError if the filters match too many."""
    reach = resolve_reach(actor, wanted)
    if reach is None:
        return []
    more = more_conditions(asked, now)
    if wanted.plain is not None and not more:
        # Only rows of the door have these in their source, and the robot is known by its readers.
        narrow = SearchFilters(robots=_robots(actor), source={SOURCE: wanted.plain})
    else:
        ids = _matching_ids(reach, wanted.condition & more, now, expired=asked["show_expired"])
        if not ids:
            return []
        narrow = SearchFilters(ids=ids)
    query = Query(
        text=asked["query"],
        limit=asked.get("limit", asked["top_k"]),
        rerank=asked["rerank"],
        include_expired=asked["show_expired"],
        narrow=narrow,
    )
    answer = recall_as_principal(reach.principal, query, now=now, load=fetch_answer_rows)
    least = asked["threshold"] or 0.0
    return [
        {**render_memory(row), "score": round(hit.score, 6)}
        for hit, row in answer.hits
        if hit.score >= least
    ]


def _robots(actor: Actor) -> tuple[UUID, ...]:
    return (actor.robot_id,) if actor.robot_id else ()


def _matching_ids(reach: Reach, condition: Q, now: datetime, *, expired: bool) -> tuple[UUID, ...]:
    with reach.principal.scope():
        rows = reach.rows(now, expired=expired).filter(condition).order_by("-id")
        found = tuple(rows.values_list("id", flat=True)[: MAX_MATCHING + 1])
    if len(found) > MAX_MATCHING:
        raise ValidationError({"filters": [TOO_MANY_MATCH]})
    return found


def list_memories(
    actor: Actor,
    asked: Mapping[str, Any],
    wanted: Filters,
    *,
    page: int,
    size: int,
    now: datetime,
) -> tuple[int, list[dict[str, Any]]]:
    """(how many match, one page of them, the newest first). Raises what `resolve_reach` raises, and
    ValidationError for a page of too long texts."""
    reach = resolve_reach(actor, wanted)
    if reach is None:
        return 0, []
    condition = wanted.condition & more_conditions(asked, now)
    with reach.principal.scope():
        rows = reach.rows(now, expired=asked.get("show_expired", False)).filter(condition)
        count = rows.order_by().count()
        ids = list(rows.order_by("-id").values_list("id", flat=True)[(page - 1) * size :][:size])
        those = Memory.objects.filter(organisation_id=actor.organisation_id, id__in=ids)
        fitting, more = first_ids(those.order_by("-id"), size, text_columns(Memory))
        if more:
            raise ValidationError({"page_size": [PAGE_TOO_LARGE]})
        found = rows_of(rows, fitting)
    return count, [render_memory(row) for row in found]


def find_matching(
    actor: Actor, wanted: Filters, *, most: int, now: datetime
) -> tuple[Actor, list[UUID]]:
    """(who reads them, the ids of at most so many memories that match). Raises what
    `resolve_reach` raises."""
    reach = resolve_reach(actor, wanted)
    if reach is None:
        return actor, []
    with reach.principal.scope():
        rows = reach.rows(now, expired=True).filter(wanted.condition).order_by("-id")
        return reach.principal.actor, list(rows.values_list("id", flat=True)[:most])


def render_history(memory: Memory, versions: Sequence[MemoryVersion]) -> list[dict[str, Any]]:
    """The versions as mem0's events, the oldest first. versions: the newest first."""
    found, before = [], None
    user_id = memory.source.get(SOURCE, {}).get("user_id")
    for one in reversed(versions):
        found.append({
            "id": f"{memory.id}:{one.number}",
            "memory_id": str(memory.id),
            "input": None,
            "old_memory": before,
            "new_memory": one.content,
            "event": "ADD" if one.number == 1 else "UPDATE",
            "metadata": one.metadata,
            "user_id": user_id,
            "created_at": memory.created_at,
            "updated_at": one.at,
        })  # fmt: skip
        before = one.content
    return found


def list_entities(actor: Actor, types: Sequence[str]) -> list[dict[str, Any]]:
    """The users, agents, apps and runs of whom something is kept, by type and name; no texts.

    Users, and what is kept for them, only for a key that acts for members, and not those who have
    ended what the robot reads.
    """
    principal, rows = rows_by_id(actor)
    with principal.scope():
        if may_act_for_members(actor):
            rows = rows.exclude(member_id__in=list_members_who_ended(actor))
        else:
            rows = rows.filter(member_id=None)
        found = []
        for type_ in types:
            name = TYPES[type_]
            field = f"source__{SOURCE}__{name}"
            named = rows.filter(**{f"source__{SOURCE}__has_key": name}).order_by()
            groups = named.values(name=F(field)).annotate(
                total=Count("id"), first=Min("created_at"), last=Max("updated_at")
            )
            found += [
                {
                    "id": one["name"],
                    "name": one["name"],
                    "type": type_,
                    "total_memories": one["total"],
                    "created_at": one["first"],
                    "updated_at": one["last"],
                }
                for one in groups.order_by("name")[:MAX_ENTITIES]
            ]
    return found
