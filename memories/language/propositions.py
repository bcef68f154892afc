"""Propositions: sentences that each state one fact and need no context. Pure, English.

A proposition has 10 to 1,000 characters, at least five words and no pronoun, and is no question and
no heading. Every other text is refused with a reason.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from memories.language.budget import A_PAGE, A_TEXT

SHORTEST, LONGEST, FEWEST_WORDS, MOST = 10, 1_000, 5, 50

_PRONOUN_WORDS = """
i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it
its itself we us our ours ourselves they them their theirs themselves this these those
who whom whose someone somebody something anyone anybody anything
i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll she'd it's it'll it'd
we're we've we'll we'd they're they've they'll they'd that's who's there's let's
"""
PRONOUNS = frozenset(_PRONOUN_WORDS.split())
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,3}[.)]|[a-z][.)])\s+")
# A full stop ends a sentence before a capital, a digit or the end, not inside "e.g." or "4.2".
_END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+(?=[\"'“(]?[A-ZÀ-ÞА-Я0-9])|;\s+|\n+")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|mr|mrs|ms|dr|prof|st|vs|no|approx|etc|[A-Z])\.)$", re.I
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A text that is no proposition, and why."""

    text: str
    reason: str


def fault(text: str) -> str:
    """Why a text is no proposition; empty for a proposition."""
    words = [w.replace("’", "'").casefold() for w in _WORD.findall(text)]
    if len(text) < SHORTEST:
        return "too-short"
    if len(text) > LONGEST:
        return "too-long"
    if len(words) < FEWEST_WORDS:
        return "too-few-words"
    if not PRONOUNS.isdisjoint(words):
        return "pronoun"
    if text.rstrip("\"'”’)").endswith("?"):
        return "question"
    return "heading" if text.endswith(":") else ""


def tidy(text: str) -> str:
    """The text without a bullet, without quotation marks around the whole, and with single
    spaces."""
    plain = " ".join(_BULLET.sub("", text).split())
    if len(plain) > 2 and (plain[0], plain[-1]) in (('"', '"'), ("“", "”")):
        plain = plain[1:-1].strip()
    return plain


def sentences(text: str) -> Iterator[str]:
    """The sentences and lines of a text, in order."""
    held = ""
    for part in _END.split(text):
        held = f"{held} {part}".strip() if held else part.strip()
        if held and (len(held) > LONGEST or not _ABBREVIATED.search(held[-12:])):
            yield held
            held = ""
    if held:
        yield held


def is_divisible(text: str) -> bool:
    """Whether the text has more than one sentence, so that it can be split."""
    return sum(1 for _ in islice(sentences(text[:A_TEXT]), 2)) > 1


def parse(given: Iterable[str]) -> tuple[list[str], list[Refusal]]:
    """(the given texts that are propositions, each once; the refused ones)."""
    kept: dict[str, str] = {}
    refused = []
    for text in given:
        plain = tidy(text)
        if not plain:
            continue
        why = fault(plain) or ("too-many" if len(kept) >= MOST else "")
        if why:
            refused.append(Refusal(text, why))
        else:
            kept.setdefault(plain.casefold().rstrip(".!"), plain)
    return list(kept.values()), refused


def propositions_in(text: str) -> tuple[list[str], list[Refusal]]:
    """(the sentences of a text that are propositions; the refused ones)."""
    return parse(sentences(text[:A_PAGE]))
