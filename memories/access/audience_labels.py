"""An audience in words. It names only what a reader of the memory may see anyway."""

from memories.store.models.memory import Memory
from orgs.models.audiences import AudienceType

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
    return audience_type_label(memory.audience.kind, memory.place.name if memory.place else "")
