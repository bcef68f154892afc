"""What happened that concerns a member: their proposals that others decided, reports about what
they wrote, what others say that they do, and their jobs that are over.

Nothing is stored for it but since when the member has seen it. It is read from the rows themselves
with the member's rights of now, so that a line goes with what it is about.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from psycopg.pq import Format

from memories.browsing.job_pages import visible_jobs
from memories.browsing.selection import Selection, select_memories
from memories.jobs.models import Job, JobState
from memories.review.deciders import concerns, proposed_q
from memories.review.models import Proposal, ProposalCause, ProposalState
from memories.review.review_queue import asker_ids, existing_items, select_items
from orgs.database.compiled_queries import CompiledQuery
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.principals import Actor, Principal, resolve_principal
from orgs.wired_functions import wired

# Lines of each kind on the page; counts stop there.
MAX_LINES = 50
# Newer memories are counted up to here.
MAX_NEWER = 100
_BEGINNING = datetime(1, 1, 2, tzinfo=UTC)
_DECIDED = (ProposalState.APPROVED, ProposalState.MERGED, ProposalState.REJECTED)
_ENDED = (JobState.DONE, JobState.DEAD)


@wired
def count_said_personas(actor: Actor, since: datetime, *, most: int) -> int:
    """How many personas of the member somebody else said or confirmed after a moment, and the
    member has not answered, `most` at most. Called inside the organisation's scope."""
    raise NotImplementedError


@dataclass(frozen=True, slots=True)
class News:
    """The newest first, `MAX_LINES` of each kind at most. seen_at: until when the member has seen
    them; None for never."""

    decided: list[Proposal]
    reported: list[Proposal]
    jobs: list[Job]
    seen_at: datetime | None


@dataclass(frozen=True, slots=True)
class NewsCount:
    """How many of each kind came since a moment, `MAX_LINES` at most."""

    decided: int
    reported: int
    jobs: int
    personas: int

    @property
    def total(self) -> int:
        return self.decided + self.reported + self.jobs + self.personas


def load_news(actor: Actor) -> News:
    """The news of a member. Raises PermissionError for a robot."""
    principal = _principal_of(actor)
    with principal.scope():
        items, jobs = select_items(principal), _ended_jobs(actor)
        return News(
            list(items.filter(_decided_q(actor)).order_by("-decided_at", "-id")[:MAX_LINES]),
            list(items.filter(_reported_q(actor)).order_by("-id")[:MAX_LINES]),
            list(jobs.order_by("-finished_at", "-id")[:MAX_LINES]),
            Member.objects.values_list("news_seen_at", flat=True).get(**_own_row(actor)),
        )


def count_news(actor: Actor, since: datetime | None) -> NewsCount:
    """How much happened after a moment; None counts all. Raises PermissionError for a robot."""
    principal, after = _principal_of(actor), since or _BEGINNING
    with principal.scope():
        return NewsCount(
            _count(_DECIDED_STATEMENT, actor, after),
            _count(_REPORTED_STATEMENT, actor, after),
            _ended_jobs(actor).filter(finished_at__gt=after)[:MAX_LINES].count(),
            count_said_personas(actor, after, most=MAX_LINES),
        )


def count_unseen(actor: Actor) -> int:
    """How much the member has not seen yet. Raises PermissionError for a robot."""
    with organisation_scope(actor.organisation_id):
        seen = Member.objects.values_list("news_seen_at", flat=True).get(**_own_row(actor))
    return count_news(actor, seen).total


def count_newer(actor: Actor, selection: Selection, newest: UUID, *, now: datetime) -> int:
    """How many memories that the member may read match a selection and came after one of them,
    `MAX_NEWER` at most. Raises NotFoundError for a group that they may not know."""
    principal = _principal_of(actor)
    with principal.scope():
        rows = select_memories(principal, selection, now).filter(id__gt=newest)
        return rows[:MAX_NEWER].count()


def mark_seen(actor: Actor, *, now: datetime) -> None:
    """The member has seen all that happened until now."""
    if not actor.is_person:
        raise PermissionError("A robot has no news.")
    with organisation_scope(actor.organisation_id):
        Member.objects.filter(**_own_row(actor)).update(news_seen_at=now)


def _principal_of(actor: Actor) -> Principal:
    if not actor.is_person:
        raise PermissionError("A robot has no news.")
    return resolve_principal(actor)


def _own_row(actor: Actor) -> dict[str, UUID | None]:
    return {"organisation_id": actor.organisation_id, "id": actor.member_id}


def _decided_q(actor: Actor) -> Q:
    """Proposals of theirs that were decided, and not by themselves."""
    decided = Q(state__in=_DECIDED, decided_at__isnull=False)
    return proposed_q(actor) & decided & ~Q(decided_by_id=actor.member_id)


def _reported_q(actor: Actor) -> Q:
    """Reports of others about what they wrote or said."""
    own = Q(memory__author_id=actor.member_id) | Q(memory__speaker_member_id=actor.member_id)
    others = Q(cause=ProposalCause.REPORT) & ~Q(proposed_by_id=actor.member_id)
    return concerns(actor) & others & own


def _ended_jobs(actor: Actor) -> "QuerySet[Job]":
    return visible_jobs(actor).filter(
        member_id=actor.member_id, state__in=_ENDED, finished_at__isnull=False
    )


def _decided_ids(role: str | None, since: datetime, **ids: Any) -> "QuerySet[Proposal, Any]":
    actor = Actor(role=role, **ids)
    rows = existing_items(actor).filter(_decided_q(actor), decided_at__gt=since)
    return rows.order_by().values("id")[:MAX_LINES]


def _reported_ids(role: str | None, since: datetime, **ids: Any) -> "QuerySet[Proposal, Any]":
    actor = Actor(role=role, **ids)
    rows = existing_items(actor).filter(_reported_q(actor), created_at__gt=since)
    return rows.order_by().values("id")[:MAX_LINES]


# Every page that is open asks for these numbers again and again.
_DECIDED_STATEMENT, _REPORTED_STATEMENT = CompiledQuery(_decided_ids), CompiledQuery(_reported_ids)


def _count(statement: CompiledQuery, actor: Actor, since: datetime) -> int:
    text, values = statement.text(actor.role, since=since, **asker_ids(actor))
    return len(fetch_all(text, values, how=Format.TEXT))
