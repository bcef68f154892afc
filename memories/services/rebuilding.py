"""Switch an index layout of an organisation on or off, and make it anew from the memories."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone

from memories.maintenance import partitions
from memories.models import Memory, Status
from memories.services import projections
from orgs.models import Audience, Organisation, Projection
from orgs.rls import Scope, organisation_scope, scope

BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Layout:
    """fill: make every row anew, returns how many; clear: take every row away. Both commit."""

    fill: Callable[[UUID], int]
    clear: Callable[[UUID], None]


def _fill_from_memories(organisation_id: UUID) -> int:
    """Write the registered projection `graph` anew; it commits as a whole."""
    graph, done = projections.find(Projection.GRAPH), 0
    with _everything(organisation_id):
        graph.clear(organisation_id)
        rows = Memory.objects.filter(organisation_id=organisation_id, status=Status.ACTIVE)
        last = UUID(int=0)
        while batch := list(rows.filter(id__gt=last).order_by("id")[:BATCH]):
            graph.write(batch, timezone.now(), fresh=False)
            done, last = done + len(batch), batch[-1].id
    return done


def _clear_registered(organisation_id: UUID) -> None:
    with _everything(organisation_id):
        projections.find(Projection.GRAPH).clear(organisation_id)


@contextmanager
def _everything(organisation_id: UUID) -> Iterator[None]:
    """All audiences of one organisation at once; nothing that is read here leaves it."""
    with organisation_scope(organisation_id):
        audiences = Audience.objects.filter(organisation_id=organisation_id)
        ids = tuple(audiences.values_list("id", flat=True))
    with scope(Scope(organisation=organisation_id, audiences=ids)):
        yield


LAYOUTS: dict[str, Layout] = {
    Projection.GRAPH: Layout(_fill_from_memories, _clear_registered),
    Projection.PARTITIONS: Layout(partitions.rebuild, partitions.clear),
}


def rebuild_projection(organisation_id: UUID, name: str) -> int:
    """Switch a layout on and fill it; returns its rows. Raises KeyError.

    It is switched on first, so that what is written meanwhile is in it; until it is filled, a
    search in it finds less.
    """
    layout = LAYOUTS[name]
    _switch(organisation_id, name, on=True)
    return layout.fill(organisation_id)


def drop_projection(organisation_id: UUID, name: str) -> None:
    """Switch a layout off and take its rows away. Raises KeyError."""
    layout = LAYOUTS[name]
    _switch(organisation_id, name, on=False)
    layout.clear(organisation_id)


def _switch(organisation_id: UUID, name: str, *, on: bool) -> None:
    with organisation_scope(organisation_id):
        organisation = Organisation.objects.select_for_update().get(id=organisation_id)
        kept = [one for one in organisation.projections if one != name]
        organisation.projections = [*kept, name] if on else kept
        organisation.save(update_fields=["projections"])
