"""How many items wait for an asker, for the frame of every page."""

from typing import Any

from django.db.models import QuerySet

from memories.review.deciders import decidable_q
from memories.review.models import Proposal, ProposalState
from memories.review.review_queue import FORGOTTEN_Q, asker_ids, existing_items
from orgs.database.compiled_queries import CompiledQuery
from orgs.principals import Actor, fetch_as_actor

MAX_COUNT = 100


def count_waiting(actor: Actor) -> int:
    """The number of items that the asker may decide, about memories that they may read; at most
    MOST.

    One statement in one round trip.
    """
    return len(fetch_as_actor(actor, *_waiting_statement(actor)))


def waiting_subquery(actor: Actor) -> tuple[str, dict[str, Any]]:
    """These rows as a subquery with named parameters, for pages with a query of their own."""
    statement, values = _waiting_statement(actor)
    named = {f"waiting_{n}": value for n, value in enumerate(values)}
    return statement % tuple(f"%({name})s" for name in named), named


def _waiting_statement(actor: Actor) -> tuple[str, tuple[Any, ...]]:
    return _WAITING_STATEMENT.text(actor.role, **asker_ids(actor))


def _waiting_query(role: str | None, **ids: Any) -> "QuerySet[Proposal, Any]":
    actor = Actor(role=role, **ids)
    rows = existing_items(actor).filter(decidable_q(actor), state=ProposalState.OPEN)
    return rows.exclude(FORGOTTEN_Q).order_by().values("id")[:MAX_COUNT]


_WAITING_STATEMENT = CompiledQuery(_waiting_query)
