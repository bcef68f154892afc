"""How many memories the next runs would archive with another policy; numbers only, for admins."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memories.lifecycle.ageing_policy import check_admin, preview_policy
from memories.lifecycle.consolidation.capacity_limit import count_over_capacity
from memories.lifecycle.retention import preview_retention
from orgs.principals import Actor

# A rule besides those of `ArchiveReason`: above the capacity of a tier.
OVER_CAPACITY = "full"


@dataclass(frozen=True, slots=True)
class PolicyPreview:
    """by_rule: {rule: memories}. A memory that two rules would archive counts for both."""

    by_rule: Mapping[str, int]

    @property
    def archived(self) -> int:
        return sum(self.by_rule.values())


def preview_policy_effect(
    actor: Actor, changes: Mapping[str, Any], *, now: datetime
) -> PolicyPreview:
    """What the next runs would archive with the changed policy.

    It counts every memory of the organisation, so it is for admins. Raises PermissionError and
    InvalidPolicyError.
    """
    check_admin(actor)
    policy = preview_policy(actor, changes)
    full = count_over_capacity(policy, now=now) if policy.evict else 0
    return PolicyPreview({**preview_retention(policy, now=now).by_rule, OVER_CAPACITY: full})


def preview_if_more(
    actor: Actor, changes: Mapping[str, Any], *, now: datetime
) -> PolicyPreview | None:
    """`foresee`, if it is more than without the changes; else None."""
    after = preview_policy_effect(actor, changes, now=now)
    if after.archived and after.archived > preview_policy_effect(actor, {}, now=now).archived:
        return after
    return None
