"""What may take so long is held to it only by the run that asks for timed tests."""

import time
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import pytest_runtest_call


def call(asked: str, *limits: float) -> None:
    """Run a test of a twentieth of a second that has these limits, in a run with `-m asked`."""
    marks = [SimpleNamespace(args=(limit,)) for limit in limits] + [SimpleNamespace(args=())]
    item: Any = SimpleNamespace(
        iter_markers=lambda name: marks if name == "timed" else [],
        config=SimpleNamespace(getoption={"markexpr": asked}.get),
    )
    around = pytest_runtest_call(item)
    next(around)
    time.sleep(0.05)
    with pytest.raises(StopIteration):
        around.send(None)


def test_seconds_are_asked_where_timed_tests_run_alone() -> None:
    for asked in ("not slow", "", "slow and not timed"):
        call(asked, 0.01)
    call("timed", 60)
    call("timed")
    with pytest.raises(pytest.fail.Exception, match=r"may take 0\.01"):
        call("timed", 60, 0.01)
