"""Restate a turn so that it can be read on its own: who "I" and "he" are, which day "tomorrow" is.

Pure and deterministic. A restatement is stored beside the verbatim text and never replaces it. Only
certain references are resolved: if two people may be meant the pronoun stays, and quotations and
code are not changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memories.language.coreference import SECOND_PERSON, THIRD_PERSON, PronounResolver, Turn
from memories.language.entities import PROJECT, TOPIC, NamedEntity, extract_entities
from memories.language.mentions import (
    extract_keywords,
    find_location,
    find_persons,
    find_shared_topic,
)
from memories.language.terms import strip_addressee
from memories.language.text_limits import MAX_CHARACTERS_PER_TURN

__all__ = ["RuleRestatement", "Turn", "has_second_person", "needs_context", "restate"]

# The characters of a text that are restated.
MAX_CHARACTERS = MAX_CHARACTERS_PER_TURN
# Among so many keywords the topic is looked for.
MAX_TOPIC_WORDS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRestatement:
    """The restatement of a turn; `text` is empty if it equals the turn's own text. entities: (name,
    type)."""

    text: str = ""
    keywords: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    entities: tuple[tuple[str, str], ...] = ()
    location: str = ""
    topic: str = ""


def needs_context(text: str) -> bool:
    """Whether earlier turns could resolve a reference of the text."""
    return len(text) <= MAX_CHARACTERS and THIRD_PERSON.search(text) is not None


def has_second_person(text: str) -> bool:
    """Whether the text depends on whom it addresses."""
    return len(text) <= MAX_CHARACTERS and SECOND_PERSON.search(text) is not None


def restate(
    turn: Turn, before: Sequence[Turn] = (), *, keywords: int = 5, topic: str = ""
) -> RuleRestatement:
    """Restate a turn by the turns before it, oldest first, and find what it names.

    before: only turns that every reader of the turn may read, because their names come into the
    text. keywords: how many at most. topic: the one that it was given. A text that is too long is
    not restated; the names of its beginning are found.
    """
    known = {t.speaker for t in (turn, *before) if t.speaker} | set(turn.addressed)
    own = turn.text[:MAX_CHARACTERS]
    text, named = own, None
    if len(turn.text) <= MAX_CHARACTERS:
        resolver = PronounResolver(turn, before, known)
        text = resolver.resolved()
        named = resolver.named if text == own else None
    persons = [person.name for person in (find_persons(text, known) if named is None else named)]
    words = extract_keywords(text, MAX_TOPIC_WORDS)
    entities = extract_entities(strip_addressee(own), sorted(known))
    return RuleRestatement(
        text=text if text != own else "",
        persons=tuple(persons),
        entities=tuple((one.name, one.type) for one in entities),
        location=find_location(own),
        keywords=tuple(words[:keywords]),
        topic=topic
        or find_shared_topic(own, [t.text for t in before])
        or _own_topic(entities, words, persons),
    )


def _own_topic(
    entities: Sequence[NamedEntity], words: Sequence[str], persons: Sequence[str]
) -> str:
    """What the text calls its topic or its project, else its first keyword that names nobody."""
    for type_ in (TOPIC, PROJECT):
        if found := next((one.name for one in entities if one.type == type_), ""):
            return found
    people = {part for name in persons for part in name.casefold().split()}
    return next((w for w in words if w.casefold() not in people and not w[0].isdigit()), "")
