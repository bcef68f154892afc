"""A sentence that can be read on its own: who "I" and "he" are, on which day "tomorrow" is.

Pure and deterministic. It stands beside the verbatim text and never in its place, and it resolves
only what is certain: where two people may be meant the pronoun stays, and nothing inside quotation
marks or code is touched.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memories.language.budget import A_TURN
from memories.language.coreference import THIRD, YOU, Resolver, Turn
from memories.language.persons import keywords_in, persons_in, place_in, topic_of

__all__ = ["Restated", "Turn", "addresses", "needs_context", "restate"]

# So much text is worth restating.
LONGEST = A_TURN


@dataclass(frozen=True, slots=True, kw_only=True)
class Restated:
    """What a turn says on its own; `text` is empty where that is what it says already."""

    text: str = ""
    keywords: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    location: str = ""
    topic: str = ""

    def __bool__(self) -> bool:
        return bool(self.text or self.persons or self.location)


def needs_context(text: str) -> bool:
    """Whether the turns before could tell who is meant."""
    return len(text) <= LONGEST and THIRD.search(text) is not None


def addresses(text: str) -> bool:
    """Whether it matters to whom it was said."""
    return len(text) <= LONGEST and YOU.search(text) is not None


def restate(
    turn: Turn, before: Sequence[Turn] = (), *, keywords: int = 5, topic: str = ""
) -> Restated | None:
    """Resolve a turn by the turns before it, oldest first; None where there is nothing to tell.

    `before` must hold only what every reader of the turn may read: names out of it come into the
    sentence. keywords: how many at most.
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
