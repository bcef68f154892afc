"""How many items wait for an asker, for the frame of every page."""

from typing import Any

from django.db.models import QuerySet

from memories.review.deciders import decidable
from memories.review.models import Proposal, State
from memories.review.queue import GONE, ids_of, standing
from orgs.database.kept_statements import Kept
from orgs.principals import Actor, asked_at_once

MOST = 100


def waiting(actor: Actor) -> int:
    """The number of items that the asker may decide, about memories that they may read; at most
    MOST.

    One statement in one round trip.
    """
    return len(asked_at_once(actor, *_open(actor)))


def among(actor: Actor) -> tuple[str, dict[str, Any]]:
    """These rows as a subquery with named parameters, for pages with a query of their own."""
    statement, values = _open(actor)
    named = {f"waiting_{n}": value for n, value in enumerate(values)}
    return statement % tuple(f"%({name})s" for name in named), named


def _open(actor: Actor) -> tuple[str, tuple[Any, ...]]:
    return _WAITING.text(actor.role, **ids_of(actor))


def _waiting(role: str | None, **ids: Any) -> "QuerySet[Proposal, Any]":
    actor = Actor(role=role, **ids)
    rows = standing(actor).filter(decidable(actor), state=State.OPEN)
    return rows.exclude(GONE).order_by().values("id")[:MOST]


_WAITING = Kept(_waiting)
