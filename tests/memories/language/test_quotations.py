"""What is left alone is what one pattern said before, which took time by the square."""

import re

from hypothesis import given
from hypothesis import strategies as st

from memories.language.propositions import iter_verbatim_spans

PATTERN = re.compile(
    r"```.*?```|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|^>.*?$|\b\w{1,40}://\S+"
    r"|[^\s@]{1,64}@[^\s@]{1,255}\.\S+",
    re.DOTALL | re.MULTILINE,
)
PIECES = ("`", "```", '"', "“", "”", "«", "»", "\n", ">", " ", "a", "b.", "@", "a@b.c", "http://")
PIECES += ("x" * 41, "x" * 65, "x" * 256, "é", ":", "//", ".", "\r")


@given(st.lists(st.sampled_from(PIECES), max_size=24).map("".join))
def test_the_parts_are_those_of_the_pattern(text: str) -> None:
    assert list(iter_verbatim_spans(text)) == [found.span() for found in PATTERN.finditer(text)]


def test_code_in_fences_is_one_part_over_lines() -> None:
    text = "a ```x\n`y` z``` b"
    assert [text[start:end] for start, end in iter_verbatim_spans(text)] == ["```x\n`y` z```"]
    # A fence that is not closed is two marks with nothing between, and one that opens nothing.
    assert list(iter_verbatim_spans("```x\ny")) == [(0, 2)]
