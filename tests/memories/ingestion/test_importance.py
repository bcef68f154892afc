"""The importance of what nobody weighed."""

import pytest

from memories.ingestion.importance import default_importance, mentions_name


@pytest.mark.conformance("A19")
@pytest.mark.parametrize(
    ("type_", "mentioned", "expected"),
    [
        ("announcement", False, 0.9),
        ("announcement", True, 0.9),
        ("expertise", False, 0.8),
        ("expertise", True, 0.8),
        ("conversation", True, 0.7),
        ("fact", True, 0.7),
        ("conversation", False, 0.5),
        ("fact", False, 0.5),
        ("preference", False, 0.5),
        ("interaction", False, 0.5),
    ],
)
def test_by_type_then_by_mention(type_: str, mentioned: bool, expected: float) -> None:
    assert default_importance(type=type_, mentions_robot=mentioned) == expected


@pytest.mark.conformance("Z14")
@pytest.mark.parametrize(
    ("category", "expected"),
    [
        ("preference", 0.8), ("fact", 0.7), ("relationship", 0.7), ("decision", 0.6),
        ("reminder", 0.6), ("event", 0.5), ("sentiment", 0.4), ("org_policy", 0.5), ("", 0.5),
    ],
)  # fmt: skip
def test_by_category_where_the_type_says_nothing(category: str, expected: float) -> None:
    assert default_importance(type="conversation", category=category) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@aria please note", True),
        ("thanks, @Aria!", True),
        ("@ariadne wrote", False),
        ("mail me at x@aria.example", False),
        ("aria said", False),
    ],
)
def test_a_mention_is_the_whole_name_after_an_at_sign(text: str, expected: bool) -> None:
    assert mentions_name("aria", text) is expected
