"""Slow patterns, searched only in texts that have one of their signs. Pure.

Most texts have no finding. To look for a few signs costs a hundredth of a search that tries each
place of a text, and finds the same, because each match has a sign.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

_TOKEN = re.compile(r"[^\W_]+")


def fold_words(text: str) -> frozenset[str]:
    """The words of a text without regard to letter case, for `Likely.found`."""
    return frozenset(_TOKEN.findall(text.casefold()))


@dataclass(frozen=True, slots=True)
class PrefilteredPattern:
    """A pattern with signs or words of which each match has at least one.

    signs: parts of a text, in lower case if the pattern ignores case. words: whole words in lower
    case, separated by blanks.
    """

    pattern: re.Pattern[str]
    signs: tuple[str, ...] = ()
    words: str = ""
    _words: frozenset[str] = field(init=False)
    _folds: bool = field(init=False)

    def __post_init__(self) -> None:
        if not (self.signs or self.words):
            raise ValueError(f"A pattern without signs is found nowhere: {self.pattern.pattern}")
        object.__setattr__(self, "_words", frozenset(self.words.casefold().split()))
        object.__setattr__(self, "_folds", bool(self.pattern.flags & re.IGNORECASE))

    def found(self, text: str, words: Collection[str] = ()) -> Iterable[re.Match[str]]:
        """The matches in a text. words: words_of(text); needed only by a pattern with words."""
        return self.pattern.finditer(text) if self.is_likely(text, words) else ()

    def is_likely(self, text: str, words: Collection[str] = ()) -> bool:
        """Whether the text has a sign or a word of this pattern."""
        if self.signs:
            seen = text.lower() if self._folds else text
            for sign in self.signs:
                if sign in seen:
                    return True
        return not self._words.isdisjoint(words)
