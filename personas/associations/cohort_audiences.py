"""The audiences of personas, industries and roles, found by the names that writers use."""

from uuid import UUID

from memories.access.consent import lock_sharing_opt_out
from memories.access.visibility import Visibility
from orgs.errors import ReferenceNotFoundError
from orgs.models.audiences import Audience
from orgs.organisations.references import require_storable
from orgs.principals import Principal
from personas.models.personas import Persona


def get_cohort_audience(principal: Principal, visibility: Visibility, reference: str) -> UUID:
    """The id of an audience that the asker reads.

    It locks the row of the member for whom the asker writes until the transaction ends, so that an
    opt-out at the same time comes either before or after. Raises NotFoundError and
    SharingOptOutError.
    """
    lock_sharing_opt_out(principal)
    tenant = {"organisation_id": principal.organisation_id}
    key = require_storable(reference)
    if visibility is Visibility.PERSONA:
        persona = Persona.objects.filter(**tenant, handle=key).values_list("id", flat=True).first()
        key = str(persona or "")
    found = Audience.objects.filter(**tenant, kind=visibility.value, key=key)
    audience_id = found.values_list("id", flat=True).first()
    if audience_id is None or audience_id not in principal.audiences:
        raise ReferenceNotFoundError(visibility.value, reference)
    return audience_id
