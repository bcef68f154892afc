"""How much text the rules look at: so much of one text, of one request, of one step. Pure.

Counted in characters and not in time, so that the same request has the same outcome on every
machine. A text is stored whole and found by its words whatever its length; what is limited is what
the rules conclude from it. Every rule takes time that grows with the characters that it looks at
and no faster (tests/texts), so a limit on characters is one on time.
"""

from dataclasses import dataclass

# Of one text, for whatever says what it is about: names, dates, terms, words of time.
A_TEXT = 20_000
# Of one turn that is to be readable on its own; a longer one stands alone already.
A_TURN = 4_000
# Of one message or question, for what only its manner tells: whether it asks, greets, announces.
A_GLANCE = 2_000
# Of one text on a page or in an answer, for what is shown of it or taken out of it.
A_PAGE = 100_000
# Of all the texts of one answer that are compared: a thousand of a page each.
A_REQUEST = 1_000_000
# Of all the texts that a worker reads in one step; the rest waits for the next one.
A_STEP = 250_000
# Steps of a comparison by word, of all the texts of one page together.
A_COMPARISON = 1_000_000


@dataclass(slots=True)
class Budget:
    """What may still be looked at in one request, one page or one step of the worker.

    most, used: in characters, or in what else is counted.
    """

    most: int = A_REQUEST
    used: int = 0

    def take(self, more: int, *, first: bool = True) -> bool:
        """Whether so much more may be looked at; if so it is taken.

        first: what comes first may be more than there is.
        """
        if self.used + more > self.most and (self.used or not first):
            return False
        self.used += max(1, more)
        return True
