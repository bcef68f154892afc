"""What belongs to a model beside its vectors: its number, and where its cosines begin to mean.

Each model spreads its vectors differently, so a threshold of one says nothing about another.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b

from django.conf import settings

# Of the columns that hold vectors. Another length is another schema.
DIMENSIONS = 384
DEFAULT_ENCODER = "minilm"
# The lower end of inner products with the searched vectors, as measured for minilm.
MEANING_FLOOR = -0.1
# Close enough to be sure, for a model nobody has measured.
SURELY_NEAR = 0.97


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
class Model:
    """name: as ENCODER has it. number: stands beside each vector, and is never another model's.

    meaning_floor: the inner product with a searched vector from which meaning begins to count.
    near_duplicate: the cosine from which two texts may be one result. twin: the cosine of searched
    vectors from which somebody is asked whether two memories are one. disagree: the same from which
    two memories that contradict each other are shown to somebody. related: the cosine from which
    two texts are about one matter at all; 0 leaves a model nobody measured to its order. answers:
    what its nearness says of an answer; None where nobody has measured that.
    """

    name: str
    number: int
    meaning_floor: float = MEANING_FLOOR
    near_duplicate: float = SURELY_NEAR
    twin: float = SURELY_NEAR
    disagree: float = SURELY_NEAR
    related: float = 0.0
    answers: AnswerWeights | None = None


# Fitted to half of a set of conversations, see docs/adr/0022-answered.md.
_MINILM = AnswerWeights(base=-8.7, near=7.0, share=8.9, base_alone=-9.8, near_alone=11.0)
# Found on sentence pairs for minilm (docs/adr/0008-consolidation.md); the fake encoder of the tests
# counts shared words.
KNOWN: Mapping[str, Model] = {
    "fake": Model(
        "fake", 0, near_duplicate=0.85, twin=0.92, disagree=0.6, related=0.3, answers=_MINILM
    ),
    "minilm": Model(
        "minilm", 1, near_duplicate=0.92, twin=0.92, disagree=0.6, related=0.5, answers=_MINILM
    ),
    # Its cosines begin where others end: two texts about nothing in common have about .6.
    "bge-small-en-v1.5": Model(
        "bge-small-en-v1.5",
        2,
        meaning_floor=0.9,
        near_duplicate=0.95,
        twin=0.95,
        disagree=0.7,
        related=0.75,
    ),
}
# Those that every installation has; the others are taken or fetched by whoever wants them.
BUILT_IN = frozenset({"fake", "minilm"})
# What an encoder calls itself leads back to it, so that a stored model name can be used.
_ALIASES = {"all-MiniLM-L6-v2": "minilm", "fake-384": "fake"}
# Numbers below are given by hand, above by the name; the column holds up to 32,767.
_BY_HAND, _MOST = 1_000, 32_767


def canonical(name: str | None = None) -> str:
    """The name under which an encoder is kept; the setting ENCODER where none is given."""
    wanted = name or str(getattr(settings, "ENCODER", DEFAULT_ENCODER))
    return _ALIASES.get(wanted, wanted)


def known_model(name: str | None = None) -> Model:
    """The model of that name, or of ENCODER; loads nothing and asks no database.

    A model that is not known here gets a number from its name, so that every process and every
    later start agree on it: two names share one in 1 of 31,767 cases. The operator's own
    MEANING_FLOOR and NEAR_DUPLICATE_SIMILARITY win for ENCODER.
    """
    key = canonical(name)
    model = KNOWN.get(key) or Model(key, number_of(key))
    if key != canonical():
        return model
    floor = getattr(settings, "MEANING_FLOOR", None)
    near = getattr(settings, "NEAR_DUPLICATE_SIMILARITY", None)
    return replace(
        model,
        meaning_floor=model.meaning_floor if floor is None else float(floor),
        near_duplicate=model.near_duplicate if near is None else float(near),
    )


def number_of(name: str) -> int:
    """A number from the name, the same on every machine."""
    digest = int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big")
    return _BY_HAND + digest % (_MOST - _BY_HAND + 1)
