"""One count of tokens for every budget of memories."""

import pytest

from memories.embedding.tokens.token_count import count_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n\n ", 0),
        ("The launch is on Monday at nine, and Mina brings the slides.", 14),
        ("zażółć", 4),
        # Unknown to the vocabulary: a token for four characters.
        ("a" * 5_000, 1_250),
        ("a" * 5_001, 1_251),
    ],
)
def test_a_text_has_so_many_tokens(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_a_long_text_is_counted_to_its_end() -> None:
    assert count_tokens("word " * 3_000) == 3_000


def test_texts_joined_by_an_empty_line_have_the_sum() -> None:
    texts = ["The office closes at six.", "Mina's badge: 4711-b", "日本語", "no end"]
    assert count_tokens("\n\n".join(texts)) == sum(map(count_tokens, texts))
