"""What an erasure would reach, in numbers, without doing it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from memories.jobs.organisation_queue import curators_audience
from memories.privacy.erasure.collect import collect, nicknames
from memories.privacy.erasure.mask import count_mentions
from memories.privacy.erasure.models import Erasure, Gone, Target
from memories.privacy.erasure.names import NameTerms, terms_of
from memories.privacy.erasure.run_state import WORKER, Running
from orgs.database.rls import organisation_scope
from orgs.members.erase import names_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeseenErasure:
    """memories: how many would be erased, `derived` of them because they were made from others.
    mentions: memories of others in which a name would be hidden."""

    memories: int
    derived: int
    messages: int
    conversations: int
    jobs: int
    mentions: int


def foresee_erasure_of(
    organisation_id: UUID, what: Target, target: UUID, *, source: str = "", now: datetime
) -> ForeseenErasure:
    """Count what an erasure would reach, in a transaction that is rolled back."""
    audience_id = curators_audience(organisation_id)
    erasure = Erasure(
        organisation_id=organisation_id,
        audience_id=audience_id,
        what=what,
        source=source,
        target=target,
        created_at=now,
    )
    running = Running(erasure, now)
    with organisation_scope(organisation_id, using=WORKER):
        erasure.save(using=WORKER, force_insert=True)
        collect(running)
        rows = running.rows(
            "SELECT kind, derived, count(*) FROM memories_tombstone "
            "WHERE organisation_id = %(organisation)s AND erasure_id = %(erasure)s GROUP BY 1, 2"
        )
        mentions = count_mentions(running, terms_for(running))
        transaction.set_rollback(True, using=WORKER)
    by_kind: dict[str, int] = {}
    for kind, _, number in rows:
        by_kind[kind] = by_kind.get(kind, 0) + number
    return ForeseenErasure(
        memories=by_kind.get(Gone.MEMORY, 0),
        derived=sum(number for kind, derived, number in rows if derived and kind == Gone.MEMORY),
        messages=by_kind.get(Gone.MESSAGE, 0),
        conversations=by_kind.get(Gone.CONVERSATION, 0),
        jobs=by_kind.get(Gone.JOB, 0),
        mentions=mentions,
    )


def terms_for(running: Running) -> NameTerms:
    """The words that name the member in this organisation; empty if no member is erased."""
    if running.member_id is None:
        return NameTerms((), ())
    known = names_of(running.organisation_id, running.member_id)
    return terms_of(known.names, known.identifiers, known.others, nicknames(running))
