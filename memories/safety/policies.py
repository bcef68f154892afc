"""How strict an organisation's gates are: every member reads it, admins change it."""

from datetime import datetime

from memories.safety.models import GatePolicy
from memories.safety.rules import WhenPersonal
from orgs import audit
from orgs.models.memberships import Role
from orgs.principals import Actor, resolve

ADMINS_ONLY = "An admin decides how strict the gates are."


def gate_policy(actor: Actor) -> WhenPersonal:
    """When texts of robots are looked at for what is personal."""
    with resolve(actor).scope():
        rows = GatePolicy.objects.filter(organisation_id=actor.organisation_id)
        found = rows.values_list("personal", flat=True).first()
    return WhenPersonal(found) if found else WhenPersonal.ABOUT_SOMEBODY


def set_gate_policy(actor: Actor, personal: str, *, now: datetime) -> WhenPersonal:
    """Change it. Raises PermissionError for who is no admin, and ValueError for another word."""
    if not (actor.is_person and actor.role == Role.ADMIN):
        raise PermissionError(ADMINS_ONLY)
    wanted = WhenPersonal(personal)
    with resolve(actor).scope():
        GatePolicy.objects.bulk_create(
            [GatePolicy(organisation_id=actor.organisation_id)], ignore_conflicts=True
        )
        row = GatePolicy.objects.select_for_update().get(organisation_id=actor.organisation_id)
        before, row.personal = row.personal, wanted.value
        row.changed_by_id, row.changed_at = actor.member_id, now
        row.save()
        audit.record(
            "gate.policy_changed",
            actor=actor,
            now=now,
            target=row.id,
            target_type="policy",
            before=before,
            after=wanted.value,
        )
    return wanted
