"""Change the embedding model of an organisation while it is in use, and back.

add: the model is kept beside the serving one; a job of the organisation fills what it lacks
(`model_switch`). switch: one row changes, and with it the model of every recall that begins later.
back: the same the other way, as long as both are kept. remove: the one that does not serve is no
longer kept; its vectors go in portions, and those of the other move into the narrow rows
(docs/adr/0051-key-of-a-vector.md).
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memories.embedding.encoder import EncoderError
from memories.embedding.encoder_loading import get_encoder
from memories.embedding.model_catalogue import EmbeddingModel, canonical_name, get_model
from memories.indexing import model_switch, organisation_indexes, partition_projection
from memories.indexing.embed_worker import MODELS_LOCK
from memories.indexing.model_switch import count_unfilled
from memories.jobs.models import JobState
from memories.store.organisation_models import (
    OrganisationModels,
    find_organisation_models,
    to_organisation_models,
)
from orgs import audit
from orgs.database.advisory_locks import acquire_advisory_lock, acquire_shared_lock
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from orgs.models.organisations import EncoderChoice, Organisation
from orgs.placement.all_organisations import list_organisation_ids
from orgs.principals import Actor

WORKER = "worker"
# Memories of one portion of what is moved or deleted.
CLEAN_BATCH_SIZE = 500

_MOVE_SQL = """
WITH portion AS (
    SELECT memory_id, embedding FROM memories_vector
    WHERE organisation_id = %(organisation)s AND model = %(model)s AND part = 0
    ORDER BY memory_id LIMIT %(portion)s FOR UPDATE
), moved AS (
    UPDATE memories_search s SET embedding = portion.embedding, model = %(model)s
    FROM portion WHERE s.organisation_id = %(organisation)s AND s.memory_id = portion.memory_id
)
DELETE FROM memories_vector v USING portion
WHERE v.organisation_id = %(organisation)s AND v.memory_id = portion.memory_id
  AND v.model = %(model)s AND v.part = 0
RETURNING v.memory_id
"""
# What nobody asks for any more. An own vector goes with the searched one of the same memory, so
# that no half of a vector is taken for a whole one when its model is added again.
_DELETE_SQL = """
WITH portion AS (
    SELECT memory_id, model FROM memories_embedding
    WHERE organisation_id = %(organisation)s AND model <> %(model)s
    UNION
    SELECT memory_id, model FROM memories_vector
    WHERE organisation_id = %(organisation)s AND model <> %(model)s
    LIMIT %(portion)s
), further AS (
    DELETE FROM memories_vector v USING portion
    WHERE v.organisation_id = %(organisation)s AND v.memory_id = portion.memory_id
      AND v.model = portion.model
), in_rows AS (
    UPDATE memories_search s SET embedding = NULL, model = NULL FROM portion
    WHERE s.organisation_id = %(organisation)s AND s.memory_id = portion.memory_id
      AND s.model = portion.model
), own AS (
    DELETE FROM memories_embedding e USING portion
    WHERE e.organisation_id = %(organisation)s AND e.memory_id = portion.memory_id
      AND e.model = portion.model
)
SELECT memory_id FROM portion
"""
_IS_LEFT_SQL = """
SELECT EXISTS (SELECT FROM memories_vector WHERE organisation_id = %(organisation)s
               AND (part = 0 OR model <> %(model)s))
    OR EXISTS (SELECT FROM memories_embedding
               WHERE organisation_id = %(organisation)s AND model <> %(model)s)
