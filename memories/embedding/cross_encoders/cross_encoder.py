"""The interface of cross-encoders: a question and texts in, a number for each text out."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from memories.embedding.encoder import EncoderError


class ModelMissingError(EncoderError):
    """The model is not on this machine, or cannot be read."""


class DeadlineExceededError(Exception):
    """The time that the caller gave was over before every text was read."""


@runtime_checkable
class CrossEncoder(Protocol):
    """Safe to call from several threads at once."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    def logits(self, question: str, texts: Sequence[str], *, deadline: float) -> list[float]:
        """One number a text, in their order: higher answers better, 0 is as likely as not.

        deadline: by time.monotonic(). It is looked at before each text. Raises
        DeadlineExceededError.
        """
        ...
