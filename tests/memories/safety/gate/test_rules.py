"""Which writes a gate looks at, by audience, writer and subject."""

import itertools

import pytest

from memories.safety.required_checks import (
    ALL_PERSONAL_DATA,
    SECRET_TYPES,
    PersonalDataPolicy,
    PersonalDataType,
    Submission,
    iter_strings,
    required_checks,
)

NOTHING: frozenset[PersonalDataType] = frozenset()
AUDIENCES = (
    "organisation", "group", "member", "robot", "team", "persona", "industry", "role", "explicit",
    "review",
)  # fmt: skip


@pytest.mark.conformance("P17")
@pytest.mark.parametrize(
    ("audience", "about", "nobody", "own"),
    [
        # A robot's text about a member, about nobody, and a member's own words that it passes on.
        ("organisation", ALL_PERSONAL_DATA, SECRET_TYPES, SECRET_TYPES),
        ("group", ALL_PERSONAL_DATA, SECRET_TYPES, SECRET_TYPES),
        ("team", ALL_PERSONAL_DATA, SECRET_TYPES, SECRET_TYPES),
        ("explicit", ALL_PERSONAL_DATA, SECRET_TYPES, SECRET_TYPES),
        ("persona", ALL_PERSONAL_DATA, ALL_PERSONAL_DATA, ALL_PERSONAL_DATA),
        ("industry", ALL_PERSONAL_DATA, ALL_PERSONAL_DATA, ALL_PERSONAL_DATA),
        ("role", ALL_PERSONAL_DATA, ALL_PERSONAL_DATA, ALL_PERSONAL_DATA),
        ("member", NOTHING, NOTHING, NOTHING),
        ("robot", NOTHING, NOTHING, NOTHING),
        ("review", NOTHING, NOTHING, NOTHING),
    ],
)
def test_what_is_personal_is_looked_for_where_more_people_read_than_it_is_about(
    audience: str,
    about: frozenset[PersonalDataType],
    nobody: frozenset[PersonalDataType],
    own: frozenset[PersonalDataType],
) -> None:
    robots = Submission(audience=audience, by_robot=True)
    assert required_checks(robots).personal == nobody
    assert required_checks(
        Submission(audience=audience, by_robot=True, about_somebody=True)
    ).personal == (about)
    passed_on = Submission(audience=audience, by_robot=True, about_somebody=True, own_words=True)
    assert required_checks(passed_on).personal == own
    stricter = required_checks(robots, PersonalDataPolicy.ALWAYS).personal
    assert stricter == (about if audience != "review" else NOTHING)


def test_a_person_is_looked_at_only_where_a_profession_reads() -> None:
    for audience, about, own in itertools.product(AUDIENCES, (False, True), (False, True)):
        given = Submission(audience=audience, by_robot=False, about_somebody=about, own_words=own)
        wanted = required_checks(given, PersonalDataPolicy.ALWAYS)
        assert wanted.poison is False
        cohort = audience in ("persona", "industry", "role")
        assert wanted.personal == (ALL_PERSONAL_DATA if cohort else NOTHING)


def test_poison_is_looked_for_where_another_member_could_be_answered_from_it() -> None:
    looked = {
        audience: required_checks(Submission(audience=audience, by_robot=True)).poison
        for audience in AUDIENCES
    }
    assert looked == {
        "organisation": True, "group": True, "team": True, "explicit": True, "persona": True,
        "industry": True, "role": True, "robot": True, "member": False, "review": False,
    }  # fmt: skip
    for audience in AUDIENCES:
        alone = Submission(audience=audience, by_robot=True, alone=True)
        assert required_checks(alone).poison is False


@pytest.mark.conformance("P16")
def test_a_strict_text_is_looked_at_whoever_reads_it() -> None:
    robots = required_checks(Submission(audience="member", by_robot=True, alone=True, strict=True))
    assert (robots.personal, robots.poison) == (ALL_PERSONAL_DATA, True)
    persons = required_checks(
        Submission(audience="member", by_robot=False, alone=True, strict=True)
    )
    assert (persons.personal, persons.poison) == (ALL_PERSONAL_DATA, False)


def test_nobody_but_the_subject_reads_so_nothing_is_looked_for() -> None:
    alone = Submission(audience="explicit", by_robot=True, about_somebody=True, alone=True)
    assert not required_checks(alone)
    assert not required_checks(alone, PersonalDataPolicy.ALWAYS)


def test_every_text_of_a_document_is_read() -> None:
    document = {"a": ["b", {"c": "d", "e": 1}], "f": None, "g": ("h",)}
    assert list(iter_strings(document)) == ["a", "b", "c", "d", "e", "f", "g", "h"]
