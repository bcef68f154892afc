"""ms-marco-MiniLM-L-12-v2 in int8: 34 MB, Apache-2.0. Taken by `make setup-rerank`.

Trained on questions to a search engine (Nogueira and Cho, 2019, arXiv:1901.04085; the weights by
Reimers and Gurevych). One pair a run.
"""

import time
from collections.abc import Sequence
from concurrent.futures import Future

from memories.embedding.cross_encoders.cross_encoder import DeadlineExceededError, ModelMissingError
from memories.embedding.onnx_text_model import OnnxTextModel, encoder_threads
from memories.embedding.wheel_models.wheel_catalogue import (
    CROSS_ENCODER,
    MODEL_FILE,
    TOKENIZER_FILE,
    WHEEL_MODELS,
)

# Of question and text together. The cost of a pair grows with its tokens, and turns are short.
MAX_TOKENS = 256
# The characters of a question that are read: more than those tokens have, and a bound on the work.
MAX_CHARACTERS = 2_000


class MsMarcoCrossEncoder:
    """Serves the taken model. Raises ModelMissingError where it was not taken or cannot be read."""

    name = CROSS_ENCODER

    def __init__(self) -> None:
        model = WHEEL_MODELS[CROSS_ENCODER]
        if not model.is_taken:
            raise ModelMissingError(f"{CROSS_ENCODER} is not installed: make {model.target}")
        try:
            self._model = OnnxTextModel(
                model.folder / MODEL_FILE,
                model.folder / TOKENIZER_FILE,
                most_tokens=MAX_TOKENS,
                threads=encoder_threads(),
            )
        except Exception as error:
            # Both libraries raise classes of their own for a file that is cut.
            raise ModelMissingError(f"cannot load {CROSS_ENCODER}: {error}") from error

    def logits(self, question: str, texts: Sequence[str], *, deadline: float) -> list[float]:
        """See the interface. The time spent in waiting for other callers' runs counts as well."""
        asked = question[:MAX_CHARACTERS]
        runs = [self._model.pool.submit(self._one, asked, text) for text in texts]
        try:
            return [_wait_for_result(run, deadline) for run in runs]
        finally:
            # When the deadline is over, texts that were not begun are not read.
            for run in runs:
                run.cancel()

    def _one(self, question: str, text: str) -> float:
        return float(self._model.run(question, text[:MAX_CHARACTERS])[0])


def _wait_for_result(run: "Future[float]", deadline: float) -> float:
    try:
        return run.result(timeout=max(0.0, deadline - time.monotonic()))
    except TimeoutError:
        raise DeadlineExceededError from None
