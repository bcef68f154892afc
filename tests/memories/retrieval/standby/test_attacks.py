"""The machine of attacks against what a standby searches (`tests/isolation/test_attacks.py`)."""

import pytest

from tests.isolation.test_attacks import attack
from tests.memories.retrieval.standby.conftest import Outcomes
from tests.sampling import ALL, run_seed
from tests.standby_server import Standby
from tests.world import World


@pytest.mark.slow
@pytest.mark.conformance("A14", "T05", "T06", "O17")
@pytest.mark.timeout(3600)
def test_no_attempt_finds_anything_on_a_standby(
    lasting_world: World, standby: Standby, outcomes: Outcomes, request: pytest.FixtureRequest
) -> None:
    count = 600
    done = attack(
        lasting_world, run_seed(request), (count, "/recall", ALL), (count, "/context", ALL)
    )
    assert done == [count, count]
    assert outcomes["standby"] >= count // 2
