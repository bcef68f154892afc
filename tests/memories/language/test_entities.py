"""Named things with how plainly the text says so: every confidence at a text of its own."""

import pytest

from memories.language.entities import extract_entities


def found(text: str, *people: str) -> dict[tuple[str, str], float]:
    return {(one.type, one.name): one.confidence for one in extract_entities(text, people)}


@pytest.mark.parametrize(
    ("text", "type_", "name", "confidence"),
    [
        ("due 2026-05-03", "date", "2026-05-03", 0.95),
        ("on 3rd of May", "date", "3rd of May", 0.9),
        ("on May 3, 2026", "date", "May 3, 2026", 0.9),
        ("in May 2026", "date", "May 2026", 0.85),
        ("in Q3 2026", "date", "Q3 2026", 0.85),
        ("by 3/5/2026", "date", "3/5/2026", 0.8),
        ("see you next friday", "date", "next friday", 0.6),
        ("tomorrow", "date", "tomorrow", 0.6),
        ("about #pricing", "topic", "pricing", 0.9),
        ("Re: the pricing model", "topic", "the pricing model", 0.85),
        ("ask @kestrel now", "person", "kestrel", 0.9),
        ("TODO: send the deck", "action_item", "send the deck", 0.9),
        ("Bob will fix the pump by Friday", "action_item", "Bob will fix the pump by Friday", 0.7),
        ("Bob will fix the pump", "action_item", "Bob will fix the pump", 0.5),
        ("I must call until noon", "action_item", "I must call until noon", 0.7),
        ("project Kestrel", "project", "Kestrel", 0.85),
        ("the Kestrel rollout", "project", "Kestrel", 0.85),
        ("Codename Kestrel", "project", "Kestrel", 0.85),
        ("see Dr. Chen", "person", "Chen", 0.85),
        ("she works at Zorblax now", "company", "Zorblax", 0.7),
        ("our client Zorblax", "company", "Zorblax", 0.7),
        ("ask Acme Robotics GmbH", "company", "Acme Robotics GmbH", 0.9),
        ("ask Acme Labs", "company", "Acme Labs", 0.7),
        ("back in Lisbon", "location", "Lisbon", 0.9),
        ("I love Lisbon", "location", "Lisbon", 0.75),
        ("ask Ada Lovelace", "person", "Ada Lovelace", 0.5),
    ],
)
def test_how_sure_each_rule_is(text: str, type_: str, name: str, confidence: float) -> None:
    assert found(text)[type_, name] == confidence


def test_who_is_meant_here_is_surest() -> None:
    assert found("bob fixed it", "Bob")["person", "Bob"] == 0.95
    assert found("bobby fixed it", "Bob") == {}
    assert found("nobody", "") == {}


def test_a_date_in_a_longer_date_is_not_told_twice() -> None:
    assert found("on 3 May 2026") == {("date", "3 May 2026"): 0.9}


def test_the_surer_of_two_readings_stays() -> None:
    both = found("we are in Lisbon. I love Lisbon")
    assert both["location", "Lisbon"] == 0.9
    assert found("I love Lisbon. We are in Lisbon")["location", "Lisbon"] == 0.9
    # What is surely something else is no person.
    for firm in ("Blue Harbour Foods", "Zorblax Logistics", "Wells Fargo", "Ada Systems"):
        assert found(f"ask {firm} now")["company", firm] == 0.7
        assert ("person", firm) not in found(f"ask {firm} now")
    assert ("person", "Acme Labs") not in found("ask Acme Labs or Dr. Acme Labs")
    assert ("person", "Kestrel") in found("see Dr. Kestrel")
    assert ("person", "Kestrel") not in found("project Kestrel, Dr. Kestrel")


