"""Switch an index layout of an organisation on or off, and make it anew from the memories."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from memories.indexing import partitions
from memories.knowledge_graph import rebuild
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation, Projection


@dataclass(frozen=True, slots=True)
class Layout:
    """fill: make every row anew, returns how many; clear: take every row away. Both commit."""

    fill: Callable[[UUID], int]
    clear: Callable[[UUID], None]


LAYOUTS: dict[str, Layout] = {
    Projection.GRAPH: Layout(rebuild.rebuild, rebuild.clear),
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
