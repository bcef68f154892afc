"""A deterministic cross-encoder for tests: it counts the question's words in the text."""

import re
import time
from collections.abc import Sequence

from memories.embedding.cross_encoders.cross_encoder import DeadlineExceededError

_WORD = re.compile(r"\w+")
MAX_LOGIT = 10.0


class FakeCrossEncoder:
    """From -MOST, where the text has no word of the question, to MOST, where it has every one."""

    name = "fake-cross"

    def logits(self, question: str, texts: Sequence[str], *, deadline: float) -> list[float]:
        return [self._one(question, text, deadline) for text in texts]

    def _one(self, question: str, text: str, deadline: float) -> float:
        if time.monotonic() >= deadline:
            raise DeadlineExceededError
        wanted = set(_WORD.findall(question.casefold()))
        found = wanted & set(_WORD.findall(text.casefold()))
        return MAX_LOGIT * (2 * len(found) / max(1, len(wanted)) - 1)
