"""Where somebody can put a memory, each place with who reads there now."""

from dataclasses import dataclass

from django.db.models import Q

from memories.access.reader_sentences import Readers
from memories.access.readers import readers_in
from orgs.models.audiences import Audience, AudienceKind
from orgs.principals import Actor, resolve


@dataclass(frozen=True, slots=True)
class Place:
    """value: private, organisation, or group:<id>, as forms send it."""

    value: str
    readers: Readers


def places(actor: Actor, *, organisation: str) -> list[Place]:
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
        Place("private", readers[principal.own_audience]),
        *(Place(f"group:{row.group_id}", readers[row.id]) for row in groups),
        Place("organisation", readers[principal.organisation_audience]),
    ]
