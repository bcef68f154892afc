"""One standby for all tests of this folder, and who counts where a search ran."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from orgs.database.standby import monitor as standby_monitor
from orgs.database.standby.monitor import SEARCHES
from tests.databases import database_url
from tests.standby_server import (
    Standby,
    running_standby,
    standby_connection,
    wait_until_ready,
)
from tests.world import Tenant


@pytest.fixture(scope="session")
def standby_server(
    django_db_setup: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Standby]:
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    folder: Path = tmp_path_factory.getbasetemp().parent / f"standby-{worker}"
    with running_standby(folder) as standby:
        yield standby


@pytest.fixture
def standby(standby_server: Standby, committed: None) -> Iterator[Standby]:
    """It runs, has replayed everything, and is searched."""
    standby_server.catch_up()
    with standby_connection(standby_server.address(database_url("default"))):
        wait_until_ready()
        yield standby_server


@pytest.fixture
def paused(standby: Standby, here: Tenant, monkeypatch: pytest.MonkeyPatch) -> Iterator[Standby]:
    """It replays nothing, and is not found to be behind."""
    monkeypatch.setattr(standby_monitor, "MAX_LAG_SECONDS", 600.0)
    standby.catch_up()
    standby.pause()
    yield standby
    standby.resume()


def count_searches() -> dict[str, float]:
    """How many searches there were, by who answered."""
    return {
        sample.labels["outcome"]: sample.value
        for family in SEARCHES.collect()
        for sample in family.samples
        if sample.name.endswith("_total")
    }


class Outcomes:
    """The searches since it was made, by who answered."""

    def __init__(self) -> None:
        self._before = count_searches()

    def __getitem__(self, outcome: str) -> int:
        return int(count_searches().get(outcome, 0) - self._before.get(outcome, 0))


@pytest.fixture
def outcomes(standby: Standby) -> Outcomes:
    return Outcomes()
