"""Whom a text names, where it is, what it is about: by wording alone."""

import pytest

from memories.language.mentions import (
    extract_keywords,
    find_location,
    find_persons,
    find_shared_topic,
)


def names(text: str, *known: str) -> list[str]:
    return [one.name for one in find_persons(text, known)]


def test_people_by_first_names_by_acts_and_by_who_is_known() -> None:
    assert names("Alice Miller met Bob.") == ["Alice Miller", "Bob"]
    assert names("Zorblax said so") == ["Zorblax"]
    assert names("Today said so. London moved") == []
    assert names("Zorblax is here") == []
    assert names("Zorblax is here", "Zorblax Quint") == []
    assert names("Zorblax is here", "Zorblax") == ["Zorblax"]
    assert names("Zorblax Quint is here", "zorblax quint") == ["zorblax quint"]
    assert names("Zorblax Quint is here", "Zorblax") == ["Zorblax"]
    assert names("Alice Monday is here") == ["Alice"]


def test_names_that_are_known_have_three_to_sixty_letters() -> None:
    assert names("Al is here", "Al") == []
    assert names("Zed is here", "Zed") == ["Zed"]
    long = "Z" + "e" * 59
    assert names(f"{long} is here", long) == [long]
    assert names(f"{long}e is here", long + "e") == []


def test_a_name_without_a_capital_counts_after_an_at() -> None:
    assert names("ask @kestrel about it", "kestrel") == ["kestrel"]
    assert names("ask kestrel about it", "kestrel") == []
    assert names("ask kes_trel about it", "kes_trel") == ["kes_trel"]
    assert names("ask @kestrel about it", "Kestrel") == []
    assert names("ask @kestrel about it", "Bob", "kestrel") == ["kestrel"]


def test_each_once_in_order_and_at_most_twenty() -> None:
    assert names("Bob met Alice. Bob Miller left.") == ["Bob", "Alice"]
    known = [f"Name{chr(97 + n // 5)}{chr(97 + n % 5)}" for n in range(25)]
    assert names(", ".join(known), *known) == known[:20]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("We met in Paris", "Paris"),
        ("flying to New York City", "New York"),
        ("in the Netherlands", "Netherlands"),
        ("in Zorblax", ""),
        ("Paris is nice", ""),
    ],
)
def test_the_place_that_something_is_in(text: str, place: str) -> None:
    assert (
        find_location(text).startswith(place)
        if place == "New York"
        else find_location(text) == place
    )


def test_keywords_are_names_numbers_and_marked_words_first() -> None:
    text = "we should repair the turbine of Kestrel with v2.1 oil, turbine and oil"
    assert extract_keywords(text, 10) == ["Kestrel", "v2.1", "turbine", "repair", "oil"]
    assert extract_keywords(text, 2) == ["Kestrel", "v2.1"]
    assert extract_keywords("ax axe http", 5) == ["axe"]
    assert extract_keywords("x " * 2_499 + "late", 5) == []
    assert extract_keywords("x " * 2_498 + "late", 5) == ["late"]
    assert extract_keywords("iPhone NASA snake_case plain", 4)[:2] == ["snake_case", "NASA"]


def test_a_topic_is_what_enough_turns_share() -> None:
    text = "the turbine needs oil"
    assert find_shared_topic(text, ["a turbine", "the Turbine"]) == "turbine"
    assert find_shared_topic(text, ["a turbine"]) == ""
    assert find_shared_topic(text, ["a turbine"], enough=2) == "turbine"
    assert find_shared_topic(text, ["oil turbine", "turbine", "oil", "turbine"]) == "turbine"
    assert find_shared_topic("", ["a turbine"] * 3) == ""
    assert find_shared_topic(text, ["x " * 1_000 + "turbine"] * 3) == ""
    words = [f"Word{chr(97 + n)}" for n in range(13)]
    assert find_shared_topic(" ".join(words), [words[11]] * 3) == words[11]
    assert find_shared_topic(" ".join(words), [words[12]] * 3) == "", "the first twelve"


@pytest.mark.parametrize(
    "firm", ["Google", "Microsoft", "Zorblax Labs", "Wells Fargo", "Mercedes Motors", "Ada Bank"]
)
def test_a_firm_is_no_person(firm: str) -> None:
    assert find_persons(f"{firm} said that prices rise.") == []
    assert [p.name for p in find_persons(f"Kestrel told {firm} so. {firm} agreed.")] == ["Kestrel"]
