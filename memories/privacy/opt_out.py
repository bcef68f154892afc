"""Opting out of sharing, and taking back what was shared."""

from datetime import datetime
from typing import Protocol

from django.db import IntegrityError, transaction
from django.db.models import Q

from memories.access.visibility import KindInputs, Visibility, derive_kind
from memories.indexing import index
from memories.lifecycle.consolidation.promote_patterns import (
    everyones_patterns,
    withdraw_patterns_of,
)
from memories.lifecycle.forget import take_away
from memories.privacy.my_memories import readable
from memories.review.enqueue import withdraw
from memories.store.dependents import SUMMARY, is_proposition, is_summary
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, has_subject
from memories.store.version_stamp import STAMPS, stamp_version
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.members.preferences import opt_out_of_sharing
from orgs.models.audiences import OPEN_PLACES
from orgs.principals import Actor, Principal, resolve


class Follow(Protocol):
    """A hook for opting out or in; returns how many memories it made private again."""

    def __call__(self, actor: Actor, *, out: bool, withdraw: bool, now: datetime) -> int: ...


_followed: list[Follow] = []


def on_sharing_set(follow: Follow) -> Follow:
    """Register a hook of an upper app, called in the same transaction and in a scope of the
    organisation."""
    _followed.append(follow)
    return follow


def withdraw_shared(actor: Actor, *, now: datetime) -> int:
    """Make shared memories about the member, or written by them, private to them.

    Turns of conversations stay, because others were there, and so do protected memories that are
    not about them. A memory that they already have as a private one is forgotten instead. Returns
    how many were withdrawn.
    """
    principal = resolve(actor)
    with principal.scope():
        concerned = Q(member_id=actor.member_id) | Q(author_id=actor.member_id)
        rows = (
            readable(principal)
            .filter(
                concerned,
                # Also archived ones: the sources of summaries could be restored for their readers.
                status__in=(Status.ACTIVE, Status.ARCHIVED),
                audience__kind__in=OPEN_PLACES,
                conversation__isnull=True,
            )
            .exclude(~Q(member_id=actor.member_id), red_line=True)
        )
        found = list(rows.select_for_update(of=("self",)).order_by("id"))
        for memory in found:
            if is_proposition(memory) or is_summary(memory):
                memory.refresh_from_db(fields=["status"])
                if memory.status == Status.FORGOTTEN:
                    continue  # it was forgotten with its memory
            if is_summary(memory):
                take_away(actor, memory, by_subject=True, now=now)
                continue
            before = memory.audience_id
            take_back(principal, memory, now)
            audit.record(
                "memory.shared",
                actor=actor,
                now=now,
                target=memory.id,
                target_type="memory",
                before=str(before),
                after=str(memory.audience_id),
            )
    return len(found)


def take_back(
    principal: Principal, memory: Memory, now: datetime, *, by_subject: bool = True
) -> None:
    """Make a locked memory private to the member; if they have the same already, forget it.

    by_subject: whether remembering it again is prevented then. Call inside a scope that reads both
    audiences.
    """
    withdraw(memory.organisation_id, memory.id, now)
    index.unindex([memory], now)
    before = memory.audience_id
    memory.audience_id, memory.deposited_by = principal.own_audience, None
    stamp_version(memory, principal.actor, now)
    if memory.member_id is None and memory.group_id is None:
        memory.kind = derive_kind(KindInputs(Visibility.PRIVATE, False, True, listeners=False))
    try:
        with transaction.atomic():
            memory.save(update_fields=["audience", "kind", "deposited_by", *STAMPS])
    except IntegrityError:
        memory.audience_id = before
        memory.refresh_from_db(fields=["version", "kind", "deposited_by"])
        take_away(principal.actor, memory, by_subject=by_subject, now=now)
    else:
        if memory.status == Status.ACTIVE:
            index.reindex(memory, now)


def set_sharing(actor: Actor, *, out: bool, withdraw: bool = False, now: datetime) -> int:
    """Opt out of sharing, or in again. Opting out withdraws promoted patterns of the member.

    Wish and patterns are one transaction: it waits for a promotion that has begun and withdraws its
    result, and a later promotion leaves the member out. withdraw: also make shared memories
    private, most of them in a transaction of its own. Returns how many were withdrawn.
    """
    back = 0
    with organisation_scope(actor.organisation_id), everyones_patterns(actor.organisation_id):
        opt_out_of_sharing(actor, out=out, now=now)
        if out:
            withdraw_patterns_of(actor, now=now)
            _withdraw_summaries(actor, now)
        for follow in _followed:
            back += follow(actor, out=out, withdraw=out and withdraw, now=now)
    return back + (withdraw_shared(actor, now=now) if out and withdraw else 0)


def _withdraw_summaries(actor: Actor, now: datetime) -> None:
    """Forget shared summaries about the member or of their words.

    Their sources stay, like everything else that is shared.
    """
    principal = resolve(actor)
    with principal.scope():
        rows = readable(principal).filter(
            has_subject(actor.member_id), key__startswith=SUMMARY, audience__kind__in=OPEN_PLACES
        )
        for memory in rows.exclude(status=Status.FORGOTTEN).select_for_update(of=("self",)):
            if is_summary(memory):
                take_away(actor, memory, by_subject=True, now=now)
                withdraw(memory.organisation_id, memory.id, now)
