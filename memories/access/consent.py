"""What members have decided about themselves: pauses and opt-outs, looked up and respected."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memories.access.visibility import COHORTS, Visibility
from orgs.models.memberships import Member
from orgs.principals import Actor


class LearningPaused(Exception):
    """Whom it is about lets nothing be learnt about them at present."""

    def __init__(self) -> None:
        super().__init__("This member has paused learning. Nothing was stored.")


class SharingOff(Exception):
    """Whom it is about has opted out of sharing."""

    def __init__(self) -> None:
        super().__init__(
            "This member has opted out of sharing. Keep it private to them, or in the group where "
            "it was said. Nothing was stored."
        )


def refuse_where_opted_out(organisation_id: UUID, member_ids: Iterable[UUID | None]) -> None:
    """Raise SharingOff where one of them has opted out; inside the organisation's scope.

    For what exists already and would be carried further.
    """
    named = {id_ for id_ in member_ids if id_ is not None}
    rows = Member.objects.filter(organisation_id=organisation_id, id__in=named)
    if named and rows.filter(sharing_off_at__isnull=False).exists():
        raise SharingOff


WIDE = (Visibility.ORGANISATION, Visibility.SHARED, Visibility.TEAM, *COHORTS)


@dataclass(slots=True)
class MemberWishes:
    """The wishes of members, each looked up once; call inside the organisation's scope."""

    organisation_id: UUID
    _known: dict[UUID, tuple[datetime | None, datetime | None]] = field(default_factory=dict)

    def look_up(self, member_ids: Iterable[UUID | None]) -> None:
        """Read the wishes of many members in one query."""
        wanted = {id_ for id_ in member_ids if id_ is not None} - set(self._known)
        if not wanted:
            return
        rows = Member.objects.filter(organisation_id=self.organisation_id, id__in=wanted)
        for id_, paused, off in rows.values_list("id", "learning_paused_at", "sharing_off_at"):
            self._known[id_] = (paused, off)

    def check(
        self, actor: Actor, visibility: Visibility, subject: UUID | None, speaker: UUID | None
    ) -> None:
        """Raise LearningPaused or SharingOff; what members write themselves is theirs."""
        mine = actor.member_id if actor.is_person else None
        concerned = {id_ for id_ in (subject, speaker) if id_ and id_ != mine}
        self.look_up(concerned)
        for member_id in concerned:
            paused_at, sharing_off_at = self._known[member_id]
            if paused_at is not None:
                raise LearningPaused
            if sharing_off_at is not None and visibility in WIDE:
                raise SharingOff
