"""The review queue: items for an asker, filters, one item, the next one, counts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery, UUIDField, Value
from django.db.models.functions import Coalesce

from memories.access.permissions import may_restore_q
from memories.review.deciders import concerns, decidable_q, may_decide, proposed_q
from memories.review.models import Proposal, ProposalState
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.models.version import Version
from orgs.database.compiled_queries import CompiledQuery
from orgs.errors import NotFoundError
from orgs.principals import Actor, Principal, resolve_principal

DISPLAY_RELATIONS = (
    "other",
    "memory__audience", "memory__robot", "memory__author", "memory__member", "memory__group",
    "memory__proposed_audience", "memory__speaker_member", "memory__reworded_by",
    "memory__reworded_by_robot", "memory__decision",
    "proposed_by", "robot", "assignee", "locked_by", "decided_by",
    "target_audience__group",
)  # fmt: skip


class AlreadyDecidedError(Exception):
    """The item was decided already; `item` is its present state."""

    def __init__(self, item: Proposal) -> None:
        words = {ProposalState.WITHDRAWN: "This was taken back"}
        who = f" by {item.decided_by.name}" if item.decided_by else ""
        said = words.get(
            ProposalState(item.state), f"This was {ProposalState(item.state).label.lower()}{who}"
        )
        super().__init__(f"{said} already. Nothing was changed.")
        self.item = item


@dataclass(frozen=True, slots=True)
class QueueProgress:
    """How many items wait (at most CAPPED), and how many this member has decided since a time."""

    waiting: int
    done: int


MAX_COUNT = 1000
WINDOW_SIZE, WINDOW_BEFORE = 30, 4
LOWEST_ID = UUID(int=0)
# Of `standing`: the memory was forgotten.
FORGOTTEN_Q = Q(("status", Status.FORGOTTEN))


def select_items(principal: Principal) -> "QuerySet[Proposal, Proposal]":
    """The items about what the asker may change, and those that they proposed; evaluate inside the
    principal's scope.

    An item exists only for those who may read its memory, and the other one of a pair. Items about
    forgotten memories exist only for those who may restore these. An item that was written for
    former readers exists only for those who read both audiences, like a version of the memory.
    """
    return _items_query(principal.actor)


def _items_query(actor: Actor) -> "QuerySet[Proposal, Proposal]":
    return (
        existing_items(actor)
        .filter(concerns(actor) | proposed_q(actor))
        .select_related(*DISPLAY_RELATIONS)
        .annotate(text_changed=_text_changed(actor.organisation_id))  # type: ignore[no-redef]
    )


def _text_changed(organisation_id: UUID) -> Q:
    """Whether a text that the item is about is another one than when the item was made. Of texts
    that are sealed that is not known here."""
    versions = Version.objects.filter(organisation_id=organisation_id).exclude(content="")
    seen = versions.filter(memory_id=OuterRef("memory_id"), number=OuterRef("seen_version"))
    since = versions.filter(memory_id=OuterRef("other_id"), replaced_at__gt=OuterRef("created_at"))
    return Exists(seen.exclude(content=OuterRef("memory__content"))) | Exists(
        since.exclude(content=OuterRef("other__content"))
    )


def asker_ids(actor: Actor) -> dict[str, UUID | None]:
    """The parameters of a queue query about the asker, besides the role."""
    return {
        "organisation_id": actor.organisation_id,
        "member_id": actor.member_id,
        "robot_id": actor.robot_id,
    }


def existing_items(actor: Actor) -> "QuerySet[Proposal, Proposal]":
    """The items that exist for the asker, whoever may decide them; evaluate inside the asker's
    scope.

    Annotated with `status`, that of the memory.
    """
    tenant = {"organisation_id": actor.organisation_id}
    there = Memory.objects.filter(~Q(status=Status.FORGOTTEN) | may_restore_q(actor), **tenant)
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


def filter_items(
    principal: Principal, filters: Mapping[str, Any]
) -> "QuerySet[Proposal, Proposal]":
    """The items that match the filters: state, cause, mine (proposed by the asker), assigned (me or
    nobody), decided (also by others)."""
    actor, rows = principal.actor, select_items(principal)
    if state := filters.get("state"):
        rows = rows.filter(state=state)
    if filters.get("decided"):
        rows = rows.filter(concerns(actor)).exclude(
            state__in=(ProposalState.OPEN, ProposalState.WITHDRAWN)
        )
    if cause := filters.get("cause"):
        rows = rows.filter(cause=cause)
    match filters.get("mine"):
        case True:
            rows = rows.filter(proposed_q(actor))
        case False:
            rows = rows.filter(decidable_q(actor))
    match filters.get("assigned"):
        case "me":
            rows = rows.filter(assignee_id=actor.member_id)
        case "nobody":
            rows = rows.filter(assignee=None)
    return rows


def list_window(principal: Principal, filters: Mapping[str, Any], item_id: UUID) -> list[Proposal]:
    """The waiting items around one item: WINDOW of them, WINDOW_BEFORE of which are older.

    filters: as in `queue`. The item itself is missing if it does not wait for the asker. One query;
    call inside the principal's scope.
    """
    rows = filter_items(principal, {**filters, "state": ProposalState.OPEN, "mine": False})
    rows = rows.exclude(FORGOTTEN_Q)
    older = rows.filter(id__lt=item_id).order_by("-id").values("id")
    first = Coalesce(
        Subquery(older[WINDOW_BEFORE - 1 : WINDOW_BEFORE]),
        Value(LOWEST_ID, output_field=UUIDField()),
    )
    return list(rows.filter(id__gte=first).order_by("id")[:WINDOW_SIZE])


def _item_query(role: str | None, item_id: UUID, **ids: Any) -> "QuerySet[Proposal, Proposal]":
    return _items_query(Actor(role=role, **ids)).filter(id=item_id)


_ITEM_STATEMENT = CompiledQuery(_item_query)


def get_item_in_scope(principal: Principal, item_id: UUID) -> Proposal:
    """One item; call inside the principal's scope. Raises NotFoundError."""
    actor = principal.actor
    item: Proposal | None = next(
        _ITEM_STATEMENT.rows(actor.role, item_id=item_id, **asker_ids(actor)), None
    )
    if item is None or (
        item.memory.status == Status.FORGOTTEN and item.state == ProposalState.OPEN
    ):
        raise NotFoundError("no such item")
    return item


