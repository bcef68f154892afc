"""The graph of an organisation made anew from its memories, or cleared away.

In steps, each a transaction of its own that locks its memories, so that what is written, moved or
forgotten meanwhile is in it as it is then. Runs as the application, in a scope that reads every
audience; nothing that it writes rests on memories of two.
"""

from uuid import UUID

from django.utils import timezone

from memories.knowledge_graph.models import Edge, Entity, EntitySource
from memories.knowledge_graph.write_graph import GRAPH
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.audiences import Audience

STEP = 1000


def rebuild(organisation_id: UUID) -> int:
    """Make everything anew but what was given by hand; returns how many memories are in it."""
    everything, now, done = _everything(organisation_id), timezone.now(), 0
    last: UUID | None = None
    while True:
        with scope(everything):
            rows = _step(organisation_id, last)
            GRAPH.renew(rows, now)
        if not rows:
            return done
        done, last = done + len(rows), rows[-1].id


def clear(organisation_id: UUID) -> None:
    """Give the room back; what was given by hand stays."""
    with scope(_everything(organisation_id)):
        Edge.objects.filter(organisation_id=organisation_id).delete()
        found = Entity.objects.filter(organisation_id=organisation_id)
        found.exclude(source=EntitySource.GIVEN).delete()


def _step(organisation_id: UUID, last: UUID | None) -> list[Memory]:
    """The next memories in the order in which they came."""
    rows = Memory.objects.filter(
        organisation_id=organisation_id, status=Status.ACTIVE, sensitive=False
    )
    if last is not None:
        rows = rows.filter(id__gt=last)
    return list(rows.select_for_update(of=("self",)).order_by("id")[:STEP])


def _everything(organisation_id: UUID) -> Scope:
    with organisation_scope(organisation_id):
        audiences = Audience.objects.filter(organisation_id=organisation_id)
        return Scope(
            organisation=organisation_id, audiences=tuple(audiences.values_list("id", flat=True))
        )
