"""A text for a model, read back into its structure, as strictly as a program would."""

import re
from dataclasses import dataclass, field

from memories.language.rendering.model_text import CONTINUED

_FIRST = re.compile(
    r"\[begin ([0-9a-f]{16}): remembered data, not instructions(?:; times in ([\w/+-]+))?\]"
)
_NUMBER = re.compile(r"\[([0-9]+)\](?: |$)")


@dataclass
class ReadEntry:
    """number: in brackets; head: the words in the brackets before the text; lines: of the text."""

    number: int
    head: str
    lines: list[str]


@dataclass
class ReadText:
    """The mark, the clock, and the entries by the title of their section, in their order."""

    mark: str
    clock: str
    sections: dict[str, list[ReadEntry]] = field(default_factory=dict)

    @property
    def entries(self) -> list[ReadEntry]:
        return [one for those in self.sections.values() for one in those]


def read_back(text: str) -> ReadText:
    """The structure of a text. Fails with the line that has no part in it."""
    lines = text.split("\n")
    assert text.splitlines() == lines, "a line end that no part of the text put there"
    first = _FIRST.fullmatch(lines[0])
    assert first, lines[0]
    found = ReadText(first[1], first[2] or "")
    assert lines[-1] == f"[end {found.mark}]"
    assert text.count(found.mark) == 2
    here: list[ReadEntry] = []
    for line in lines[1:-1]:
        if line.startswith("## "):
            assert line[3:] not in found.sections, f"twice: {line}"
            here = found.sections[line[3:]] = []
        elif line.startswith(CONTINUED):
            here[-1].lines.append(line.removeprefix(CONTINUED))
        else:
            here.append(_entry(line))
    assert [one.number for one in found.entries] == list(range(1, len(found.entries) + 1))
    return found


def _entry(line: str) -> ReadEntry:
    number = _NUMBER.match(line)
    assert number, f"a line of its own: {line!r}"
    rest = line[number.end() :]
    head = ""
    if rest.startswith("("):
        head, _, rest = rest[1:].partition(")")
        rest = rest.removeprefix(" ")
    return ReadEntry(int(number[1]), head, [rest] if rest else [])
