"""The pure rules: what looks alike, and what nobody can read for sure (T23)."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orgs.names.lookalikes import EMPTY, LONGEST, MIXED, UNSEEN, alike, fault_of, looks_of

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
    assert alike(one, ["Somebody else", other]) == other
    assert alike(other, [one]) == one


@pytest.mark.parametrize(("one", "other"), APART)
def test_apart(one: str, other: str) -> None:
    assert alike(one, [other]) is None
    assert alike(other, [one]) is None


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("Mi\u200bna", UNSEEN),
        ("\u202eanim", UNSEEN),
        ("Mina\u2066", UNSEEN),
        ("Mi\u00adna", UNSEEN),
        ("Mina\u3164", UNSEEN),
        ("\u2800", UNSEEN),
        ("Mi\u200cna", UNSEEN),
        ("\u0645\u06cc\u200c", UNSEEN),
        ("\U000e0041Mina", UNSEEN),
        ("Mina\nBob", UNSEEN),
        ("M\u0456na", MIXED),
        ("\u03a9mega", MIXED),
        ("a\u0585b", MIXED),
        ("\u0430pple and pear", MIXED),
        (" ", EMPTY),
        ("", EMPTY),
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
    assert fault_of(name) == fault


@given(st.text(max_size=40))
def test_a_name_is_like_itself_however_it_is_spelt(name: str) -> None:
    """Everything that can be read has looks, and keeps them in every form of Unicode."""
    if fault_of(name):
        return
    assert looks_of(name)
    assert alike(name, [name]) == name
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        spelt = unicodedata.normalize(form, name)
        assert alike(f"  {spelt} ", [name]) == name, form


@given(st.text(max_size=40), st.text(max_size=40))
def test_it_goes_both_ways(one: str, other: str) -> None:
    assert bool(alike(one, [other])) == bool(alike(other, [one]))


def test_no_more_is_looked_at_than_a_name_is_long() -> None:
    assert looks_of("a" * LONGEST) == looks_of("a" * 10 * LONGEST)
