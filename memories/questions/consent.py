"""Who lets curators see their questions that nothing answered: each member for themselves, an
admin for a robot.

A robot that asks for a member needs both. A personal robot has its owner's, whoever manages it.
Without either, nothing is kept; what is kept goes with the row of the consent.
"""

from datetime import datetime
from uuid import UUID

from memories.questions.models import QuestionConsent
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.base import new_id
from orgs.principals import Actor
from robots.access.robot_administration import check_admin
from robots.models.robots import Robot

# (the member, the robot) whose consent a question needs; each may be null.
WHOSE_SQL = """
    SELECT coalesce(%(member)s::uuid, o.owner_id) AS member,
        CASE WHEN o.owner_id IS NULL THEN %(robot)s::uuid END AS robot
    FROM (SELECT (SELECT r.owner_id FROM robots_robot r WHERE r.organisation_id = %(organisation)s
        AND r.id = %(robot)s::uuid) AS owner_id) o
"""
_CONSENT_SQL = (
    "(SELECT c.id FROM memories_questionconsent c WHERE c.organisation_id = %(organisation)s "
    "AND c.{column} = w.{whose})"
)
MEMBER_CONSENT_SQL = _CONSENT_SQL.format(column="member_id", whose="member")
ROBOT_CONSENT_SQL = _CONSENT_SQL.format(column="robot_id", whose="robot")
# Of a row `w` of WHOSE_SQL, whether everybody whom it names agreed.
ALL_AGREED_SQL = f"""(w.member IS NOT NULL OR w.robot IS NOT NULL)
    AND (w.member IS NULL OR {MEMBER_CONSENT_SQL} IS NOT NULL)
    AND (w.robot IS NULL OR {ROBOT_CONSENT_SQL} IS NOT NULL)"""
# Whether the question of a robot, a member or both may be kept; takes %(organisation)s, %(member)s
# and %(robot)s.
AGREED_SQL = f"EXISTS (SELECT 1 FROM ({WHOSE_SQL}) w WHERE {ALL_AGREED_SQL})"


def find_member_consent(actor: Actor) -> datetime | None:
    """Since when the asking member agrees; None if they do not."""
    return _since(actor, member_id=actor.member_id)


def find_robot_consent(actor: Actor, robot_id: UUID) -> datetime | None:
    """Since when a robot's own questions are seen; None if they are not."""
    return _since(actor, robot_id=robot_id)


def _since(actor: Actor, **whose: UUID | None) -> datetime | None:
    with organisation_scope(actor.organisation_id):
        rows = QuestionConsent.objects.filter(organisation_id=actor.organisation_id, **whose)
        return rows.values_list("created_at", flat=True).first()


def set_member_consent(actor: Actor, *, agrees: bool, now: datetime) -> None:
    """Let curators see the asking member's questions that nothing answers, or no more: then what is
    kept is deleted. Raises PermissionError for a robot."""
    if not actor.is_person or actor.member_id is None:
        raise PermissionError("Only the member decides this.")
    _set_consent(actor, "member", actor.member_id, agrees, now)


def may_consent_for(actor: Actor, robot: Robot) -> bool:
    """Whether the actor decides it for a robot: an admin, of one that works and is nobody's own."""
    is_nobodys = robot.owner_id is None and robot.builtin is None
    return actor.administers and is_nobodys and robot.retired_at is None


def get_consenting_robot(actor: Actor, robot_id: UUID) -> Robot:
    """The robot for which the actor may agree. Raises what `set_robot_consent` raises."""
    check_admin(actor)
    with organisation_scope(actor.organisation_id):
        robots = Robot.objects.filter(organisation_id=actor.organisation_id, id=robot_id)
        robot = robots.first()
    if robot is None or not may_consent_for(actor, robot):
        raise NotFoundError("no such robot")
    return robot


def set_robot_consent(actor: Actor, robot_id: UUID, *, agrees: bool, now: datetime) -> None:
    """The same for what a robot asks for nobody, and for those members who agreed themselves.

    Raises PermissionError for who is no admin, and NotFoundError for a personal robot, a built-in
    one, or one that does not work any more.
    """
    _set_consent(actor, "robot", get_consenting_robot(actor, robot_id).id, agrees, now)


def withdraw_removed_member(actor: Actor, member_id: UUID, *, now: datetime) -> None:
    """Delete the consent of a member who was removed, and what is kept by it."""
    _set_consent(actor, "member", member_id, False, now)


def _set_consent(actor: Actor, whose: str, id_: UUID, agrees: bool, now: datetime) -> None:
    """What changes nothing is not in the audit trail."""
    named = {"organisation_id": actor.organisation_id, f"{whose}_id": id_}
    with organisation_scope(actor.organisation_id):
        rows = QuestionConsent.objects.filter(**named)
        if agrees:
            if rows.exists():
                return
            row = QuestionConsent(id=new_id(), created_at=now, **named)
            QuestionConsent.objects.bulk_create([row], ignore_conflicts=True)
        elif not rows.delete()[0]:
            return
        action = "questions.shown" if agrees else "questions.withheld"
        audit.record_entry(action, actor=actor, now=now, target=id_, target_type=whose)
