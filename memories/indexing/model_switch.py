"""Vectors that memories still lack: of the serving model, and of one that is kept beside it.

Vectors of two models cannot be compared, so each has its model's number, and a question uses only
vectors of its own model. Memories that are not embedded yet are found by their words.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connections
from django.db.models import Q
from django.utils import timezone

from memories.embedding.encoder import EncoderError
from memories.embedding.encoder_loading import get_encoder
from memories.embedding.model_catalogue import EmbeddingModel
from memories.indexing import embed_worker
from memories.indexing.embed_worker import (
    LeasedMemory,
    ModelVectors,
    encode_texts,
    lock_unchanged,
    store_model_vectors,
)
from memories.indexing.models import Pending
from memories.jobs.job_queue import cancel_job
from memories.jobs.leases import ready_q
from memories.jobs.models import OPEN_STATES, Job, JobState, JobType
from memories.jobs.organisation_run import (
    MANUAL_RUN,
    OrganisationRun,
    build_job,
    ensure_curators_audience,
)
from memories.jobs.run_jobs import PermanentJobError
from memories.jobs.worker_hints import notify_job_worker
from memories.store.models.memory import Memory
from memories.store.organisation_models import OrganisationModels, find_organisation_models
from orgs.database.advisory_locks import acquire_advisory_lock
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation
from orgs.placement.all_organisations import list_organisation_ids

log = logging.getLogger("commonmind.embedding")

WORKER = "worker"

# Keyset paging: each of a million rows is read once, not once for each portion.
_MISSING_VECTORS_SQL = """
SELECT t.memory_id, t.audience_id, t.kind FROM memories_text t
WHERE t.organisation_id = %(organisation)s AND t.memory_id > %(after)s
  AND NOT EXISTS (SELECT 1 FROM memories_embedding e WHERE e.organisation_id = t.organisation_id
                  AND e.memory_id = t.memory_id AND e.model = %(model)s)
  AND NOT EXISTS (SELECT 1 FROM memories_pending p WHERE p.organisation_id = t.organisation_id
                  AND p.memory_id = t.memory_id)
ORDER BY t.memory_id LIMIT %(portion)s
"""
BATCH_SIZE = 2_000
# Those that wait for a first vector get one of each model.
_UNFILLED_SQL = """
FROM memories_text t
WHERE t.organisation_id = %(organisation)s
  AND NOT EXISTS (SELECT 1 FROM memories_embedding e WHERE e.organisation_id = t.organisation_id
                  AND e.memory_id = t.memory_id AND e.model = %(model)s)
  AND (EXISTS (SELECT 1 FROM memories_embedding o WHERE o.organisation_id = t.organisation_id
               AND o.memory_id = t.memory_id AND o.model = %(other)s)
       OR NOT EXISTS (SELECT 1 FROM memories_pending p
                      WHERE p.organisation_id = t.organisation_id AND p.memory_id = t.memory_id))
