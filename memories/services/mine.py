"""Everything kept about a member or by them, as they may see it; what they do with all of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef, Q

from memories.models import Memory, Status
from memories.policies.visibility import Place, Visibility, derive_kind
from memories.querysets import MemoryQuerySet
from memories.services import writing
from memories.services.browsing import PAGE, Shown, show
from memories.services.following import is_proposition
from memories.services.managing import STAMPS, stamp_version
from memories.services.queueing import withdraw
from memories.services.restating import restate_after
from memories.services.withdrawing import take_away
from orgs import audit
from orgs.models import AudienceEntry, AudienceKind, ReaderKind
from orgs.principals import Actor, Principal, resolve
from robots.services.unsaying import say_all_again, unsay_all

VIEWS = ("about", "by", "shared", "forgotten")
# How many are read at once where somebody forgets all.
AT_ONCE = 500
OPEN_PLACES = (AudienceKind.ORGANISATION, AudienceKind.GROUP, AudienceKind.EXPLICIT)


@dataclass(frozen=True, slots=True)
class Overview:
    """How much is kept: private to the member, shared, or waiting for review.

    groups, everyone, people: with how many groups the shared part is shared, and how much of it
    with everyone and with people by name.
    """

    total: int
    private: int
    shared: int
    groups: int
    everyone: int
    people: int
    waiting: int


@dataclass(frozen=True, slots=True)
class Mine:
    """A page of memories; `before` continues after the last one."""

    rows: list[Shown]
    overview: Overview
    before: UUID | None = None


def about(actor: Actor) -> Q:
    """About them, said by them, or private to them."""
    own = Q(audience__kind=AudienceKind.MEMBER)
    return Q(member_id=actor.member_id) | Q(speaker_member_id=actor.member_id) | own


def readable(principal: Principal) -> MemoryQuerySet:
    """Readable memories without the robots' own notes; evaluate inside the principal's scope."""
    return Memory.objects.filter(organisation_id=principal.organisation_id).for_people()


def _view(principal: Principal, view: str) -> MemoryQuerySet:
    actor, rows = principal.actor, readable(principal)
    match view:
        case "by":
            return rows.filter(author_id=actor.member_id).exclude(status=Status.FORGOTTEN)
        case "shared":
            concerned = about(actor) | Q(author_id=actor.member_id)
            rows = rows.filter(concerned, status=Status.ACTIVE, audience__kind__in=OPEN_PLACES)
            return rows.exclude(_alone(actor))
        case "forgotten":
            concerned = about(actor) | Q(author_id=actor.member_id, forgotten_by_subject=False)
            return rows.filter(concerned, status=Status.FORGOTTEN)
    return rows.filter(about(actor)).exclude(status__in=(Status.FORGOTTEN, Status.ARCHIVED))


def listed(actor: Actor, view: str, *, organisation: str, before: UUID | None = None) -> Mine:
    """A page of one view, the newest first, with the figures over all that is about them."""
    principal = resolve(actor)
    with principal.scope():
        rows = _view(principal, view)
        if before:
            rows = rows.filter(id__lt=before)
        found = rows.with_names().newest(PAGE + 1)
        shown = show(principal, found[:PAGE], organisation)
        last = found[PAGE - 1].id if len(found) > PAGE else None
        return Mine(shown, _overview(principal), last)


def _alone(actor: Actor) -> Q:
    """Lists that name the member and nobody else."""
    entries = AudienceEntry.objects.filter(
        organisation_id=actor.organisation_id, audience_id=OuterRef("audience_id")
    )
    mine = Q(kind=ReaderKind.MEMBER, reader=str(actor.member_id))
    others = Exists(entries.exclude(mine))
    return Q(~others, audience__kind=AudienceKind.EXPLICIT)


def _overview(principal: Principal) -> Overview:
    kind = "audience__kind"
    alone, named = _alone(principal.actor), Q(**{kind: AudienceKind.EXPLICIT})
    open_ = Q(**{f"{kind}__in": OPEN_PLACES})
    return Overview(
        **_view(principal, "about").aggregate(
            total=Count("id"),
            private=Count("id", filter=Q(**{kind: AudienceKind.MEMBER}) | alone),
            shared=Count("id", filter=open_ & ~alone),
            everyone=Count("id", filter=Q(**{kind: AudienceKind.ORGANISATION})),
            people=Count("id", filter=named & ~alone),
            groups=Count(
                "audience__group_id", filter=Q(**{kind: AudienceKind.GROUP}), distinct=True
            ),
            waiting=Count("id", filter=Q(**{kind: AudienceKind.REVIEW})),
        )
    )


def forget_all(actor: Actor, *, now: datetime) -> int:
    """Forget everything about them, and take back every message of theirs, also those that are
    no memory; it can be brought back together. Returns how many memories it was.
    """
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
        )
    return count


def _one_by_one(principal: Principal) -> Iterator[Memory]:
    """What is about the asker and not forgotten, locked, a portion of it at a time."""
    rows = readable(principal).filter(about(principal.actor)).exclude(status=Status.FORGOTTEN)
    rows = rows.select_for_update(of=("self",)).order_by("id")
    last: UUID | None = None
    while portion := list((rows.filter(id__gt=last) if last else rows)[:AT_ONCE]):
        yield from portion
        last = portion[-1].id


def bring_back(actor: Actor, *, forgotten_at: datetime, now: datetime) -> int:
    """Undo a `forget_all` of that moment. Returns how much is back."""
    principal = resolve(actor)
    with principal.scope():
        rows = readable(principal).filter(
            about(actor), status=Status.FORGOTTEN, forgotten_at=forgotten_at
        )
        found = list(rows.select_for_update(of=("self",)).order_by("id"))
        for memory in found:
            memory.status, memory.forgotten_at = writing.back_to(memory), None
            memory.forgotten_by_subject, memory.updated_at = False, now
            memory.save(
                update_fields=["status", "forgotten_at", "forgotten_by_subject", "updated_at"]
            )
            if memory.status == Status.ACTIVE:
                writing.reindex(memory, now)
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


def withdraw_shared(actor: Actor, *, now: datetime) -> int:
    """Take what is about the member, or was written by them, back to themselves alone.

    What they said in a conversation stays where all heard it, and so does what they wrote and
    others protect. What they have for themselves already is forgotten where it was shared.
    Returns how much was taken back.
    """
    principal = resolve(actor)
    with principal.scope():
        concerned = Q(member_id=actor.member_id) | Q(author_id=actor.member_id)
        rows = (
            readable(principal)
            .filter(
                concerned,
                status=Status.ACTIVE,
                audience__kind__in=OPEN_PLACES,
                conversation__isnull=True,
            )
            .exclude(~Q(member_id=actor.member_id), red_line=True)
        )
        found = list(rows.select_for_update(of=("self",)).order_by("id"))
        for memory in found:
            if is_proposition(memory):
                memory.refresh_from_db(fields=["status"])
                if memory.status != Status.ACTIVE:
                    continue  # it went with its memory
            before = memory.audience_id
            _withdraw_one(principal, memory, now)
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


def _withdraw_one(principal: Principal, memory: Memory, now: datetime) -> None:
    withdraw(memory.organisation_id, memory.id, now)
    writing.unindex([memory], now)
    before = memory.audience_id
    memory.audience_id, memory.deposited_by = principal.own_audience, None
    stamp_version(memory, principal.actor, now)
    if memory.member_id is None and memory.group_id is None:
        memory.kind = derive_kind(Place(Visibility.PRIVATE, False, True, listeners=False))
    try:
        with transaction.atomic():
            memory.save(update_fields=["audience", "kind", "deposited_by", *STAMPS])
    except IntegrityError:
        memory.audience_id = before
        memory.refresh_from_db(fields=["version", "kind", "deposited_by"])
        take_away(principal.actor, memory, by_subject=True, now=now)
    else:
        writing.reindex(memory, now)
