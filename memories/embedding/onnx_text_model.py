"""An ONNX model with its tokenizer: one text in each run, one core for each run, several runs at a
time.

In int8 the scale of the activations is taken over the whole input. So in a batch a text's result
would depend on its neighbours; alone it is always the same, and on two cores also faster.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from django.conf import settings
from tokenizers import Tokenizer

# Its threads would compete with ours for the same cores.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

DEFAULT_THREADS = 2


class OnnxTextModel:
    """Safe to call from several threads at once. pool: runs up to `threads` texts at a time."""

    def __init__(
        self, model: Path, tokenizer: Path, *, most_tokens: int, threads: int = DEFAULT_THREADS
    ) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(most_tokens)
        self._session = create_session(model)
        self._inputs = [one.name for one in self._session.get_inputs()]
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="encoder")

    def run(self, text: str, pair: str | None = None) -> Any:
        """The model's first output for a text or a pair: its one row, float32.

        A pair is cut to `most_tokens` together, the longer text first.
        """
        read = self._tokenizer.encode(text, pair)
        ids = np.array([read.ids], dtype=np.int64)
        feed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.array([read.type_ids], dtype=np.int64),
        }
        return self._session.run(None, {name: feed[name] for name in self._inputs})[0][0]


def create_session(model: Path) -> onnxruntime.InferenceSession:
    """A session that runs on the core of its caller."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def encoder_threads() -> int:
    """The setting ENCODER_THREADS."""
    return int(getattr(settings, "ENCODER_THREADS", DEFAULT_THREADS))
