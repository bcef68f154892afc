"""Everything stored about a member or by them, as they may see it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from memories.access.permissions import contributed_alone
from memories.insights.operations import ReadTimes, reads_of, with_reads
from memories.library.browse import PAGE, ListedMemory, show
from memories.library.threads.folded import FoldedConversation, FoldedPage, folded
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet, has_subject
from orgs.models.audiences import OPEN_PLACES, Audience, AudienceEntry, AudienceKind, ReaderKind
from orgs.principals import Actor, Principal, resolve
from robots.models.conversations import Message

VIEWS = ("about", "by", "shared", "forgotten")


@dataclass(frozen=True, slots=True)
class MemberOverview:
    """Numbers of memories: private to the member, shared, or waiting for review.

    groups: with how many groups some are shared; everyone, people: how many are shared with
    everyone and with named people.
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
    """A page of memories, and of conversations where turns are folded; `before` continues after the
    last one. principal: the member's. reads: how often each memory was served, by its id."""

    rows: list[ListedMemory | FoldedConversation]
    overview: MemberOverview
    principal: Principal
    before: UUID | None = None
    reads: Mapping[UUID, Sequence[ReadTimes]] = field(default_factory=dict)


def about(actor: Actor) -> Q:
    """The condition for memories about the member, said by them, or private to them."""
    # A subquery: a join would look up the audience of each row.
    own = Q(audience_id__in=_of_kinds(actor, AudienceKind.MEMBER))
    return has_subject(actor.member_id) | own


def _of_kinds(actor: Actor, *kinds: AudienceKind) -> "QuerySet[Audience, Any]":
    rows = Audience.objects.filter(organisation_id=actor.organisation_id, kind__in=kinds)
    return rows.values("id")


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
            rows = rows.filter(concerned, status=Status.ACTIVE)
            rows = rows.filter(audience_id__in=_of_kinds(actor, *OPEN_PLACES))
            return rows.exclude(_alone(actor))
        case "forgotten":
            concerned = about(actor) | Q(author_id=actor.member_id, forgotten_by_subject=False)
            return rows.filter(concerned, status=Status.FORGOTTEN)
    return rows.filter(about(actor)).exclude(status__in=(Status.FORGOTTEN, Status.ARCHIVED))


def listed(
    actor: Actor,
    view: str,
    *,
    organisation: str,
    text: str = "",
    everything: bool = False,
    before: UUID | None = None,
    now: datetime,
) -> Mine:
    """A page of one view, the newest first, with the figures of `MemberOverview`.

    text: a part of the words. everything: list each turn of a chat by itself, as always with `text`
    and in the view of forgotten ones. Otherwise turns are folded into their conversation.
    """
    principal = resolve(actor)
    with principal.scope():
        rows = _view(principal, view)
        if everything or text or view == "forgotten":
            page = _plain(principal, rows.with_words(text) if text else rows, before)
        else:
            page = folded(rows, page=PAGE, before=before, now=now, beside=with_reads)
        memories = [row for row in page.rows if isinstance(row, Memory)]
        shown = dict(
            zip(memories, show(principal, memories, organisation) if memories else [], strict=True)
        )
        return Mine(
            [shown[row] if isinstance(row, Memory) else row for row in page.rows],
            _overview(principal),
            principal,
            page.older_than,
            {row.id: found for row in memories if (found := reads_of(actor, row))},
        )


def _plain(principal: Principal, rows: MemoryQuerySet, before: UUID | None) -> FoldedPage:
    """A page without folding. The ids are found first, because reading whole rows would search the
    words again."""
    further = rows.filter(id__lt=before) if before else rows
    ids = list(further.order_by("-id").values_list("id", flat=True)[: PAGE + 1])
    found = with_reads(readable(principal)).with_names().those(ids[:PAGE])
    return FoldedPage(list(found), ids[PAGE - 1] if len(ids) > PAGE else None)


@dataclass(frozen=True, slots=True)
class OwnToErase:
    """What would be erased with a member, as far as they see it, in every status."""

    memories: int
    messages: int


def own_to_erase(actor: Actor) -> OwnToErase:
    """How many visible memories would be erased with the member: about them, said by them, private
    to them, of their personal robots, or written by them alone and neither about nor said by
    anybody else; and how many messages. `erasure.collect` finds the same."""
    principal = resolve(actor)
    alone = Q(author_id=actor.member_id, member=None, speaker_member=None)
    alone &= contributed_alone(member_id=actor.member_id)
    mine = about(actor) | alone | Q(robot__owner_id=actor.member_id)
    hers = Q(speaker_member_id=actor.member_id) | Q(author_id=actor.member_id)
    with principal.scope():
        return OwnToErase(
            memories=readable(principal).filter(mine).count(),
            messages=Message.objects.filter(
                hers, organisation_id=principal.organisation_id
            ).count(),
        )


def _alone(actor: Actor) -> Q:
    """The condition for lists of readers that name only the member."""
    entries = AudienceEntry.objects.filter(
        organisation_id=actor.organisation_id, audience_id=OuterRef("id")
    )
    mine = Q(kind=ReaderKind.MEMBER, reader=str(actor.member_id))
    others = Exists(entries.exclude(mine))
    named = _of_kinds(actor, AudienceKind.EXPLICIT)
    return Q(audience_id__in=named.filter(~others).values("id"))


def _overview(principal: Principal) -> MemberOverview:
    kind = "audience__kind"
    alone, named = _alone(principal.actor), Q(**{kind: AudienceKind.EXPLICIT})
    open_ = Q(**{f"{kind}__in": OPEN_PLACES})
    return MemberOverview(
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
