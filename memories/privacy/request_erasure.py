"""Request an erasure: rights, confirmation, and closing the member's access at once."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memories.access.permissions import ChangeForbiddenError
from memories.jobs.job_queue import notify_after_commit
from memories.jobs.leases import LEASE
from memories.jobs.models import Job, JobState, JobType
from memories.privacy.erase_memory import erase_memory
from memories.privacy.erasure.begin_erasure import (
    begin_erasure,
    create_tombstones,
    find_unfinished_erasure,
)
from memories.privacy.erasure.delete_rows import SCOPE_BATCH_SIZE
from memories.privacy.erasure.erasure_run import (
    WORKER,
    Erasure,
    ErasureSource,
    ErasureTarget,
    TombstoneType,
)
from memories.store.models.memory import Memory
from memories.store.models.version import Contribution
from orgs.accounts.sessions import end_sign_ins
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.errors import ConfirmationError, NotFoundError, ReferenceNotFoundError
from orgs.members.member_erasure import has_other_membership
from orgs.members.members import close_membership, lock_member_to_erase
from orgs.models.memberships import Role
from orgs.models.organisations import Group
from orgs.models.users import User
from orgs.organisations.audience_rows import list_audience_batches
from orgs.organisations.references import get_member, parse_uuid
from orgs.principals import Actor, Principal
from robots.models.conversations import Conversation
from robots.models.keys import Key
from robots.models.robots import Robot


@dataclass(frozen=True, slots=True)
class ErasureTargetSource:
    """The kind and the id of a source."""

    kind: ErasureSource
    id: UUID

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


def parse_source(text: str) -> ErasureTargetSource:
    """A source from `robot:<id>`, `key:<id>`, `conversation:<id>`, `import:<id>` or `group:<id>`.
    Raises ValueError."""
    kind, _, id_ = text.partition(":")
    return ErasureTargetSource(ErasureSource(kind), UUID(id_))


def erase_member(actor: Actor, member_id: UUID, *, confirm: str, now: datetime) -> Erasure:
    """Erase a member: oneself, or another as an admin. Their access ends at once.

    confirm: their id once more. Raises ConfirmationError, NotFoundError, ChangeForbiddenError, and
    AlreadyExistsError for the only admin. If an erasure of them is running, it is returned.
    """
    if not actor.is_person:
        raise ChangeForbiddenError(
            "A robot erases nobody. A member does that on their page, or an admin."
        )
    if actor.member_id != member_id and actor.role != Role.ADMIN:
        # NotYours and not NotFound, because everybody may know that a member exists.
        raise ChangeForbiddenError("Only the member or an admin erases a member.")
    if confirm != str(member_id):
        raise ConfirmationError("Repeat the id of the member as `confirm`. Nothing was erased.")
    return erase_member_unchecked(actor, member_id, now=now)


def erase_member_unchecked(
    actor: Actor, member_id: UUID, *, now: datetime, at_once: bool = False
) -> Erasure:
    """`erase_member` without checking rights, for the terminal. at_once: the caller runs the
    job."""
    if running := find_unfinished_erasure(actor.organisation_id, ErasureTarget.MEMBER, member_id):
        return _requeue_if_stopped(running, now)
    with organisation_scope(actor.organisation_id):
        member = lock_member_to_erase(actor.organisation_id, member_id)
        account = member.user_id
        close_membership(actor, member, now)
        if account is not None and not has_other_membership(account, actor.organisation_id):
            end_sign_ins(User(pk=account))
        erasure = begin_erasure(actor, ErasureTarget.MEMBER, member_id, now, at_once=at_once)
        create_tombstones(erasure, TombstoneType.MEMBER, [member_id], now)
    return erasure


def _requeue_if_stopped(erasure: Erasure, now: datetime) -> Erasure:
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
            notify_after_commit(job)
    return erasure


def erase_source(
    actor: Actor, source: ErasureTargetSource, *, confirm: str, now: datetime
) -> Erasure:
    """Erase everything from a source, as an admin. confirm: `kind:id` once more.

    Raises ConfirmationError, NotFoundError and ChangeForbiddenError.
    """
    if not (actor.is_person and actor.role == Role.ADMIN):
        raise ChangeForbiddenError("Only an admin erases what came from a source.")
    if confirm != str(source):
        raise ConfirmationError(f"Repeat `{source}` as `confirm`. Nothing was erased.")
    return erase_source_unchecked(actor, source, now=now)


def erase_source_unchecked(
    actor: Actor, source: ErasureTargetSource, *, now: datetime, at_once: bool = False
) -> Erasure:
    """`erase_source` without checking rights, for the terminal."""
    if running := find_unfinished_erasure(actor.organisation_id, ErasureTarget.SOURCE, source.id):
        return _requeue_if_stopped(running, now)
    if not source_exists(actor.organisation_id, source):
        raise ReferenceNotFoundError("source", source)
    with organisation_scope(actor.organisation_id):
        erasure = begin_erasure(
            actor, ErasureTarget.SOURCE, source.id, now, source=source.kind, at_once=at_once
        )
        if source.kind == ErasureSource.IMPORT:
            create_tombstones(erasure, TombstoneType.JOB, [source.id], now)
    return erasure


_SOURCE_MODELS = {
    ErasureSource.ROBOT: Robot,
    ErasureSource.KEY: Key,
    ErasureSource.GROUP: Group,
    ErasureSource.CONVERSATION: Conversation,
}


def source_exists(organisation_id: UUID, source: ErasureTargetSource) -> bool:
    """Whether the source exists or existed; of an import perhaps only its memories are left."""
    with organisation_scope(organisation_id):
        portions = list_audience_batches(organisation_id, SCOPE_BATCH_SIZE)
    for portion in portions:
        with scope(Scope(organisation=organisation_id, audiences=tuple(portion))):
            if any(
                rows.filter(organisation_id=organisation_id).exists()
                for rows in _source_querysets(source)
            ):
                return True
    return False


def _source_querysets(source: ErasureTargetSource) -> "list[QuerySet[Any]]":
    if source.kind == ErasureSource.IMPORT:
        jobs = Job.objects.filter(id=source.id, kind=JobType.IMPORT)
        return [jobs, Contribution.objects.filter(import_job=source.id)]
    return [_SOURCE_MODELS[source.kind]._base_manager.filter(id=source.id)]


def erase_memory_unchecked(actor: Actor, memory_id: UUID, *, now: datetime) -> Erasure:
    """Erase one memory and all that was made from it, also by people, for the terminal. Raises
    NotFoundError."""
    if running := find_unfinished_erasure(actor.organisation_id, ErasureTarget.MEMORY, memory_id):
        return running
    with organisation_scope(actor.organisation_id, using=WORKER):
        rows = Memory.objects.using(WORKER).filter(organisation_id=actor.organisation_id)
        if not rows.filter(id=memory_id).exists():
            raise NotFoundError("no such memory")
    with organisation_scope(actor.organisation_id):
        return begin_erasure(actor, ErasureTarget.MEMORY, memory_id, now, at_once=True)


def claim_job(erasure: Erasure, *, now: datetime) -> Job | None:
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


class TargetCountError(Exception):
    """Not exactly one of member, memory and source was given."""


@contextmanager
def erase_requested(actor: Actor, asked: Mapping[str, Any], *, now: datetime) -> Iterator[Erasure]:
    """Erase the given member, memory or source; gives the erasure inside a scope that reads it.
    Raises TargetCountError, and what erasing the target raises."""
    named = [name for name in ("member", "memory", "source") if asked.get(name)]
    if len(named) != 1:
        raise TargetCountError("Name one of member, memory and source. Nothing was erased.")
    confirm = asked["confirm"]
    match named[0]:
        case "member":
            member_id = _resolve_member_id(actor, asked["member"])
            erasure = erase_member(actor, member_id, confirm=confirm, now=now)
        case "source":
            try:
                source = parse_source(asked["source"])
            except ValueError as error:
                raise ReferenceNotFoundError("source", asked["source"]) from error
            erasure = erase_source(actor, source, confirm=confirm, now=now)
        case _:
            erasure = erase_memory(actor, asked["memory"], confirm=confirm, now=now).erasure
    with scope(Scope(organisation=actor.organisation_id, audiences=(erasure.audience_id,))):
        yield erasure


def _resolve_member_id(actor: Actor, reference: str) -> UUID:
    """The id of the member of a reference. Callers who may erase only themselves learn nothing of
    others."""
    if actor.is_person and actor.role == Role.ADMIN:
        with organisation_scope(actor.organisation_id):
            return get_member(actor.organisation_id, reference, removed=True).id
    if actor.is_person and actor.member_id and parse_uuid(reference) == actor.member_id:
        return actor.member_id
    raise ChangeForbiddenError("Only the member or an admin erases a member.")


def readable_erasures(principal: Principal) -> "QuerySet[Erasure]":
    """The erasures that the principal reads; evaluate inside their scope."""
    return Erasure.objects.filter(
        organisation_id=principal.organisation_id, audience_id__in=principal.audiences
    )


def get_erasure(principal: Principal, erasure_id: UUID) -> Erasure:
    """One erasure; call inside the principal's scope. Raises NotFoundError."""
    found = readable_erasures(principal).filter(id=erasure_id).first()
    if found is None:
        raise NotFoundError("no such erasure")
    return found
