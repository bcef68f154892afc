"""What a standby finds is an answer only after the primary has confirmed it."""

import pytest

from tests.fast_path import FastPathSite
from tests.memories.retrieval.standby.conftest import Outcomes
from tests.standby_server import Standby
from tests.world import Tenant, World


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    here = lasting_world.here
    for number in range(6):
        here.remember(here.robot("bolt"), f"The office number {number} closes at six.")
    here.embed()
    return here


@pytest.mark.parametrize("straight", [True, False])
def test_a_recall_is_searched_there(
    here: Tenant, standby: Standby, outcomes: Outcomes, straight: bool
) -> None:
    site = FastPathSite(straight=straight)
    for _ in range(3):
        status, _, body = site.post(here.keys["bolt"], {"query": "when does the office close"})
        assert (status, len(body["results"])) == (200, 6)
    assert outcomes["standby"] == 3
