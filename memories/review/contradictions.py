"""Contradictions that nobody has decided yet, for whoever reads both memories."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memories.review.models import Proposal, ProposalCause, ProposalState
from orgs.database.prepared_statements import fetch_all

_CAUSE, _OPEN = ProposalCause.CONTRADICTION.value, ProposalState.OPEN.value
# In the details of an item about two that disagree: whether readers are told before it is decided.
# False for the wish of somebody who changes neither for its readers. Without it the service found
# the two, or, before November 2026, somebody proposed it.
DISPUTES = "disputes"
_TOLD_SQL = (
    f"coalesce((p.details ->> '{DISPUTES}')::boolean, "
    "p.proposed_by_id IS NULL AND p.robot_id IS NULL)"
)
# The memory that says otherwise than the memory `m`, for the same readers, of the newest open item
# about both of which readers are told, as far as the scope reads it and neither is superseded; else
# NULL.
# The other memory is looked up for each item: in a join the planner may begin with every memory of
# the organisation, which took six milliseconds for each hit.
UNDECIDED_SQL = f"""
SELECT (array_agg(t.other ORDER BY t.item DESC) FILTER (WHERE t.other IS NOT NULL))[1] AS id FROM (
    SELECT i.id AS item, (
        SELECT o.id FROM memories_memory o
        WHERE o.organisation_id = m.organisation_id AND o.id = i.other
          AND o.status = 'active' AND o.audience_id = m.audience_id AND o.superseded_by_id IS NULL
    ) AS other FROM (
        SELECT p.id, p.other_id AS other FROM memories_proposal p
        WHERE p.organisation_id = m.organisation_id AND p.memory_id = m.id
          AND p.cause = '{_CAUSE}' AND p.state = '{_OPEN}' AND {_TOLD_SQL}
        UNION ALL
        SELECT p.id, p.memory_id FROM memories_proposal p
        WHERE p.organisation_id = m.organisation_id AND p.other_id = m.id
          AND p.cause = '{_CAUSE}' AND p.state = '{_OPEN}' AND {_TOLD_SQL}
    ) AS i
) AS t
WHERE m.superseded_by_id IS NULL
"""
_OPEN_ITEMS: dict[str, Any] = {"cause": ProposalCause.CONTRADICTION, "state": ProposalState.OPEN}
_OF_MEMORIES_SQL = f"""
SELECT m.id, u.id FROM memories_memory m CROSS JOIN LATERAL ({UNDECIDED_SQL}) AS u
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[]) AND u.id IS NOT NULL
"""


def find_undecided(organisation_id: UUID, ids: Sequence[UUID]) -> dict[UUID, UUID]:
    """By id of a memory the one that says otherwise, where somebody is to decide which holds; call
    in the asker's scope."""
    if not ids:
        return {}
    values = {"organisation": organisation_id, "ids": list(ids)}
    return dict(fetch_all(_OF_MEMORIES_SQL, values))


def find_open_contradictions(
    organisation_id: UUID, newer: UUID, older: Collection[UUID], *, using: str = "default"
) -> dict[UUID, Proposal]:
    """The open items that a memory holds in the place of one of these, by the id of the older."""
    if not older:
        return {}
    rows = Proposal.objects.using(using).filter(
        organisation_id=organisation_id, memory_id=newer, other_id__in=older, **_OPEN_ITEMS
    )
    return {item.other_id: item for item in rows.order_by("-id") if item.other_id}


def mark_disputed(items: Iterable[Proposal]) -> None:
    """Note that readers are told of open items before these are decided, also where a mere wish
    raised them."""
    quiet = [item for item in items if item.details.get(DISPUTES) is False]
    for item in quiet:
        item.details = {**item.details, DISPUTES: True}
    if quiet:
        Proposal.objects.using(quiet[0]._state.db).bulk_update(quiet, ["details"])


def withdraw_contradictions(
    organisation_id: UUID, newer: UUID, older: Collection[UUID], now: datetime
) -> None:
    """Withdraw what is open about one of these and the newer memory disagreeing, since it was said
    to replace them. Call in a scope that reads them, once they are locked."""
    if not older:
        return
    both = Q(memory_id=newer, other_id__in=older) | Q(memory_id__in=older, other_id=newer)
    rows = Proposal.objects.filter(both, organisation_id=organisation_id, **_OPEN_ITEMS)
    rows.update(state=ProposalState.WITHDRAWN, decided_at=now, locked_by=None, locked_until=None)
