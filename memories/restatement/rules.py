"""Restate a turn so that it can be read on its own: who "I" and "he" are, which day "tomorrow" is.

Pure and deterministic. A restatement is stored beside the verbatim text and never replaces it. Only
certain references are resolved: if two people may be meant the pronoun stays, and quotations and
code are not changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memories.language.coreference import SECOND_PERSON, THIRD_PERSON, PronounResolver, Turn
from memories.language.mentions import (
    extract_keywords,
    find_location,
    find_persons,
    find_shared_topic,
)
from memories.language.text_limits import MAX_CHARACTERS_PER_TURN

__all__ = ["RuleRestatement", "Turn", "has_second_person", "needs_context", "restate"]

# The characters of a text that are restated.
MAX_CHARACTERS = MAX_CHARACTERS_PER_TURN


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRestatement:
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
    return len(text) <= MAX_CHARACTERS and THIRD_PERSON.search(text) is not None


def has_second_person(text: str) -> bool:
    """Whether the text depends on whom it addresses."""
    return len(text) <= MAX_CHARACTERS and SECOND_PERSON.search(text) is not None


def restate(
    turn: Turn, before: Sequence[Turn] = (), *, keywords: int = 5, topic: str = ""
) -> RuleRestatement | None:
    """Restate a turn by the turns before it, oldest first; None if there is nothing to restate.

    before: only turns that every reader of the turn may read, because their names come into the
    text. keywords: how many at most.
    """
    if len(turn.text) > MAX_CHARACTERS:
        return None
    known = {t.speaker for t in (turn, *before) if t.speaker} | set(turn.addressed)
    resolver = PronounResolver(turn, before, known)
    text = resolver.resolved()
    named = resolver.named if text == turn.text else find_persons(text, known)
    found = RuleRestatement(
        text=text if text != turn.text else "",
        persons=tuple(p.name for p in named),
        location=find_location(turn.text),
    )
    if not found:
        return None
    return RuleRestatement(
        text=found.text,
        persons=found.persons,
        location=found.location,
        keywords=tuple(extract_keywords(text, keywords)),
        topic=topic or find_shared_topic(turn.text, [t.text for t in before]),
    )
