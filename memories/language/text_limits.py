"""Limits on the text that the rules read: of one text, one request, one step. Pure.

Limits are in characters and not in time, so that the same request has the same result on every
machine. A text of any length is stored and indexed whole; only what the rules conclude from it is
limited. Every rule takes time linear in the characters that it reads (tests/texts), so a limit on
characters also limits time.
"""

from dataclasses import dataclass

# Of one text, for names, dates, terms and words of time.
MAX_CHARACTERS_PER_TEXT = 20_000
# Of one turn for its restatement; a longer one can be read on its own.
MAX_CHARACTERS_PER_TURN = 4_000
# Of one message or question, for its kind: whether it asks, greets, announces.
MAX_CHARACTERS_TO_CLASSIFY = 2_000
# Of one text on a page or in an answer, for excerpts and marks.
MAX_CHARACTERS_TO_EXCERPT = 100_000
# Of all the texts of one answer that are compared.
MAX_CHARACTERS_PER_REQUEST = 1_000_000
# Of all the texts that a worker reads in one step; the rest waits for the next step.
MAX_CHARACTERS_PER_STEP = 250_000
# Steps of comparisons by word, for all the texts of one page together.
MAX_COMPARISON_STEPS = 1_000_000


@dataclass(slots=True)
class WorkBudget:
    """A budget for one request, one page or one step of the worker.

    most, used: in characters or another unit.
    """

    most: int = MAX_CHARACTERS_PER_REQUEST
    used: int = 0

    def take(self, more: int, *, first: bool = True) -> bool:
        """Take `more` from the budget, if there is so much left. Returns whether it was taken.

        first: the first take may exceed the budget.
        """
        if self.used + more > self.most and (self.used or not first):
            return False
        self.used += max(1, more)
        return True
