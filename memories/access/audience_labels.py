"""An audience in words. It names only what a reader of the memory may see anyway."""

from dataclasses import dataclass

from django.db.models import Q

from memories.access.audience_summary import AudienceSummary
from memories.access.load_audience_summaries import load_audience_summaries
from memories.store.models.memory import Memory
from orgs.cohort_types import GLOBAL_LEVEL, audience_level
from orgs.models.audiences import Audience, AudienceType
from orgs.principals import Actor, resolve_principal

# The audiences that a person can choose for a memory, each with its present readers.


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


AUDIENCE_LABELS = {
    AudienceType.ORGANISATION: "Everyone in the organisation",
    AudienceType.MEMBER: "One member alone",
    AudienceType.ROBOT: "The robot's own notes",
    AudienceType.TEAM: "The robots of a team",
    AudienceType.EXPLICIT: "Some people and robots",
    AudienceType.PERSONA: "People of a persona",
    AudienceType.INDUSTRY: "Everyone whose persona is of an industry",
    AudienceType.ROLE: "Everyone whose persona is of a role",
    AudienceType.REVIEW: "Its author and the reviewers",
}


def audience_type_label(kind: str, group: str = "") -> str:
    """The words for an audience of this kind; `group` is the group's name."""
    if kind == AudienceType.GROUP:
        return f"Everyone in {group}" if group else "Everyone in the group"
    return AUDIENCE_LABELS.get(AudienceType(kind), kind)


def memory_audience_label(memory: Memory) -> str:
    """The words for a memory's audience; the memory comes with its group."""
    if audience_level(memory.audience.kind, memory.audience.key) == GLOBAL_LEVEL:
        return "Everyone who shares, whatever their persona"
    return audience_type_label(memory.audience.kind, memory.place.name if memory.place else "")
