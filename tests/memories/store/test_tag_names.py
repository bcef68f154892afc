"""What a tag is, what comes with it, and what becomes of tags of before."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.store.tag_names import (
    InvalidTagError,
    coerce_query_tags,
    coerce_tag,
    coerce_tags,
    normalise_tags,
    possible_query_tags,
    with_old_tags,
)

LEVEL = st.text("abces0-", min_size=1, max_size=8)
TAG = st.lists(LEVEL, min_size=1, max_size=5).map(":".join)


@pytest.mark.conformance("H26")
def test_what_is_above_a_tag_comes_with_it() -> None:
    assert normalise_tags(["a:b:c"]) == ["a", "a:b", "a:b:c"]
    assert normalise_tags(["b", "a:c", "a", "b"]) == ["b", "a", "a:c"]
    assert normalise_tags(["a:b:c:d", "a:e"]) == ["a", "a:b", "a:b:c", "a:b:c:d", "a:e"]
    assert normalise_tags([]) == []


@pytest.mark.conformance("H26")
def test_a_tag_stays_as_it_is_written() -> None:
    assert normalise_tags(["projects:apollo-contracts:2026"]) == [
        "projects",
        "projects:apollo-contracts",
        "projects:apollo-contracts:2026",
    ]
    names = ["kubernetes", "postgres", "windows", "new", "news", "sale", "sales"]
    assert normalise_tags(names) == names


@pytest.mark.conformance("H26")
@pytest.mark.parametrize(
    ("tag", "why"),
    [
        ("A:b", "“A:b” is not written"),
        ("a b", "“a b” is not written"),
        (" a", "“ a” is not written"),
        ("a_b", "“a_b” is not written"),
        ("größe", "“größe” is not written"),
        ("a:-", "“a:-” is not written"),
        ("a\n", "“a\n” is not written"),
        ("a:b:c:d:e", "“a:b:c:d:e” has 5 levels; a tag has at most 4"),
        ("a::b", "“a::b” has an empty level"),
        (":a", "“:a” has an empty level"),
        ("a:", "“a:” has an empty level"),
        ("", "“” is empty"),
        ("x" * 101, f"“{'x' * 40}…” is longer than 100"),
    ],
)
def test_what_is_no_tag_is_refused_by_name(tag: str, why: str) -> None:
    with pytest.raises(InvalidTagError, match="The tag ") as refused:
        normalise_tags(["fine", tag])
    assert why in str(refused.value)


def test_a_hundred_characters_and_a_thousand_tags_are_as_many_as_may_be() -> None:
    assert normalise_tags(["x" * 100]) == ["x" * 100]
    assert len(normalise_tags([f"t{n}" for n in range(1000)])) == 1000
    with pytest.raises(InvalidTagError, match="1,000"):
        normalise_tags(["a:b", *(f"t{n}" for n in range(999))])


@given(st.lists(TAG, max_size=6))
def test_what_is_attached_stays_as_it_is(tags: list[str]) -> None:
    found, _ = coerce_tags(tags)
    assert normalise_tags(found) == found
    assert coerce_tags(found) == (found, [])
    for place, tag in enumerate(found):
        above, _, _ = tag.rpartition(":")
        assert not above or above in found[:place]


@pytest.mark.conformance("H26")
@pytest.mark.parametrize(
    ("old", "formed"),
    [
        ("Rent Contract", "rent-contract"),
        ("Project: Apollo / Contracts", "project:apollo-contracts"),
        ("R&D", "r-d"),
        ("Größe", "grosse"),
        ("snake_case", "snake-case"),
        ("a::b", "a:b"),
        ("a:b:c:d", "a:b:c:d"),
        ("a:b:c:d:e", None),
        ("会议", None),
        ("!!!", None),
        ("x" * 100, "x" * 100),
        ("x" * 101, None),
        ("", None),
    ],
)
def test_what_somebody_wrote_in_its_form(old: str, formed: str | None) -> None:
    assert coerce_tag(old) == formed


def test_what_has_no_form_is_left_over() -> None:
    tags = ["Old One", "会议", "a:b:c:d:e", "x:Cats", "old one"]
    assert coerce_tags(tags) == (["old-one", "x", "x:cats"], ["会议", "a:b:c:d:e"])
    assert with_old_tags({"k": 1}, ["会议"]) == {"k": 1, "old_tags": ["会议"]}
    assert with_old_tags({"old_tags": ["x"]}, ["会议", "x"]) == {"old_tags": ["x", "会议"]}
    assert with_old_tags({"old_tags": "mine"}, ["x"]) == {"old_tags": ["mine", "x"]}
    many = [f"t{n}" for n in range(999)]
    assert coerce_tags([*many, "a:b", "c"]) == ([*many, "c"], ["a:b"]), "no more than there may be"


def test_tags_are_looked_for_in_their_form() -> None:
    assert coerce_query_tags(["Rent Contracts", "rent-contracts", "!"]) == ("rent-contracts", "!")


def test_the_words_of_a_question_spell_tags() -> None:
    found = possible_query_tags("Which Apollo contracts did project:apollo sign?")
    assert {"apollo", "contracts", "apollo-contracts", "apollo:contracts"} <= set(found)
    assert {"contract", "apollo-contract", "apollo:contract"} <= set(found)
    assert "project:apollo" in found
    assert "which-contract" not in found, "words that follow each other"
    assert possible_query_tags("") == []
