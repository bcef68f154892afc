"""Which writes a gate looks at, by audience, writer and subject."""

import itertools

import pytest

from memories.safety.findings import SECRETS, Personal
from memories.safety.rules import (
    EVERYTHING,
    Submission,
    WhenPersonal,
    looked_for,
    strings_in,
)

NOTHING: frozenset[Personal] = frozenset()
AUDIENCES = (
    "organisation", "group", "member", "robot", "team", "persona", "industry", "role", "explicit",
    "review",
)  # fmt: skip


@pytest.mark.conformance("P17")
@pytest.mark.parametrize(
    ("audience", "about", "nobody", "own"),
    [
        # A robot's text about a member, about nobody, and a member's own words that it passes on.
        ("organisation", EVERYTHING, SECRETS, SECRETS),
        ("group", EVERYTHING, SECRETS, SECRETS),
        ("team", EVERYTHING, SECRETS, SECRETS),
        ("explicit", EVERYTHING, SECRETS, SECRETS),
        ("persona", EVERYTHING, EVERYTHING, EVERYTHING),
        ("industry", EVERYTHING, EVERYTHING, EVERYTHING),
        ("role", EVERYTHING, EVERYTHING, EVERYTHING),
        ("member", NOTHING, NOTHING, NOTHING),
        ("robot", NOTHING, NOTHING, NOTHING),
        ("review", NOTHING, NOTHING, NOTHING),
    ],
)
def test_what_is_personal_is_looked_for_where_more_people_read_than_it_is_about(
    audience: str,
    about: frozenset[Personal],
    nobody: frozenset[Personal],
    own: frozenset[Personal],
) -> None:
    robots = Submission(audience=audience, by_robot=True)
    assert looked_for(robots).personal == nobody
    assert looked_for(
        Submission(audience=audience, by_robot=True, about_somebody=True)
    ).personal == (about)
    passed_on = Submission(audience=audience, by_robot=True, about_somebody=True, own_words=True)
    assert looked_for(passed_on).personal == own
    stricter = looked_for(robots, WhenPersonal.ALWAYS).personal
    assert stricter == (about if audience != "review" else NOTHING)


def test_a_person_is_looked_at_only_where_a_profession_reads() -> None:
    for audience, about, own in itertools.product(AUDIENCES, (False, True), (False, True)):
        given = Submission(audience=audience, by_robot=False, about_somebody=about, own_words=own)
        wanted = looked_for(given, WhenPersonal.ALWAYS)
        assert wanted.poison is False
        cohort = audience in ("persona", "industry", "role")
        assert wanted.personal == (EVERYTHING if cohort else NOTHING)


def test_poison_is_looked_for_where_another_member_could_be_answered_from_it() -> None:
    looked = {
        audience: looked_for(Submission(audience=audience, by_robot=True)).poison
        for audience in AUDIENCES
    }
    assert looked == {
        "organisation": True, "group": True, "team": True, "explicit": True, "persona": True,
        "industry": True, "role": True, "robot": True, "member": False, "review": False,
    }  # fmt: skip
    for audience in AUDIENCES:
        alone = Submission(audience=audience, by_robot=True, alone=True)
        assert looked_for(alone).poison is False


@pytest.mark.conformance("P16")
def test_a_strict_text_is_looked_at_whoever_reads_it() -> None:
    robots = looked_for(Submission(audience="member", by_robot=True, alone=True, strict=True))
    assert (robots.personal, robots.poison) == (EVERYTHING, True)
    persons = looked_for(Submission(audience="member", by_robot=False, alone=True, strict=True))
    assert (persons.personal, persons.poison) == (EVERYTHING, False)


def test_nobody_but_the_subject_reads_so_nothing_is_looked_for() -> None:
    alone = Submission(audience="explicit", by_robot=True, about_somebody=True, alone=True)
    assert not looked_for(alone)
    assert not looked_for(alone, WhenPersonal.ALWAYS)


def test_every_text_of_a_document_is_read() -> None:
    document = {"a": ["b", {"c": "d", "e": 1}], "f": None, "g": ("h",)}
    assert list(strings_in(document)) == ["a", "b", "c", "d", "e", "f", "g", "h"]
