"""wordllama-l2-supercat: 256 numbers for each token, and nothing to compute but their mean; MIT.
Taken by `make setup-wordllama`.

It takes less than a fiftieth of the time of the default model and finds less (docs/benchmarks.md).
"""

from collections.abc import Sequence

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from memories.embedding.encoder import Vectors
from memories.embedding.wheel_models.wheel_catalogue import (
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    WORDLLAMA,
    loading_encoder,
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
        with loading_encoder(WORDLLAMA) as folder:
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(MAX_TOKENS)
            [self._rows] = load_file(folder / WEIGHTS_FILE).values()

    def encode(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        """Return float32 (n, 256), unit rows; a text without tokens gets a fixed vector. Text
        beyond 256 tokens is not read."""
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._encode_text(text)
        return vectors

    def _encode_text(self, text: str) -> Vectors:
        # The tokenizer joins pairs of signs, which takes long for a word without an end.
        ids = self._tokenizer.encode(text[:MAX_CHARACTERS], add_special_tokens=False).ids
        total = self._rows[ids].sum(axis=0, dtype=np.float32)
        length = float(np.linalg.norm(total))
        if not length:
            total[0] = length = 1.0
        return np.asarray(total / length, dtype=np.float32)
