"""The profile hive by hand, and the Jaccard of tags."""

from math import exp, log

import numpy as np
import pytest

from memories.retrieval.scoring_profiles import score_hive

NAN = float("nan")


@pytest.mark.conformance("H22")
def test_five_nodes_by_hand() -> None:
    # Each node makes another part of the formula bite; score10 is ten times the score.
    nodes = [
        # semantic, tags, hours, accesses
        (0.8, 0.5, 0.0, 0),
        (NAN, NAN, 168.0, 9),
        (1.0, 1.0, 0.0, 22_026),
        (-1.0, 0.0, 1_680.0, 0),
        (0.25, NAN, 84.0, 99),
    ]
    semantic, tags, hours, accesses = np.array(nodes, dtype=np.float64).T
    score10 = 10 * score_hive(semantic=semantic, tags=tags, hours=hours, accesses=accesses)
    by_hand = [
        # 10 (.4 + .15 + .1 x 1 + 0)
        6.5,
        # 10 (.25 + .15 + .1 / e + .1 ln 10 / 10)
        10 * (0.25 + 0.15 + 0.1 * 0.36787944117144233 + 0.1 * 0.2302585092994046),
        # 10 (.5 + .3 + .1 + .1 ln 22,027 / 10), where ln 22,027 / 10 is a little over 1
        10.0,
        # 10 (-.5 + 0 + .1 / e^10 + 0) lies below 0
        0.0,
        # 10 (.125 + .15 + .1 / sqrt e + .1 ln 100 / 10)
        10 * (0.125 + 0.15 + 0.1 * 0.6065306597126334 + 0.1 * 0.4605170185988092),
    ]
    assert score10 == pytest.approx(by_hand, abs=1e-9)
    assert log(22_027) / 10 > 1.0
    assert by_hand[1] == pytest.approx(4 + exp(-1) + log(10) / 10, abs=1e-9)
