"""What a page shows of a long text, and what that costs."""

import pytest
from django.template import engines


def shown(text: str, length: int = 5) -> str:
    page = engines["django"].from_string("{{ text|truncatechars:" + str(length) + " }}")
    return page.render({"text": text})


@pytest.mark.parametrize(
    ("text", "words"),
    [("abc", "abc"), ("abcde", "abcde"), ("abcdef", "abcd…"), ("", ""), ("<b>abcd", "&lt;b&gt;a…")],
)
def test_so_many_characters(text: str, words: str) -> None:
    assert shown(text) == words


@pytest.mark.timed(1)
def test_marks_cost_nothing() -> None:
    text = "a" + "\u0301\u0323" * 100_000
    assert shown(text).endswith("…")
