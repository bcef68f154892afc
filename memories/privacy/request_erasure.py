"""Request an erasure: rights, confirmation, and closing the member's access at once."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memories.access.permissions import NotYours
from memories.jobs.models import Job, JobKind, JobState
from memories.jobs.queue import LEASE, hint
from memories.privacy.erase import OPENED, NotConfirmed, erase_memory
from memories.privacy.erasure.begin import begin_erasure, bury, running_erasure
from memories.privacy.erasure.models import Erasure, Gone, SourceKind, Target
from memories.privacy.erasure.run_state import WORKER
from memories.store.models.contribution import Contribution
from memories.store.models.memory import Memory
from orgs.accounts.sessions import end_sign_ins
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.errors import NotFound
from orgs.members.erase import opens_more
from orgs.members.members import close_membership, lock_leaving
from orgs.models.memberships import Role
from orgs.models.organisations import Group
from orgs.organisations.audiences import every_audience
from orgs.organisations.references import as_uuid, find_member
from orgs.principals import Actor, Principal
from robots.models.conversations import Conversation
from robots.models.keys import Key
from robots.models.robots import Robot


@dataclass(frozen=True, slots=True)
class Source:
    """The kind and the id of a source."""

    kind: SourceKind
    id: UUID

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


def parse_source(text: str) -> Source:
    """A source from `robot:<id>`, `key:<id>`, `conversation:<id>`, `import:<id>` or `group:<id>`.
    Raises ValueError."""
    kind, _, id_ = text.partition(":")
    return Source(SourceKind(kind), UUID(id_))


def erase_member(actor: Actor, member_id: UUID, *, confirm: str, now: datetime) -> Erasure:
    """Erase a member: oneself, or another as an admin. Their access ends at once.

    confirm: their id once more. Raises NotConfirmed, NotFound, NotYours, and AlreadyExists for the
    only admin. If an erasure of them is running, it is returned.
    """
    if not actor.is_person:
        raise NotYours("A robot erases nobody. A member does that on their page, or an admin.")
    if actor.member_id != member_id and actor.role != Role.ADMIN:
        # NotYours and not NotFound, because everybody may know that a member exists.
        raise NotYours("Only the member or an admin erases a member.")
    if confirm != str(member_id):
        raise NotConfirmed("Repeat the id of the member as `confirm`. Nothing was erased.")
    return erase_member_as(actor, member_id, now=now)


def erase_member_as(
    actor: Actor, member_id: UUID, *, now: datetime, at_once: bool = False
) -> Erasure:
    """`erase_member` without checking rights, for the terminal. at_once: the caller runs the
    job."""
    if running := running_erasure(actor.organisation_id, Target.MEMBER, member_id):
        return _revived(running, now)
    with organisation_scope(actor.organisation_id):
        member = lock_leaving(actor.organisation_id, member_id)
        user = member.user
        close_membership(actor, member, now)
        if user is not None and not opens_more(user, actor.organisation_id):
            end_sign_ins(user)
        erasure = begin_erasure(actor, Target.MEMBER, member_id, now, at_once=at_once)
        bury(erasure, Gone.MEMBER, [member_id], now)
    return erasure


def _revived(erasure: Erasure, now: datetime) -> Erasure:
    """The erasure; its job is queued again if it had stopped for good."""
    readable = Scope(organisation=erasure.organisation_id, audiences=(erasure.audience_id,))
    with scope(readable):
        job = (
            Job.objects.select_for_update()
            .filter(
                organisation_id=erasure.organisation_id,
                id=erasure.job_id or erasure.id,
                state__in=(JobState.DEAD, JobState.CANCELLED),
            )
            .first()
        )
        if job is not None:
            job.state, job.attempts, job.queued_at = JobState.WAITING, 0, now
            job.finished_at, job.reason = None, ""
            job.save()
            hint(job)
    return erasure


def erase_source(actor: Actor, source: Source, *, confirm: str, now: datetime) -> Erasure:
    """Erase everything from a source, as an admin. confirm: `kind:id` once more.

    Raises NotConfirmed, NotFound and NotYours.
    """
    if not (actor.is_person and actor.role == Role.ADMIN):
        raise NotYours("Only an admin erases what came from a source.")
    if confirm != str(source):
        raise NotConfirmed(f"Repeat `{source}` as `confirm`. Nothing was erased.")
    return erase_source_as(actor, source, now=now)


def erase_source_as(
    actor: Actor, source: Source, *, now: datetime, at_once: bool = False
) -> Erasure:
    """`erase_source` without checking rights, for the terminal."""
    if running := running_erasure(actor.organisation_id, Target.SOURCE, source.id):
        return _revived(running, now)
    if not is_known(actor.organisation_id, source):
        raise NotFound("no such source")
    with organisation_scope(actor.organisation_id):
        erasure = begin_erasure(
            actor, Target.SOURCE, source.id, now, source=source.kind, at_once=at_once
        )
        if source.kind == SourceKind.IMPORT:
            bury(erasure, Gone.JOB, [source.id], now)
    return erasure


_ROWS = {
    SourceKind.ROBOT: Robot,
    SourceKind.KEY: Key,
    SourceKind.GROUP: Group,
    SourceKind.CONVERSATION: Conversation,
}


def is_known(organisation_id: UUID, source: Source) -> bool:
    """Whether the source exists or existed; of an import perhaps only its memories are left."""
    with organisation_scope(organisation_id):
        portions = every_audience(organisation_id, OPENED)
    for portion in portions:
        with scope(Scope(organisation=organisation_id, audiences=tuple(portion))):
            if any(
                rows.filter(organisation_id=organisation_id).exists() for rows in _named(source)
            ):
                return True
    return False


def _named(source: Source) -> "list[QuerySet[Any]]":
    if source.kind == SourceKind.IMPORT:
        jobs = Job.objects.filter(id=source.id, kind=JobKind.IMPORT)
        return [jobs, Contribution.objects.filter(import_job=source.id)]
    return [_ROWS[source.kind]._base_manager.filter(id=source.id)]


def erase_memory_as(actor: Actor, memory_id: UUID, *, now: datetime) -> Erasure:
    """Erase one memory and all that was made from it, also by people, for the terminal. Raises
    NotFound."""
    if running := running_erasure(actor.organisation_id, Target.MEMORY, memory_id):
        return running
    with organisation_scope(actor.organisation_id, using=WORKER):
        rows = Memory.objects.using(WORKER).filter(organisation_id=actor.organisation_id)
        if not rows.filter(id=memory_id).exists():
            raise NotFound("no such memory")
    with organisation_scope(actor.organisation_id):
        return begin_erasure(actor, Target.MEMORY, memory_id, now, at_once=True)


def job_to_run(erasure: Erasure, *, now: datetime) -> Job | None:
    """The erasure's job, leased by this process; None if another process has it, or it is done."""
    with organisation_scope(erasure.organisation_id, using=WORKER):
        rows = Job.objects.using(WORKER).select_for_update()
        tenant = {"organisation_id": erasure.organisation_id}
        job = rows.filter(**tenant, id=erasure.job_id).first() if erasure.job_id else None
        taken = job and job.state == JobState.RUNNING and job.leased_until
        if job is None or job.state == JobState.DONE or (taken and taken > now):
            return None
        job.state, job.attempts, job.leased_until = JobState.RUNNING, 1, now + LEASE
        job.finished_at, job.cancel_asked_at, job.reason = None, None, ""
        job.save(using=WORKER)
    return job


