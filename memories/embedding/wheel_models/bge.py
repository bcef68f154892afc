"""bge-small-en-v1.5 in int8: 384 numbers, 512 tokens, MIT. Taken by `make setup-bge`.

The vector is the first token's, normalised, as the model was trained. Its authors put a sentence
before short questions. Here questions and texts are encoded as they are, which measures well.
"""

from collections.abc import Sequence

import numpy as np

from memories.embedding.encoder import Vectors
from memories.embedding.onnx_text_model import OnnxTextModel, encoder_threads
from memories.embedding.wheel_models.wheel_catalogue import (
    BGE_SMALL,
    MODEL_FILE,
    TOKENIZER_FILE,
    loading_encoder,
)

# As with the default model; text beyond this is found by its words.
MAX_TOKENS = 256


class BgeSmallEncoder:
    """Serves the installed model; safe to call from several threads. Raises EncoderError if it is
    not installed."""

    name = BGE_SMALL
    dimensions = 384

    def __init__(self) -> None:
        with loading_encoder(BGE_SMALL) as folder:
            self._model = OnnxTextModel(
                folder / MODEL_FILE,
                folder / TOKENIZER_FILE,
                most_tokens=MAX_TOKENS,
                threads=encoder_threads(),
            )

    def encode(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        """Return float32 (n, 384), unit rows. Text beyond 256 tokens is not read."""
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        found = map(self._one, texts) if len(texts) == 1 else self._model.pool.map(self._one, texts)
        for row, vector in enumerate(found):
            vectors[row] = vector
        return vectors

    def _one(self, text: str) -> Vectors:
        first: Vectors = self._model.run(text)[0]
        return np.asarray(first / np.linalg.norm(first), dtype=np.float32)
