"""The policy of what workers may do by themselves: read it, and change it as an admin."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.lifecycle.models import AgeingPolicy
from memories.store.models.choices import Type
from orgs import audit
from orgs.principals import Actor, resolve_principal

CHANGEABLE_FIELDS = (
    "evict", "capacities", "merge_duplicates", "max_age_days", "past_half_life", "keep_most",
)  # fmt: skip
MAX_DAYS = 36_500
MAX_KEEP_MOST = 1_000_000_000
ADMINS_ONLY_MESSAGE = "An admin decides what is archived by itself."


class InvalidPolicyError(ValueError):
    """A change that is no valid policy. field: the wrong part; the message says which values are
    valid."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


def find_policy_or_default(organisation_id: UUID, *, using: str = "default") -> AgeingPolicy:
    """The organisation's policy; if none is set, one that allows nothing.

    Call inside a scope of the organisation.
    """
    found = AgeingPolicy.objects.using(using).filter(organisation_id=organisation_id).first()
    return found or AgeingPolicy(organisation_id=organisation_id)


def get_own_policy(actor: Actor) -> AgeingPolicy:
    """The policy of the actor's organisation; every member may read it."""
    with resolve_principal(actor).scope():
        return find_policy_or_default(actor.organisation_id)


def preview_policy(actor: Actor, changes: Mapping[str, Any]) -> AgeingPolicy:
    """The policy as it would be after the changes; nothing is stored. Raises InvalidPolicyError."""
    _check_changes(changes)
    policy = get_own_policy(actor)
    for name, value in changes.items():
        setattr(policy, name, value)
    return policy


def check_admin(actor: Actor) -> None:
    """Raise PermissionError without an admin's rights."""
    if not actor.administers:
        raise PermissionError(ADMINS_ONLY_MESSAGE)


def update_policy(actor: Actor, changes: Mapping[str, Any], *, now: datetime) -> AgeingPolicy:
    """Change the given parts of the policy; the others stay.

    Raises PermissionError without an admin's rights, and InvalidPolicyError for invalid values.
    """
    check_admin(actor)
    _check_changes(changes)
    with resolve_principal(actor).scope():
        AgeingPolicy.objects.bulk_create(
            [AgeingPolicy(organisation_id=actor.organisation_id)], ignore_conflicts=True
        )
        row = AgeingPolicy.objects.select_for_update().get(organisation_id=actor.organisation_id)
        changed = {name: new for name, new in changes.items() if getattr(row, name) != new}
        for name, value in changed.items():
            setattr(row, name, value)
        row.changed_by_id, row.changed_at = actor.member_id, now
        row.save()
        audit.record_entry(
            "policy.changed",
            actor=actor,
            now=now,
            target=row.id,
            target_type="policy",
            **changed,
        )
    return row


def _check_changes(changes: Mapping[str, Any]) -> None:
    for name in sorted(changes.keys() - set(CHANGEABLE_FIELDS)):
        raise InvalidPolicyError(name, f"A policy has no {name}.")
    for name in ("evict", "merge_duplicates", "past_half_life"):
        if not isinstance(changes.get(name, False), bool):
            raise InvalidPolicyError(name, f"{name} is true or false.")
    if changes.get("capacities", "standard") not in ("standard", "large"):
        raise InvalidPolicyError("capacities", "capacities is standard or large.")
    most = changes.get("keep_most")
    if most is not None and not _is_whole(most, MAX_KEEP_MOST):
        raise InvalidPolicyError(
            "keep_most", f"Write a whole number, 1 to {MAX_KEEP_MOST:,}, or nothing."
        )
    ages = changes.get("max_age_days", {})
    if not isinstance(ages, dict):
        raise InvalidPolicyError("max_age_days", "max_age_days has days for types of memory.")
    for type_, days in ages.items():
        if type_ not in Type.values:
            raise InvalidPolicyError("max_age_days", f"There is no type of memory {type_!r}.")
        if not _is_whole(days, MAX_DAYS):
            raise InvalidPolicyError(
                f"days_{type_}", f"Write whole days, 1 to {MAX_DAYS:,}, or nothing."
            )


def _is_whole(value: Any, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most
