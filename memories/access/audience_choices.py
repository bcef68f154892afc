"""The audiences that a person can choose for a memory, each with its present readers."""

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
    """The choices from the narrowest to the widest: the actor alone, each group whose audience they
    read, everyone.

    organisation: its name, for the sentences.
    """
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
