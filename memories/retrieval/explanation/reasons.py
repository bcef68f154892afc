"""Why a memory came up, in short phrases. Pure."""

from collections.abc import Collection
from dataclasses import dataclass

from memories.language.budget import A_TEXT
from memories.language.excerpts import WORD, stem

CLOSE, RATHER = 0.8, 0.55
STRONG = 0.75
FITS = 0.2
MOST_WORDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
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
    for match in WORD.finditer(text[:A_TEXT]):
        key = stem(match[0].lower())
        if key in wanted and key not in found:
            found[key] = match[0]
            if len(found) == MOST_WORDS:
                break
    return list(found.values())


def _listed(words: list[str]) -> str:
    """“a”, “a” and “b”, “a”, “b” and “c”."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def reasons(share: Share, text: str, wanted: Collection[str]) -> list[str]:
    """Phrases that continue "it ..."; never empty."""
    found = []
    if words := shared_words(text, wanted):
        found.append("says " + _listed([f"“{word}”" for word in words]))
    elif share.words:
        found.append("stands beside turns with the words of the question")
    if share.meaning is not None and share.meaning >= RATHER:
        found.append("is close in meaning" if share.meaning >= CLOSE else "is related in meaning")
    if share.fits >= FITS:
        found.append("fits who or when was asked for")
    if share.strength >= STRONG:
        found.append("is important or often used")
    return found or ["is the nearest there is"]
