"""The policy of an organisation's gates: every member may read it, admins change it."""

from datetime import datetime

from memories.safety.models import GatePolicy
from memories.safety.required_checks import PersonalDataPolicy
from orgs import audit
from orgs.principals import Actor, resolve_principal

ADMINS_ONLY_MESSAGE = "An admin decides how strict the gates are."


def get_gate_policy(actor: Actor) -> PersonalDataPolicy:
    """When texts of robots are checked for personal data."""
    with resolve_principal(actor).scope():
        rows = GatePolicy.objects.filter(organisation_id=actor.organisation_id)
        found = rows.values_list("personal", flat=True).first()
    return PersonalDataPolicy(found) if found else PersonalDataPolicy.ABOUT_SOMEBODY


def set_gate_policy(actor: Actor, personal: str, *, now: datetime) -> PersonalDataPolicy:
    """Set the policy. Raises PermissionError without an admin's rights, and ValueError for an
    unknown value."""
    if not actor.administers:
        raise PermissionError(ADMINS_ONLY_MESSAGE)
    wanted = PersonalDataPolicy(personal)
    with resolve_principal(actor).scope():
        GatePolicy.objects.bulk_create(
            [GatePolicy(organisation_id=actor.organisation_id)], ignore_conflicts=True
        )
        row = GatePolicy.objects.select_for_update().get(organisation_id=actor.organisation_id)
        before, row.personal = row.personal, wanted.value
        row.changed_by_id, row.changed_at = actor.member_id, now
        row.save()
        audit.record_entry(
            "gate.policy_changed",
            actor=actor,
            now=now,
            target=row.id,
            target_type="policy",
            before=before,
            after=wanted.value,
        )
    return wanted
