"""What changed between two texts, word by word. Pure."""

from collections import Counter

from memories.language.excerpts import (
    _BudgetedSequenceMatcher,
    _ComparisonTooCostlyError,
    _whole_replacement,
)
from memories.language.text_limits import MAX_COMPARISON_STEPS, WorkBudget

MAX_WORDS, MAX_PAIRS = 4_000, 100_000


def diff_words(old: str, new: str, budget: WorkBudget | None = None) -> list[dict[str, str]]:
    """The differences by word, as [{op, text}] with op same, del or ins.

    Texts that are very long, or so different that comparing them exceeds the budget, are given one
    after the other, cut to what a page holds.
    """
    before, after = old.split(), new.split()
    there = Counter(after)
    pairs = sum(count * there[word] for word, count in Counter(before).items())
    if max(len(before), len(after)) > MAX_WORDS or pairs > MAX_PAIRS:
        return _whole_replacement(old, new)
    parts: list[dict[str, str]] = []
    try:
        steps = _BudgetedSequenceMatcher(
            before, after, budget or WorkBudget(MAX_COMPARISON_STEPS)
        ).get_opcodes()
    except _ComparisonTooCostlyError:
        return _whole_replacement(old, new)
    for op, i, j, k, m in steps:
        if op == "equal":
            parts.append({"op": "same", "text": " ".join(before[i:j])})
            continue
        if i < j:
            parts.append({"op": "del", "text": " ".join(before[i:j])})
        if k < m:
            parts.append({"op": "ins", "text": " ".join(after[k:m])})
    return parts
