"""Forget what a member's own import brought, as a whole."""

from datetime import datetime
from uuid import UUID

from memories.curation.documents.document_list import BATCH, forget_parts
from memories.ingestion.file_import.import_job import OWN
from memories.jobs.models import Job, JobType
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.models.version import imported_memory_ids
from orgs.errors import NotFoundError
from orgs.principals import Actor, resolve_principal


def forget_own_import(actor: Actor, job_id: UUID, *, now: datetime) -> int:
    """Forget every memory that the member's own import brought; they can be restored. Returns how
    many. Raises NotFoundError for an import that is not theirs."""
    principal = resolve_principal(actor)
    member_id = actor.member_id
    if member_id is None:
        raise NotFoundError("no such import")
    with principal.scope():
        job = Job.objects.filter(
            organisation_id=actor.organisation_id,
            id=job_id,
            member_id=member_id,
            kind=JobType.IMPORT,
        ).first()
        if job is None or not job.parameters.get(OWN):
            raise NotFoundError("no such import")
        rows = Memory.objects.filter(
            organisation_id=actor.organisation_id,
            id__in=imported_memory_ids(actor.organisation_id, job_id),
        ).exclude(status=Status.FORGOTTEN)
        ids = list(rows.order_by("id").values_list("id", flat=True))
    return sum(
        len(forget_parts(actor, ids[start : start + BATCH], now=now))
        for start in range(0, len(ids), BATCH)
    )
