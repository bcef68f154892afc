"""The check that a strategy's index layout is switched on."""

from uuid import UUID

from orgs.database.prepared_statements import fetch_all

_IS_ON_SQL = """
SELECT %(name)s::text = ANY(projections) FROM orgs_organisation WHERE id = %(organisation)s
"""


class ProjectionOffError(ValueError):
    """The index layout of the strategy is off for this organisation."""


def check_projection(organisation_id: UUID, name: str) -> None:
    """Raise ProjectionOffError, with what to do, if the layout is off. One query in the
    organisation's scope."""
    values = {"organisation": organisation_id, "name": name}
    if fetch_all(_IS_ON_SQL, values) != [(True,)]:
        raise ProjectionOffError(
            f"This organisation keeps no layout “{name}”. Whoever runs the machine switches it on "
            f"with: manage.py rebuild_projections --organisation <slug> {name}"
        )
