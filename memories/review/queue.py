"""The review queue: items for an asker, filters, one item, the next one, counts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery, UUIDField, Value
from django.db.models.functions import Coalesce

from memories.access.permissions import restorable
from memories.review.deciders import concerns, decidable, may_decide, proposed
from memories.review.models import Proposal, State
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.models.version import Version
from orgs.database.kept_statements import Kept
from orgs.errors import NotFound
from orgs.principals import Actor, Principal, resolve

NAMES = (
    "other",
    "memory__audience", "memory__robot", "memory__author", "memory__member", "memory__group",
    "memory__proposed_audience", "memory__speaker_member", "memory__reworded_by",
    "memory__reworded_by_robot",
    "proposed_by", "robot", "assignee", "locked_by", "decided_by",
    "target_audience__group",
)  # fmt: skip


class Decided(Exception):
    """The item was decided already; `item` is its present state."""

    def __init__(self, item: Proposal) -> None:
        words = {State.WITHDRAWN: "This was taken back"}
        who = f" by {item.decided_by.name}" if item.decided_by else ""
        said = words.get(State(item.state), f"This was {State(item.state).label.lower()}{who}")
        super().__init__(f"{said} already. Nothing was changed.")
        self.item = item


@dataclass(frozen=True, slots=True)
class Count:
    """How many items wait (at most CAPPED), and how many this member has decided since a time."""

    waiting: int
    done: int


CAPPED = 1000
WINDOW, WINDOW_BEFORE = 30, 4
FIRST = UUID(int=0)
# Of `standing`: the memory was forgotten.
GONE = Q(("status", Status.FORGOTTEN))


def items(principal: Principal) -> "QuerySet[Proposal, Proposal]":
    """The items about what the asker may change, and those that they proposed; evaluate inside the
    principal's scope.

    An item exists only for those who may read its memory, and the other one of a pair. Items about
    forgotten memories exist only for those who may restore these. An item that was written for
    former readers exists only for those who read both audiences, like a version of the memory.
    """
    return _items(principal.actor)


def _items(actor: Actor) -> "QuerySet[Proposal, Proposal]":
    return standing(actor).filter(concerns(actor) | proposed(actor)).select_related(*NAMES)


def ids_of(actor: Actor) -> dict[str, UUID | None]:
    """The parameters of a queue query about the asker, besides the role."""
    return {
        "organisation_id": actor.organisation_id,
        "member_id": actor.member_id,
        "robot_id": actor.robot_id,
    }


def standing(actor: Actor) -> "QuerySet[Proposal, Proposal]":
    """The items that exist for the asker, whoever may decide them; evaluate inside the asker's
    scope.

    Annotated with `status`, that of the memory.
    """
    tenant = {"organisation_id": actor.organisation_id}
    there = Memory.objects.filter(~Q(status=Status.FORGOTTEN) | restorable(actor), **tenant)
    # A scalar subquery for each row: any other form makes the database list all readable memories
    # for a few items.
    status = Subquery(there.filter(id=OuterRef("memory_id")).values("status")[:1])
    twins = Q(other=None) | Exists(there.filter(id=OuterRef("other_id")))
    seen = Version.objects.filter(
        **tenant, memory_id=OuterRef("memory_id"), number=OuterRef("seen_version")
    )
    current = Memory.objects.filter(**tenant, id=OuterRef("memory_id")).values("version")[:1]
    then = Q(seen_version=None) | Q(seen_version=Subquery(current)) | Exists(seen)
    rows = Proposal.objects.filter(**tenant).alias(status=status)
    return rows.filter(twins, then, status__isnull=False)


def queue(principal: Principal, filters: Mapping[str, Any]) -> "QuerySet[Proposal, Proposal]":
    """The items that match the filters: state, cause, mine (proposed by the asker), assigned (me or
    nobody), decided (also by others)."""
    actor, rows = principal.actor, items(principal)
    if state := filters.get("state"):
        rows = rows.filter(state=state)
    if filters.get("decided"):
        rows = rows.filter(concerns(actor)).exclude(state__in=(State.OPEN, State.WITHDRAWN))
    if cause := filters.get("cause"):
        rows = rows.filter(cause=cause)
    match filters.get("mine"):
        case True:
            rows = rows.filter(proposed(actor))
        case False:
            rows = rows.filter(decidable(actor))
    match filters.get("assigned"):
        case "me":
            rows = rows.filter(assignee_id=actor.member_id)
        case "nobody":
            rows = rows.filter(assignee=None)
    return rows


def window(principal: Principal, filters: Mapping[str, Any], item_id: UUID) -> list[Proposal]:
    """The waiting items around one item: WINDOW of them, WINDOW_BEFORE of which are older.

    filters: as in `queue`. The item itself is missing if it does not wait for the asker. One query;
    call inside the principal's scope.
    """
    rows = queue(principal, {**filters, "state": State.OPEN, "mine": False})
    rows = rows.exclude(GONE)
    older = rows.filter(id__lt=item_id).order_by("-id").values("id")
    first = Coalesce(
        Subquery(older[WINDOW_BEFORE - 1 : WINDOW_BEFORE]), Value(FIRST, output_field=UUIDField())
    )
    return list(rows.filter(id__gte=first).order_by("id")[:WINDOW])


def _one(role: str | None, item_id: UUID, **ids: Any) -> "QuerySet[Proposal, Proposal]":
    return _items(Actor(role=role, **ids)).filter(id=item_id)


_ONE = Kept(_one)


def find(principal: Principal, item_id: UUID) -> Proposal:
    """One item; call inside the principal's scope. Raises NotFound."""
    actor = principal.actor
    item: Proposal | None = next(_ONE.rows(actor.role, item_id=item_id, **ids_of(actor)), None)
    if item is None or (item.memory.status == Status.FORGOTTEN and item.state == State.OPEN):
        raise NotFound("no such item")
    return item


