"""Which relationships a text states."""

import pytest

from memories.language.entities import extract_entities
from memories.language.stated_relations import MAX_RELATIONS, extract_relations


def found(text: str, *people: str) -> list[tuple[str, str, str]]:
    read = extract_relations(text, extract_entities(text, people))
    return [(one.subject.name or "I", one.relation, one.object.name or "I") for one in read]


@pytest.mark.conformance("Z19")
@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Ada Kahn works at Acme Robotics GmbH.", ("Ada Kahn", "works_at", "Acme Robotics GmbH")),
        ("Ada works as a nurse for Zorblax.", ("Ada", "works_at", "Zorblax")),
        ("Ada is employed by Zorblax.", ("Ada", "works_at", "Zorblax")),
        ("Ada, our new engineer, works at Zorblax.", ("Ada", "works_at", "Zorblax")),
        ("Ada is an engineer at Zorblax.", ("Ada", "works_at", "Zorblax")),
        ("I'm working for Zorblax", ("I", "works_at", "Zorblax")),
        ("Mina reports to Bob.", ("Mina", "reports_to", "Bob")),
        ("Mina's manager is Bob.", ("Mina", "reports_to", "Bob")),
        ("My boss is Bob.", ("I", "reports_to", "Bob")),
        ("Bob is the manager of Mina.", ("Mina", "reports_to", "Bob")),
        ("Bob reports to me.", ("Bob", "reports_to", "I")),
        ("Kim is responsible for the invoices and taxes.", ("Kim", "responsible_for", "invoices")),
        ("Kim leads the platform team.", ("Kim", "responsible_for", "platform team")),
        ("Kim is in charge of Project Kestrel.", ("Kim", "responsible_for", "Kestrel")),
        ("Falcon is part of Project Kestrel.", ("Falcon", "part_of", "Kestrel")),
        ("Acme Labs is a division of Acme Inc.", ("Acme Labs", "part_of", "Acme Inc")),
        ("Acme Labs is based in Lisbon.", ("Acme Labs", "located_in", "Lisbon")),
        ("I live in Porto.", ("I", "located_in", "Porto")),
    ],
)  # fmt: skip
def test_what_a_sentence_states(text: str, stated: tuple[str, str, str]) -> None:
    assert found(text) == [stated]


@pytest.mark.conformance("Z19")
@pytest.mark.parametrize(
    "text",
    [
        "Does Ada work at Acme?",
        "Ada works at Acme, right?",
        "Ada does not work at Acme.",
        "Ada doesn't report to Bob.",
        "Ada no longer works at Acme.",
        "Ada used to work for Acme.",
        "If Ada works at Acme, call her.",
        "Maybe Ada works at Acme.",
        "He works at Monday.",
        "We work at home.",
        "ada works at acme",
        "Mina's report to Bob is late.",
        "Kim is responsible for it.",
        "Kim works at Kim.",
        "The report belongs to nobody.",
    ],
)
def test_what_is_asked_denied_supposed_or_nameless_is_not_stated(text: str) -> None:
    assert found(text) == []


def test_a_text_states_so_many_at_most_each_once() -> None:
    assert found("Ada works at Acme. Ada works at Acme.") == [("Ada", "works_at", "Acme")]
    many = " ".join(f"Ada works at Acme{n}x." for n in range(30))
    assert len(found(many)) == MAX_RELATIONS
    circle = "Kim reports to Lee. Lee reports to Kim."
    assert found(circle) == [("Kim", "reports_to", "Lee"), ("Lee", "reports_to", "Kim")]
