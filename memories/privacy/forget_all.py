"""Forget everything about a member, and undo that."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.access.permissions import (
    ChangeForbiddenError,
    RedLineError,
    may_forget_q,
    red_line_allows_q,
)
from memories.context.connectors.accounts import delete_member_accounts
from memories.curation.decision_records.record_parts import delete_own_parts
from memories.lifecycle.forget import forget_memory
from memories.privacy.my_memories import concerning_q, readable_memories
from memories.restatement.restate import restate_dependents_of_messages
from memories.state.transitions import forget_memories, restore_memories
from memories.store.dependents import is_summary
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet
from orgs import audit
from orgs.errors import NotFoundError
from orgs.principals import Actor, Principal, resolve_principal
from robots.conversations.message_withdrawal import restore_all_messages, withdraw_all_messages

# Forget every memory whose text has a substring, as far as the asker may.

# The most memories of one call, and the limit of counting those that stay.
MAX_MEMORIES, MAX_COUNT = 200, 1_000


class BlankTextError(Exception):
    """The substring is blank, and would match nearly every text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetContentResult:
    """memories: the ids that were forgotten, or would be, oldest first; at most MOST.

    kept: how many others with the substring the asker reads but may not forget, counted up to
    COUNTED. more: whether another call would find more to forget.
    """

    memories: list[UUID]
    kept: int
    more: bool
    dry_run: bool


def forget_content(
    actor: Actor, substring: str, *, now: datetime, dry_run: bool = False
) -> ForgetContentResult:
    """Forget memories with the substring, in any normal form and letter case; `%` and `_` have no
    special meaning.

    It searches everything that the asker reads and that is not forgotten. Each memory is forgotten
    by `forget_memory`, in a transaction of its own, and can be restored. Raises BlankTextError.
    """
    if not substring.strip():
        raise BlankTextError("Say which words the memories hold; blanks alone are in all of them.")
    principal = resolve_principal(actor)
    with principal.scope():
        rows = _containing(principal, substring)
        may = rows.filter(may_forget_q(actor)).filter(red_line_allows_q(actor))
        ids = list(may.order_by("id").values_list("id", flat=True)[: MAX_MEMORIES + 1])
        others = rows.exclude(id__in=may.values("id"))
        kept = others.order_by()[:MAX_COUNT].count()
    more, ids = len(ids) > MAX_MEMORIES, ids[:MAX_MEMORIES]
    if not dry_run:
        ids = _forget_each(actor, ids, now)
    return ForgetContentResult(memories=ids, kept=kept, more=more, dry_run=dry_run)


def _containing(principal: Principal, substring: str) -> MemoryQuerySet:
    rows = Memory.objects.filter(organisation_id=principal.organisation_id)
    rows = rows.containing(substring).exclude(status=Status.FORGOTTEN)
    return rows.for_people() if principal.actor.is_person else rows


def _forget_each(actor: Actor, ids: Sequence[UUID], now: datetime) -> list[UUID]:
    """Forget these memories. Returns the ids that are forgotten now, also propositions that
    followed their memory."""
    stay = set()
    for id_ in ids:
        try:
            forget_memory(actor, id_, now=now)
        except (ChangeForbiddenError, RedLineError):
            # It was protected or shared by somebody since it was chosen.
            stay.add(id_)
        except NotFoundError:
            continue
    return [id_ for id_ in ids if id_ not in stay]


# How many memories are read at once.
BATCH_SIZE = 500


def forget_all(actor: Actor, *, now: datetime) -> int:
    """Forget every memory about the member, said by them or private to them, and withdraw all their
    messages; `undo_forget_all` undoes both. Their calendars and mailboxes are deleted, because they
    have the files, and so are their rows in records of decisions that are not about them. Returns
    the number of forgotten memories."""
    principal = resolve_principal(actor)
    with principal.scope():
        count = 0
        for portion in _iter_locked(principal):
            forget_memories(portion, now, by_subject=True, actor=actor)
            count += len(portion)
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


def _iter_locked(principal: Principal) -> Iterator[list[Memory]]:
    """The memories to forget, locked, in portions of BATCH_SIZE."""
    rows = (
        readable_memories(principal)
        .filter(concerning_q(principal.actor))
        .exclude(status=Status.FORGOTTEN)
    )
    rows = rows.select_for_update(of=("self",)).order_by("id")
    last: UUID | None = None
    while portion := list((rows.filter(id__gt=last) if last else rows)[:BATCH_SIZE]):
        yield portion
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
        restore_memories(found, now)
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
