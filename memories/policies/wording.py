"""Text as people look at it: marked words, excerpts, what changed. Pure."""

import re
from collections import Counter
from difflib import SequenceMatcher

STOP = frozenset(
    "a an and are as at be by did do does for from has have how i in is it me my of on or our "  # noqa: SIM905
    "that the their they this to was we were what when where which who whom why will with you "
    "your".split()
)
WORD = re.compile(r"\w+")
EXCERPT = 360
LEAD = 80
LOOKED_THROUGH = 100_000
COMPARED_WORDS, COMPARED_PAIRS = 4_000, 100_000


def stems(question: str) -> set[str]:
    """The words of a question that are worth marking, cut where endings begin."""
    words = (word.lower() for word in WORD.findall(question[:1000]))
    return {stem(word) for word in words if word not in STOP and len(word) > 1}


def stem(word: str) -> str:
    """A crude stem: only for marking, never for searching."""
    for ending in ("ing", "ies", "es", "ed", "s", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def marked(text: str, wanted: set[str]) -> list[dict[str, object]]:
    """The text in order as [{text, hit}]; hit where a word has one of the wanted stems."""
    parts: list[dict[str, object]] = []
    last = 0
    for match in WORD.finditer(text):
        if stem(match[0].lower()) in wanted:
            if match.start() > last:
                parts.append({"text": text[last : match.start()], "hit": False})
            parts.append({"text": match[0], "hit": True})
            last = match.end()
    if last < len(text):
        parts.append({"text": text[last:], "hit": False})
    return parts


def excerpt(text: str, wanted: set[str], length: int = EXCERPT) -> str:
    """At most about `length` characters of a long text, from shortly before the first hit."""
    if len(text) <= length:
        return text
    hit = next(
        (m.start() for m in WORD.finditer(text[:LOOKED_THROUGH]) if stem(m[0].lower()) in wanted), 0
    )
    start = max(0, hit - LEAD)
    if start:
        start = text.find(" ", start, hit) + 1 or start
    cut, more = text[start : start + length], start + length < len(text)
    if more:
        cut = cut.rsplit(" ", 1)[0]
    return ("… " if start else "") + cut.strip() + (" …" if more else "")


def differences(old: str, new: str) -> list[dict[str, str]]:
    """What changed, by word, as [{op, text}] with op same, del or ins.

    Texts that are very long, or say few words again and again, are not compared by word, which
    would take time that grows with the square of their equal pairs.
    """
    before, after = old.split(), new.split()
    there = Counter(after)
    pairs = sum(count * there[word] for word, count in Counter(before).items())
    if max(len(before), len(after)) > COMPARED_WORDS or pairs > COMPARED_PAIRS:
        return [{"op": "del", "text": old}, {"op": "ins", "text": new}]
    parts: list[dict[str, str]] = []
    for op, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if op == "equal":
            parts.append({"op": "same", "text": " ".join(before[i:j])})
            continue
        if i < j:
            parts.append({"op": "del", "text": " ".join(before[i:j])})
        if k < m:
            parts.append({"op": "ins", "text": " ".join(after[k:m])})
    return parts
