"""A memory that is embedded once more has the vector of what it says now, and one row for it."""

from uuid import UUID

import numpy as np
from django.utils import timezone

from memories.embedding.encoder_loading import get_encoder
from memories.indexing.models import Embedding, Pending
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from tests.world import Tenant, World


def stored(here: Tenant, memory_id: UUID) -> tuple[list[Embedding], Memory]:
    with organisation_scope(here.id, using="worker"):
        rows = Embedding.objects.using("worker").filter(memory_id=memory_id)
        return list(rows), Memory.objects.using("worker").get(id=memory_id)


def halves(row: Embedding) -> list[float]:
    found: list[float] = np.asarray(row.own, dtype=np.float16).tolist()
    return found


def test_a_vector_that_is_there_is_replaced(lasting_world: World) -> None:
    here = lasting_world.here
    memory_id = here.remember(here.robot("aria"), "The launch is on Friday.", group="launch").id
    here.embed()
    [[first], memory] = stored(here, memory_id)
    expected = get_encoder().encode(["The launch is on Friday."])[0].astype(np.float16)
    assert halves(first) == expected.tolist()
    with organisation_scope(here.id, using="worker"):
        wrong = np.zeros(384, dtype=np.float32)
        Embedding.objects.using("worker").filter(id=first.id).update(own=wrong)
        Pending.objects.using("worker").create(
            organisation_id=here.id,
            memory_id=memory_id,
            audience_id=memory.audience_id,
            kind=memory.kind,
            created_at=timezone.now(),
        )
    here.embed()
    [[again], _] = stored(here, memory_id)
    assert halves(again) == expected.tolist()
    kept = (again.id, again.audience_id, again.kind, again.group_id)
    assert kept == (first.id, memory.audience_id, memory.kind, memory.group_id)
