"""How many memories the next runs would archive with another policy; numbers only, for admins."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memories.lifecycle.consolidation.over_capacity import over_capacity
from memories.lifecycle.policies import changed_policy, hold_admin
from memories.lifecycle.retention import planned
from orgs.principals import Actor

# A rule besides those of `ArchivedFor`: above the capacity of a tier.
FULL = "full"


@dataclass(frozen=True, slots=True)
class Foreseen:
    """by_rule: {rule: memories}. A memory that two rules would archive counts for both."""

    by_rule: Mapping[str, int]

    @property
    def archived(self) -> int:
        return sum(self.by_rule.values())


def foresee(actor: Actor, changes: Mapping[str, Any], *, now: datetime) -> Foreseen:
    """What the next runs would archive with the changed policy.

    It counts every memory of the organisation, so it is for admins. Raises PermissionError and
    NoPolicy.
    """
    hold_admin(actor)
    policy = changed_policy(actor, changes)
    full = over_capacity(policy, now=now) if policy.evict else 0
    return Foreseen({**planned(policy, now=now).by_rule, FULL: full})


def foresee_more(actor: Actor, changes: Mapping[str, Any], *, now: datetime) -> Foreseen | None:
    """`foresee`, if it is more than without the changes; else None."""
    after = foresee(actor, changes, now=now)
    if after.archived and after.archived > foresee(actor, {}, now=now).archived:
        return after
    return None
