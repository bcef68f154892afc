"""What members have decided about themselves: pauses and opt-outs, looked up and respected."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memories.access.visibility import COHORTS, Visibility
from orgs.database.prepared_statements import fetch_all
from orgs.models.memberships import Member
from orgs.principals import Actor, Principal


class LearningPausedError(Exception):
    """The member whom the memory is about has paused learning."""

    def __init__(self) -> None:
        super().__init__("This member has paused learning. Nothing was stored.")


class SharingOptOutError(Exception):
    """The member whom the memory is about has opted out of sharing."""

    def __init__(self) -> None:
        super().__init__(
            "This member has opted out of sharing. Keep it private to them, or in the group where "
            "it was said. Nothing was stored."
        )


def filter_paused_members(organisation_id: UUID, member_ids: Iterable[UUID]) -> set[UUID]:
    """Those of the members who have paused learning; call inside the organisation's scope."""
    wanted = set(member_ids)
    if not wanted:
        return set()
    rows = Member.objects.filter(
        organisation_id=organisation_id, id__in=wanted, learning_paused_at__isnull=False
    )
    return set(rows.values_list("id", flat=True))


def check_sharing_allowed(organisation_id: UUID, member_ids: Iterable[UUID | None]) -> None:
    """Raise SharingOptOutError if one of the members has opted out; inside the organisation's
    scope.

    For a memory that exists already and would get more readers.
    """
    named = {id_ for id_ in member_ids if id_ is not None}
    rows = Member.objects.filter(organisation_id=organisation_id, id__in=named)
    if named and rows.filter(sharing_off_at__isnull=False).exists():
        raise SharingOptOutError


# A shared lock: several writers for one member do not wait for each other.
_LOCK_SHARING_OPT_OUT_SQL = """
SELECT sharing_off_at FROM orgs_member
WHERE organisation_id = %(organisation)s AND id = %(member)s FOR SHARE
"""


def lock_sharing_opt_out(principal: Principal) -> None:
    """Raise SharingOptOutError if the member for whom a robot writes has opted out.

    Otherwise the member's wish is locked until the transaction ends: an opt-out waits until then.
    Call inside the organisation's scope.
    """
    actor = principal.actor
    whose = actor.member_id or actor.owner_id
    if actor.is_person or whose is None:
        return
    rows = fetch_all(
        _LOCK_SHARING_OPT_OUT_SQL, {"organisation": actor.organisation_id, "member": whose}
    )
    if rows and rows[0][0] is not None:
        raise SharingOptOutError


OPT_OUT_VISIBILITIES = (Visibility.ORGANISATION, Visibility.SHARED, Visibility.TEAM, *COHORTS)


@dataclass(slots=True)
class MemberConsents:
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
        """Raise LearningPausedError or SharingOptOutError for the subject or speaker. A member's
        own writing passes."""
        mine = actor.member_id if actor.is_person else None
        concerned = {id_ for id_ in (subject, speaker) if id_ and id_ != mine}
        self.look_up(concerned)
        for member_id in concerned:
            paused_at, sharing_off_at = self._known[member_id]
            if paused_at is not None:
                raise LearningPausedError
            if sharing_off_at is not None and visibility in OPT_OUT_VISIBILITIES:
                raise SharingOptOutError
