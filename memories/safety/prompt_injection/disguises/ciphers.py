"""Words written backwards or with other letters by a simple key: rotations, mirror of the alphabet.
Pure.

A cipher is tried only where the text has words that are words of an order under it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from memories.language.gazetteers.capitalised_non_names import ORDINARY_WORDS
from memories.language.gazetteers.stopwords import STOPWORDS

# Shorter words are words of a language under some key.
_MIN_CIPHERED = 4
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


_MIRRORED = _by_table(str.maketrans(ascii_lowercase, ascii_lowercase[::-1]))
BACKWARDS = Cipher("backwards", _backwards, _backwards)
MIRROR = Cipher("mirror", _MIRRORED, _MIRRORED)
_LETTERS = ascii_lowercase.encode()
# By the first letter of a word.
_TO_A = {
    letter: bytes.maketrans(_LETTERS, _LETTERS[-at:] + _LETTERS[:-at] if at else _LETTERS)
    for at, letter in enumerate(ascii_lowercase)
}
# By how many letters, from 1.
ROTATIONS = tuple(map(_rotation, range(1, 26)))
CIPHERS = (BACKWARDS, *ROTATIONS, MIRROR)


class CipheredWords:
    """Words of orders, found as they are written under each cipher.

    All rotations of a word have one form that begins with an "a", so that one look-up finds a word
    under all of them.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._known = dict.fromkeys(words)
        # A word of a language, as it stands, is none under a cipher.
        self._plain = STOPWORDS | ORDINARY_WORDS | self._known.keys()
        self._by_form: dict[bytes, str] = {}
        for word in filter(_can_be_ciphered, self._known):
            # Of words with the same form each is the other one's rotation.
            form = _begun_with_a(word)
            self._by_form[form] = self._by_form.get(form, "") + word[0]

    def likely(self, words: Sequence[str]) -> list[Cipher]:
        """The ciphers under which words of the text are words of an order, the likeliest first."""
        odd = [word for word in dict.fromkeys(words) if word not in self._plain]
        told = Counter(
            cipher for word in odd if _can_be_ciphered(word) for cipher in self._ciphers(word)
        )
        return [cipher for cipher, times in told.most_common(_MOST_TRIED) if times >= _LEAST_WORDS]

    def _ciphers(self, word: str) -> Iterator[Cipher]:
        for first in self._by_form.get(_begun_with_a(word), ""):
            yield ROTATIONS[(ord(word[0]) - ord(first)) % len(ascii_lowercase) - 1]
        for cipher in (BACKWARDS, MIRROR):
            if cipher.read(word) in self._known:
                yield cipher


def _can_be_ciphered(word: str) -> bool:
    return len(word) >= _MIN_CIPHERED and word.isascii() and word.isalpha() and word.islower()


def _begun_with_a(word: str) -> bytes:
    """The rotation of a word that begins with an "a"; each rotation of the word has the same."""
    return word.encode().translate(_TO_A[word[0]])
