"""The facts of each embedding model: its number and its thresholds.

Each model spreads its vectors differently, so a threshold of one says nothing about another.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b

from django.conf import settings

# The length of the vector columns; shorter vectors get zeros, longer ones need another schema.
DIMENSIONS = 384
DEFAULT_ENCODER = "minilm"
# The lower end of inner products with the searched vectors, as measured for minilm.
MEANING_FLOOR = -0.1
# The threshold for a model that nobody has measured.
UNMEASURED_THRESHOLD = 0.97


@dataclass(frozen=True, slots=True)
class AnswerWeights:
    """Log-odds that a text answers a question, by the inner product with its searched vector and
    the share of the question's words: base + near x product + share x words; and where the question
    has no word that counts, base_alone + near_alone x product.
    """

    base: float
    near: float
    share: float
    base_alone: float
    near_alone: float


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """name: as in ENCODER. number: stored with each vector, never that of another model.

    meaning_floor: the inner product with a searched vector from which meaning begins to count.
    twin: the cosine of searched vectors from which somebody is asked whether two memories are
    duplicates. disagree: the cosine
    of searched vectors from which two contradicting memories are shown to somebody. related: the
    cosine from which two texts are about one subject; 0 for a model that nobody has measured, so
    that only the order counts. answers: weights for whether a text answers; None for a model that
    nobody has measured. letters: those that the model knows, for a set of a regular expression;
    None for all.
    """

    name: str
    number: int
    meaning_floor: float = MEANING_FLOOR
    twin: float = UNMEASURED_THRESHOLD
    disagree: float = UNMEASURED_THRESHOLD
    related: float = 0.0
    answers: AnswerWeights | None = None
    letters: str | None = None

    def reads(self, question: str) -> bool:
        """Whether the model knows half of the question's letters or more. The vectors of others are
        too much alike to tell whether a text answers."""
        if self.letters is None or question.isascii():
            return True
        known = len(re.findall(f"[{self.letters}]", question))
        return 2 * known >= sum(map(str.isalpha, question))


# Basic Latin letters, and those with signs.
_LATIN = "A-Za-zªº\u00c0-\u024f\u1e00-\u1eff"
# Fitted to half of a set of conversations, see docs/adr/0022-answered.md.
_MINILM = AnswerWeights(base=-8.7, near=7.0, share=8.9, base_alone=-9.8, near_alone=11.0)
# Found on sentence pairs for minilm (docs/adr/0008-consolidation.md); the fake encoder of the tests
# counts shared words.
MODELS: Mapping[str, EmbeddingModel] = {
    "fake": EmbeddingModel("fake", 0, twin=0.92, disagree=0.6, related=0.3, answers=_MINILM),
    "minilm": EmbeddingModel(
        "minilm", 1, twin=0.92, disagree=0.6, related=0.5, answers=_MINILM, letters=_LATIN
    ),
    # Its cosines are high: two unrelated texts have about .6.
    "bge-small-en-v1.5": EmbeddingModel(
        "bge-small-en-v1.5",
        2,
        meaning_floor=0.9,
        twin=0.95,
        disagree=0.7,
        related=0.75,
        letters=_LATIN,
    ),
    # Its cosines are higher still: two unrelated texts have about .85. Each figure was chosen on
    # half of a set, see docs/adr/0053-multilingual-encoder.md.
    "multilingual-e5-small": EmbeddingModel(
        "multilingual-e5-small",
        3,
        meaning_floor=1.4,
        twin=0.98,
        disagree=0.86,
        related=0.91,
        answers=AnswerWeights(base=-51.2, near=29.8, share=4.3, base_alone=-66.2, near_alone=39.2),
    ),
}
# Models that every installation has; others are installed on demand.
BUILT_IN = frozenset({"fake", "minilm"})
# Names that encoders give themselves, so that a stored model name can be used.
_ALIASES = {"all-MiniLM-L6-v2": "minilm", "fake-384": "fake"}
# Numbers below are given by hand, above by the name; the column holds up to 32,767.
_FIRST_HASHED_NUMBER, _MAX_NUMBER = 1_000, 32_767


def canonical_name(name: str | None = None) -> str:
    """The name under which an encoder is kept; by default that of the setting ENCODER."""
    wanted = name or str(getattr(settings, "ENCODER", DEFAULT_ENCODER))
    return _ALIASES.get(wanted, wanted)


def get_model(name: str | None = None) -> EmbeddingModel:
    """The model of that name, or of ENCODER; loads nothing and asks no database.

    A model that is not known here gets a number from its name, so that all processes and later
    starts agree: two names share a number in 1 of 31,767 cases. The settings MEANING_FLOOR and
    NEAR_DUPLICATE_SIMILARITY override the thresholds of ENCODER.
    """
    key = canonical_name(name)
    model = MODELS.get(key) or EmbeddingModel(key, hash_to_number(key))
    if key != canonical_name():
        return model
    floor = getattr(settings, "MEANING_FLOOR", None)
    near = getattr(settings, "NEAR_DUPLICATE_SIMILARITY", None)
    return replace(
        model,
        meaning_floor=model.meaning_floor if floor is None else float(floor),
        twin=model.twin if near is None else float(near),
    )


def hash_to_number(name: str) -> int:
    """A number from the name, the same on every machine."""
    digest = int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big")
    return _FIRST_HASHED_NUMBER + digest % (_MAX_NUMBER - _FIRST_HASHED_NUMBER + 1)
