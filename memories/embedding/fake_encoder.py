"""A deterministic encoder for tests: texts that share words are similar, nothing is loaded."""

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from memories.embedding.encoder import Vectors

_WORD = re.compile(r"\w+")
_SUFFIX = re.compile(r"(?<=\w{3})(?:ing|edly|ed|ies|es|s|ly)$")
_STOPWORDS = frozenset(
    _WORD.findall(
        "a an and are at by did do does for from has have he her his how i in is it me my of on "
        "or our she that the their they this to was we were what when where which who why will "
        "with you your"
    )
)
_STOPWORD_WEIGHT = 0.1
_SLOTS_PER_WORD = 6


class FakeEncoder:
    """A hashed bag of word stems. Equal texts have equal vectors in every process."""

    name = "fake-384"
    dimensions = 384

    def encode(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        """Return float32 (n, 384), unit rows; a text without words gets a fixed vector."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in _WORD.findall(text.casefold()):
                slots, signs = _slots(_SUFFIX.sub("", word), self.dimensions)
                row[slots] += signs * (_STOPWORD_WEIGHT if word in _STOPWORDS else 1.0)
            if not row.any():
                row[0] = 1.0
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


@lru_cache(maxsize=50_000)
def _slots(stem: str, dimensions: int) -> tuple[np.ndarray, Vectors]:
    digest = np.frombuffer(
        blake2b(stem.encode(), digest_size=4 * _SLOTS_PER_WORD).digest(), dtype="<u4"
    )
    # np.unique, because += on a repeated index counts it only once.
    slots, first = np.unique((digest >> 1) % dimensions, return_index=True)
    signs = np.where(digest[first] & 1, 1, -1).astype(np.float32)
    return slots, signs
