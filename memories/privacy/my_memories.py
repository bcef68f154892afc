"""Everything stored about a member or by them, as they may see it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Case, Count, Exists, Min, OuterRef, Q, QuerySet, Value, When

from memories.access.permissions import sole_contributor_q
from memories.browsing.conversation_pages.folded_list import (
    FoldedConversation,
    FoldedPage,
    list_folded,
)
from memories.browsing.memory_pages import PAGE_SIZE, ListedMemory, to_listed_memories
from memories.insights.operations import (
    RobotRecallCount,
    annotate_robot_recalls,
    list_robot_recall_counts,
)
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet, subject_q
from orgs.models.audiences import (
    SHARED_AUDIENCE_TYPES,
    Audience,
    AudienceEntry,
    AudienceType,
    ReaderType,
)
from orgs.principals import Actor, Principal, resolve_principal
from robots.models.conversations import Message
from robots.registry.personal_robot_privacy import is_robot_hidden

VIEWS = ("about", "by", "shared", "forgotten")


@dataclass(frozen=True, slots=True)
class MemoryKeeper:
    """How many memories about the member a robot wrote, and when the first of them came.

    robot: its name; empty for people, imports, and robots that the member may not know."""

    robot: str
    memories: int
    since: datetime


@dataclass(frozen=True, slots=True)
class MemberOverview:
    """Numbers of memories: private to the member, shared, or waiting for review.

    groups: with how many groups some are shared; everyone, people: how many are shared with
    everyone and with named people. keepers: who wrote them, the most first.
    """

    total: int
    private: int
    shared: int
    groups: int
    everyone: int
    people: int
    waiting: int
    keepers: Sequence[MemoryKeeper] = ()


@dataclass(frozen=True, slots=True)
class MyMemoriesPage:
    """A page of memories, and of conversations where turns are folded; `before` continues after the
    last one. principal: the member's. reads: how often each memory was served, by its id."""

    rows: list[ListedMemory | FoldedConversation]
    overview: MemberOverview
    principal: Principal
    before: UUID | None = None
    reads: Mapping[UUID, Sequence[RobotRecallCount]] = field(default_factory=dict)


def concerning_q(actor: Actor) -> Q:
    """The condition for memories about the member, said by them, or private to them."""
    # A subquery: a join would look up the audience of each row.
    own = Q(audience_id__in=_audiences_of_types(actor, AudienceType.MEMBER))
    return subject_q(actor.member_id) | own


def _audiences_of_types(actor: Actor, *kinds: AudienceType) -> "QuerySet[Audience, Any]":
    rows = Audience.objects.filter(organisation_id=actor.organisation_id, kind__in=kinds)
    return rows.values("id")


def readable_memories(principal: Principal) -> MemoryQuerySet:
    """Readable memories without the robots' own notes; evaluate inside the principal's scope."""
    return Memory.objects.filter(organisation_id=principal.organisation_id).for_people()


def _select_view(principal: Principal, view: str) -> MemoryQuerySet:
    actor, rows = principal.actor, readable_memories(principal)
    match view:
        case "by":
            return rows.filter(author_id=actor.member_id).exclude(status=Status.FORGOTTEN)
        case "shared":
            concerned = concerning_q(actor) | Q(author_id=actor.member_id)
            rows = rows.filter(concerned, status=Status.ACTIVE)
            rows = rows.filter(audience_id__in=_audiences_of_types(actor, *SHARED_AUDIENCE_TYPES))
            return rows.exclude(_only_member_q(actor))
        case "forgotten":
            concerned = concerning_q(actor) | Q(
                author_id=actor.member_id, forgotten_by_subject=False
            )
            return rows.filter(concerned, status=Status.FORGOTTEN)
    return rows.filter(concerning_q(actor)).exclude(status__in=(Status.FORGOTTEN, Status.ARCHIVED))