def test_what_opens_a_sentence_is_no_name_by_its_capital() -> None:
    assert found("The Ada Lovelace") == {("person", "Ada Lovelace"): 0.5}
    assert found("ask. The Lisbon")["location", "Lisbon"] == 0.75
    assert {kind for kind, _ in found("Monday Tuesday")} == {"date"}
    assert ("person", "ADA LOVELACE") not in found("ask ADA LOVELACE")
    assert ("person", "Ada L0velace") not in found("ask Ada L0velace")
    assert ("person", "One Two Three Four") not in found("ask Ada Beta Gamma Delta")


@pytest.mark.conformance("Z18")
@pytest.mark.parametrize(
    "text",
    [
        "I was working for Monday",
        "she works at The Tuesday",
        "our client Friday",
        "project March",
        "the Monday launch",
        "ask Good Morning",
        "Enjoy Friday Everyone",
        "ask Happy Monday",
    ],
)
def test_weekdays_months_and_plain_words_are_no_names(text: str) -> None:
    assert {kind for kind, _ in found(text)} <= {"date"}


def test_promises_of_oneself_need_a_time() -> None:
    assert found("I will call") == {}
    assert ("action_item", "We have to call by noon") in found("We have to call by noon")
    assert ("action_item", "Kim must call him") in found("Kim must call him")
    assert ("action_item", "Kim'll call him") in found("Kim'll call him")


def test_only_so_much_is_looked_at_and_told() -> None:
    assert len(extract_entities(" ".join(f"#tag{n}" for n in range(30)))) == 20
    assert found("x " * 9_998 + "#tag") == {("topic", "tag"): 0.9}
    assert found("x " * 10_000 + "#tag") == {}
    scores = [one.confidence for one in extract_entities("2026-05-03 for Ada Lovelace in May 2026")]
    assert scores == sorted(scores, reverse=True)


def test_of_two_spellings_the_first_stays() -> None:
    assert found("#Pricing and #pricing") == {("topic", "Pricing"): 0.9}


@pytest.mark.parametrize(
    "text", ["Kim has to call him", "Kim needs to call", "Kim'll call him", "Kim must call him"]
)
def test_what_somebody_has_to_do(text: str) -> None:
    assert found(text)["action_item", text] == 0.5


@pytest.mark.parametrize(
    ("text", "is_place"),
    [("I love Nice", True), ("Nice is warm", False), ("ask. Nice is warm", False),
     ("ask: Nice is warm", False), ("(Nice) is warm", True)],
)  # fmt: skip
def test_a_place_that_is_a_word_as_well(text: str, is_place: bool) -> None:
    assert (("location", "Nice") in found(text)) is is_place


@pytest.mark.parametrize("before", ["in", "at", "from", "to", "near"])
def test_a_place_after_a_word_of_place_is_surer(before: str) -> None:
    assert found(f"so {before} Lisbon")["location", "Lisbon"] == 0.9


def test_names_are_told_without_what_belongs_to_somebody() -> None:
    assert ("person", "Ada Lovelace") in found("ask Ada Lovelace's friend")
    assert ("person", "Ada Lovelace") in found("ask Ada Lovelace’s friend")
    assert ("person", "Ada Beta Gamma") in found("ask Ada Beta Gamma")
    assert found("ask Ada") == {}
    assert found("ask The Lovelace") == {}
    assert found("ask Project Lovelace") == {("project", "Lovelace"): 0.85}
    assert found("ask GmbH") == {}


def test_a_name_is_no_longer_than_that() -> None:
    assert [len(name) for _, name in found("ask bob", "bob")] == [3]
    long = "b" * 201
    assert [len(name) for _, name in found(f"ask {long}", long)] == [200]


def test_days_by_their_words() -> None:
    assert found("every monday") == {("date", "every monday"): 0.6}
    assert found("next month") == {("date", "next month"): 0.6}
    assert found("on 3 May and 3 May 2026") == {("date", "3 May 2026"): 0.9}
    assert set(found("on 3 May and 4 June")) == {("date", "3 May"), ("date", "4 June")}
