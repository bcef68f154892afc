"""Words that a pattern needs, so that it is tried only where one stands. Pure.

A pattern over many languages is slow at each place of a text, and most texts have none of its
words.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from memories.safety.plain_text import to_plain_text

_WORD = re.compile(r"[^\W_]+")
# A beginning of a word has so many letters.
HEAD = 5


def as_read(pattern: str) -> str:
    """A pattern with each letter as `plain` shows it: texts are searched in that form."""
    return "".join(sign if sign.isascii() else to_plain_text(sign).text for sign in pattern)


def heads_of(words: Iterable[str]) -> frozenset[str]:
    """The words and their beginnings, for Anchors.among. words: in lower case."""
    found = set(words)
    found.update([word[:HEAD] for word in found])
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Anchors:
    """Words in lower case, separated by blanks. One with * is a beginning, of five letters."""

    entries: str
    _known: frozenset[str] = field(init=False)
    _begun: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        entries = as_read(self.entries).split()
        begun = frozenset(one[:-1] for one in entries if one.endswith("*"))
        if wrong := [one for one in begun if len(one) != HEAD]:
            raise ValueError(f"These beginnings do not have {HEAD} letters: {wrong}")
        object.__setattr__(self, "_begun", begun)
        object.__setattr__(
            self, "_known", begun | {one for one in entries if not one.endswith("*")}
        )

    def among(self, heads: frozenset[str]) -> bool:
        """Whether one may be among the words of a text. heads: heads_of its words."""
        return not self._known.isdisjoint(heads)

    def places(self, text: str) -> Iterator[int]:
        """Where the words begin in a text."""
        for word in _WORD.finditer(text):
            low = word[0].lower()
            if low in self._known or low[:HEAD] in self._begun:
                yield word.start()
