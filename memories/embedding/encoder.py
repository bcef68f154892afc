"""The interface of encoders: texts in, vectors out."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class EncoderError(Exception):
    """An encoder could not be built or could not encode."""


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into unit vectors. Safe to call from several threads at once."""

    @property
    def name(self) -> str:
        """The model's name as it is stored beside its vectors."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        ...

    def encode(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        """Return float32 of shape (len(texts), dimensions), each row of length 1.

        is_query: the texts are questions, which are compared with texts that are none. Some models
        read the two differently, others make no difference. Texts that are compared with each other
        are no questions.
        """
        ...
