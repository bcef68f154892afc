"""Where a draft goes, once that is decided."""

from dataclasses import dataclass
from uuid import UUID

from orgs.principals import Principal


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Everything about a draft that had to be looked up."""

    principal: Principal
    audience_id: UUID
    audience_kind: str
    audience_label: str
    status: str
    kind: str
    member_id: UUID | None
    speaker: str
    speaker_member_id: UUID | None
    listeners: tuple[UUID, ...]
    proposed_audience_id: UUID | None = None

    @property
    def is_deposit(self) -> bool:
        """Whether the writer puts it where it cannot look."""
        return self.audience_id not in self.principal.audiences