"""


class ModelChoiceError(Exception):
    """The models cannot be changed so; the text says why, in one sentence."""


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """serving, second: names; second is None if none is kept. state: alone, filling, paused (or its
    job was cancelled), stopped (its job failed), ready, switched (the second one served before), or
    removing. missing: memories without a vector of the
    second model; memories: all searchable ones. indexed: whether large scopes find by both."""

    serving: str
    second: str | None
    state: str
    missing: int
    memories: int
    indexed: bool


@contextmanager
def _locked(organisation_id: UUID) -> Iterator[Organisation]:
    """The organisation, in its scope, while nobody stores vectors or changes its models."""
    with organisation_scope(organisation_id):
        acquire_advisory_lock(organisation_id, MODELS_LOCK)
        # Every row of the tenant refers to it, and goes on being written.
        yield Organisation.objects.select_for_update(no_key=True).get(id=organisation_id)


def _choice(organisation: Organisation) -> EncoderChoice:
    return EncoderChoice(
        organisation.encoder,
        organisation.second_encoder,
        organisation.row_encoder,
        organisation.has_parts,
    )


def _store(organisation: Organisation, choice: EncoderChoice) -> None:
    organisation.encoder = choice.serving
    organisation.second_encoder, organisation.row_encoder = choice.second, choice.rows
    organisation.save(update_fields=["encoder", "second_encoder", "row_encoder", "fill_paused"])


def _record(organisation: Organisation, action: str, now: datetime, **names: Any) -> None:
    """Put the act of an operator into the audit trail. names: of models."""
    audit.record_entry(
        action,
        actor=Actor(organisation_id=organisation.id),
        now=now,
        target=organisation.id,
        target_type="organisation",
        **names,
    )


def find_model_status(organisation_id: UUID) -> ModelStatus:
    """Which models the organisation has, and how far the second one is."""
    with organisation_scope(organisation_id):
        organisation = Organisation.objects.get(id=organisation_id)
    choice = _choice(organisation)
    models = to_organisation_models(choice)
    with organisation_scope(organisation_id, using=WORKER):
        missing, memories = count_unfilled(
            organisation_id, models.second or models.serving, models.serving
        )
    state = "ready"
    if models.second is None:
        missing, state = 0, "removing" if choice.rows else "alone"
    elif models.serving != models.rows:
        state = "switched"
    elif missing:
        state = _filling_state(organisation)
    return ModelStatus(
        serving=models.serving.name,
        second=models.second.name if models.second else None,
        state=state,
        missing=missing,
        memories=memories,
        indexed=organisation_indexes.is_indexed(organisation_id, models),
    )


def _filling_state(organisation: Organisation) -> str:
    job = model_switch.find_last_job(organisation.id)
    if organisation.fill_paused or (job is not None and job.state == JobState.CANCELLED):
        return "paused"
    return "stopped" if job is not None and job.state == JobState.DEAD else "filling"


def add_model(organisation_id: UUID, name: str, *, now: datetime) -> None:
    """Keep another model beside the serving one, and have it filled. Raises ModelChoiceError, and
    nothing changed."""
    key = canonical_name(name)
    try:
        get_encoder(key)
    except EncoderError as error:
        raise ModelChoiceError(f"{name} cannot be used: {error}.") from error
    with _locked(organisation_id) as organisation:
        choice = _choice(organisation)
        models = to_organisation_models(choice)
        if models.serving.number == get_model(key).number:
            raise ModelChoiceError(f"{models.serving.name} serves already.")
        if models.second is not None:
            raise ModelChoiceError(
                f"{models.second.name} is kept beside {models.serving.name} already; "
                "remove one of them first."
            )
        if choice.rows:
            raise ModelChoiceError("The vectors of a removed model are still being deleted.")
        organisation.fill_paused = False
        serving = models.serving.name
        _store(organisation, EncoderChoice(serving, key, serving))
    model_switch.enqueue_reembedding(organisation_id, now=now)


def set_fill_paused(organisation_id: UUID, *, paused: bool, now: datetime) -> None:
    """Cancel the filling of the second model, or take that back, so that its job may go on. New
    memories get both vectors in any case. Raises ModelChoiceError if there is none."""
    with _locked(organisation_id) as organisation:
        if not organisation.second_encoder:
            raise ModelChoiceError("No second model is kept; add one first.")
        organisation.fill_paused = paused
        _store(organisation, _choice(organisation))
    if paused:
        model_switch.cancel_open_job(organisation_id, now=now)


def switch_model(organisation_id: UUID, *, now: datetime) -> str:
    """Serve by the model that was added; returns its name. Recalls that have begun end on the model
    with which they began. Raises ModelChoiceError if one is not there or not complete."""
    with _locked(organisation_id) as organisation:
        models = to_organisation_models(_choice(organisation))
        if models.second is None:
            raise ModelChoiceError("No second model is kept; add one first.")
        if models.serving != models.rows:
            raise ModelChoiceError(
                f"{models.serving.name} serves already; back returns to {models.second.name}."
            )
        _exchange(organisation, models, models.second)
        _record(organisation, "encoder.switched", now, **_names(models.second, models.serving))
        return models.second.name


def switch_back(organisation_id: UUID, *, now: datetime) -> str:
    """Serve by the model of before; returns its name. Raises ModelChoiceError if it is not kept any
    more or not complete."""
    with _locked(organisation_id) as organisation:
        models = to_organisation_models(_choice(organisation))
        if models.second is None or models.serving == models.rows:
            raise ModelChoiceError(f"{models.serving.name} serves, and no model of before is kept.")
        _exchange(organisation, models, models.second)
        _record(organisation, "encoder.switched_back", now, **_names(models.second, models.serving))
        return models.second.name


def _exchange(
    organisation: Organisation, models: OrganisationModels, second: EmbeddingModel
) -> None:
    """Let the second model serve, and keep the one that served."""
    with organisation_scope(organisation.id, using=WORKER):
        missing, memories = count_unfilled(organisation.id, second, models.serving)
    if missing:
        raise ModelChoiceError(
            f"{missing:,} of {memories:,} memories have no vector of {second.name} yet."
        )
    if not organisation_indexes.is_indexed(organisation.id, models):
        raise ModelChoiceError(
            f"The index of {second.name} is not built yet; maintain_indexes builds it."
        )
    choice = EncoderChoice(second.name, models.serving.name, organisation.row_encoder)
    _store(organisation, choice)


def _names(model: EmbeddingModel, before: EmbeddingModel) -> dict[str, Any]:
    return {"model": model.name, "before": before.name}


def remove_model(organisation_id: UUID, name: str, *, now: datetime) -> None:
    """Keep a model no longer that does not serve; `clean_up` deletes its vectors. Raises
    ModelChoiceError. Removing it once more changes nothing, so that `clean_up` can go on."""
    key = canonical_name(name)
    with _locked(organisation_id) as organisation:
        choice = _choice(organisation)
        models = to_organisation_models(choice)
        if key == models.serving.name:
            raise ModelChoiceError(f"{key} serves, so it cannot be removed.")
        if models.second is None and choice.rows:
            return
        if models.second is None or key != models.second.name:
            raise ModelChoiceError(f"{name} is not kept.")
        organisation.fill_paused = False
        _store(organisation, EncoderChoice(choice.serving, "", choice.rows))
        _record(organisation, "encoder.removed", now, model=key)


def clean_up(organisation_id: UUID, *, seconds: float | None = None) -> bool:
    """Move the vectors of the serving model into the narrow rows and delete all others, portion by
    portion; returns whether nothing is left. What is done is the progress. seconds: for how long at
    most."""
    started = time.monotonic()
    if not _is_cleaned(organisation_id):
        # While the rows are moved, large scopes are searched by both indexes.
        organisation_indexes.ensure_indexes_of_large(organisation_id)
    while not _is_cleaned(organisation_id):
        if seconds is not None and time.monotonic() - started >= seconds:
            return False
        if not _clean_portion(organisation_id):
            _finish(organisation_id)
    return True


def list_uncleaned_organisations() -> list[UUID]:
    """The ids of organisations of which a removed model has left something."""
    return list_organisation_ids(Q(second_encoder="") & ~Q(row_encoder=""))


def _is_cleaned(organisation_id: UUID) -> bool:
    with organisation_scope(organisation_id):
        found = Organisation.with_removed.get(id=organisation_id)
    return bool(found.second_encoder or not found.row_encoder)


def _clean_portion(organisation_id: UUID) -> int:
    """Move or delete one portion; returns of how many memories."""
    with organisation_scope(organisation_id, using=WORKER):
        acquire_shared_lock(organisation_id, MODELS_LOCK, using=WORKER)
        models = find_organisation_models(organisation_id, using=WORKER)
        if models.second is not None:
            return 0
        values = {
            "organisation": organisation_id,
            "model": models.serving.number,
            "portion": CLEAN_BATCH_SIZE,
        }
        ids = fetch_all(_MOVE_SQL, values, WORKER) or fetch_all(_DELETE_SQL, values, WORKER)
        partition_projection.refresh_partition_rows(
            organisation_id, [id_ for (id_,) in ids], using=WORKER
        )
    return len(ids)


def _finish(organisation_id: UUID) -> None:
    with _locked(organisation_id) as organisation:
        choice = _choice(organisation)
        model = to_organisation_models(choice).serving.number
        with organisation_scope(organisation_id, using=WORKER):
            values = {"organisation": organisation_id, "model": model}
            [(left,)] = fetch_all(_IS_LEFT_SQL, values, WORKER)
        if not left and not choice.second:
            _store(organisation, EncoderChoice(choice.serving, "", ""))
