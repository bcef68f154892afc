"""The audiences that a person can choose for a memory, each with its present readers."""

from dataclasses import dataclass

from django.db.models import Q

from memories.access.audience_summary import AudienceSummary
from memories.access.load_audience_summaries import load_audience_summaries
from orgs.models.audiences import Audience, AudienceType
from orgs.principals import Actor, resolve_principal


@dataclass(frozen=True, slots=True)
class AudienceChoice:
    """value: private, organisation, or group:<id>, as forms send it."""

    value: str
    readers: AudienceSummary


def list_audience_choices(actor: Actor, *, organisation: str) -> list[AudienceChoice]:
    """The choices from the narrowest to the widest: the actor alone, each group whose audience they
    read, everyone.

    organisation: its name, for the sentences.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        ids = {principal.own_audience, principal.organisation_audience}
        grouped = Q(kind=AudienceType.GROUP, id__in=principal.audiences)
        rows = list(
            Audience.objects.filter(
                Q(id__in=ids) | grouped, organisation_id=principal.organisation_id
            )
        )
        readers = load_audience_summaries(principal, rows, organisation)
    groups = [row for row in rows if row.kind == AudienceType.GROUP]
    groups.sort(key=lambda row: readers[row.id].label.casefold())
    return [
        AudienceChoice("private", readers[principal.own_audience]),
        *(AudienceChoice(f"group:{row.group_id}", readers[row.id]) for row in groups),
        AudienceChoice("organisation", readers[principal.organisation_audience]),
    ]
