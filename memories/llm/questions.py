"""Questions whose answer is one JSON object, and how many of them a run may ask."""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from memories.llm import client
from memories.llm.answer_json import Nonsense, document

log = logging.getLogger("commonmind.llm")

# After so many failures in a row a run asks no more: an endpoint that is away is away for a while.
SILENT = 3

Answer = TypeVar("Answer")


def ask_object(system: str, question: Mapping[str, Any]) -> Mapping[str, Any]:
    """Ask with JSON, so that no text can pretend to be more than a text; the object that came.

    Call outside of transactions. Raises NoModelAnswer and Nonsense.
    """
    found = document(client.ask(system, json.dumps(question, ensure_ascii=False)))
    if not isinstance(found, dict):
        raise Nonsense("no object")
    return found


@dataclass(slots=True)
class Questions:
    """What one run may still ask.

    left: questions. asked, unanswered: how many were asked, and how many of these had no answer
    of the right shape. silent: failures in a row.
    """

    left: int
    asked: int = 0
    unanswered: int = 0
    silent: int = 0

    def may_ask(self) -> bool:
        """Whether there is a model, something left of the budget, and an answer to be hoped for."""
        return client.configured() and self.left > 0 and self.silent < SILENT

    def ask(
        self,
        system: str,
        question: Mapping[str, Any],
        read: Callable[[Mapping[str, Any]], Answer],
    ) -> Answer | None:
        """What `read` makes of the answer; it raises Nonsense. None without an answer."""
        self.left, self.asked = self.left - 1, self.asked + 1
        try:
            found = read(ask_object(system, question))
        except (client.NoModelAnswer, Nonsense) as error:
            # The class alone: a message may quote a text.
            log.warning("a question was not answered: %s", type(error).__name__)
            self.unanswered, self.silent = self.unanswered + 1, self.silent + 1
            return None
        self.silent = 0
        return found