def get_decidable_item(principal: Principal, item_id: UUID) -> Proposal:
    """One item that the asker may decide, unlocked. Raises NotFoundError."""
    item = get_item_in_scope(principal, item_id)
    if not may_decide(principal, item):
        raise NotFoundError("not the asker's to decide")
    return item


def get_item(actor: Actor, item_id: UUID) -> Proposal:
    """One item that the asker may decide or has proposed. Raises NotFoundError."""
    principal = resolve_principal(actor)
    with principal.scope():
        return get_item_in_scope(principal, item_id)


def find_next_item_id(
    principal: Principal, after: UUID | None, now: datetime, filters: Mapping[str, Any]
) -> UUID | None:
    """The next item that waits for the asker: the oldest after `after`, else the oldest of all.

    filters: as in `queue`.
    """
    me = principal.actor.member_id
    rows = filter_items(principal, {**filters, "state": ProposalState.OPEN, "mine": False})
    free = Q(locked_until=None) | Q(locked_until__lte=now) | Q(locked_by_id=me)
    given = Q(assignee=None) | Q(assignee_id=me)
    rows = rows.filter(free & given).exclude(FORGOTTEN_Q)
    ids = rows.order_by("id").values_list("id", flat=True)
    if after is None:
        return ids.first()
    return ids.filter(id__gt=after).first() or ids.exclude(id=after).first()


def count_progress(principal: Principal, since: datetime) -> QueueProgress:
    """The asker's progress: items that they may decide, counted up to CAPPED."""
    actor = principal.actor
    with connection.cursor() as cursor:
        cursor.execute(*_PROGRESS_STATEMENT.text(actor.role, since=since, **asker_ids(actor)))
        found = [state for (state,) in cursor.fetchall()]
    waiting = found.count(ProposalState.OPEN)
    return QueueProgress(waiting, len(found) - waiting)


def _progress_query(role: str | None, since: datetime, **ids: Any) -> "QuerySet[Proposal, Any]":
    actor = Actor(role=role, **ids)
    waits = Q(state=ProposalState.OPEN) & decidable_q(actor) & ~FORGOTTEN_Q
    done = Q(decided_by_id=actor.member_id, decided_at__gte=since)
    states = existing_items(actor).filter(waits | done).order_by("-state")
    return states.values_list("state", flat=True)[:MAX_COUNT]


_PROGRESS_STATEMENT = CompiledQuery(_progress_query)
