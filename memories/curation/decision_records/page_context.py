"""Decisions with their readers and what the asker may do, for pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.access.audience_summary import AudienceSummary
from memories.access.load_audience_summaries import load_memory_audience_summaries
from memories.access.permissions import may_change
from memories.curation.decision_records.decision_queries import (
    DecisionCursor,
    DecisionQuery,
    DecisionRecord,
    get_decision_in_scope,
    list_decisions_in_scope,
    list_similar_decisions_in_scope,
)
from memories.store.models.choices import Status
from orgs.models.memberships import Role
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor


@dataclass(frozen=True, slots=True)
class DecisionPageItem:
    """A decision for a page. changeable: the asker may answer its dissents and supersede it. open:
    the asker may dissent."""

    decision: DecisionRecord
    readers: AudienceSummary
    changeable: bool
    open: bool


def list_decision_items(
    actor: Actor,
    query: DecisionQuery,
    *,
    after: DecisionCursor | None,
    organisation: str,
    now: datetime,
) -> list[DecisionPageItem]:
    """As `decisions`. organisation: its name."""
    principal = resolve_principal(resolve_actor(actor, member=query.member, group=query.group))
    with principal.scope():
        return _build_items(
            principal, list_decisions_in_scope(principal, query, after=after, now=now), organisation
        )


def list_similar_decision_items(
    actor: Actor, query: DecisionQuery, *, organisation: str, now: datetime
) -> list[DecisionPageItem]:
    """As `similar`, of the query's topic and domain."""
    principal = resolve_principal(actor)
    with principal.scope():
        found = list_similar_decisions_in_scope(
            principal, query.topic, domain=query.domain, limit=query.limit, now=now
        )
        return _build_items(principal, found, organisation)


def get_decision_item(actor: Actor, decision_id: UUID, *, organisation: str) -> DecisionPageItem:
    """As `get_decision`. Raises NotFoundError."""
    principal = resolve_principal(actor)
    with principal.scope():
        return _build_items(
            principal, [get_decision_in_scope(principal, decision_id)], organisation
        )[0]


def _build_items(
    principal: Principal, found: Sequence[DecisionRecord], organisation: str
) -> list[DecisionPageItem]:
    readers = load_memory_audience_summaries(principal, [one.memory for one in found], organisation)
    writes = principal.actor.role != Role.VIEWER
    return [
        DecisionPageItem(
            one,
            readers[one.memory.audience_id],
            changeable=writes and _is_active(one) and may_change(principal, one.memory),
            open=writes and _is_active(one),
        )
        for one in found
    ]


def _is_active(one: DecisionRecord) -> bool:
    return one.memory.status == Status.ACTIVE
