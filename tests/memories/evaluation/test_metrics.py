"""The measures, against values worked out by hand."""

import pytest

from memories.evaluation.measures.metrics import (
    QUALITY_METRICS,
    compute_quality,
    hit_at,
    mean,
    ndcg_at,
    percentile,
    percentiles,
    recall_at,
    reciprocal_rank,
)

RANKED = ["a", "b", "c", "d", "e", "f"]


@pytest.mark.parametrize(
    ("wanted", "k", "recall", "hit"),
    [
        ({"b"}, 1, 0.0, 0.0),
        ({"b"}, 2, 1.0, 1.0),
        ({"b", "e", "z"}, 5, 2 / 3, 1.0),
        ({"b", "e", "z"}, 4, 1 / 3, 1.0),
        ({"z"}, 6, 0.0, 0.0),
        (["b", "b"], 2, 1.0, 1.0),  # evidence that is named twice counts once
    ],
)
def test_recall_and_hit(wanted: set[str], k: int, recall: float, hit: float) -> None:
    assert recall_at(RANKED, wanted, k) == pytest.approx(recall)
    assert hit_at(RANKED, wanted, k) == hit


@pytest.mark.conformance("A36")
def test_ndcg() -> None:
    # Ranks 2 and 4: 1/log2(3) + 1/log2(5) = .6309 + .4307; best order 1 + .6309.
    two = {"b": 1, "d": 1}
    assert ndcg_at(RANKED, two, 10) == pytest.approx(1.061606 / 1.630930, abs=1e-5)
    # Only rank 2 is within 3: .6309 / 1.6309.
    assert ndcg_at(RANKED, two, 3) == pytest.approx(0.386853, abs=1e-5)
    assert ndcg_at(RANKED, {"a": 1, "b": 1}, 10) == pytest.approx(1.0)
    assert ndcg_at(RANKED, {"z": 1}, 10) == 0.0
    # More wanted than places: the best order fills the places.
    assert ndcg_at(["a", "b"], {"a": 1, "b": 1, "c": 1}, 2) == pytest.approx(1.0)


@pytest.mark.conformance("A36")
def test_what_answers_in_part_gains_less() -> None:
    # The better one second: 1 + 2/log2(3) = 2.261860; best order 2 + 1/log2(3) = 2.630930.
    assert ndcg_at(["a", "b"], {"a": 1, "b": 2}, 10) == pytest.approx(0.859719, abs=1e-5)
    assert ndcg_at(["b", "a"], {"a": 1, "b": 2}, 10) == pytest.approx(1.0)
    # With one place the best order takes the better one.
    assert ndcg_at(["a"], {"a": 1, "b": 2}, 1) == pytest.approx(0.5)
    # How high a gain is does not matter, only beside the others.
    assert ndcg_at(RANKED, {"b": 2, "d": 2}, 10) == pytest.approx(1.061606 / 1.630930, abs=1e-5)


def test_reciprocal_rank() -> None:
    assert reciprocal_rank(RANKED, {"c", "f"}) == pytest.approx(1 / 3)
    assert reciprocal_rank(RANKED, {"z"}) == 0.0
    assert reciprocal_rank([], {"z"}) == 0.0


def test_percentiles_are_measured_values() -> None:
    values = [float(v) for v in range(1, 101)]
    assert [percentile(values, p) for p in (0.01, 0.5, 0.95, 0.99, 1.0)] == [1, 50, 95, 99, 100]
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([7.0], 0.99) == 7.0
    assert percentiles([2.0, 1.0]) == {"n": 2, "p50": 1.0, "p95": 2.0, "p99": 2.0}


def test_mean() -> None:
    assert mean([1.0, 2.0]) == 1.5
    assert mean([]) == 0.0


def test_judge_takes_all_together() -> None:
    ranked = [f"m{n}" for n in range(1, 21)]
    found = compute_quality(ranked, {"m3", "m8", "m15", "absent"})
    assert found["recall@5"] == 0.25
    assert found["recall@10"] == 0.5
    assert found["recall@20"] == 0.75
    assert found["hit@10"] == 1.0
    assert found["mrr"] == pytest.approx(1 / 3)
    # 1/log2(4) + 1/log2(9) over 1 + 1/log2(3) + 1/log2(4) + 1/log2(5).
    assert found["ndcg@10"] == pytest.approx((0.5 + 0.315465) / 2.561606, abs=1e-5)


def test_the_spread_of_a_hundred_values() -> None:
    values = [float(v) for v in range(100, 0, -1)]
    assert percentiles(values) == {"n": 100, "p50": 50.0, "p95": 95.0, "p99": 99.0}


def test_each_measure_ends_at_its_rank() -> None:
    ranked = [f"m{n}" for n in range(1, 25)]

    def of(*places: int) -> dict[str, float]:
        return compute_quality(ranked, {f"m{n}" for n in places})

    for k in (5, 10, 20):
        assert of(k)[f"recall@{k}"] == 1.0
        assert of(k + 1)[f"recall@{k}"] == 0.0
    assert (of(10)["hit@10"], of(11)["hit@10"]) == (1.0, 0.0)
    assert of(11)["ndcg@10"] == 0.0
    assert of(10)["ndcg@10"] == pytest.approx(0.289065, abs=1e-5), "1 / log2(11)"
    assert of(2, 5)["mrr"] == 0.5
    assert set(of(1)) == set(QUALITY_METRICS)
