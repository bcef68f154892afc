"""The pure rules: what looks alike, and what nobody can read for sure (T23)."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orgs.names.lookalikes import (
    BLANK_FAULT,
    INVISIBLE_FAULT,
    MAX_LENGTH,
    MIXED_SCRIPT_FAULT,
    find_lookalike,
    lookalike_keys,
    name_fault,
)

pytestmark = pytest.mark.conformance("T23")

ALIKE = [
    ("Mina", "M\u0456na"),
    ("Mina", "\u039cINA"),
    ("AIice", "Alice"),
    ("ALICE", "alice"),
    ("rnina", "Mina"),
    ("Bob", "B0b"),
    ("Bob", "\u0412\u043e\u042c"),
    ("Mina B", "MinaB"),
    ("Mina", " mina "),
    ("\uff2d\uff49\uff4e\uff41", "Mina"),
    ("\u24c2\u24d8\u24c3\u24d0", "Mina"),
    ("\u0645\u06cc\u0646\u0627", "\u0645\u06cc\u200c\u0646\u0627"),
    ("\ufb01ona", "Fiona"),
    ("Straße", "STRASSE"),
    ("Mina\ufe0f", "Mina"),
    ("Room 10", "Room 1O"),
    ("open", "\u039f\u03a1\u0395\u039d"),
    ("Mina.", "Mina"),
    ("Mina", "\u2018Mina\u2019"),
    ("M1na", "Mina"),
    ("M1na.", "Mìna"),
    ("Mìna", "Mina"),
    ("Chidl", "Chidi"),
    ("ChidI", "Chidi"),
    ("Chid1", "Chidi"),
    ("Ad4m", "Adam"),
    ("Łukasz", "Lukasz"),
    ("Sára", "Sara"),
    ("Müller", "Muller"),
    ("Kari", "Karl"),
]
# People and things that have these names mean different ones.
APART = [
    ("AI", "AL"),
    ("A1", "AL"),
    ("KARI", "Carl"),
    ("Ian", "Lan"),
    ("Phase 1", "Phase 2"),
    ("agent3", "agente"),
    ("Q4 plan", "QA plan"),
    ("Sára", "Sora"),
    ("Anna", "Анна"),
    ("Ivan", "Иван"),
    ("田中", "田申"),
    ("की", "का"),
    ("Mina", "Mona"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_alike(one: str, other: str) -> None:
    assert find_lookalike(one, ["Somebody else", other]) == other
    assert find_lookalike(other, [one]) == one


@pytest.mark.parametrize(("one", "other"), APART)
def test_apart(one: str, other: str) -> None:
    assert find_lookalike(one, [other]) is None
    assert find_lookalike(other, [one]) is None


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("Mi\u200bna", INVISIBLE_FAULT),
        ("\u202eanim", INVISIBLE_FAULT),
        ("Mina\u2066", INVISIBLE_FAULT),
        ("Mi\u00adna", INVISIBLE_FAULT),
        ("Mina\u3164", INVISIBLE_FAULT),
        ("\u2800", INVISIBLE_FAULT),
        ("Mi\u200cna", INVISIBLE_FAULT),
        ("\u0645\u06cc\u200c", INVISIBLE_FAULT),
        ("\U000e0041Mina", INVISIBLE_FAULT),
        ("Mina\nBob", INVISIBLE_FAULT),
        ("M\u0456na", MIXED_SCRIPT_FAULT),
        ("\u03a9mega", MIXED_SCRIPT_FAULT),
        ("a\u0585b", MIXED_SCRIPT_FAULT),
        ("\u0430pple and pear", MIXED_SCRIPT_FAULT),
        (" ", BLANK_FAULT),
        ("", BLANK_FAULT),
        ("\u0645\u06cc\u200c\u0646\u0627", ""),
        ("\u0915\u094d\u200d\u0937", ""),
        ("👩\u200d💻 Bot", ""),
        ("Иван (Ivan)", ""),
        ("田中さんのBot", ""),
        ("東京タワー", ""),
        ("10號", ""),
        ("김철수", ""),
        ("O’Brien", ""),
        ("#launch", ""),
    ],
)
def test_what_can_be_read(name: str, fault: str) -> None:
    assert name_fault(name) == fault


@given(st.text(max_size=40))
def test_a_name_is_like_itself_however_it_is_spelt(name: str) -> None:
    """Everything that can be read has looks, and keeps them in every form of Unicode."""
    if name_fault(name):
        return
    assert lookalike_keys(name)
    assert find_lookalike(name, [name]) == name
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        spelt = unicodedata.normalize(form, name)
        assert find_lookalike(f"  {spelt} ", [name]) == name, form


@given(st.text(max_size=40), st.text(max_size=40))
def test_it_goes_both_ways(one: str, other: str) -> None:
    assert bool(find_lookalike(one, [other])) == bool(find_lookalike(other, [one]))


def test_no_more_is_looked_at_than_a_name_is_long() -> None:
    assert lookalike_keys("a" * MAX_LENGTH) == lookalike_keys("a" * 10 * MAX_LENGTH)
