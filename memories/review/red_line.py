"""Draw a red line round a memory, and take it off; whoever may not, asks for it in the queue."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memories.access.lookup import fetch, note
from memories.access.permissions import NotYours, is_subject
from memories.access.visibility import Misplaced
from memories.review.enqueue import item_of
from memories.review.models import Cause, Proposal, State
from memories.review.propose import ask
from memories.store.dependents import is_proposition, is_summary
from memories.store.models.choices import Status, Tier
from memories.store.models.memory import Memory
from memories.store.use import RED_LINE, put_in_tier
from orgs import audit
from orgs.database.bulk import insert_rows
from orgs.database.rls import current_scope, deposit_scope
from orgs.errors import AlreadyExists
from orgs.models.audiences import AudienceKind
from orgs.principals import Actor, Principal, resolve

FIELDS = (
    "red_line",
    "red_line_reason",
    "red_line_by_id",
    "red_line_at",
    "expires_at",
    "importance",
    "updated_at",
)
WHY = "Say why it is to be protected; whoever reads the memory reads that as well."
WHY_NOT = "Say why it needs no protection any more."
INTERNAL = "Nobody decides about a robot's own notes, so these are not protected."
DERIVED = "This was made of other memories and goes with them. Protect those."


def may_protect(actor: Actor, memory: Memory) -> bool:
    """Whether the asker draws and takes off red lines here: curators, and whom it is about."""
    return actor.moderates or is_subject(actor, memory)


def protect_memory(
    actor: Actor, memory_id: UUID, *, reason: str, now: datetime
) -> Memory | Proposal:
    """Keep a memory as it is: nobody forgets, archives, rewords or shares it, and it does not
    expire; it is glacial and of importance 1. Whom it is about forgets it all the same.

    Who may not decide that proposes it, and gets the item of the queue. Raises NotFound, Misplaced
    without a reason or for what cannot be protected, and AlreadyExists.
    """
    principal = resolve(actor)
    with principal.scope():
        memory = _protectable(fetch(principal, memory_id, lock=True), now)
        if not may_protect(actor, memory):
            return ask(principal, memory, Cause.RED_LINE, reason, now)
        return draw(principal, memory, reason, now)


def draw(principal: Principal, memory: Memory, reason: str, now: datetime) -> Memory:
    """The same for a locked memory that may be protected. What would expire does so no more."""
    if not reason.strip():
        raise Misplaced(WHY)
    expired = memory.expires_at
    memory.importance = 1.0
    put_in_tier(memory, Tier.GLACIAL, reason=RED_LINE, now=now)
    _save(memory, principal.actor, reason, now, on=True)
    Proposal.objects.filter(
        organisation_id=memory.organisation_id,
        memory_id=memory.id,
        cause=Cause.RED_LINE,
        state=State.OPEN,
    ).update(state=State.WITHDRAWN, decided_at=now, locked_by=None, locked_until=None)
    detail: dict[str, Any] = {"expired_at": expired.isoformat()} if expired else {}
    note(principal, "memory.protected", memory, now, **detail)
    return memory


def unprotect_memory(actor: Actor, memory_id: UUID, *, reason: str, now: datetime) -> Memory:
    """Take the red line off, with a reason that stays beside the memory.

    Raises NotFound, NotYours, Misplaced without a reason, and AlreadyExists where there is none.
    """
    principal = resolve(actor)
    with principal.scope():
        memory = fetch(principal, memory_id, lock=True)
        if not may_protect(actor, memory):
            raise NotYours("A curator takes the protection off, or whom the memory is about.")
        if not memory.red_line:
            raise AlreadyExists("The memory is not protected.")
        if not reason.strip():
            raise Misplaced(WHY_NOT)
        lift(principal, memory, reason, now)
    return memory


def lift(principal: Principal, memory: Memory, reason: str, now: datetime) -> None:
    """The same for a locked memory, by whoever may."""
    _save(memory, principal.actor, reason, now, on=False)
    note(principal, "memory.unprotected", memory, now)


def approve_wish(
    principal: Principal, memory: Memory, reason: str, now: datetime
) -> dict[str, Any]:
    """Draw the line that somebody asked for round a locked memory."""
    draw(principal, _protectable(memory, now), reason, now)
    return {"protected": str(memory.id)}


def check_wish(actor: Actor, reason: str, *, internal: bool) -> None:
    """Whether a new memory may ask to be protected. Raises Misplaced."""
    if internal:
        raise Misplaced(INTERNAL)
    if actor.is_person and not reason.strip():
        raise Misplaced(WHY)


def settle_wishes(principal: Principal, fresh: Sequence[tuple[Memory, str]], now: datetime) -> None:
    """Protect new memories of which that is asked, with the reasons, or ask for it.

    Call after they are stored, inside a scope of their writer.
    """
    actor = principal.actor
    unread = {memory.audience_id for memory, _ in fresh} - set(current_scope().audiences)
    wishes = []
    for memory, reason in fresh:
        if memory.status == Status.ACTIVE and actor.is_person and may_protect(actor, memory):
            draw(principal, memory, reason, now)
        else:
            wishes.append((memory, reason))
    if wishes:
        with deposit_scope(sorted(unread | set(current_scope().deposit))):
            _wish(wishes, actor, now)


def _wish(rows: Sequence[tuple[Memory, str]], actor: Actor, now: datetime) -> None:
    items = []
    for memory, reason in rows:
        item = item_of(memory, Cause.RED_LINE, now)
        item.target_audience_id, item.reason, item.seen_version = None, reason, memory.version
        items.append(item)
        audit.record(
            "proposal.red_line", actor=actor, now=now, target=memory.id, target_type="memory"
        )
    insert_rows(items)


def pass_on(memory: Memory, to: UUID, now: datetime) -> None:
    """What was proposed with a red line is now another row: the wish goes along."""
    open_ = Q(memory_id=memory.id, cause=Cause.RED_LINE, state=State.OPEN)
    copied = Memory.objects.filter(organisation_id=memory.organisation_id, id=to).first()
    for item in Proposal.objects.filter(open_, organisation_id=memory.organisation_id):
        if copied is not None and not copied.red_line:
            again = item_of(copied, Cause.RED_LINE, now)
            again.target_audience_id, again.seen_version = None, copied.version
            again.reason, again.proposed_by_id = item.reason, item.proposed_by_id
            again.robot_id = item.robot_id
            insert_rows([again])
        item.state, item.decided_at = State.WITHDRAWN, now
        item.save(update_fields=["state", "decided_at"])


def _protectable(memory: Memory, now: datetime) -> Memory:
    if memory.red_line:
        raise AlreadyExists("The memory is protected already.")
    if memory.audience.kind in (AudienceKind.ROBOT, AudienceKind.TEAM):
        raise Misplaced(INTERNAL)
    pattern = "pattern" in memory.metadata and memory.robot.builtin
    if is_proposition(memory) or is_summary(memory) or pattern:
        raise Misplaced(DERIVED)
    if memory.status != Status.ACTIVE:
        raise AlreadyExists(f"The memory is {memory.status}, not active.")
    if memory.expires_at and memory.expires_at <= now:
        raise AlreadyExists("The memory has expired. Give it more time first.")
    return memory


def _save(memory: Memory, actor: Actor, reason: str, now: datetime, *, on: bool) -> None:
    memory.red_line, memory.red_line_reason = on, reason.strip()
    memory.red_line_by_id, memory.red_line_at, memory.updated_at = actor.member_id, now, now
    if on:
        memory.expires_at = None
    # By its id: a row that was stored a moment ago is new to Django, which would insert it again.
    Memory.objects.filter(organisation_id=memory.organisation_id, id=memory.id).update(
        **{name: getattr(memory, name) for name in FIELDS}
    )
