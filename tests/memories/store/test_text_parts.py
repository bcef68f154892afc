"""Long texts are cut into parts that an encoder reads whole."""

import random
from itertools import pairwise

import pytest

from memories.store import text_parts
from memories.store.text_parts import MAX_PART_TOKENS, MAX_PARTS, TextPart, split_text

SENTENCE = "The heron number {} stands in the reeds behind the mill."


def tokens(text: str) -> int:
    return text_parts._count_tokens(text, 0, len(text))


@pytest.mark.parametrize("text", ["", "Short.", "word " * 100, "a" * 1_680, "字" * 420])
def test_a_text_that_is_read_whole_has_no_parts(text: str) -> None:
    assert split_text(text) == []


def test_parts_are_whole_sentences_and_a_short_one_is_in_two() -> None:
    sentences = [SENTENCE.format(n) for n in range(100)]
    text = " ".join(sentences)
    parts = split_text(text)
    assert [part.number for part in parts] == list(range(1, len(parts) + 1))
    found = [text[part.start : part.end] for part in parts]
    assert all(one.startswith("The heron") and one.endswith("mill.") for one in found)
    assert all(tokens(one) <= MAX_PART_TOKENS for one in found)
    assert found[0].endswith(found[1][: found[1].index(".") + 1]), "shared"
    assert set(sentences) == {f"{s}." for one in found for s in one[:-1].split(". ")}


@pytest.mark.parametrize("seed", range(30))
def test_every_word_up_to_the_last_part_is_in_one(seed: int) -> None:
    drawn = random.Random(seed)  # noqa: S311
    pieces = [
        "word ",
        "long" * 30,
        "\n",
        ". A",
        "字字字",
        "。",
        "!? ",
        " ",
        "x1 ",
        "Ж",
        "🦊",
        "\u0301",
    ]
    text = "".join(drawn.choice(pieces) for _ in range(drawn.randrange(200, 3_000)))
    parts = split_text(text)
    assert all(a.start < b.start and a.end < b.end for a, b in pairwise(parts))
    assert all(tokens(text[p.start : p.end]) <= MAX_PART_TOKENS for p in parts)
    covered, at = "", 0
    for part in parts:
        covered += text[max(at, part.start) : part.end]
        at = max(at, part.end)
    if parts and len(parts) < MAX_PARTS:
        assert "".join(covered.split()) == "".join(text.split())


def test_there_are_at_most_64() -> None:
    parts = split_text("字" * 32_000)
    assert len(parts) == MAX_PARTS
    assert parts[0] == TextPart(1, 0, MAX_PART_TOKENS)
    assert parts[-1].end == MAX_PARTS * MAX_PART_TOKENS
