"""Decisions with their readers and what the asker may do, for pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.access.permissions import may_change
from memories.access.reader_sentences import AudienceSentence
from memories.access.readers import readers_of
from memories.curation.decisions.read import (
    DecisionPlace,
    DecisionQuery,
    WholeDecision,
    listed,
    one_of,
    similar_to,
)
from memories.store.models.choices import Status
from orgs.models.memberships import Role
from orgs.principals import Actor, Principal, resolve
from robots.access.act_for import act


@dataclass(frozen=True, slots=True)
class ShownDecision:
    """A decision for a page. changeable: the asker may answer its dissents and supersede it. open:
    the asker may dissent."""

    decision: WholeDecision
    readers: AudienceSentence
    changeable: bool
    open: bool


def list_shown(
    actor: Actor,
    query: DecisionQuery,
    *,
    after: DecisionPlace | None,
    organisation: str,
    now: datetime,
) -> list[ShownDecision]:
    """As `decisions`. organisation: its name."""
    principal = resolve(act(actor, member=query.member, group=query.group))
    with principal.scope():
        return _shown(principal, listed(principal, query, after=after, now=now), organisation)


def similar_shown(
    actor: Actor, query: DecisionQuery, *, organisation: str, now: datetime
) -> list[ShownDecision]:
    """As `similar`, of the query's topic and domain."""
    principal = resolve(actor)
    with principal.scope():
        found = similar_to(principal, query.topic, domain=query.domain, limit=query.limit, now=now)
        return _shown(principal, found, organisation)


def one_shown(actor: Actor, decision_id: UUID, *, organisation: str) -> ShownDecision:
    """As `get_decision`. Raises NotFound."""
    principal = resolve(actor)
    with principal.scope():
        return _shown(principal, [one_of(principal, decision_id)], organisation)[0]


def _shown(
    principal: Principal, found: Sequence[WholeDecision], organisation: str
) -> list[ShownDecision]:
    readers = readers_of(principal, [one.memory for one in found], organisation)
    writes = principal.actor.role != Role.VIEWER
    return [
        ShownDecision(
            one,
            readers[one.memory.audience_id],
            changeable=writes and _active(one) and may_change(principal, one.memory),
            open=writes and _active(one),
        )
        for one in found
    ]


def _active(one: WholeDecision) -> bool:
    return one.memory.status == Status.ACTIVE
