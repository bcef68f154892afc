"""Which sentences state a fact, and of what."""

import pytest

from memories.language.comparison.statements import Sentence
from memories.profiles.fact_rules import (
    LIGHT_WEIGHT,
    MAX_WORDS,
    NOTED_WEIGHT,
    TOLD_WEIGHT,
    ProfileTopic,
    is_surely_single,
    read_fact,
)

TOLD = [
    ("Beatriz lives in Malmo.", ProfileTopic.HOME, "home"),
    ("Beatriz moved to Uppsala in March.", ProfileTopic.HOME, "home"),
    ("Beatriz works for the harbour office.", ProfileTopic.WORK, "employer"),
    ("Beatriz's manager is Kwame.", ProfileTopic.WORK, "manager"),
    ("Kwame reports to Beatriz.", ProfileTopic.WORK, "manager"),
    ("Beatriz is a paramedic.", ProfileTopic.WORK, ""),
    ("Beatriz's wife is called Ines.", ProfileTopic.FAMILY, ""),
    ("Beatriz's got twin boys.", ProfileTopic.FAMILY, ""),
    ("Beatriz is divorced.", ProfileTopic.FAMILY, "relationship"),
    ("Beatriz is allergic to nuts.", ProfileTopic.HEALTH, ""),
    ("Beatriz is vegetarian.", ProfileTopic.HEALTH, "diet"),
    ("Beatriz doesn't eat fish any more.", ProfileTopic.HEALTH, "diet"),
    ("Beatriz prefers tea to coffee.", ProfileTopic.LIKES, ""),
    ("Beatriz's favourite colour is green.", ProfileTopic.LIKES, "favourite colour"),
    ("Beatriz speaks Yoruba.", ProfileTopic.SKILLS, ""),
    ("Beatriz can read Kannada, but please don't ask her.", ProfileTopic.SKILLS, ""),
    ("Beatriz swims every Tuesday.", ProfileTopic.HABITS, ""),
    ("Beatriz cycles to work.", ProfileTopic.HABITS, "commute"),
    ("Beatriz drives a blue pickup.", ProfileTopic.BELONGINGS, "car"),
    ("Beatriz has a Bernina.", ProfileTopic.BELONGINGS, ""),
    ("Beatriz's number is 06 5550 1938.", ProfileTopic.CONTACT, "number"),
    ("Write to Beatriz at beatriz@port.example.", ProfileTopic.CONTACT, "email"),
    ("Beatriz is on parental leave from June.", ProfileTopic.PLANS, ""),
]
CHATTER = [
    "Does Beatriz live in Malmo?",
    "Beatriz might move to Malmo.",
    "Beatriz will have a look after lunch.",
    "Beatriz saw a heron on the roof like a landlord.",
    "Beatriz was at the dentist yesterday.",
    "Beatriz is on the phone.",
    "Beatriz is so tired today.",
    "Never mind.",
]


@pytest.mark.conformance("X17")
@pytest.mark.parametrize(("text", "topic", "single"), TOLD)
def test_a_turn_states_a_fact(text: str, topic: ProfileTopic, single: str) -> None:
    found = read_fact(Sentence(text), noted=False)
    assert found is not None
    assert (found.topic, found.weight, found.single) == (topic, TOLD_WEIGHT, single)


@pytest.mark.parametrize("text", CHATTER)
def test_chatter_states_none(text: str) -> None:
    assert read_fact(Sentence(text), noted=False) is None


def test_what_was_noted_needs_no_sign() -> None:
    text = "Beatriz had the corner office in 2019."
    noted = read_fact(Sentence(text), noted=True)
    assert noted is not None
    assert (noted.topic, noted.weight) == (ProfileTopic.OTHER, LIGHT_WEIGHT)
    now = read_fact(Sentence("The corner office belongs to Beatriz."), noted=True)
    assert now is not None
    assert now.weight == NOTED_WEIGHT
    assert read_fact(Sentence(text), noted=False) is None


def test_the_length_of_a_sentence() -> None:
    words = "Beatriz lives in Malmo " + "with Ines " * 20
    assert len(words.split()) == MAX_WORDS - 1
    assert read_fact(Sentence(f"{words} x"), noted=False)
    assert read_fact(Sentence(f"{words} x x"), noted=False) is None
    assert read_fact(Sentence("Lives here"), noted=True) is None
    long = "Beatriz lives in Malmo" + "o" * 379
    assert read_fact(Sentence(long), noted=True) is None
    assert read_fact(Sentence(long[:-1]), noted=True)


def test_what_has_one_value_surely() -> None:
    sure = ("home", "manager", "number", "diet", "relationship", "commute", "favourite tea")
    assert all(map(is_surely_single, sure))
    assert not any(map(is_surely_single, ("employer", "role", "team", "car", "email")))
