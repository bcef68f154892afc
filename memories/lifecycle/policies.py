"""The policy of what workers may do by themselves: read it, and change it as an admin."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.lifecycle.models import AgeingPolicy
from memories.store.models.choices import Type
from orgs import audit
from orgs.models.memberships import Role
from orgs.principals import Actor, resolve

CHANGED = (
    "evict", "capacities", "merge_duplicates", "max_age_days", "past_half_life", "keep_most",
)  # fmt: skip
MOST_DAYS = 36_500
MOST_KEPT = 1_000_000_000
ADMINS_ONLY = "An admin decides what is archived by itself."


class NoPolicy(ValueError):
    """A change that is no valid policy. field: the wrong part; the message says which values are
    valid."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


def policy_of(organisation_id: UUID, *, using: str = "default") -> AgeingPolicy:
    """The organisation's policy; if none is set, one that allows nothing.

    Call inside a scope of the organisation.
    """
    found = AgeingPolicy.objects.using(using).filter(organisation_id=organisation_id).first()
    return found or AgeingPolicy(organisation_id=organisation_id)


def own_policy(actor: Actor) -> AgeingPolicy:
    """The policy of the actor's organisation; every member may read it."""
    with resolve(actor).scope():
        return policy_of(actor.organisation_id)


def changed_policy(actor: Actor, changes: Mapping[str, Any]) -> AgeingPolicy:
    """The policy as it would be after the changes; nothing is stored. Raises NoPolicy."""
    _check(changes)
    policy = own_policy(actor)
    for name, value in changes.items():
        setattr(policy, name, value)
    return policy


def hold_admin(actor: Actor) -> None:
    """Raise PermissionError if the actor is no admin."""
    if not (actor.is_person and actor.role == Role.ADMIN):
        raise PermissionError(ADMINS_ONLY)


def set_policy(actor: Actor, changes: Mapping[str, Any], *, now: datetime) -> AgeingPolicy:
    """Change the given parts of the policy; the others stay.

    Raises PermissionError if the actor is no admin, and NoPolicy for invalid values.
    """
    hold_admin(actor)
    _check(changes)
    with resolve(actor).scope():
        AgeingPolicy.objects.bulk_create(
            [AgeingPolicy(organisation_id=actor.organisation_id)], ignore_conflicts=True
        )
        row = AgeingPolicy.objects.select_for_update().get(organisation_id=actor.organisation_id)
        changed = {name: new for name, new in changes.items() if getattr(row, name) != new}
        for name, value in changed.items():
            setattr(row, name, value)
        row.changed_by_id, row.changed_at = actor.member_id, now
        row.save()
        audit.record(
            "policy.changed",
            actor=actor,
            now=now,
            target=row.id,
            target_type="policy",
            **changed,
        )
    return row


def _check(changes: Mapping[str, Any]) -> None:
    for name in sorted(changes.keys() - set(CHANGED)):
        raise NoPolicy(name, f"A policy has no {name}.")
    for name in ("evict", "merge_duplicates", "past_half_life"):
        if not isinstance(changes.get(name, False), bool):
            raise NoPolicy(name, f"{name} is true or false.")
    if changes.get("capacities", "standard") not in ("standard", "large"):
        raise NoPolicy("capacities", "capacities is standard or large.")
    most = changes.get("keep_most")
    if most is not None and not _is_whole(most, MOST_KEPT):
        raise NoPolicy("keep_most", f"Write a whole number, 1 to {MOST_KEPT:,}, or nothing.")
    ages = changes.get("max_age_days", {})
    if not isinstance(ages, dict):
        raise NoPolicy("max_age_days", "max_age_days has days for types of memory.")
    for type_, days in ages.items():
        if type_ not in Type.values:
            raise NoPolicy("max_age_days", f"There is no type of memory {type_!r}.")
        if not _is_whole(days, MOST_DAYS):
            raise NoPolicy(f"days_{type_}", f"Write whole days, 1 to {MOST_DAYS:,}, or nothing.")


def _is_whole(value: Any, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most
