"""The machine of attacks against what a standby searches (`tests/isolation/test_attacks.py`)."""

from uuid import UUID

import pytest

from orgs.database.rls import Scope, scope
from orgs.models.audiences import Audience
from orgs.principals import Principal
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


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_machine_notices_a_leak_of_a_standby(
    lasting_world: World, standby: Standby, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opens_everything(
        principal: Principal, deposit: tuple[UUID, ...] = (), *, relaxed: bool = False
    ) -> Scope:
        with scope(Scope(organisation=principal.organisation_id)):
            every = tuple(Audience.objects.values_list("id", flat=True))
        return Scope(principal.organisation_id, every, deposit, reader=principal.reader)

    monkeypatch.setattr("orgs.principals.Principal.opens", opens_everything)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        attack(lasting_world, 1, (1_000, "/recall", ALL))
