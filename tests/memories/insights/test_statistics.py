"""What /stats says of moves, feedback and recalls: of the asker's own and readable rows alone."""

from typing import Any

import pytest

from memories.insights.statistics import get_statistics
from memories.lifecycle.forget import forget_memory
from tests.memories.insights.test_tiers import AFTER, DAY, HOUR, asked, moved
from tests.world import Tenant, World

NAMES = ("promotions_last_hour", "demotions_last_hour", "avg_surprise", "hit_rate")


def told(here: Tenant, name: str) -> list[Any]:
    found = get_statistics(here.person(name), now=AFTER)
    return [found[one] for one in NAMES]


@pytest.mark.conformance("G30")
def test_moves_of_the_last_hour_and_the_average_surprise_are_of_what_is_readable(
    world: World,
) -> None:
    here = world.here
    assert told(here, "bob") == [0, 0, 0.0, 0.0]
    aria = here.robot("aria")
    lunch, tea = (here.remember(aria, f"{what} is at noon.").id for what in ("Lunch", "Tea"))
    moved(here, lunch, [(True, AFTER - HOUR / 2), (False, AFTER - HOUR)], updates=1, surprise=0.25)
    moved(here, tea, [(False, AFTER - HOUR / 2)], updates=2, surprise=0.5)
    hidden = here.remember(here.person("mina"), "Hidden.", visibility="private").id
    moved(here, hidden, [(True, AFTER - HOUR / 2)], updates=9, surprise=0.9)
    for name, answered in (("bob", "yes"), ("bob", "no"), ("bob", ""), ("mina", "yes")):
        asked(here, name, answered, AFTER - DAY)
    assert told(here, "bob") == [1, 1, pytest.approx(0.375), 0.5]
    assert told(here, "mina") == [2, 1, pytest.approx(1.25 / 3), 1.0]


def test_what_is_forgotten_is_in_no_figure(world: World) -> None:
    here = world.here
    id_ = here.remember(here.robot("aria"), "Lunch is at noon.").id
    moved(here, id_, [(True, AFTER - HOUR / 2)], updates=1, surprise=0.5)
    assert told(here, "bob") == [1, 0, 0.5, 0.0]
    forget_memory(here.robot("aria"), id_, now=AFTER)
    assert told(here, "bob") == [0, 0, 0.0, 0.0]
