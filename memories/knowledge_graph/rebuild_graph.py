"""Rebuild the graph of an organisation from its memories, or clear it.

In steps, each a transaction that locks its memories, so that memories written, moved or forgotten
meanwhile are treated as they are then. Runs in the role of the application, in a scope that reads
every audience; no row that it writes rests on memories of two audiences.
"""

from uuid import UUID

from django.utils import timezone

from memories.knowledge_graph.graph_projection import GRAPH_PROJECTION
from memories.knowledge_graph.models import Edge, Entity, EntitySource
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.audiences import Audience

BATCH_SIZE = 1000


def rebuild_graph(organisation_id: UUID) -> int:
    """Rebuild everything except entities given by hand; returns the number of memories."""
    done, last = 0, None
    while found := rebuild_batch(organisation_id, last):
        done, last = done + len(found), found[-1]
    return done


def rebuild_batch(organisation_id: UUID, last: UUID | None) -> list[UUID]:
    """Rebuild what the next memories after an id show, in one transaction; returns their ids."""
    with scope(_all_audiences_scope(organisation_id)):
        rows = _lock_next_batch(organisation_id, last)
        GRAPH_PROJECTION.renew(rows, timezone.now())
    return [row.id for row in rows]


def count_active(organisation_id: UUID) -> int:
    """How many memories a rebuild looks at."""
    with scope(_all_audiences_scope(organisation_id)):
        rows = Memory.objects.filter(organisation_id=organisation_id, status=Status.ACTIVE)
        return rows.filter(sensitive=False).count()


def delete_graph(organisation_id: UUID) -> None:
    """Delete the graph, except entities given by hand."""
    with scope(_all_audiences_scope(organisation_id)):
        Edge.objects.filter(organisation_id=organisation_id).delete()
        found = Entity.objects.filter(organisation_id=organisation_id)
        found.exclude(source=EntitySource.GIVEN).delete()


def _lock_next_batch(organisation_id: UUID, last: UUID | None) -> list[Memory]:
    """The next memories after an id, in the order of ids."""
    rows = Memory.objects.filter(
        organisation_id=organisation_id, status=Status.ACTIVE, sensitive=False
    )
    if last is not None:
        rows = rows.filter(id__gt=last)
    return list(rows.select_for_update(of=("self",)).order_by("id")[:BATCH_SIZE])


def _all_audiences_scope(organisation_id: UUID) -> Scope:
    with organisation_scope(organisation_id):
        audiences = Audience.objects.filter(organisation_id=organisation_id)
        return Scope(
            organisation=organisation_id, audiences=tuple(audiences.values_list("id", flat=True))
        )
