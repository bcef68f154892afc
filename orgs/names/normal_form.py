"""One spelling for texts that look the same, at a cost that grows with their length alone. Pure."""

import re
import unicodedata
from typing import Literal

Form = Literal["NFC", "NFKC"]

# Unicode's own bound for texts that may be handled piece by piece (UAX 15, stream-safe format).
MARKS = 30
_JOINER = "\u034f"
_LONG_RUN = re.compile(rb"[^\x00]{%d}(?=[^\x00])" % MARKS)


def normal(text: str, form: Form = "NFC") -> str:
    """The text in a normal form.

    Marks that follow one letter are put into an order, which takes time by the square of their
    number: 500,000 marks held a process for two minutes. No letter of any language has more than
    30, so behind every 30 marks an invisible joiner is put, which carries none of the next.
    """
    if text.isascii():
        return text
    classes = bytes(map(unicodedata.combining, text))
    if _LONG_RUN.search(classes):
        ends = [match.end() for match in _LONG_RUN.finditer(classes)]
        starts = [0, *ends]
        text = _JOINER.join(text[i:j] for i, j in zip(starts, [*ends, len(text)], strict=True))
    return unicodedata.normalize(form, text)
