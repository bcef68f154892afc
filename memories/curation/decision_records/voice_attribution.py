"""The people in the record of a decision: a member, a robot, or a mere name."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from memories.access.consent import MemberConsents
from memories.access.references import ReferenceLookup
from memories.access.visibility import Visibility
from orgs.errors import NotFoundError
from orgs.models.audiences import AudienceType
from orgs.models.memberships import Member
from orgs.models.organisations import Group
from orgs.principals import Actor
from robots.access.writer_identity import check_robot_named, identify_speaker
from robots.models.robots import Robot

# `by` with this prefix names a robot by its id or name; anything else names a speaker.
ROBOT_PREFIX = "robot:"
# The visibility of a decision by its audience kind; all others are private. A decision that waits
# for a review is proposed for everyone.
_VISIBILITY_BY_AUDIENCE = {
    AudienceType.ORGANISATION: Visibility.ORGANISATION,
    AudienceType.REVIEW: Visibility.ORGANISATION,
    AudienceType.EXPLICIT: Visibility.SHARED,
    AudienceType.TEAM: Visibility.TEAM,
}


@dataclass(frozen=True, slots=True)
class Attribution:
    """name: as shown. member_id, robot_id: who it is, if known."""

    name: str = ""
    member_id: UUID | None = None
    robot_id: UUID | None = None

    @property
    def mere_name(self) -> str:
        """The name if nobody here has it, as somebody wrote it; else empty."""
        return "" if self.member_id or self.robot_id else self.name


@dataclass(slots=True)
class AttributionResolver:
    """Looks up the people that a call names; use inside the organisation's scope.

    group: in which it is said.
    """

    actor: Actor
    group: Group | None
    references: ReferenceLookup

    def foresee(self, given: Iterable[str | None]) -> None:
        """Look up everybody whom a call names at once."""
        named = {one for one in given if one and one.strip()}
        robots = {one for one in named if one.startswith(ROBOT_PREFIX)}
        self.references.foresee(
            members=sorted(named - robots),
            robots=[one.removeprefix(ROBOT_PREFIX).strip() for one in sorted(robots)],
            group=self.group,
        )

    def own(self) -> Attribution:
        """The voice of the writer: a person as themselves, a robot as itself."""
        if self.actor.member_id is not None and self.actor.is_person:
            found = Member.objects.get(
                organisation_id=self.actor.organisation_id, id=self.actor.member_id
            )
            return Attribution(found.name, member_id=found.id)
        assert self.actor.robot_id is not None  # noqa: S101 - for the type checker
        robot = Robot.objects.get(
            organisation_id=self.actor.organisation_id, id=self.actor.robot_id
        )
        return Attribution(robot.name, robot_id=robot.id)

    def speaking(self, given: str | None) -> Attribution:
        """The voice whose words a text gives; the writer's if `given` is empty.

        Raises NotFoundError for an unknown robot, and ImpersonationError for somebody for whom the
        actor may not speak.
        """
        if given is None or not given.strip():
            return self.own()
        if given.startswith(ROBOT_PREFIX):
            return self._robot(given)
        return self._speaker(given)

    def taking_part(self, given: str) -> Attribution:
        """The voice of a participant. A person may name any member whom they know, or a mere name;
        a robot only members for whom it may speak. Raises NotFoundError and ImpersonationError."""
        if given.startswith(ROBOT_PREFIX):
            return self._robot(given)
        if not self.actor.is_person:
            return self._speaker(given)
        try:
            member = self.references.member(given, self.group)
        except NotFoundError:
            return Attribution(given)
        return Attribution(member.name, member_id=member.id)

    def _speaker(self, given: str) -> Attribution:
        found = identify_speaker(
            self.actor, given, lambda one: self.references.person(one, self.group), self.group
        )
        return Attribution(found.name, member_id=found.member_id)

    def _robot(self, given: str) -> Attribution:
        robot = self.references.robot(given.removeprefix(ROBOT_PREFIX).strip())
        check_robot_named(self.actor, robot.id)
        return Attribution(robot.name, robot_id=robot.id)


def check_consents(actor: Actor, audience_kind: str, voices: Iterable[Attribution]) -> None:
    """Raise LearningPausedError or SharingOptOutError if a named member has decided so."""
    wishes = MemberConsents(actor.organisation_id)
    visibility = _VISIBILITY_BY_AUDIENCE.get(AudienceType(audience_kind), Visibility.PRIVATE)
    named = [one.member_id for one in voices if one.member_id]
    wishes.look_up(named)
    for member_id in named:
        wishes.check(actor, visibility, None, member_id)
