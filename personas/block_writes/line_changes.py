"""From the entries of a block to the lines that are wanted: what stays, comes and goes. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from personas.blocks.entries import BlockEntry


@dataclass(frozen=True, slots=True)
class LineChange:
    """gone: an entry to be removed. line: a new line. With both, the line replaces the entry."""

    gone: BlockEntry | None
    line: str | None


def compute_line_changes(entries: Sequence[BlockEntry], lines: Sequence[str]) -> list[LineChange]:
    """The changes from the entries to the lines. An entry whose text is among the lines stays.

    A block has at most some hundred lines, because its text is bounded.
    """
    wanted = set(lines)
    texts = [one.text for one in entries]
    found: list[LineChange] = []
    for op, i, j, k, m in SequenceMatcher(None, texts, lines, autojunk=False).get_opcodes():
        if op == "equal":
            continue
        gone = [one for one in entries[i:j] if one.text not in wanted]
        fresh = [line for line in dict.fromkeys(lines[k:m]) if line not in texts]
        both = min(len(gone), len(fresh))
        found += [LineChange(gone[n], fresh[n]) for n in range(both)]
        found += [LineChange(one, None) for one in gone[both:]]
        found += [LineChange(None, line) for line in fresh[both:]]
    return _drop_repeated(found)


def _drop_repeated(found: Sequence[LineChange]) -> list[LineChange]:
    """The changes with each new line once."""
    seen: set[str] = set()
    kept = []
    for one in found:
        if one.line is None or one.line not in seen:
            kept.append(one)
        elif one.gone is not None:
            kept.append(LineChange(one.gone, None))
        if one.line is not None:
            seen.add(one.line)
    return kept
