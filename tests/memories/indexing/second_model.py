"""A second embedding model for tests, and what is stored of both."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from memories.embedding.encoder import Vectors
from memories.embedding.fake_encoder import FakeEncoder
from memories.embedding.model_catalogue import get_model
from memories.indexing import (
    model_choice,
)
from memories.indexing.models import Embedding
from memories.jobs.job_queue import JobTimeSlice, finish_job
from memories.jobs.models import JobType
from memories.jobs.organisation_run import lease_manual_run, run_time_slice
from orgs.principals import resolve_principal
from tests.world import Tenant

OTHER = "other/model"
FAKE, OTHER_NUMBER = 0, get_model(OTHER).number
TEXTS = (
    "The alarm code of the depot changes on Friday.",
    "Bob repairs bicycles in the old harbour.",
    "Invoices are approved by Mina.",
    "The heron stands in the reeds.",
)


class OtherEncoder(FakeEncoder):
    """Another model: its numbers in another order, so that its products with the first mean
    nothing."""

    name = OTHER

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def encode(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        self.calls.append(list(texts))
        return np.ascontiguousarray(super().encode(texts)[:, ::-1])


class ShortEncoder(FakeEncoder):
    """Another model, of another length."""

    name = OTHER
    dimensions = 256


def command(here: Tenant, action: str, *names: str) -> None:
    call_command("embedding_model", action, *names, organisation=here.organisation.slug)


def refused(here: Tenant, action: str, *names: str) -> str:
    with pytest.raises(CommandError) as told:
        command(here, action, *names)
    assert told.value.returncode == 1
    return str(told.value)


def numbers(here: Tenant) -> dict[UUID, set[int]]:
    """The models of which each memory has a text's own vector."""
    with resolve_principal(here.robot("bolt")).scope():
        found: dict[UUID, set[int]] = {}
        for id_, model in Embedding.objects.values_list("memory_id", "model"):
            found.setdefault(id_, set()).add(model)
    return found


def searched(here: Tenant) -> dict[str, int]:
    """How many searched vectors stand where, by model."""
    with resolve_principal(here.robot("bolt")).scope(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT 'rows ' || model, count(*) FROM memories_search WHERE model IS NOT NULL "
            "GROUP BY 1 UNION ALL "
            "SELECT 'beside ' || model, count(*) FROM memories_vector GROUP BY 1"
        )
        return dict(cursor.fetchall())


def search_by_meaning(here: Tenant, text: str) -> list[str]:
    return [content for content, _ in explain_by_meaning(here, text)]


def explain_by_meaning(here: Tenant, text: str) -> list[tuple[str, float]]:
    """The hits with their similarities to the question."""
    body = {"query": text, "strategy": "vector", "limit": 4, "explain": True}
    answer = here.api("bolt").post("/api/v1/recall", body, format="json")
    assert answer.status_code == 200
    return [(hit["content"], hit["scores"]["similarity"]) for hit in answer.json()["results"]]


def fill(tenant: Tenant) -> int:
    """Fill the second model by its job, at once; returns how many memories got a vector."""
    job = lease_manual_run(tenant.id, JobType.RE_EMBED, now=timezone.now())
    assert run_time_slice(job, now=timezone.now(), turn=JobTimeSlice(float("inf")))
    finish_job(None, job)
    return int(job.result["embedded"])


def serves(here: Tenant) -> str:
    return model_choice.find_model_status(here.id).serving


def switched(here: Tenant) -> None:
    command(here, "add", OTHER)
    command(here, "backfill")
    command(here, "switch")
