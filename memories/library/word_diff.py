"""What changed between two texts, word by word. Pure."""

from collections import Counter

from memories.language.budget import A_COMPARISON, Budget
from memories.language.excerpts import _apart, _Counted, _TooFarApart

COMPARED_WORDS, COMPARED_PAIRS = 4_000, 100_000


def differences(old: str, new: str, budget: Budget | None = None) -> list[dict[str, str]]:
    """The differences by word, as [{op, text}] with op same, del or ins.

    Texts that are very long, or so different that comparing them exceeds the budget, are given one
    after the other, cut to what a page holds.
    """
    before, after = old.split(), new.split()
    there = Counter(after)
    pairs = sum(count * there[word] for word, count in Counter(before).items())
    if max(len(before), len(after)) > COMPARED_WORDS or pairs > COMPARED_PAIRS:
        return _apart(old, new)
    parts: list[dict[str, str]] = []
    try:
        steps = _Counted(before, after, budget or Budget(A_COMPARISON)).get_opcodes()
    except _TooFarApart:
        return _apart(old, new)
    for op, i, j, k, m in steps:
        if op == "equal":
            parts.append({"op": "same", "text": " ".join(before[i:j])})
            continue
        if i < j:
            parts.append({"op": "del", "text": " ".join(before[i:j])})
        if k < m:
            parts.append({"op": "ins", "text": " ".join(after[k:m])})
    return parts
