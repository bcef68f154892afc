"""Strategies that search a layout of their own need it to be kept."""

from uuid import UUID

from orgs.database.prepared_statements import fetched

_SWITCHED_ON = """
SELECT %(name)s::text = ANY(projections) FROM orgs_organisation WHERE id = %(organisation)s
"""


class ProjectionOff(ValueError):
    """The layout that the strategy searches is not kept for this organisation."""


def require(organisation_id: UUID, name: str) -> None:
    """One query in the organisation's scope. Raises ProjectionOff, which says what to do."""
    values = {"organisation": organisation_id, "name": name}
    if fetched(_SWITCHED_ON, values) != [(True,)]:
        raise ProjectionOff(
            f"This organisation keeps no layout “{name}”. Whoever runs the machine switches it on "
            f"with: manage.py rebuild_projections --organisation <slug> {name}"
        )
