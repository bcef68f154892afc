"""Opting out of sharing, and taking back what was shared."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Q

from memories.access.visibility import KindInputs, Visibility, derive_kind
from memories.indexing import search_index
from memories.lifecycle.consolidation.promote_patterns import (
    delete_patterns_of,
    patterns_scope,
)
from memories.privacy.my_memories import readable_memories
from memories.questions.consent import set_member_consent
from memories.review.propose import withdraw_items
from memories.state.transitions import forget_memories, unindex_with_derived
from memories.store.dependents import SUMMARY_KEY_PREFIX, is_proposition, is_summary
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet, subject_q
from memories.store.version_stamp import VERSION_FIELDS, stamp_version
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.members.member_settings import set_sharing_opt_out
from orgs.models.audiences import SHARED_AUDIENCE_TYPES
from orgs.principals import Actor, Principal, resolve_principal
from orgs.wired_functions import wired


@wired
def apply_sharing_opt_out(actor: Actor, *, out: bool, withdraw: bool, now: datetime) -> int:
    """Close or open the member's personas to their robot; returns how many memories were made
    private again. Called in the same transaction, in a scope of the organisation."""
    raise NotImplementedError


def make_shared_private(actor: Actor, *, now: datetime) -> int:
    """Make shared memories about the member, or written by them, private to them.

    Turns of conversations stay, because others were there, and so do protected memories that are
    not about them. A memory that they already have as a private one is forgotten instead. Returns
    how many were withdrawn.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        rows = _shared_memories(principal)
        found = list(rows.select_for_update(of=("self",)).order_by("id"))
        for memory in found:
            if is_proposition(memory) or is_summary(memory):
                memory.refresh_from_db(fields=["status"])
                if memory.status == Status.FORGOTTEN:
                    continue  # it was forgotten with its memory
            if is_summary(memory):
                forget_memories([memory], now, by_subject=True, actor=actor)
                continue
            before = memory.audience_id
            make_private(principal, memory, now)
            audit.record_entry(
                "memory.shared",
                actor=actor,
                now=now,
                target=memory.id,
                target_type="memory",
                before=str(before),
                after=str(memory.audience_id),
            )
    return len(found)


def count_shared(actor: Actor) -> int:
    """How many memories `make_shared_private` would withdraw now."""
    principal = resolve_principal(actor)
    with principal.scope():
        return _shared_memories(principal).count()


def _shared_memories(principal: Principal) -> MemoryQuerySet:
    me = principal.actor.member_id
    rows = readable_memories(principal).filter(
        Q(member_id=me) | Q(author_id=me),
        # Also archived ones: the sources of summaries could be restored for their readers.
        status__in=(Status.ACTIVE, Status.ARCHIVED),
        audience__kind__in=SHARED_AUDIENCE_TYPES,
        conversation__isnull=True,
    )
    return rows.exclude(~Q(member_id=me), red_line=True)


def make_private(
    principal: Principal, memory: Memory, now: datetime, *, by_subject: bool = True
) -> None:
    """Make a locked memory private to the member; if they have the same already, forget it.

    by_subject: whether remembering it again is prevented then. Call inside a scope that reads both
    audiences.
    """
    withdraw_items(memory.organisation_id, memory.id, now)
    unindex_with_derived([memory], now)
    before = memory.audience_id
    memory.audience_id, memory.deposited_by = principal.own_audience, None
    stamp_version(memory, principal.actor, now)
    if memory.member_id is None and memory.group_id is None:
        memory.kind = derive_kind(KindInputs(Visibility.PRIVATE, False, True, listeners=False))
    try:
        with transaction.atomic():
            memory.save(update_fields=["audience", "kind", "deposited_by", *VERSION_FIELDS])
    except IntegrityError:
        memory.audience_id = before
        memory.refresh_from_db(fields=["version", "kind", "deposited_by"])
        forget_memories([memory], now, by_subject=by_subject, actor=principal.actor)
    else:
        if memory.status == Status.ACTIVE:
            search_index.reindex_memory(memory, now)


def set_sharing(actor: Actor, *, out: bool, withdraw: bool = False, now: datetime) -> int:
    """Opt out of sharing, or in again. Opting out withdraws promoted patterns of the member, and
    their consent that curators see questions.

    Wish and patterns are one transaction: it waits for a promotion that has begun and withdraws its
    result, and a later promotion leaves the member out. withdraw: also make shared memories
    private, most of them in a transaction of its own. Returns how many were withdrawn.
    """
    with organisation_scope(actor.organisation_id), patterns_scope(actor.organisation_id):
        set_sharing_opt_out(actor, out=out, now=now)
        if out:
            delete_patterns_of(actor, now=now)
            set_member_consent(actor, agrees=False, now=now)
            _forget_shared_summaries(actor, now)
        back = apply_sharing_opt_out(actor, out=out, withdraw=out and withdraw, now=now)
    return back + (make_shared_private(actor, now=now) if out and withdraw else 0)


def _forget_shared_summaries(actor: Actor, now: datetime) -> None:
    """Forget shared summaries about the member or of their words.

    Their sources stay, like everything else that is shared.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        rows = readable_memories(principal).filter(
            subject_q(actor.member_id),
            key__startswith=SUMMARY_KEY_PREFIX,
            audience__kind__in=SHARED_AUDIENCE_TYPES,
        )
        found = rows.exclude(status=Status.FORGOTTEN).select_for_update(of=("self",))
        made = [memory for memory in found.order_by("id") if is_summary(memory)]
        if made:
            forget_memories(made, now, by_subject=True, actor=actor)