"""
_NEXT_UNFILLED_SQL = f"""
SELECT t.memory_id {_UNFILLED_SQL} AND t.memory_id > %(after)s
ORDER BY t.memory_id LIMIT %(portion)s
"""
_COUNT_UNFILLED_SQL = f"SELECT count(*) {_UNFILLED_SQL}"
_COUNT_TEXTS_SQL = "SELECT count(*) FROM memories_text WHERE organisation_id = %(organisation)s"
# Texts of one portion: a portion is one transaction, and others wait for its locks.
FILL_BATCH_SIZE = 32


def enqueue_missing_vectors(organisation_id: UUID, *, now: datetime) -> int:
    """Queue every memory without a vector of the serving model; returns how many.

    After a change of ENCODER these are all memories of an organisation that chose no model itself;
    until they are done, words find them.
    """
    owed, after = 0, UUID(int=0)
    model = find_organisation_models(organisation_id, using=WORKER).serving
    while True:
        with organisation_scope(organisation_id, using=WORKER):
            values: dict[str, Any] = {
                "organisation": organisation_id,
                "model": model.number,
                "after": after,
            }
            with connections[WORKER].cursor() as cursor:
                cursor.execute(_MISSING_VECTORS_SQL, values | {"portion": BATCH_SIZE})
                found = cursor.fetchall()
            Pending.objects.using(WORKER).bulk_create(
                [
                    Pending(
                        organisation_id=organisation_id,
                        memory_id=id_,
                        audience_id=audience_id,
                        kind=kind,
                        created_at=now,
                    )
                    for id_, audience_id, kind in found
                ],
                ignore_conflicts=True,
            )
        owed += len(found)
        if len(found) < BATCH_SIZE:
            return owed
        after = found[-1][0]


def count_unfilled(
    organisation_id: UUID, model: EmbeddingModel, other: EmbeddingModel, *, using: str = WORKER
) -> tuple[int, int]:
    """(memories without a vector of `model`, without those that wait for a first vector of any
    model; all searchable memories). other: the model that is kept beside it. Call inside a scope
    that reads all of them."""
    values = {"organisation": organisation_id, "model": model.number, "other": other.number}
    [(missing,)] = fetch_all(_COUNT_UNFILLED_SQL, values, using)
    [(texts,)] = fetch_all(_COUNT_TEXTS_SQL, {"organisation": organisation_id}, using)
    return int(missing), int(texts)


@dataclass(frozen=True, slots=True)
class FilledPortion:
    """last: the last memory that was looked at; None if no memory lacks a vector any more. stored,
    refused: how many memories got one, and how many texts the encoder refused."""

    last: UUID | None
    stored: int = 0
    refused: int = 0


def fill_portion(
    organisation_id: UUID, models: OrganisationModels, after: UUID
) -> FilledPortion | None:
    """Give the next memories after an id their vectors of the second model.

    None if the models changed meanwhile: ask again. Raises EncoderError if
    the model cannot be loaded.
    """
    if models.second is None:
        return FilledPortion(None)
    texts = _next_texts(organisation_id, models.second, models.serving, after)
    if not texts:
        return FilledPortion(None)
    return _store_portion(organisation_id, texts, models.second, models)


def list_unfilled_organisations() -> list[UUID]:
    """The ids of organisations whose second model is to be filled in the background."""
    return list_organisation_ids(~Q(second_encoder="") & Q(fill_paused=False))


def _has_waiting(organisation_id: UUID, now: datetime) -> bool:
    """Whether memories wait for their first vector."""
    with organisation_scope(organisation_id, using=WORKER):
        rows = Pending.objects.using(WORKER).filter(organisation_id=organisation_id)
        return rows.filter(ready_q(now)).exists()


def _next_texts(
    organisation_id: UUID,
    model: EmbeddingModel,
    other: EmbeddingModel,
    after: UUID,
    most: int | None = None,
) -> list[LeasedMemory]:
    """The next memories without a vector of the model, in the order of their ids; `most` or a
    portion of them. other: the model that is kept beside it."""
    with organisation_scope(organisation_id, using=WORKER):
        values = {
            "organisation": organisation_id,
            "model": model.number,
            "other": other.number,
            "after": after,
            "portion": most or FILL_BATCH_SIZE,
        }
        ids = [id_ for (id_,) in fetch_all(_NEXT_UNFILLED_SQL, values, WORKER)]
        found = Memory.objects.using(WORKER).in_bulk(ids)
    return [embed_worker.to_text(found[id_]) for id_ in ids if id_ in found]


def _store_portion(
    organisation_id: UUID,
    texts: Sequence[LeasedMemory],
    model: EmbeddingModel,
    models: OrganisationModels,
) -> FilledPortion | None:
    """Store the vectors of one portion; None if the models changed."""
    found = _encode_each(texts, model)
    vectors = ModelVectors(
        {id_: one for each in found for id_, one in each.whole.items()},
        {id_: one for each in found for id_, one in each.parts.items()},
    )
    with organisation_scope(organisation_id, using=WORKER):
        current = lock_unchanged(organisation_id, texts, models)
        if current is None:
            return None
        done = [
            text
            for text in texts
            if text.memory_id in vectors.whole
            and (row := current.get(text.memory_id))
            and row.version == text.version
        ]
        store_model_vectors(done, current, vectors, model, models, words=False, using=WORKER)
    refused = sum(text.memory_id not in vectors.whole for text in texts)
    return FilledPortion(texts[-1].memory_id, len(done), refused)


def _encode_each(texts: Sequence[LeasedMemory], model: EmbeddingModel) -> list[ModelVectors]:
    """The vectors of all texts that the encoder does not refuse. Raises EncoderError."""
    get_encoder(model.name)
    try:
        return [encode_texts(texts, model)]
    except Exception as error:
        # The class alone: a library's message may quote the text.
        log.warning("filling failed: %s", type(error).__name__)
        if len(texts) == 1:
            return []
        return [each for text in texts for each in _encode_each([text], model)]


# The job of the organisation that fills the second model. What is stored is the progress: a job
# that goes on looks for what is still missing.

KIND = JobType.RE_EMBED
_NO_ID = UUID(int=0)


def find_last_job(organisation_id: UUID) -> Job | None:
    """The newest job that fills the second model; in the role of the worker."""
    with organisation_scope(organisation_id, using=WORKER):
        rows = Job.objects.using(WORKER).filter(
            organisation_id=organisation_id, kind=KIND, **MANUAL_RUN
        )
        return rows.order_by("-id").first()


def enqueue_reembedding(organisation_id: UUID, *, now: datetime) -> Job:
    """Queue the filling and wake a worker; one that waits or runs already is returned."""
    audience_id = ensure_curators_audience(organisation_id)
    with organisation_scope(organisation_id):
        acquire_advisory_lock(organisation_id, KIND)
        job = find_last_job(organisation_id)
        if job is not None and job.state in OPEN_STATES:
            return job
        job = build_job(organisation_id, KIND, audience_id, now)
        with organisation_scope(organisation_id, using=WORKER):
            job.save(using=WORKER, force_insert=True)
    notify_job_worker(organisation_id, job.id, None)
    return job


def enqueue_missing(organisation_id: UUID, *, now: datetime) -> bool:
    """Queue the filling of what came to lack a vector after the last job was done; returns whether
    it was. What was cancelled or stopped for good waits for somebody to go on with it."""
    job = find_last_job(organisation_id)
    if job is not None and job.state != JobState.DONE:
        return False
    models = find_organisation_models(organisation_id, using=WORKER)
    if models.second is None:
        return False
    if not _next_texts(organisation_id, models.second, models.serving, _NO_ID, most=1):
        return False
    enqueue_reembedding(organisation_id, now=now)
    return True


def is_running(organisation_id: UUID, *, now: datetime) -> bool:
    """Whether somebody fills the second model now; False if the worker of a running job died."""
    job = find_last_job(organisation_id)
    return bool(
        job is not None
        and job.state == JobState.RUNNING
        and job.leased_until is not None
        and job.leased_until >= now
    )


def cancel_open_job(organisation_id: UUID, *, now: datetime) -> None:
    """Cancel the filling if it waits or runs."""
    job = find_last_job(organisation_id)
    if job is not None and job.state in OPEN_STATES:
        with organisation_scope(organisation_id, using=WORKER):
            rows = Job.objects.using(WORKER).filter(organisation_id=organisation_id)
            cancel_job(rows.filter(state__in=OPEN_STATES), job.id, now=now)


def run_reembedding(run: OrganisationRun) -> None:
    """The work of the job. Results: embedded, refused (by the encoder).

    Memories that wait for their first vector come first. Raises PermanentJobError if the model is
    not installed, or refused texts at the end; the next try begins with these.
    """
    organisation_id = run.organisation_id
    _end_pause(organisation_id)
    while True:
        models = find_organisation_models(organisation_id, using=WORKER)
        if models.second is None:
            return
        if run.place.get("model") != models.second.name:
            _begin_model(run, models.second, models.serving)
        now = timezone.now()
        if not (
            _has_waiting(organisation_id, now)
            and embed_worker.embed_pending(organisation_id, now=now)
        ):
            portion = _try_portion(organisation_id, models, UUID(run.place["after"]))
            if portion is None:
                continue
            if portion.last is None:
                break
            run.place["after"] = str(portion.last)
            run.count(embedded=portion.stored, refused=portion.refused)
        if not run.step(run.result["embedded"] + run.result["refused"], run.place["total"]):
            return
    run.job.done = run.job.total = run.result["embedded"] + run.result["refused"]
    if run.result["refused"]:
        run.place.clear()
        raise PermanentJobError("The second embedding model refused texts.")


def _try_portion(
    organisation_id: UUID, models: OrganisationModels, after: UUID
) -> FilledPortion | None:
    try:
        return fill_portion(organisation_id, models, after)
    except EncoderError as error:
        raise PermanentJobError("The worker cannot load the second embedding model.") from error


def _begin_model(run: OrganisationRun, model: EmbeddingModel, other: EmbeddingModel) -> None:
    """Begin at the first memory: of a new job, or because the models changed meanwhile."""
    with organisation_scope(run.organisation_id, using=WORKER):
        missing, _ = count_unfilled(run.organisation_id, model, other)
    run.place.update(model=model.name, after=str(_NO_ID), total=missing)
    run.result.update(embedded=0, refused=0)


def _end_pause(organisation_id: UUID) -> None:
    """Whoever lets the job go on ends the pause."""
    with organisation_scope(organisation_id):
        paused = Organisation.objects.filter(id=organisation_id, fill_paused=True)
        paused.update(fill_paused=False)
