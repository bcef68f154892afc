"""Windows over a conversation."""

from memories.restatement.window_profile import WindowProfile


def test_what_was_read_before_a_turn() -> None:
    profile = WindowProfile(window=4, overlap=1)
    turns = list(range(10))
    assert profile.turns_before(turns, 9) == [6, 7, 8]
    assert profile.turns_before(turns, 3) == [0, 1, 2]
    assert profile.turns_before(turns, 4) == [1, 2, 3]
    assert profile.turns_before(turns, 0) == []
    assert profile.step == 3
