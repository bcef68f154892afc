"""Where somebody can put a memory, each place with who reads there now."""

from dataclasses import dataclass

from django.db.models import Q

from memories.access.reader_sentences import AudienceSentence
from memories.access.readers import readers_in
from orgs.models.audiences import Audience, AudienceKind
from orgs.principals import Actor, resolve


@dataclass(frozen=True, slots=True)
class AudienceChoice:
    """value: private, organisation, or group:<id>, as forms send it."""

    value: str
    readers: AudienceSentence


def places(actor: Actor, *, organisation: str) -> list[AudienceChoice]:
    """From the narrowest to the widest: oneself, the groups that one reads by name, everyone."""
    principal = resolve(actor)
    with principal.scope():
        ids = {principal.own_audience, principal.organisation_audience}
        grouped = Q(kind=AudienceKind.GROUP, id__in=principal.audiences)
        rows = list(
            Audience.objects.filter(
                Q(id__in=ids) | grouped, organisation_id=principal.organisation_id
            )
        )
        readers = readers_in(principal, rows, organisation)
    groups = [row for row in rows if row.kind == AudienceKind.GROUP]
    groups.sort(key=lambda row: readers[row.id].label.casefold())
    return [
        AudienceChoice("private", readers[principal.own_audience]),
        *(AudienceChoice(f"group:{row.group_id}", readers[row.id]) for row in groups),
        AudienceChoice("organisation", readers[principal.organisation_audience]),
    ]
