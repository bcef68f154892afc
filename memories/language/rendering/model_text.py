"""Foreign text as a language model reads it beside the product's own words. Pure, linear.

A text for a model is built of lines: headings, and entries with a number. Every text that somebody
else wrote (a memory, a message, a title, a name, the subject of a mail) goes through this module,
so that nothing in it can pass for a line, a heading, a number or a mark of that text.

What changes in a foreign text:

- Every line end of Unicode begins a continuation line, which begins with CONTINUED and never with a
  word of the text. Empty lines are dropped.
- Characters that nobody sees are removed: controls, marks of direction, joiners out of place, tags,
  variation selectors in a row, more than four marks on one letter. Other blanks become plain ones,
  at most eight in a row.
- A number in brackets, as entries have one, and the words of the marks get a blank: `[ 7]`,
  `[ end`. So do tags and comments of HTML: `< system>`.
- A heading, an underline of one and a code fence get a backslash: `\\## Tasks`.

To render a rendered text again changes nothing, if it is one line.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NewType

# A text that went through this module, or words of the product.
ModelText = NewType("ModelText", str)

# The beginning of each further line of one text.
CONTINUED = "  | "
# The most characters of a text that are read, and of a name that are shown.
MOST, LONGEST_NAME = 1_000_000, 80
NAMELESS = "somebody"
CUT = "…"
# The most marks on one letter, and the most blanks in a row.
MARKS, BLANKS = 4, 8

# No one sees these: marks of direction, invisible operators, tags, fillers, selectors of variants.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]+"
)
_JOINERS = re.compile("[\u200c\u200d]+")
_VARIANTS = re.compile("([\ufe00-\ufe0f])[\ufe00-\ufe0f]+")
# Line ends stay, as `str.splitlines` knows them.
_CONTROLS = re.compile("[\x00-\x09\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")
_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_WIDE = re.compile(f" {{{BLANKS},}}")
_MARKS = re.compile(rb"[^\x00]{%d}([^\x00]+)" % MARKS)
_OPENED = "\\[\uff3b\u3010\u3014\u3016\u301a\u27e6\u2772"
_PARTED = re.compile(
    rf"(?<=[{_OPENED}])(?=\d|(?:begin|end)\b)|(?<=[<\uff1c])(?=[^\W\d_]|[/!?|<\uff1c])",
    re.IGNORECASE,
)
_ESCAPED = re.compile(
    r"(?<!\S)(?=[#\uff03]{2}|[#\uff03](?!\S))|(?<![`\\])(?=```)|(?<![~\\])(?=~~~)"
)
# A line of these alone underlines the line above it, or parts what stands around it.
_UNDERLINES = frozenset("=-_*\u2500\u2501\u2550")
# What parts the words before a text from each other and from the text.
_IN_HEAD = str.maketrans(
    dict.fromkeys(")]}>\uff09\uff3d\uff5d", "") | dict.fromkeys("([{<\uff08\uff3b\uff5b", "- ")
)
_IN_NAME = str.maketrans(
    dict.fromkeys('"\u201c\u201d\u201e\u201f\u00ab\u00bb\uff02', "'") | {",": " ", "|": "/"}
)


def render_text(text: str, *, longest: int = MOST) -> ModelText:
    """The text with all its lines; the further ones are marked as such. Empty if nothing is to be
    seen.

    longest: how many characters are read; of a longer text the beginning, with an ellipsis.
    """
    return ModelText(f"\n{CONTINUED}".join(_lines(text, longest)))


def render_line(text: str, *, longest: int = MOST) -> ModelText:
    """The text on one line. longest: as in `render_text`."""
    return ModelText(" ".join(" ".join(_lines(text, longest)).split()))


@lru_cache(maxsize=10_000)
def render_name(name: str, *, longest: int = LONGEST_NAME) -> ModelText:
    """A name or a title on one line, without quotation marks, brackets and commas, of at most
    `longest` characters."""
    line = render_line(name, longest=4 * longest).translate(_IN_HEAD).translate(_IN_NAME)
    # Once more, for a bracket may have stood before what looks like a heading.
    shown = render_line(line.strip(" -")).strip()
    if len(shown) > longest:
        shown = f"{shown[: longest - 1].rstrip()}{CUT}"
    return ModelText(shown or NAMELESS)


@lru_cache(maxsize=10_000)
def render_head(parts: tuple[str, ...]) -> ModelText:
    """The words before a text, such as when and by whom: "(2026-03-02, Mina)". Empty parts are left
    out; without any it is empty."""
    shown = [render_line(render_line(one).translate(_IN_HEAD)) for one in parts]
    inside = ", ".join(one for one in shown if one)
    return ModelText(f"({inside})" if inside else "")


def render_entry(head: Sequence[str], text: str) -> ModelText:
    """A head and its text: "(2026-03-02, Mina) The launch is on 3 March."."""
    return joined(render_head(tuple(head)), render_text(text))


def joined(*parts: ModelText) -> ModelText:
    """The parts that are not empty, on one line as far as they are."""
    return ModelText(" ".join(one for one in parts if one))


def _lines(text: str, longest: int) -> list[str]:
    """The lines of a text that hold something; nothing in them looks like a part of the text around
    it."""
    if len(text) > longest:
        text = text[:longest] + CUT
    text = _WIDE.sub(" " * BLANKS, _seen(_CONTROLS.sub(" ", text)))
    text = _ESCAPED.sub(r"\\", _PARTED.sub(" ", text))
    return [_underlining(line.rstrip()) for line in text.splitlines() if line.strip()]


def _seen(text: str) -> str:
    """The text without characters that nobody sees, and with plain blanks."""
    if text.isascii():
        return text
    text = _VARIANTS.sub(r"\1", _UNSEEN.sub("", text))
    text = _JOINERS.sub(_joiner, _few_marks(text))
    return _SPACES.sub(" ", text)


def _joiner(found: re.Match[str]) -> str:
    """One joiner between two signs that are not ASCII, as in Persian and in emoji."""
    text, (start, end) = found.string, found.span()
    if start == 0 or end == len(text):
        return ""
    signs = text[start - 1], text[end]
    return found[0][0] if all(ord(one) > 127 and not one.isspace() for one in signs) else ""


def _few_marks(text: str) -> str:
    """The text with at most MARKS marks on a letter: they have no tokens, so no budget ends them.

    The marks are found in bytes, one for each character, which are 0 for everything else.
    """
    classes = bytes(min(255, unicodedata.combining(one)) for one in text)
    kept, at = [], 0
    for found in _MARKS.finditer(classes):
        kept.append(text[at : found.start(1)])
        at = found.end(1)
    return "".join([*kept, text[at:]]) if kept else text


def _underlining(line: str) -> str:
    """The line, with a backslash if it is an underline."""
    if line[-1] not in _UNDERLINES or not _UNDERLINES.issuperset(line.strip()):
        return line
    return f"\\{line.strip()}"
