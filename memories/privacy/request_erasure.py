"""Ask for an erasure: who may, what is confirmed, and the door that closes at once."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.access.permissions import NotYours
from memories.jobs.models import Job, JobKind
from memories.privacy.erase import NotConfirmed
from memories.privacy.erasure.begin import begin_erasure, bury, running_erasure
from memories.privacy.erasure.models import Erasure, Gone, SourceKind, Target
from memories.privacy.erasure.run_state import WORKER
from memories.store.models.contribution import Contribution
from orgs.accounts.sessions import end_sign_ins
from orgs.database.rls import organisation_scope
from orgs.errors import NotFound
from orgs.members.members import close_membership, lock_leaving
from orgs.models.memberships import Role
from orgs.models.organisations import Group
from orgs.principals import Actor
from robots.models.conversations import Conversation
from robots.models.keys import Key
from robots.models.robots import Robot


@dataclass(frozen=True, slots=True)
class Source:
    """Where something came from, by the id of it."""

    kind: SourceKind
    id: UUID

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


def parse_source(text: str) -> Source:
    """`robot:<id>`, `key:<id>`, `conversation:<id>`, `import:<id>` or `group:<id>`. Raises
    ValueError."""
    kind, _, id_ = text.partition(":")
    return Source(SourceKind(kind), UUID(id_))


def erase_member(actor: Actor, member_id: UUID, *, confirm: str, now: datetime) -> Erasure:
    """Erase a member: oneself, or as an admin. From here on they open nothing.

    confirm: their id once more. Raises NotConfirmed, NotFound, NotYours and AlreadyExists for the
    only admin. Asked again while it runs, it is the same erasure.
    """
    if not actor.is_person:
        raise NotYours("A robot erases nobody. A member does that on their page, or an admin.")
    if actor.member_id != member_id and actor.role != Role.ADMIN:
        # Everybody knows that the members exist, and nobody but these may.
        raise NotYours("Only the member or an admin erases a member.")
    if confirm != str(member_id):
        raise NotConfirmed("Repeat the id of the member as `confirm`. Nothing was erased.")
    return erase_member_as(actor, member_id, now=now)


def erase_member_as(
    actor: Actor, member_id: UUID, *, now: datetime, at_once: bool = False
) -> Erasure:
    """The same without a question who asks; for the terminal. at_once: the caller runs the job."""
    if running := running_erasure(actor.organisation_id, Target.MEMBER, member_id):
        return running
    with organisation_scope(actor.organisation_id):
        member = lock_leaving(actor.organisation_id, member_id)
        user = member.user
        close_membership(actor, member, now)
        if user is not None:
            end_sign_ins(user)
        erasure = begin_erasure(actor, Target.MEMBER, member_id, now, at_once=at_once)
        bury(erasure, Gone.MEMBER, [member_id], now)
    return erasure


def erase_source(actor: Actor, source: Source, *, confirm: str, now: datetime) -> Erasure:
    """Erase all that came from a source, as an admin. confirm: `kind:id` once more.

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
    """The same without a question who asks; for the terminal."""
    if running := running_erasure(actor.organisation_id, Target.SOURCE, source.id):
        return running
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
    """Whether there is, or was, such a source; an import may have left nothing but what it
    brought."""
    with organisation_scope(organisation_id, using=WORKER):
        if source.kind == SourceKind.IMPORT:
            jobs = Job.objects.using(WORKER).filter(
                organisation_id=organisation_id, id=source.id, kind=JobKind.IMPORT
            )
            brought = Contribution.objects.using(WORKER).filter(
                organisation_id=organisation_id, import_job=source.id
            )
            return jobs.exists() or brought.exists()
        rows = _ROWS[source.kind]._default_manager.using(WORKER)
        return rows.filter(organisation_id=organisation_id, id=source.id).values("id").exists()
