"""From the entries of a block to the lines that are wanted: what stays, comes and goes. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from personas.blocks.entries import Entry


@dataclass(frozen=True, slots=True)
class Change:
    """gone: an entry to be removed. line: a new line. With both, the line replaces the entry."""

    gone: Entry | None
    line: str | None


def changes(entries: Sequence[Entry], lines: Sequence[str]) -> list[Change]:
    """The changes from the entries to the lines. An entry whose text is among the lines stays.

    A block has at most some hundred lines, because its text is bounded.
    """
    wanted = set(lines)
    texts = [one.text for one in entries]
    found: list[Change] = []
    for op, i, j, k, m in SequenceMatcher(None, texts, lines, autojunk=False).get_opcodes():
        if op == "equal":
            continue
        gone = [one for one in entries[i:j] if one.text not in wanted]
        fresh = [line for line in dict.fromkeys(lines[k:m]) if line not in texts]
        both = min(len(gone), len(fresh))
        found += [Change(gone[n], fresh[n]) for n in range(both)]
        found += [Change(one, None) for one in gone[both:]]
        found += [Change(None, line) for line in fresh[both:]]
    return _once(found)


def _once(found: Sequence[Change]) -> list[Change]:
    """The changes with each new line once."""
    seen: set[str] = set()
    kept = []
    for one in found:
        if one.line is None or one.line not in seen:
            kept.append(one)
        elif one.gone is not None:
            kept.append(Change(one.gone, None))
        if one.line is not None:
            seen.add(one.line)
    return kept
