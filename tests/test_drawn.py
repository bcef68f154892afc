"""Drawing takes nothing away: over the seeds every part is asked, and slow is what is not quick."""

from types import SimpleNamespace

import pytest

from tests.sampling import mark_rest_slow, sample_slice


def request_of(seed: int) -> pytest.FixtureRequest:
    config = SimpleNamespace(getoption=lambda name, default: {"randomly_seed": seed}[name])
    return SimpleNamespace(config=config)


@pytest.mark.parametrize("one_of", [1, 2, 6])
def test_each_seed_draws_another_part_and_together_they_are_all(one_of: int) -> None:
    everything = list(range(13))
    parts = [
        everything[sample_slice(request_of(seed), one_of)] for seed in range(100, 100 + one_of)
    ]
    assert sorted(n for part in parts for n in part) == everything
    assert all(part for part in parts)


def test_what_is_not_quick_is_slow_and_nothing_is_lost() -> None:
    first, second, *rest = mark_rest_slow(["a", "b", "c", "d"], 2)
    assert (first, second) == ("a", "b")
    assert [one.values for one in rest] == [("c",), ("d",)]
    assert [[mark.name for mark in one.marks] for one in rest] == [["slow"], ["slow"]]
