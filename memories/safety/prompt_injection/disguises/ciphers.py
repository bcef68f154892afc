"""Words written backwards or with other letters by a simple key: rotations, mirror of the alphabet.
Pure.

A cipher is tried only where the text has words that are words of an order under it.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from memories.language.gazetteers.capitalised_non_names import ORDINARY_WORDS
from memories.language.gazetteers.stopwords import STOPWORDS

# Shorter words are words of a language under some key.
_LEASTascii_lowercase = 4
# The most ciphers that are tried on one text, and the least words of an order under one of them.
_MOST_TRIED = 3
_LEAST_WORDS = 2


@dataclass(frozen=True, slots=True)
class Cipher:
    """A way to write a word otherwise, and to read it."""

    name: str
    read: Callable[[str], str]
    write: Callable[[str], str]


def _rotation(by: int) -> Cipher:
    there = str.maketrans(ascii_lowercase, ascii_lowercase[by:] + ascii_lowercase[:by])
    back = str.maketrans(ascii_lowercase[by:] + ascii_lowercase[:by], ascii_lowercase)
    return Cipher(f"rotation {by}", _by_table(back), _by_table(there))


def _by_table(table: dict[int, int]) -> Callable[[str], str]:
    return lambda word: word.translate(table)


def _backwards(word: str) -> str:
    return word[::-1]


_MIRROR = _by_table(str.maketrans(ascii_lowercase, ascii_lowercase[::-1]))
BACKWARDS = Cipher("backwards", _backwards, _backwards)
CIPHERS = (BACKWARDS, *map(_rotation, range(1, 26)), Cipher("mirror", _MIRROR, _MIRROR))


class CipheredWords:
    """Words of orders, looked up as they are written under each cipher."""

    def __init__(self, words: Iterable[str]) -> None:
        self._ciphers: dict[str, tuple[Cipher, ...]] = {}
        known = dict.fromkeys(words)
        for word in known:
            if len(word) < _LEASTascii_lowercase or not word.isascii() or not word.isalpha():
                continue
            for cipher in CIPHERS:
                written = cipher.write(word)
                if (
                    written not in known
                    and written not in ORDINARY_WORDS
                    and written not in STOPWORDS
                ):
                    self._ciphers[written] = (*self._ciphers.get(written, ()), cipher)

    def likely(self, words: Sequence[str]) -> list[Cipher]:
        """The ciphers under which words of the text are words of an order, the likeliest first."""
        if self._ciphers.keys().isdisjoint(words):
            return []
        told = Counter(
            cipher for word in _distinct(words) for cipher in self._ciphers.get(word, ())
        )
        return [cipher for cipher, times in told.most_common(_MOST_TRIED) if times >= _LEAST_WORDS]


def _distinct(words: Sequence[str]) -> Collection[str]:
    return dict.fromkeys(words)
