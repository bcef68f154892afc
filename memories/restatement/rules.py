"""Restate a turn so that it can be read on its own: who "I" and "he" are, which day "tomorrow" is.

Pure and deterministic. A restatement is stored beside the verbatim text and never replaces it. Only
certain references are resolved: if two people may be meant the pronoun stays, and quotations and
code are not changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memories.language.budget import A_TURN
from memories.language.coreference import THIRD, YOU, Resolver, Turn
from memories.language.persons import keywords_in, persons_in, place_in, topic_of

__all__ = ["Restated", "Turn", "addresses", "needs_context", "restate"]

# The characters of a text that are restated.
LONGEST = A_TURN


@dataclass(frozen=True, slots=True, kw_only=True)
class Restated:
    """The restatement of a turn; `text` is empty if it equals the turn's own text."""

    text: str = ""
    keywords: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    location: str = ""
    topic: str = ""

    def __bool__(self) -> bool:
        return bool(self.text or self.persons or self.location)


def needs_context(text: str) -> bool:
    """Whether earlier turns could resolve a reference of the text."""
    return len(text) <= LONGEST and THIRD.search(text) is not None


def addresses(text: str) -> bool:
    """Whether the text depends on whom it addresses."""
    return len(text) <= LONGEST and YOU.search(text) is not None


def restate(
    turn: Turn, before: Sequence[Turn] = (), *, keywords: int = 5, topic: str = ""
) -> Restated | None:
    """Restate a turn by the turns before it, oldest first; None if there is nothing to restate.

    before: only turns that every reader of the turn may read, because their names come into the
    text. keywords: how many at most.
    """
    if len(turn.text) > LONGEST:
        return None
    known = {t.speaker for t in (turn, *before) if t.speaker} | set(turn.addressed)
    resolver = Resolver(turn, before, known)
    text = resolver.resolved()
    named = resolver.named if text == turn.text else persons_in(text, known)
    found = Restated(
        text=text if text != turn.text else "",
        persons=tuple(p.name for p in named),
        location=place_in(turn.text),
    )
    if not found:
        return None
    return Restated(
        text=found.text,
        persons=found.persons,
        location=found.location,
        keywords=tuple(keywords_in(text, keywords)),
        topic=topic or topic_of(turn.text, [t.text for t in before]),
    )
