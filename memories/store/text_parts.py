"""The parts of a text that is longer than an encoder reads. Pure.

An encoder reads about 256 tokens and leaves out the rest. A longer text is cut at the ends of
sentences and lines; a short last sentence of a part begins the next one as well, since what follows
may be about it. How many tokens a text has depends on the model, so they are estimated from above:
one for each four letters or digits of English, and one for every other character.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memories.language.propositions import iter_sentence_spans

# Parts have room for the date and the speaker before the text. A text has parts where an encoder
# would leave out a quarter of it or more, in English 340 true tokens: vectors of parts of texts
# that are hardly longer than what it reads found nothing more, and came before better turns.
MAX_WHOLE_TOKENS, MAX_PART_TOKENS = 420, 200
# The longest sentence that two parts share.
OVERLAP_TOKENS = 40
# What lies behind the last part is found by its words alone.
MAX_PARTS = 64
CHARACTERS_PER_TOKEN = 4
_TOKENS = re.compile(r"[A-Za-z0-9]+|[^\sA-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class TextPart:
    """number: from 1 on. start, end: where it is in the text, in characters."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    tokens: int


def split_text(text: str) -> list[TextPart]:
    """The parts of a long text, in order, at most MAX_PARTS; none if an encoder reads all of it."""
    # No character is more than one token.
    if len(text) <= MAX_WHOLE_TOKENS or _count_tokens(text, 0, len(text)) <= MAX_WHOLE_TOKENS:
        return []
    parts: list[TextPart] = []
    open_spans: list[_Span] = []
    for span in _iter_spans(text):
        if open_spans and sum(one.tokens for one in open_spans) + span.tokens > MAX_PART_TOKENS:
            parts.append(_to_part(len(parts) + 1, open_spans))
            if len(parts) == MAX_PARTS:
                return parts
            last = open_spans[-1]
            is_shared = len(open_spans) > 1 and last.tokens <= OVERLAP_TOKENS
            fits = last.tokens + span.tokens <= MAX_PART_TOKENS
            open_spans = [last] if is_shared and fits else []
        open_spans.append(span)
    if open_spans:
        parts.append(_to_part(len(parts) + 1, open_spans))
    return parts


def _to_part(number: int, spans: list[_Span]) -> TextPart:
    return TextPart(number, spans[0].start, spans[-1].end)


def _iter_spans(text: str) -> Iterator[_Span]:
    """The sentences and lines, those that are longer than a part in pieces."""
    for start, end in iter_sentence_spans(text):
        first, tokens = start, 0
        for match in _TOKENS.finditer(text, start, end):
            for at in range(match.start(), match.end(), CHARACTERS_PER_TOKEN):
                if tokens == MAX_PART_TOKENS:
                    yield _Span(first, at, tokens)
                    first, tokens = at, 0
                tokens += 1
        if tokens:
            yield _Span(first, end, tokens)


def _count_tokens(text: str, start: int, end: int) -> int:
    return sum(
        -(-len(match[0]) // CHARACTERS_PER_TOKEN) for match in _TOKENS.finditer(text, start, end)
    )
