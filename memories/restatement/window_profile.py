"""How a conversation is cut into windows. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

Turn = TypeVar("Turn")


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowProfile:
    """The sizes of windows.

    window: turns that are read together; overlap: turns at its start that are also in the previous
    window. semantic_top_k, keyword_top_k, structured_top_k: the most other memories that are added
    to a window, by meaning, by words, and by named people.
    """

    window: int = 40
    overlap: int = 2
    semantic_top_k: int = 25
    keyword_top_k: int = 5
    structured_top_k: int = 5

    def __post_init__(self) -> None:
        if not 0 <= self.overlap < self.window:
            raise ValueError("the overlap is smaller than the window")
        if min(self.semantic_top_k, self.keyword_top_k, self.structured_top_k) < 0:
            raise ValueError("a number of memories is not negative")

    @property
    def step(self) -> int:
        """The number of turns of a window that are not in the previous one."""
        return self.window - self.overlap


DEFAULT = WindowProfile()


def iter_windows(
    turns: Sequence[Turn], profile: WindowProfile = DEFAULT
) -> Iterator[Sequence[Turn]]:
    """The windows of a conversation in order; every turn is in one, those at a seam in two."""
    for start in range(0, max(1, len(turns) - profile.overlap), profile.step):
        if window := turns[start : start + profile.window]:
            yield window
