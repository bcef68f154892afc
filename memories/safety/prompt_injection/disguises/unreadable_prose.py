"""Sentences that a model reads and a person does not: in a code, a cipher or with letters in
disorder. Pure, linear in the text.

Whatever they say, nobody keeps a sentence so for people: a gate holds it without understanding it.
A link, a key, a hash or a picture in a code has no sentence in it, and one odd word is a misprint.
"""

import html
import re
from collections import deque
from collections.abc import Iterator, Sequence

from memories.language.gazetteers.capitalised_non_names import ORDINARY_WORDS
from memories.language.gazetteers.stopwords import STOPWORDS
from memories.safety.prompt_injection.concepts.lexicon import LEXICON
from memories.safety.prompt_injection.disguises.ciphers import CIPHERS, Cipher
from memories.safety.prompt_injection.disguises.letters import small

# The least words of a sentence, and how many of a hundred are common words of a language.
_LEAST_WORDS, _LEAST_COMMON = 5, 30
# So many different unreadable words among so many words in a row.
_LEAST_UNREADABLE, _AMONG = 4, 12
# Shorter words are words of some language by chance.
_LEAST_CIPHERED, _LEAST_SCRAMBLED = 3, 4
_USUAL_CIPHERS = ("rotation 13", "mirror", "backwards")
_WORD = re.compile(r"[^\W\d_]+")
# Letters of ASCII as entities or escapes, at most three other signs between two of them.
_LETTER = (
    r"(?:&#(?:[xX](?:[46][1-9a-fA-F]|[57][0-9aA])|6[5-9]|[78]\d|90|9[7-9]|1[01]\d|12[0-2]);"
    r"|&#(?:[xX]20|32);|\\u00[2-7][0-9a-fA-F]|\\x[2-7][0-9a-fA-F])"
)
_WRITTEN_LETTERS = re.compile(rf"(?:{_LETTER}[^&\\\w]{{0,3}}+){{16,}}+")
_ESCAPED_LETTER = re.compile(r"\\(?:u00|x)([2-7][0-9a-fA-F])")
_ENDINGS = ("", "s", "d", "ed", "ing", "ly", "n", "en", "e", "es")

_COMMON = frozenset(STOPWORDS | ORDINARY_WORDS | set(LEXICON.long_words))
_KNOWN = frozenset(word + ending for word in _COMMON for ending in _ENDINGS)


def is_unreadable_prose(code: str, decoded: str) -> bool:
    """Whether a code holds a sentence of which its reader sees nothing. A link, in which only the
    blanks are encoded, shows its words."""
    words, seen = _WORD.findall(small(decoded)), set(_WORD.findall(small(code)))
    return _is_sentence(words) and 2 * sum(word in seen for word in words) < len(words)


def _is_sentence(words: Sequence[str]) -> bool:
    common = sum(word in _COMMON for word in words)
    return len(words) >= _LEAST_WORDS and 100 * common >= _LEAST_COMMON * len(words)


def find_written_letters(text: str) -> Iterator[tuple[int, int]]:
    """The places of sentences whose letters are written as entities or escapes."""
    if "&#" not in text and "\\u00" not in text and "\\x" not in text:
        return
    for found in _WRITTEN_LETTERS.finditer(text):
        plain = _ESCAPED_LETTER.sub(lambda one: chr(int(one[1], 16)), found[0])
        if _is_sentence(_WORD.findall(small(html.unescape(plain)))):
            yield found.span()


def find_unreadable_words(words: Sequence[tuple[str, int, int]]) -> Iterator[tuple[int, int]]:
    """The places where words in a row are in a cipher or have their letters in disorder.

    words: (word in small letters, start, end), in order.
    """
    for table in (*_CIPHERED, _SCRAMBLED):
        if any(word in table for word, _, _ in words):
            yield from _dense(words, table)


def _dense(
    words: Sequence[tuple[str, int, int]], table: "_Unreadable"
) -> Iterator[tuple[int, int]]:
    near: deque[tuple[int, int, str]] = deque()
    for number, (word, start, _) in enumerate(words):
        if word in table:
            near.append((number, start, word))
        while near and number - near[0][0] >= _AMONG:
            near.popleft()
        if near and near[-1][0] == number and len({one for *_, one in near}) >= _LEAST_UNREADABLE:
            yield near[0][1], words[number][2]


class _Unreadable:
    """Words that are common words under one disguise, and are none as they stand.

    meant: the words as they are written, or their `_scramble_key`.
    """

    def __init__(self, meant: frozenset[str], *, scrambled: bool) -> None:
        self._meant, self._scrambled = meant, scrambled

    def __contains__(self, word: str) -> bool:
        if self._scrambled:
            return (
                len(word) >= _LEAST_SCRAMBLED
                and word.isascii()
                and word not in _KNOWN
                and _scramble_key(word) in self._meant
            )
        return word in self._meant


def _scramble_key(word: str) -> str:
    return word[0] + "".join(sorted(word[1:-1])) + word[-1]


def _ciphered(cipher: Cipher) -> _Unreadable:
    written = (
        cipher.write(word) for word in _COMMON if len(word) >= _LEAST_CIPHERED and word.isascii()
    )
    return _Unreadable(frozenset(written) - _KNOWN, scrambled=False)


_CIPHERED = tuple(_ciphered(cipher) for cipher in CIPHERS if cipher.name in _USUAL_CIPHERS)
_SCRAMBLED = _Unreadable(
    frozenset(
        _scramble_key(word)
        for word in _KNOWN
        if len(word) >= _LEAST_SCRAMBLED and word.isascii() and word.isalpha()
    ),
    scrambled=True,
)
