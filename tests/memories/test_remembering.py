"""Remember: dedup, keys, deposits, batches."""

import pytest

from memories.models import Contribution, Memory
from orgs.principals import resolve
from tests.world import World


@pytest.mark.conformance("H10")
def test_the_same_text_is_one_memory_with_two_contributors(world: World) -> None:
    here = world.here
    first = here.remember(here.robot("aria"), "The office closes at six.")
    again = here.remember(here.robot("bolt"), "The office closes at six.")
    third = here.remember(here.robot("aria"), "The office closes at six.")

    assert (again.id, again.deduplicated) == (first.id, True)
    assert third.remember_count == 3
    with resolve(here.robot("aria")).scope():
        memory = Memory.objects.get(id=first.id)
        links = dict(
            Contribution.objects.filter(memory_id=first.id).values_list("robot__name", "count")
        )
    assert memory.remember_count == 3
    assert links == {"aria": 2, "bolt": 1}
