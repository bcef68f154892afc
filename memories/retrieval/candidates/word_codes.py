"""The words that rows share with a question, encoded in one inner product. Pure.

The sparse vector of a row has 4, 3, 2 or 1 at the place of each word, for the labels A (its own),
B, C, D (a neighbour's). The vector of the question has 8^i at the place of its word i. The inner
product is the sum of label x 8^i, from which every label can be decoded. Eight words fill the 24
bits that a float32 adds exactly; more words need more products.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memories.retrieval.search_types import Floats

DIMENSIONS = 536_870_912
WORDS_PER_CODE, BITS_PER_WORD = 8, 3
# The weight of each label, by its number; 0 means none.
LABEL_WEIGHTS = np.array([0.0, 0.3, 0.5, 0.7, 1.0])
OWN_LABEL = 4
# Own words count less in texts with more lexemes than this.
LONG_TEXT_LEXEMES = 40

Labels = NDArray[np.int64]


def encode_query(places: Sequence[int]) -> list[str]:
    """The question as sparse vectors in text form, one for each eight words. places: counted from
    1."""
    found = []
    for start in range(0, len(places), WORDS_PER_CODE):
        values: dict[int, int] = {}
        for i, place in enumerate(places[start : start + WORDS_PER_CODE]):
            values[place] = values.get(place, 0) + (1 << BITS_PER_WORD * i)
        body = ",".join(f"{place}:{values[place]}" for place in sorted(values))
        found.append(f"{{{body}}}/{DIMENSIONS}")
    return found


def decode_labels(codes: Sequence[Floats], words: int, rows: int) -> Labels:
    """An array of shape (words, rows): the number of the label of each word in each row, 0 for
    none."""
    whole = [code.astype(np.int64) for code in codes]
    found = np.empty((words, rows), dtype=np.int64)
    for i in range(words):
        code, at = divmod(i, WORDS_PER_CODE)
        found[i] = (whole[code] >> BITS_PER_WORD * at) & (1 << BITS_PER_WORD) - 1
    return found


def compute_idf_of_labels(found: Labels, rows: int) -> Floats:
    """The weight of each word, by how many of the rows have it (see `compute_idf`)."""
    return compute_idf(np.count_nonzero(found, axis=1).astype(np.float64), rows)


def compute_idf(counts: Floats, rows: int) -> Floats:
    """The weight of a word that n of the rows have, as in BM25: ln(1 + (rows - n + .5) / (n +
    .5))."""
    worth: Floats = np.log1p((np.maximum(rows - counts, 0) + 0.5) / (counts + 0.5))
    return worth


def score_words(found: Labels, length: Floats, worth: Floats) -> Floats:
    """For each row the sum over its words of weight of the label x weight of the word; NaN without
    a shared word.

    An own word of a long text is divided by (.5 + .5 max(1, length / 40)).
    """
    damping = 0.5 + 0.5 * np.maximum(1.0, length / LONG_TEXT_LEXEMES)
    if not len(found):
        return np.full(len(length), np.nan)
    each = np.where(found == OWN_LABEL, 1.0 / damping, LABEL_WEIGHTS[np.minimum(found, OWN_LABEL)])
    scores: Floats = worth @ each
    scores[~found.any(axis=0)] = np.nan
    return scores
