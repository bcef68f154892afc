"""Forget everything about a member, and undo that."""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from memories.context.connectors.accounts import delete_accounts
from memories.curation.decisions.parts import withdraw_words
from memories.indexing import index
from memories.lifecycle.forget import take_away
from memories.privacy.my_memories import about, readable
from memories.restatement.restate import restate_after
from memories.review.enqueue import withdraw
from memories.store import status
from memories.store.dependents import is_summary
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs import audit
from orgs.principals import Actor, Principal, resolve
from robots.conversations.withdraw_messages import say_all_again, unsay_all

# How many memories are read at once.
AT_ONCE = 500


def forget_all(actor: Actor, *, now: datetime) -> int:
    """Forget every memory about the member, said by them or private to them, and withdraw all their
    messages; `bring_back` undoes both. Their calendars and mailboxes are deleted, because they have
    the files, and so are their rows in records of decisions that are not about them. Returns the
    number of forgotten memories."""
    principal = resolve(actor)
    with principal.scope():
        count = 0
        for memory in _one_by_one(principal):
            take_away(actor, memory, by_subject=True, now=now)
            withdraw(memory.organisation_id, memory.id, now)
            count += 1
        messages = unsay_all(actor, now)
        for start in range(0, len(messages), AT_ONCE):
            restate_after(actor.organisation_id, messages[start : start + AT_ONCE], now)
        audit.record(
            "memories.forgotten",
            actor=actor,
            now=now,
            target=actor.member_id,
            target_type="member",
            count=count,
            messages=len(messages),
            accounts=delete_accounts(principal),
            records=withdraw_words(principal),
        )
    return count


def _one_by_one(principal: Principal) -> Iterator[Memory]:
    """The memories to forget, locked, read in portions."""
    rows = readable(principal).filter(about(principal.actor)).exclude(status=Status.FORGOTTEN)
    rows = rows.select_for_update(of=("self",)).order_by("id")
    last: UUID | None = None
    while portion := list((rows.filter(id__gt=last) if last else rows)[:AT_ONCE]):
        yield from portion
        last = portion[-1].id


def bring_back(actor: Actor, *, forgotten_at: datetime, now: datetime) -> int:
    """Undo the `forget_all` of this time. Returns the number of restored memories."""
    principal = resolve(actor)
    with principal.scope():
        rows = readable(principal).filter(
            about(actor), status=Status.FORGOTTEN, forgotten_at=forgotten_at
        )
        found = list(rows.select_for_update(of=("self",)).order_by("id"))
        # Summaries stay forgotten, because their sources are restored.
        found = [memory for memory in found if not is_summary(memory)]
        for memory in found:
            status.come_back(memory, status.back_to(memory), now)
            memory.save(update_fields=status.COMES_BACK)
            if memory.status == Status.ACTIVE:
                index.reindex(memory, now)
        say_all_again(actor, forgotten_at)
        audit.record(
            "memories.restored",
            actor=actor,
            now=now,
            target=actor.member_id,
            target_type="member",
            count=len(found),
        )
    return len(found)
