"""Windows over a conversation."""

from memories.restatement.window_profile import WindowProfile, iter_windows


def test_windows_overlap_by_what_the_profile_says() -> None:
    profile = WindowProfile(window=4, overlap=1)
    assert profile.step == 3
    windows = [list(window) for window in iter_windows(range(10), profile)]
    assert windows == [[0, 1, 2, 3], [3, 4, 5, 6], [6, 7, 8, 9]]
