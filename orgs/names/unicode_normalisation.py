"""Unicode normal forms in time linear in the length of the text. Pure."""

import re
import unicodedata
from typing import Literal

NormalForm = Literal["NFC", "NFKC"]

# Unicode's own limit on marks in a row (UAX 15, stream-safe text format).
MAX_MARKS = 30
# An invisible mark that ends a run of marks.
JOINER = "\u034f"
_LONG_RUN = re.compile(rb"[^\x00]{%d}(?=[^\x00])" % MAX_MARKS)


def normalise_unicode(text: str, form: NormalForm = "NFC") -> str:
    """The text in a normal form.

    Normalising sorts the marks that follow a letter, in time quadratic in their number: 500,000
    marks took two minutes. No letter of any language has more than 30 marks. So after every 30
    marks an invisible joiner is inserted, which ends the run.
    """
    if text.isascii():
        return text
    classes = bytes(map(unicodedata.combining, text))
    if _LONG_RUN.search(classes):
        ends = [match.end() for match in _LONG_RUN.finditer(classes)]
        starts = [0, *ends]
        text = JOINER.join(text[i:j] for i, j in zip(starts, [*ends, len(text)], strict=True))
    return unicodedata.normalize(form, text)
