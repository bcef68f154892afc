"""Forms of verbs, as far as rules tell."""

import pytest

from memories.language.verbs import is_past, third_person


@pytest.mark.parametrize(
    ("verb", "form"),
    [
        ("like", "likes"), ("fix", "fixes"), ("push", "pushes"), ("teach", "teaches"),
        ("buzz", "buzzes"), ("pass", "passes"), ("carry", "carries"), ("play", "plays"),
        ("liked", "liked"), ("can", "can"), ("going", "going"), ("likes", "likes"),
        ("am", "is"), ("have", "has"), ("focus", "focuses"), ("echo", "echoes"),
        ("enjoy", "enjoys"), ("fly", "flies"), ("try", "tries"),
        ("say", "says"), ("bring", "brings"), ("don’t", "doesn't"),
        ("and", "and"), ("Like", "Likes"),
        ("went", "went"), ("miss", "misses"), ("need", "needs"), ("buy", "buys"), ("x2", "x2"),
    ],
)  # fmt: skip
def test_the_form_that_goes_with_a_name(verb: str, form: str) -> None:
    assert third_person(verb) == form


@pytest.mark.parametrize(
    ("word", "past"),
    [
        ("walked", True), ("went", True), ("used", True), ("need", False), ("embed", False),
        ("shed", False), ("feed", False), ("ed", False), ("red", False), ("walk", False),
        ("iced", True),
    ],
)  # fmt: skip
def test_verbs_of_the_past(word: str, past: bool) -> None:
    assert is_past(word) is past
