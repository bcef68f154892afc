"""wordllama-l2-supercat: 256 numbers for each token, and nothing to compute but their mean; MIT.
Taken by `make setup-wordllama`.

It takes less than a fiftieth of the time of the default model and finds less (docs/benchmarks.md).
"""

from collections.abc import Sequence

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from memories.embedding.encoder import EncoderError, Vectors
from memories.embedding.wheel_models.wheel_catalogue import (
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    WHEEL_MODELS,
    WORDLLAMA,
)

# As with the other models; text beyond this is found by its words.
MAX_TOKENS = 256
MAX_CHARACTERS = 16 * MAX_TOKENS


class WordLlamaEncoder:
    """Serves the installed model; safe to call from several threads. Raises EncoderError if it is
    not installed."""

    name = WORDLLAMA
    dimensions = 256

    def __init__(self) -> None:
        model = WHEEL_MODELS[WORDLLAMA]
        if not model.is_taken:
            raise EncoderError(f"the encoder {WORDLLAMA} is not installed: make {model.target}")
        try:
            self._tokenizer = Tokenizer.from_file(str(model.folder / TOKENIZER_FILE))
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(MAX_TOKENS)
            [self._rows] = load_file(model.folder / WEIGHTS_FILE).values()
            assert self._rows.shape[1] == self.dimensions  # noqa: S101 - its hash was checked
        except Exception as error:
            # Both libraries raise classes of their own for a file that is cut.
            raise EncoderError(f"cannot load the encoder {WORDLLAMA}: {error}") from error

    def encode(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        """Return float32 (n, 256), unit rows; a text without tokens gets a fixed vector. Text
        beyond 256 tokens is not read."""
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._one(text)
        return vectors

    def _one(self, text: str) -> Vectors:
        # The tokenizer joins pairs of signs, which takes long for a word without an end.
        ids = self._tokenizer.encode(text[:MAX_CHARACTERS], add_special_tokens=False).ids
        total = self._rows[ids].sum(axis=0, dtype=np.float32)
        length = float(np.linalg.norm(total))
        if not length:
            total[0] = length = 1.0
        return np.asarray(total / length, dtype=np.float32)
