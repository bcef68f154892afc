"""The one instance of each encoder that a process keeps."""

import os
import sys
import threading
from collections.abc import Sequence

import numpy as np
from prometheus_client import Histogram

from memories.embedding.encoder import Encoder, EncoderError, Vectors
from memories.embedding.model_catalogue import BUILT_IN, DIMENSIONS, canonical_name, get_model
from orgs.trace_spans import span

ENCODE_SECONDS = Histogram(
    "commonmind_encode_seconds",
    "Time that the embedding model took: for a question, or for a batch of texts.",
    ["model", "use"],
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0),
)
_encoders: dict[str, Encoder] = {}
_lock = threading.Lock()


def get_encoder(name: str | None = None) -> Encoder:
    """Return the process's encoder of that name, loading it on first use.

    `name` defaults to the setting ENCODER. It is "minilm", "bge-small-en-v1.5",
    "multilingual-e5-small", "wordllama-l2-supercat" or "fake" (or the name such an encoder gives
    itself), or else the name or path of any sentence-transformers model.
    Raises EncoderError if the model cannot be loaded, or its vectors cannot be stored.
    """
    key = canonical_name(name)
    encoder = _encoders.get(key)
    if encoder is None:
        with _lock:
            encoder = _encoders.get(key)
            if encoder is None:
                encoder = _encoders[key] = _build(key)
    return encoder


def encode_measured(encoder: Encoder, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
    """`encoder.encode`, counted and as a span."""
    use = "query" if is_query else "text"
    with span("encode", texts=len(texts), use=use), ENCODE_SECONDS.labels(encoder.name, use).time():
        return encoder.encode(texts, is_query=is_query)


def model_number(name: str | None = None) -> int:
    """Return the number with which the model's vectors are stored; loads nothing."""
    return get_model(name).number


def is_built_in(name: str | None = None) -> bool:
    """Whether the model comes with the product. Its vectors fit, and without it search goes on by
    words."""
    return canonical_name(name) in BUILT_IN


def exit_if_encoder_unusable() -> None:
    """End the process with one line if ENCODER names a model that cannot be loaded or stored.

    Only for models that do not come with the product: somebody chose them, so the settings are
    wrong.
    """
    if is_built_in():
        return
    try:
        get_encoder()
    except EncoderError as error:
        print(f"Not started: {error}.", file=sys.__stderr__)
        raise SystemExit(1) from None


def _build(key: str) -> Encoder:
    # Imported here: each model library costs seconds and memory to those who do not use it.
    if key == "fake":
        from memories.embedding.fake_encoder import FakeEncoder

        return FakeEncoder()
    if key == "minilm":
        from memories.embedding.minilm import load_minilm

        return load_minilm()
    if key == "bge-small-en-v1.5":
        from memories.embedding.wheel_models.bge import BgeSmallEncoder

        return BgeSmallEncoder()
    if key == "multilingual-e5-small":
        from memories.embedding.multilingual.multilingual_e5 import load_multilingual_e5

        return load_multilingual_e5()
    if key == "wordllama-l2-supercat":
        from memories.embedding.wheel_models.wordllama import WordLlamaEncoder

        return fit_to_columns(WordLlamaEncoder())
    from memories.embedding.sentence_transformers import SentenceTransformerEncoder

    return fit_to_columns(SentenceTransformerEncoder(key))


def fit_to_columns(encoder: Encoder) -> Encoder:
    """The encoder, with vectors as long as the columns. Raises EncoderError for longer ones."""
    if encoder.dimensions > DIMENSIONS:
        raise EncoderError(
            f"the encoder {encoder.name} makes vectors of {encoder.dimensions} numbers; "
            f"only models of at most {DIMENSIONS} can be stored"
        )
    return encoder if encoder.dimensions == DIMENSIONS else _PaddedEncoder(encoder)


class _PaddedEncoder:
    """Zeros behind shorter vectors: lengths, products and cosines stay what they are."""

    dimensions = DIMENSIONS

    def __init__(self, inner: Encoder) -> None:
        self._inner = inner
        self.name = inner.name

    def encode(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        """Return float32 (n, DIMENSIONS), unit rows."""
        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        vectors[:, : self._inner.dimensions] = self._inner.encode(texts, is_query=is_query)
        return vectors


def _reset_after_fork() -> None:
    # A child inherits the model's memory but not its threads, and would wait for them for ever.
    global _lock  # noqa: PLW0603 - the parent may have held it when it forked
    _lock = threading.Lock()
    _encoders.clear()


os.register_at_fork(after_in_child=_reset_after_fork)
