"""Why a memory came up, in short phrases. Pure."""

from collections.abc import Collection
from dataclasses import dataclass

from memories.language.excerpts import WORD_PATTERN, stem
from memories.language.text_limits import MAX_CHARACTERS_PER_TEXT

CLOSE_FROM, RELATED_FROM = 0.8, 0.55
STRONG_FROM = 0.75
CUES_FROM = 0.2
MAX_WORDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreShares:
    """The parts of a score relative to the best candidate, in 0-1; None for a part that was not
    used.

    fits: what the wording added (speaker, time, length), see `retrieval.ranking.cues`.
    """

    meaning: float | None
    words: float | None
    fits: float
    strength: float


def shared_words(text: str, wanted: Collection[str]) -> list[str]:
    """The first words of the text that have one of the wanted stems, each once."""
    found: dict[str, str] = {}
    for match in WORD_PATTERN.finditer(text[:MAX_CHARACTERS_PER_TEXT]):
        key = stem(match[0].lower())
        if key in wanted and key not in found:
            found[key] = match[0]
            if len(found) == MAX_WORDS:
                break
    return list(found.values())


def quote_words(words: list[str]) -> str:
    """“a”, “a” and “b”, “a”, “b” and “c”; of at least one word."""
    words = [f"“{word}”" for word in words]
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def match_phrases(share: ScoreShares, text: str, wanted: Collection[str]) -> list[str]:
    """Phrases that continue "it ..."; never empty."""
    found = []
    if words := shared_words(text, wanted):
        found.append(f"says {quote_words(words)}")
    elif share.words:
        found.append("stands beside turns with the words of the question")
    if share.meaning is not None and share.meaning >= RELATED_FROM:
        found.append(
            "is close in meaning" if share.meaning >= CLOSE_FROM else "is related in meaning"
        )
    if share.fits >= CUES_FROM:
        found.append("fits who or when was asked for")
    if share.strength >= STRONG_FROM:
        found.append("is important or often used")
    return found or ["is the nearest there is"]
