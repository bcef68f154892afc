"""Trends of a persona, out of what was said and confirmed for it."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import override_settings

from memories.lifecycle.forget import archive_memory, forget_memory
from orgs.errors import NotFoundError
from orgs.members.member_settings import set_sharing_opt_out
from personas.block_writes.block_updates import confirm_entry
from personas.learning.trends import compute_trends
from tests.personas.persona_helpers import (
    QSR,
    get_block_by_label,
    make_association,
    make_entries,
    make_owner_actor,
)
from tests.world import NOW, Tenant, World

WEEK = timedelta(days=7)
# Said so often in each week, the oldest first.
WEEKS = {
    "They ask about cannibalisation.": (0, 1, 1, 2, 2, 3, 4, 5),
    "They ask about leases.": (1, 1, 1, 1, 1, 1, 1, 1),
    "They ask about parking.": (5, 4, 3, 2, 2, 1, 1, 0),
}


def said(here: Tenant) -> dict[str, Any]:
    """Say them, by three robots in turn; the ids of the entries by text."""
    robots = [make_owner_actor(here, name) for name in ("mina", "bob", "chidi")]
    ids: dict[str, Any] = {}
    for week in range(8):
        for text, counts in WEEKS.items():
            for time in range(counts[week]):
                at = NOW - (7 - week) * WEEK - timedelta(hours=1 + time)
                if text not in ids:
                    [ids[text]] = make_entries(here, "mina", text, now=at)
                else:
                    robot = robots[time % 3]
                    confirm_entry(robot, get_block_by_label(robot).block.id, ids[text], now=at)
    return ids


@pytest.mark.slow
@pytest.mark.conformance("P28")
def test_a_rising_topic_is_flagged_and_a_flat_one_is_not(world: World) -> None:
    here = world.here
    for name in ("mina", "bob", "chidi"):
        make_association(here, name)
    make_association(here, "ada", "retail_asset_management")
    ids = said(here)
    # What is archived was said all the same; what is forgotten is told no more.
    archive_memory(here.person("chidi"), ids["They ask about parking."], now=NOW)
    found = compute_trends(here.person("mina"), QSR, now=NOW)
    assert found.windows == tuple(NOW - ago * WEEK for ago in range(7, -1, -1))
    by_topic = {one.topic: (one.counts, one.found.trend) for one in found.topics}
    assert by_topic == {
        "cannibalisation": (WEEKS["They ask about cannibalisation."], "rising"),
        "leases": (WEEKS["They ask about leases."], "flat"),
        "parking": (WEEKS["They ask about parking."], "falling"),
    }
    assert [one.topic for one in found.topics][2] == "leases", "what moves comes first"
    assert all(one.found.p < 0.05 for one in found.topics[:2])

    # A day later the windows end a day later; a year later nothing was said.
    assert compute_trends(here.person("mina"), QSR, now=NOW + 52 * WEEK).topics == ()
    body = here.browser("bob").get(f"/api/v1/personas/{QSR}/trends").json()
    assert (body["persona"], len(body["windows"]), body["topics"]) == (QSR, 8, [])
    forget_memory(here.person("chidi"), ids["They ask about leases."], now=NOW)
    left = compute_trends(make_owner_actor(here, "bob"), QSR, now=NOW).topics
    assert {one.topic for one in left} == {"cannibalisation", "parking"}

    # A log that is kept for four weeks tells of four.
    with override_settings(OPERATIONS_DAYS=30):
        short = compute_trends(here.person("mina"), QSR, now=NOW)
    assert [len(one.counts) for one in short.topics] == [4] * len(short.topics)
    assert len(short.windows) == 4


def test_only_who_reads_the_persona_is_told(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    make_entries(here, "mina", *WEEKS)
    address = f"/api/v1/personas/{QSR}/trends"
    assert here.browser("mina").get(address).status_code == 200
    assert here.browser("chidi").get(address).status_code == 200
    assert here.browser("bob").get(address).status_code == 404
    assert here.api("bolt").get(address).status_code == 404
    assert here.browser("mina").get("/api/v1/personas/no_such/trends").status_code == 404
    set_sharing_opt_out(here.person("mina"), out=True, now=NOW)
    with pytest.raises(NotFoundError):
        compute_trends(here.person("mina"), QSR, now=NOW)
