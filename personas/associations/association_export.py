"""The associations in a member's export of their own data."""

from collections.abc import Iterator
from typing import Any

from orgs.principals import Principal
from personas.associations.association_changes import visible_associations


def iter_own_associations(principal: Principal) -> Iterator[dict[str, Any]]:
    """Which personas the member has or is said to have, the first said first; call in their scope.

    robot: the one that said so; None where a person did. confirmed_at: None while it waits.
    """
    actor = principal.actor
    # A curator knows everybody's associations, but exports only their own.
    rows = visible_associations(actor).filter(member_id=actor.member_id)  # type: ignore[misc]  # a person
    for row in rows.order_by("discovered_at", "id"):
        yield {
            "persona": row.persona.handle,
            "confidence": row.confidence,
            "discovered_at": row.discovered_at,
            "last_confirmed_at": row.last_confirmed_at,
            "confirmed_at": row.confirmed_at,
            "robot": row.proposed_by.name if row.proposed_by else None,
        }
