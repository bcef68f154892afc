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

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return float32 of shape (len(texts), dimensions), each row of length 1."""
        ...
