"""The audiences of personas, industries and roles, as those that write for them name them."""

from uuid import UUID

from memories.access.consent import SharingOff
from memories.access.visibility import Visibility
from memories.ingestion.cohorts import finds_cohorts
from orgs.database.prepared_statements import fetched
from orgs.errors import NotFound
from orgs.models.audiences import Audience
from orgs.organisations.references import storable
from orgs.principals import Principal
from personas.models.personas import Persona
from robots.registry.robots import owner_of

# Shared: many write for one member at once, and none of them waits for another.
_WISH = """
SELECT sharing_off_at FROM orgs_member
WHERE organisation_id = %(organisation)s AND id = %(member)s FOR SHARE
"""


@finds_cohorts
def find_cohort(principal: Principal, visibility: Visibility, reference: str) -> UUID:
    """The id of an audience that the asker reads.

    The row of the member for whom it is written is locked until the transaction ends: who opts out
    at the same moment waits, or is found to have done so. Raises NotFound and SharingOff.
    """
    refuse_opted_out(principal)
    tenant = {"organisation_id": principal.organisation_id}
    key = storable(reference)
    if visibility is Visibility.PERSONA:
        persona = Persona.objects.filter(**tenant, handle=key).values_list("id", flat=True).first()
        key = str(persona or "")
    found = Audience.objects.filter(**tenant, kind=visibility.value, key=key[:64])
    audience_id = found.values_list("id", flat=True).first()
    if audience_id is None or audience_id not in principal.audiences:
        raise NotFound("no such persona")
    return audience_id


def refuse_opted_out(principal: Principal) -> None:
    """Raise SharingOff where the member for whom a robot writes wants that; the wish is held."""
    actor = principal.actor
    if actor.is_person:
        return
    whose = actor.member_id or owner_of(actor.organisation_id, actor.robot_id)
    if whose is None:
        return
    rows = fetched(_WISH, {"organisation": actor.organisation_id, "member": whose})
    if rows and rows[0][0] is not None:
        raise SharingOff
