"""The encoder interface and the one instance of each that a process keeps."""

import os
import threading
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

DEFAULT_ENCODER = "minilm"


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


# What an encoder calls itself leads back to it, so that a stored model name can be used.
_ALIASES = {"all-MiniLM-L6-v2": "minilm", "fake-384": "fake"}
# The number that stands beside a vector. A number is never given to another model.
_NUMBERS = {"fake": 0, "minilm": 1}
_encoders: dict[str, Encoder] = {}
_lock = threading.Lock()


def get_encoder(name: str | None = None) -> Encoder:
    """Return the process's encoder of that name, loading it on first use.

    `name` defaults to the setting ENCODER. It is "minilm" or "fake" (or the name such an
    encoder gives itself), or else the name or path of any sentence-transformers model.
    Raises EncoderError if the model cannot be had.
    """
    wanted = name or str(getattr(settings, "ENCODER", DEFAULT_ENCODER))
    key = _ALIASES.get(wanted, wanted)
    encoder = _encoders.get(key)
    if encoder is None:
        with _lock:
            encoder = _encoders.get(key)
            if encoder is None:
                encoder = _encoders[key] = _build(key)
    return encoder


def model_id(name: str | None = None) -> int:
    """Return the number under which the model's vectors are stored; loads nothing.

    Raises EncoderError for a model that has no number yet.
    """
    wanted = name or str(getattr(settings, "ENCODER", DEFAULT_ENCODER))
    number = _NUMBERS.get(_ALIASES.get(wanted, wanted))
    if number is None:
        raise EncoderError(f"the encoder {wanted} has no number; add it to memories.encoders")
    return number


def _build(key: str) -> Encoder:
    # Imported here: each model library costs seconds and memory to those who do not use it.
    if key == "fake":
        from memories.encoders.fake import FakeEncoder

        return FakeEncoder()
    if key == "minilm":
        from memories.encoders.minilm import load_minilm

        return load_minilm()
    from memories.encoders.sentence_transformers import SentenceTransformerEncoder

    return SentenceTransformerEncoder(key)


def _forget_after_fork() -> None:
    # A child inherits the model's memory but not its threads, and would wait for them for ever.
    global _lock  # noqa: PLW0603 - the parent may have held it when it forked
    _lock = threading.Lock()
    _encoders.clear()


os.register_at_fork(after_in_child=_forget_after_fork)