def list_my_memories(
    actor: Actor,
    view: str,
    *,
    organisation: str,
    text: str = "",
    everything: bool = False,
    before: UUID | None = None,
    now: datetime,
) -> MyMemoriesPage:
    """A page of one view, the newest first, with the figures of `MemberOverview`.

    text: a part of the words. everything: list each turn of a chat by itself, as always with `text`
    and in the view of forgotten ones. Otherwise turns are folded into their conversation.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        rows = _select_view(principal, view)
        if everything or text or view == "forgotten":
            page = _unfolded_page(principal, rows.with_words(text) if text else rows, before)
        else:
            page = list_folded(
                rows, page=PAGE_SIZE, before=before, now=now, beside=annotate_robot_recalls
            )
        memories = [row for row in page.rows if isinstance(row, Memory)]
        shown = dict(
            zip(
                memories,
                to_listed_memories(principal, memories, organisation) if memories else [],
                strict=True,
            )
        )
        return MyMemoriesPage(
            [shown[row] if isinstance(row, Memory) else row for row in page.rows],
            _load_overview(principal),
            principal,
            page.older_than,
            {row.id: found for row in memories if (found := list_robot_recall_counts(actor, row))},
        )


def _unfolded_page(principal: Principal, rows: MemoryQuerySet, before: UUID | None) -> FoldedPage:
    """A page without folding. The ids are found first, because reading whole rows would search the
    words again."""
    further = rows.filter(id__lt=before) if before else rows
    ids = list(further.order_by("-id").values_list("id", flat=True)[: PAGE_SIZE + 1])
    found = annotate_robot_recalls(readable_memories(principal)).with_names().those(ids[:PAGE_SIZE])
    return FoldedPage(list(found), ids[PAGE_SIZE - 1] if len(ids) > PAGE_SIZE else None)


@dataclass(frozen=True, slots=True)
class OwnErasureCounts:
    """What would be erased with a member, as far as they see it, in every status."""

    memories: int
    messages: int


def count_own_to_erase(actor: Actor) -> OwnErasureCounts:
    """How many visible memories would be erased with the member: about them, said by them, private
    to them, of their personal robots, or written by them alone and neither about nor said by
    anybody else; and how many messages. `erasure.collect` finds the same."""
    principal = resolve_principal(actor)
    alone = Q(author_id=actor.member_id, member=None, speaker_member=None)
    alone &= sole_contributor_q(member_id=actor.member_id)
    mine = concerning_q(actor) | alone | Q(robot__owner_id=actor.member_id)
    hers = Q(speaker_member_id=actor.member_id) | Q(author_id=actor.member_id)
    with principal.scope():
        return OwnErasureCounts(
            memories=readable_memories(principal).filter(mine).count(),
            messages=Message.objects.filter(
                hers, organisation_id=principal.organisation_id
            ).count(),
        )


def _only_member_q(actor: Actor) -> Q:
    """The condition for lists of readers that name only the member."""
    entries = AudienceEntry.objects.filter(
        organisation_id=actor.organisation_id, audience_id=OuterRef("id")
    )
    mine = Q(kind=ReaderType.MEMBER, reader=str(actor.member_id))
    others = Exists(entries.exclude(mine))
    named = _audiences_of_types(actor, AudienceType.EXPLICIT)
    return Q(audience_id__in=named.filter(~others).values("id"))


def _load_overview(principal: Principal) -> MemberOverview:
    kind = "audience__kind"
    alone, named = _only_member_q(principal.actor), Q(**{kind: AudienceType.EXPLICIT})
    open_ = Q(**{f"{kind}__in": SHARED_AUDIENCE_TYPES})
    told = ~Q(is_robot_hidden()) & Q(robot__builtin=None)
    # By who wrote them; groups as arrays, because one group has memories of several robots.
    rows = _select_view(principal, "about").order_by()
    counted = rows.values(keeper=Case(When(told, then="robot__name"), default=Value(""))).annotate(
        total=Count("id"),
        since=Min("created_at"),
        private=Count("id", filter=Q(**{kind: AudienceType.MEMBER}) | alone),
        shared=Count("id", filter=open_ & ~alone),
        everyone=Count("id", filter=Q(**{kind: AudienceType.ORGANISATION})),
        people=Count("id", filter=named & ~alone),
        groups=ArrayAgg(
            "audience__group_id",
            filter=Q(**{kind: AudienceType.GROUP}),
            distinct=True,
            default=Value([]),
        ),
        waiting=Count("id", filter=Q(**{kind: AudienceType.REVIEW})),
    )
    found: list[Any] = list(counted.order_by("-total", "keeper"))
    numbers = ("total", "private", "shared", "everyone", "people", "waiting")
    return MemberOverview(
        **{name: sum(row[name] for row in found) for name in numbers},
        groups=len({group for row in found for group in row["groups"]}),
        keepers=[MemoryKeeper(row["keeper"], row["total"], row["since"]) for row in found],
    )
