"""Marked words and excerpts of texts, for people. Pure."""

import re
from collections import Counter
from difflib import Match, SequenceMatcher
from itertools import accumulate

from memories.language.text_limits import MAX_CHARACTERS_TO_EXCERPT, WorkBudget

EXCERPT_STOPWORDS = frozenset(
    "a an and are as at be by did do does for from has have how i in is it me my of on or our "  # noqa: SIM905
    "that the their they this to was we were what when where which who whom why will with you "
    "your".split()
)
WORD_PATTERN = re.compile(r"\w+")
EXCERPT_CHARACTERS = 360
LEAD_CHARACTERS = 80
# Of the text before, and after, a part that is shown with what is around it.
AROUND_CHARACTERS = 160


def query_stems(question: str) -> set[str]:
    """The stems of the words of a question to mark."""
    words = (word.lower() for word in WORD_PATTERN.findall(question[:1000]))
    return {stem(word) for word in words if word not in EXCERPT_STOPWORDS and len(word) > 1}


def stem(word: str) -> str:
    """A crude stem: only for marking, never for searching."""
    for ending in ("ing", "ies", "es", "ed", "s", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def highlight_parts(text: str, wanted: set[str]) -> list[dict[str, object]]:
    """The text in order as [{text, hit}]; hit where a word has one of the wanted stems."""
    parts: list[dict[str, object]] = []
    last = 0
    for match in WORD_PATTERN.finditer(text):
        if stem(match[0].lower()) in wanted:
            if match.start() > last:
                parts.append({"text": text[last : match.start()], "hit": False})
            parts.append({"text": match[0], "hit": True})
            last = match.end()
    if last < len(text):
        parts.append({"text": text[last:], "hit": False})
    return parts


def excerpt(text: str, wanted: set[str], length: int = EXCERPT_CHARACTERS) -> str:
    """At most about `length` characters of a long text, from shortly before the first hit."""
    if len(text) <= length:
        return text
    hit = next(
        (
            m.start()
            for m in WORD_PATTERN.finditer(text[:MAX_CHARACTERS_TO_EXCERPT])
            if stem(m[0].lower()) in wanted
        ),
        0,
    )
    start = max(0, hit - LEAD_CHARACTERS)
    if start:
        start = text.find(" ", start, hit) + 1 or start
    cut, more = text[start : start + length], start + length < len(text)
    if more:
        cut = cut.rsplit(" ", 1)[0]
    return ("… " if start else "") + cut.strip() + (" …" if more else "")


def excerpt_around(text: str, start: int, end: int) -> tuple[str, str, str]:
    """(what stands before a part of the text, the part, what stands after it); of a long text only
    the nearest words, with an ellipsis."""
    before, after = text[:start], text[end:]
    if len(before) > AROUND_CHARACTERS:
        nearest = before[-AROUND_CHARACTERS:]
        before = f"… {nearest.partition(' ')[2] or nearest}"
    if len(after) > AROUND_CHARACTERS:
        nearest = after[:AROUND_CHARACTERS]
        after = f"{nearest.rpartition(' ')[0] or nearest} …"
    return before, text[start:end], after


def _whole_replacement(old: str, new: str) -> list[dict[str, str]]:
    return [{"op": "del", "text": _truncate(old)}, {"op": "ins", "text": _truncate(new)}]


def _truncate(text: str) -> str:
    return (
        text if len(text) <= MAX_CHARACTERS_TO_EXCERPT else f"{text[:MAX_CHARACTERS_TO_EXCERPT]} …"
    )


class _ComparisonTooCostlyError(Exception):
    """Comparing the texts takes more steps than the budget has."""


class _BudgetedSequenceMatcher(SequenceMatcher[str]):
    """Compares two lists of words and counts the steps.

    If long texts differ in every other word, the steps grow with the square of their length.
    """

    def __init__(self, before: list[str], after: list[str], budget: WorkBudget) -> None:
        self.budget = budget
        super().__init__(None, before, after, autojunk=False)
        there = Counter(after)
        self.costs = [0, *accumulate(1 + there[word] for word in before)]

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        end = len(self.costs) - 1 if ahi is None else ahi
        if not self.budget.take(self.costs[end] - self.costs[alo], first=False):
            raise _ComparisonTooCostlyError
        return super().find_longest_match(alo, ahi, blo, bhi)
