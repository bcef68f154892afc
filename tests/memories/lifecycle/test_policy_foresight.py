"""What an admin is told before a policy is saved: as many as the runs would archive."""

from datetime import timedelta

import pytest

from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.lifecycle.ageing_policy import update_policy
from memories.lifecycle.consolidation.capacity_limit import enforce_capacity
from memories.lifecycle.policy_preview import preview_if_more, preview_policy_effect
from memories.lifecycle.retention import run_retention
from memories.review.protect import protect_memory
from tests.world import NOW, Tenant

pytestmark = pytest.mark.usefixtures("lasting_world")

LATER = NOW + timedelta(days=10)


def test_admins_alone_foresee_and_only_numbers(here: Tenant) -> None:
    here.remember(here.robot("aria"), "A fact.")
    ada, changes = here.person("ada"), {"max_age_days": {"fact": 1}}
    assert preview_policy_effect(ada, changes, now=LATER).by_rule == {
        "age": 1, "half_life": 0, "number": 0, "full": 0,
    }  # fmt: skip
    assert preview_policy_effect(ada, {}, now=LATER).archived == 0
    more = preview_if_more(ada, changes, now=LATER)
    assert more
    assert more.archived == 1
    update_policy(ada, changes, now=NOW)
    assert preview_if_more(ada, {"max_age_days": {"fact": 2}}, now=LATER) is None
    for name in ("chidi", "bob", "mina", "vera"):
        with pytest.raises(PermissionError):
            preview_policy_effect(here.person(name), changes, now=LATER)
    with pytest.raises(PermissionError):
        preview_policy_effect(here.robot("aria"), changes, now=LATER)
    assert run_retention(here.id, now=LATER).archived == 1


def test_what_is_over_the_room_of_a_tier_is_told_before_it_goes(here: Tenant) -> None:
    """203 of at most 200; those protected stay, wherever the rest goes."""
    ada, evict = here.person("ada"), {"evict": True}
    drafts = [Draft(content=f"Note {number}.", importance=0.5) for number in range(203)]
    made = remember_many(here.robot("aria"), drafts, now=NOW)
    assert preview_policy_effect(ada, {}, now=NOW).archived == 0, "without leave nothing goes"
    assert preview_policy_effect(ada, evict, now=NOW).by_rule["full"] == 3
    more = preview_if_more(ada, evict, now=NOW)
    assert more
    assert more.archived == 3
    large = {"evict": True, "capacities": "large"}
    assert preview_policy_effect(ada, large, now=NOW).archived == 0
    assert preview_if_more(ada, large, now=NOW) is None
    protect_memory(ada, made[0].id, reason="Agreed.", now=NOW)
    assert preview_policy_effect(ada, evict, now=NOW).by_rule["full"] == 2, "it is glacial now"
    update_policy(ada, evict, now=NOW)
    done = enforce_capacity(here.id, now=NOW)
    # One more than is over makes room for the summary.
    assert (done.archived, done.summaries) == (3, 1)
