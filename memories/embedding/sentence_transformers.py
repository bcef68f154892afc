"""The encoder for any sentence-transformers model, on torch.

It is slower and larger than `minilm`, so it should run in a worker and not in the web process.
"""

from collections.abc import Sequence

import numpy as np

from memories.embedding.encoder import EncoderError, Vectors

BATCH_SIZE = 32


class SentenceTransformerEncoder:
    """A model by its name in the local cache, or by its path. Nothing is downloaded."""

    def __init__(self, model: str) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise EncoderError(
                f"the encoder {model} needs the extra `models`: make setup-models"
            ) from error
        try:
            self._model = SentenceTransformer(model, device="cpu", local_files_only=True)
        except (ImportError, OSError, ValueError, KeyError) as error:
            raise EncoderError(f"cannot load the encoder {model!r}: {error}") from error
        self.name = model
        self.dimensions = int(self._model.get_embedding_dimension() or 0)

    def encode(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        """Return float32 (n, dimensions), unit rows."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        vectors = self._model.encode(
            list(texts), batch_size=BATCH_SIZE, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32)