class OneTarget(Exception):
    """Not exactly one of member, memory and source was given."""


@contextmanager
def erase_as_asked(actor: Actor, asked: Mapping[str, Any], *, now: datetime) -> Iterator[Erasure]:
    """Erase the given member, memory or source; gives the erasure inside a scope that reads it.
    Raises OneTarget, and what erasing the target raises."""
    named = [name for name in ("member", "memory", "source") if asked.get(name)]
    if len(named) != 1:
        raise OneTarget("Name one of member, memory and source. Nothing was erased.")
    confirm = asked["confirm"]
    match named[0]:
        case "member":
            member_id = _member_meant(actor, asked["member"])
            erasure = erase_member(actor, member_id, confirm=confirm, now=now)
        case "source":
            try:
                source = parse_source(asked["source"])
            except ValueError as error:
                raise NotFound("no such source") from error
            erasure = erase_source(actor, source, confirm=confirm, now=now)
        case _:
            erasure = erase_memory(actor, asked["memory"], confirm=confirm, now=now).erasure
    with scope(Scope(organisation=actor.organisation_id, audiences=(erasure.audience_id,))):
        yield erasure


def _member_meant(actor: Actor, reference: str) -> UUID:
    """The id of the member of a reference. Callers who may erase only themselves learn nothing of
    others."""
    if actor.is_person and actor.role == Role.ADMIN:
        with organisation_scope(actor.organisation_id):
            return find_member(actor.organisation_id, reference, removed=True).id
    if actor.is_person and actor.member_id and as_uuid(reference) == actor.member_id:
        return actor.member_id
    raise NotYours("Only the member or an admin erases a member.")


def erasures_for(principal: Principal) -> "QuerySet[Erasure]":
    """The erasures that the principal reads; evaluate inside their scope."""
    return Erasure.objects.filter(
        organisation_id=principal.organisation_id, audience_id__in=principal.audiences
    )


def erasure_of(principal: Principal, erasure_id: UUID) -> Erasure:
    """One erasure; call inside the principal's scope. Raises NotFound."""
    found = erasures_for(principal).filter(id=erasure_id).first()
    if found is None:
        raise NotFound("no such erasure")
    return found