def to_decide(principal: Principal, item_id: UUID) -> Proposal:
    """One item that the asker may decide, unlocked. Raises NotFound."""
    item = find(principal, item_id)
    if not may_decide(principal, item):
        raise NotFound("not the asker's to decide")
    return item


def get_item(actor: Actor, item_id: UUID) -> Proposal:
    """One item that the asker may decide or has proposed. Raises NotFound."""
    principal = resolve(actor)
    with principal.scope():
        return find(principal, item_id)


def following(
    principal: Principal, after: UUID | None, now: datetime, filters: Mapping[str, Any]
) -> UUID | None:
    """The next item that waits for the asker: the oldest after `after`, else the oldest of all.

    filters: as in `queue`.
    """
    me = principal.actor.member_id
    rows = queue(principal, {**filters, "state": State.OPEN, "mine": False})
    free = Q(locked_until=None) | Q(locked_until__lte=now) | Q(locked_by_id=me)
    given = Q(assignee=None) | Q(assignee_id=me)
    rows = rows.filter(free & given).exclude(GONE)
    ids = rows.order_by("id").values_list("id", flat=True)
    if after is None:
        return ids.first()
    return ids.filter(id__gt=after).first() or ids.exclude(id=after).first()


def count(principal: Principal, since: datetime) -> Count:
    """The asker's progress: items that they may decide, counted up to CAPPED."""
    actor = principal.actor
    with connection.cursor() as cursor:
        cursor.execute(*_COUNTED.text(actor.role, since=since, **ids_of(actor)))
        found = [state for (state,) in cursor.fetchall()]
    waiting = found.count(State.OPEN)
    return Count(waiting, len(found) - waiting)


def _counted(role: str | None, since: datetime, **ids: Any) -> "QuerySet[Proposal, Any]":
    actor = Actor(role=role, **ids)
    waits = Q(state=State.OPEN) & decidable(actor) & ~GONE
    done = Q(decided_by_id=actor.member_id, decided_at__gte=since)
    states = standing(actor).filter(waits | done).order_by("-state")
    return states.values_list("state", flat=True)[:CAPPED]


_COUNTED = Kept(_counted)
