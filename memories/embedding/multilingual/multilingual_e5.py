"""multilingual-e5-small: 384 numbers, about a hundred languages, MIT. Taken by
`make setup-multilingual`.

Which weights, and why the package's own library never runs: docs/adr/0053-multilingual-encoder.md.
Wang et al., 2024, arXiv:2402.05672.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from django.conf import settings

from memories.embedding.encoder import Vectors
from memories.embedding.exported_models import ensure_exported
from memories.embedding.minilm import DEFAULT_VARIANT
from memories.embedding.multilingual.packed_model import PackedModel
from memories.embedding.multilingual.unigram_tokenizer import VOCABULARY_FILE, UnigramTokenizer
from memories.embedding.onnx_text_model import DEFAULT_THREADS, create_session, encoder_threads
from memories.embedding.wheel_models.wheel_catalogue import (
    MULTILINGUAL_E5,
    PACKED_FILE,
    loading_encoder,
)

# As with the default model; text beyond this is found by its words.
MAX_TOKENS = 256
QUERY_PREFIX, PASSAGE_PREFIX = "query: ", "passage: "


class MultilingualE5Encoder:
    """Serves an exported model, one text a run; safe to call from several threads.

    The model was trained with a word before each text that says what the text is.
    """

    name = MULTILINGUAL_E5
    dimensions = 384

    def __init__(
        self,
        weights: Path,
        exported: Path,
        *,
        variant: str = DEFAULT_VARIANT,
        threads: int = DEFAULT_THREADS,
    ) -> None:
        self._packed = PackedModel(weights)
        self._tokenizer = UnigramTokenizer(exported / VOCABULARY_FILE, self._packed.vocabulary)
        self._session = create_session(exported / f"{variant}.onnx")
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="encoder")

    def encode(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        """Return float32 (n, 384), unit rows. Text beyond 256 tokens is not read."""
        encode = partial(self._encode_text, QUERY_PREFIX if is_query else PASSAGE_PREFIX)
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        found = map(encode, texts) if len(texts) == 1 else self._pool.map(encode, texts)
        for row, vector in enumerate(found):
            vectors[row] = vector
        return vectors

    def _encode_text(self, prefix: str, text: str) -> Vectors:
        ids = np.array(self._tokenizer.encode(prefix + text, MAX_TOKENS), dtype=np.int64)
        feed = {
            "word_vectors": self._packed.word_vectors(ids)[np.newaxis],
            "attention_mask": np.ones((1, len(ids)), dtype=np.int64),
        }
        vector: Vectors = self._session.run(None, feed)[0][0]
        return vector


def load_multilingual_e5() -> MultilingualE5Encoder:
    """Build the encoder from the installed file, exporting it on first use.

    Settings: DATA_DIR, ENCODER_THREADS, ENCODER_VARIANT. Raises EncoderError.
    """
    with loading_encoder(MULTILINGUAL_E5) as folder:
        weights = folder / PACKED_FILE
        exported = ensure_exported(
            weights,
            Path(settings.DATA_DIR) / "models",
            ("memories.embedding.multilingual.export", str(weights)),
        )
        return MultilingualE5Encoder(
            weights,
            exported,
            variant=getattr(settings, "ENCODER_VARIANT", DEFAULT_VARIANT),
            threads=encoder_threads(),
        )
