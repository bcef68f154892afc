"""Propositions: sentences that each state one fact and need no context. Pure, English.

A proposition has 10 to 1,000 characters, at least five words and no pronoun, and is no question and
no heading. Every other text is refused with a reason.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from memories.language.comparison.text_comparison import normalise_text
from memories.language.text_limits import MAX_CHARACTERS_PER_TEXT, MAX_CHARACTERS_TO_EXCERPT

MIN_CHARACTERS, MAX_CHARACTERS, MIN_WORDS, MAX_PROPOSITIONS = 10, 1_000, 5, 50

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
# A full stop ends a sentence before a capital, a digit or the end, not inside "e.g." or "4.2"; that
# of a script without blanks always does.
_SENTENCE_END = re.compile(
    r"(?<=[.!?…])(?P<closed>[\"'”’)]*)\s+(?=[\"'“(]?[A-ZÀ-ÞА-Я0-9])|;\s+|\n+"
    r"|(?<=[。！？।])(?P<ended>[」』”’）]*)(?![。！？।」』”’）])"  # noqa: RUF001
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|mr|mrs|ms|dr|prof|st|vs|no|approx|etc|[A-Z])\.)$", re.I
)


@dataclass(frozen=True, slots=True)
class RejectedText:
    """A text that is no proposition, and why."""

    text: str
    reason: str


def rejection_reason(text: str) -> str:
    """Why a text is no proposition; empty for a proposition."""
    words = [w.replace("’", "'").casefold() for w in _WORD.findall(text)]
    if len(text) < MIN_CHARACTERS:
        return "too-short"
    if len(text) > MAX_CHARACTERS:
        return "too-long"
    if len(words) < MIN_WORDS:
        return "too-few-words"
    if not PRONOUNS.isdisjoint(words):
        return "pronoun"
    if text.rstrip("\"'”’)").endswith("?"):
        return "question"
    return "heading" if text.endswith(":") else ""


def strip_markup(text: str) -> str:
    """The text without a bullet, without quotation marks around the whole, and with single
    spaces."""
    plain = " ".join(_BULLET.sub("", text).split())
    if len(plain) > 2 and (plain[0], plain[-1]) in (('"', '"'), ("“", "”")):
        plain = plain[1:-1].strip()
    return plain


def iter_sentences(text: str) -> Iterator[str]:
    """The sentences and lines of a text, in order."""
    for start, end in iter_sentence_spans(text):
        yield text[start:end]


def iter_sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences and lines of a text begin and end, in order, in characters."""
    first = last = place = 0
    ends = ((max(m.start(), m.end(1), m.end(2)), m.end()) for m in _SENTENCE_END.finditer(text))
    for end, following in chain(ends, [(len(text), len(text))]):
        if part := text[place:end].strip():
            start = text.index(part, place)
            first, last = (first if last else start), start + len(part)
        place = following
        tail = text[max(first, last - 12) : last]
        waits = last - first <= MAX_CHARACTERS and _ABBREVIATION.search(tail)
        if last and (place == len(text) or not waits):
            yield first, last
            last = 0


def is_divisible(text: str) -> bool:
    """Whether the text has more than one sentence, so that it can be split."""
    return sum(1 for _ in islice(iter_sentences(text[:MAX_CHARACTERS_PER_TEXT]), 2)) > 1


def parse_propositions(given: Iterable[str]) -> tuple[list[str], list[RejectedText]]:
    """(the given texts that are propositions, each once; the refused ones)."""
    kept: dict[str, str] = {}
    refused = []
    for text in given:
        plain = strip_markup(text)
        if not plain:
            continue
        why = rejection_reason(plain) or ("too-many" if len(kept) >= MAX_PROPOSITIONS else "")
        if why:
            refused.append(RejectedText(text, why))
        else:
            kept.setdefault(normalise_text(plain), plain)
    return list(kept.values()), refused


def extract_propositions(text: str) -> tuple[list[str], list[RejectedText]]:
    """(the sentences of a text that are propositions; the refused ones)."""
    return parse_propositions(iter_sentences(text[:MAX_CHARACTERS_TO_EXCERPT]))
