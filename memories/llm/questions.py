"""Questions whose answer is one JSON object, and how many of them a run may ask."""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from memories.llm import client
from memories.llm.client import InvalidAnswerError, parse_json

log = logging.getLogger("commonmind.llm")

# After this many failures in a row a run asks no more, because the server is probably down.
MAX_FAILURES_IN_ROW = 3

Answer = TypeVar("Answer")


def ask_json(system: str, question: Mapping[str, Any]) -> Mapping[str, Any]:
    """Ask a question as JSON, so that no text can pass for an instruction; returns the JSON object
    of the answer.

    Call outside of transactions. Raises ModelAnswerError and InvalidAnswerError.
    """
    found = parse_json(client.ask(system, json.dumps(question, ensure_ascii=False)))
    if not isinstance(found, dict):
        raise InvalidAnswerError("no object")
    return found


@dataclass(slots=True)
class QuestionBudget:
    """The budget of questions of one run.

    left: questions that may still be asked. asked, unanswered: how many were asked, and how many of
    these had no valid answer. silent: failures in a row.
    """

    left: int
    asked: int = 0
    unanswered: int = 0
    silent: int = 0

    def may_ask(self) -> bool:
        """Whether there is a model and budget left, and the last answers did not all fail."""
        return client.is_configured() and self.left > 0 and self.silent < MAX_FAILURES_IN_ROW

    def ask(
        self,
        system: str,
        question: Mapping[str, Any],
        read: Callable[[Mapping[str, Any]], Answer],
    ) -> Answer | None:
        """Ask a question. Returns `read(answer)`; None without an answer, or if `read` raises
        InvalidAnswerError."""
        self.left, self.asked = self.left - 1, self.asked + 1
        try:
            found = read(ask_json(system, question))
        except (client.ModelAnswerError, InvalidAnswerError) as error:
            # Only the class: a message may quote a text.
            log.warning("a question was not answered: %s", type(error).__name__)
            self.unanswered, self.silent = self.unanswered + 1, self.silent + 1
            return None
        self.silent = 0
        return found
