"""Switch an index layout of an organisation on or off, and rebuild it from the memories."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from memories.indexing import partition_projection
from memories.knowledge_graph import rebuild_graph
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation, Projection


@dataclass(frozen=True, slots=True)
class ProjectionOperations:
    """fill: rebuild all rows, returns how many. clear: delete all rows. Both commit."""

    fill: Callable[[UUID], int]
    clear: Callable[[UUID], None]


PROJECTION_OPERATIONS: dict[str, ProjectionOperations] = {
    Projection.GRAPH: ProjectionOperations(rebuild_graph.rebuild_graph, rebuild_graph.delete_graph),
    Projection.PARTITIONS: ProjectionOperations(
        partition_projection.rebuild_partitions, partition_projection.clear_partitions
    ),
}


def enable_projection(organisation_id: UUID, name: str) -> int:
    """Switch a layout on and fill it; returns its number of rows. Raises KeyError for an unknown
    one.

    It is switched on first, so that memories written meanwhile are in it. Until it is filled, a
    search in it finds less.
    """
    layout = PROJECTION_OPERATIONS[name]
    _set_enabled(organisation_id, name, on=True)
    return layout.fill(organisation_id)


def disable_projection(organisation_id: UUID, name: str) -> None:
    """Switch a layout off and delete its rows. Raises KeyError for an unknown one."""
    layout = PROJECTION_OPERATIONS[name]
    _set_enabled(organisation_id, name, on=False)
    layout.clear(organisation_id)


def _set_enabled(organisation_id: UUID, name: str, *, on: bool) -> None:
    with organisation_scope(organisation_id):
        organisation = Organisation.objects.select_for_update().get(id=organisation_id)
        kept = [one for one in organisation.projections if one != name]
        organisation.projections = [*kept, name] if on else kept
        organisation.save(update_fields=["projections"])
