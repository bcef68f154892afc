"""What an erasure would reach, in numbers, without doing it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from memories.jobs.organisation_queue import ensure_curators_audience
from memories.privacy.erasure.collect_rows import collect_rows, fetch_nicknames
from memories.privacy.erasure.erasure_run import WORKER, ErasureRun
from memories.privacy.erasure.hide_names import count_mentions
from memories.privacy.erasure.models import Erasure, ErasureTarget, TombstoneType
from memories.privacy.erasure.name_terms import NameTerms, build_name_terms
from orgs.database.rls import organisation_scope
from orgs.members.member_erasure import load_member_names


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasurePreview:
    """memories: how many would be erased, `derived` of them because they were made from others.
    mentions: memories of others in which a name would be hidden."""

    memories: int
    derived: int
    messages: int
    conversations: int
    jobs: int
    mentions: int


def preview_erasure(
    organisation_id: UUID, what: ErasureTarget, target: UUID, *, source: str = "", now: datetime
) -> ErasurePreview:
    """Count what an erasure would reach, in a transaction that is rolled back."""
    audience_id = ensure_curators_audience(organisation_id)
    erasure = Erasure(
        organisation_id=organisation_id,
        audience_id=audience_id,
        what=what,
        source=source,
        target=target,
        created_at=now,
    )
    running = ErasureRun(erasure, now)
    with organisation_scope(organisation_id, using=WORKER):
        erasure.save(using=WORKER, force_insert=True)
        collect_rows(running)
        rows = running.rows(
            "SELECT kind, derived, count(*) FROM memories_tombstone "
            "WHERE organisation_id = %(organisation)s AND erasure_id = %(erasure)s GROUP BY 1, 2"
        )
        mentions = count_mentions(running, load_name_terms(running))
        transaction.set_rollback(True, using=WORKER)
    by_kind: dict[str, int] = {}
    for kind, _, number in rows:
        by_kind[kind] = by_kind.get(kind, 0) + number
    return ErasurePreview(
        memories=by_kind.get(TombstoneType.MEMORY, 0),
        derived=sum(
            number for kind, derived, number in rows if derived and kind == TombstoneType.MEMORY
        ),
        messages=by_kind.get(TombstoneType.MESSAGE, 0),
        conversations=by_kind.get(TombstoneType.CONVERSATION, 0),
        jobs=by_kind.get(TombstoneType.JOB, 0),
        mentions=mentions,
    )


def load_name_terms(running: ErasureRun) -> NameTerms:
    """The words that name the member in this organisation; empty if no member is erased."""
    if running.member_id is None:
        return NameTerms((), ())
    known = load_member_names(running.organisation_id, running.member_id)
    return build_name_terms(known.names, known.identifiers, known.others, fetch_nicknames(running))
