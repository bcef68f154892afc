"""An audience in words. It names only what a reader of the memory may see anyway."""

from memories.store.models.memory import Memory
from orgs.models.audiences import AudienceKind

LABELS = {
    AudienceKind.ORGANISATION: "Everyone in the organisation",
    AudienceKind.MEMBER: "One member alone",
    AudienceKind.ROBOT: "The robot's own notes",
    AudienceKind.TEAM: "The robots of a team",
    AudienceKind.EXPLICIT: "Some people and robots",
    AudienceKind.PERSONA: "People of a persona",
    AudienceKind.INDUSTRY: "Everyone whose persona is of an industry",
    AudienceKind.ROLE: "Everyone whose persona is of a role",
    AudienceKind.REVIEW: "Its author and the reviewers",
}


def kind_label(kind: str, group: str = "") -> str:
    """The words for an audience of this kind; `group` is the group's name."""
    if kind == AudienceKind.GROUP:
        return f"Everyone in {group}" if group else "Everyone in the group"
    return LABELS.get(AudienceKind(kind), kind)


def audience_label(memory: Memory) -> str:
    """The words for a memory's audience; the memory comes with its group."""
    return kind_label(memory.audience.kind, memory.place.name if memory.place else "")
