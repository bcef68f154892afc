"""Forget everything about a member, and undo that."""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from memories.context.connectors.accounts import delete_member_accounts
from memories.curation.decision_records.record_parts import delete_own_parts
from memories.indexing import search_index
from memories.lifecycle.forget import take_away
from memories.privacy.my_memories import concerning_q, readable_memories
from memories.restatement.restate import restate_dependents_of_messages
from memories.review.enqueue import withdraw_items
from memories.store import restore_status
from memories.store.dependents import is_summary
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs import audit
from orgs.principals import Actor, Principal, resolve_principal
from robots.conversations.message_withdrawal import restore_all_messages, withdraw_all_messages

# How many memories are read at once.
BATCH_SIZE = 500


def forget_all(actor: Actor, *, now: datetime) -> int:
    """Forget every memory about the member, said by them or private to them, and withdraw all their
    messages; `bring_back` undoes both. Their calendars and mailboxes are deleted, because they have
    the files, and so are their rows in records of decisions that are not about them. Returns the
    number of forgotten memories."""
    principal = resolve_principal(actor)
    with principal.scope():
        count = 0
        for memory in _iter_locked(principal):
            take_away(actor, memory, by_subject=True, now=now)
            withdraw_items(memory.organisation_id, memory.id, now)
            count += 1
        messages = withdraw_all_messages(actor, now)
        for start in range(0, len(messages), BATCH_SIZE):
            restate_dependents_of_messages(
                actor.organisation_id, messages[start : start + BATCH_SIZE], now
            )
        audit.record_entry(
            "memories.forgotten",
            actor=actor,
            now=now,
            target=actor.member_id,
            target_type="member",
            count=count,
            messages=len(messages),
            accounts=delete_member_accounts(principal),
            records=delete_own_parts(principal),
        )
    return count


def _iter_locked(principal: Principal) -> Iterator[Memory]:
    """The memories to forget, locked, read in portions."""
    rows = (
        readable_memories(principal)
        .filter(concerning_q(principal.actor))
        .exclude(status=Status.FORGOTTEN)
    )
    rows = rows.select_for_update(of=("self",)).order_by("id")
    last: UUID | None = None
    while portion := list((rows.filter(id__gt=last) if last else rows)[:BATCH_SIZE]):
        yield from portion
        last = portion[-1].id


def undo_forget_all(actor: Actor, *, forgotten_at: datetime, now: datetime) -> int:
    """Undo the `forget_all` of this time. Returns the number of restored memories."""
    principal = resolve_principal(actor)
    with principal.scope():
        rows = readable_memories(principal).filter(
            concerning_q(actor), status=Status.FORGOTTEN, forgotten_at=forgotten_at
        )
        found = list(rows.select_for_update(of=("self",)).order_by("id"))
        # Summaries stay forgotten, because their sources are restored.
        found = [memory for memory in found if not is_summary(memory)]
        for memory in found:
            restore_status.mark_restored(memory, restore_status.restored_status(memory), now)
            memory.save(update_fields=restore_status.RESTORED_FIELDS)
            if memory.status == Status.ACTIVE:
                search_index.reindex_memory(memory, now)
        restore_all_messages(actor, forgotten_at)
        audit.record_entry(
            "memories.restored",
            actor=actor,
            now=now,
            target=actor.member_id,
            target_type="member",
            count=len(found),
        )
    return len(found)
