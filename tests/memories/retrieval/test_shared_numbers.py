"""Scoring every row and searching by the indexes use the same numbers, in SQL and in Python."""

import math
import re
from pathlib import Path

from memories.retrieval.candidates import search
from memories.store.context_reach import WORDS

ROOT = Path(__file__).resolve().parents[3]
LABELS = re.compile(r"ts_rank\('\{+([^}]+)\}+'")
GUARD = re.compile(r"(\.5)[:a-z0-9]* \+ (\.5)[:a-z0-9]* \* greatest\(1, [a-z.]*length / (\d+)")
RARITY = re.compile(r"greatest\([a-z.]+ - [a-z.{}]+, 0\) \+ (\.5)")
WHOLE = re.compile(r"\* (1\.64\d+)")
FUNCTION = (ROOT / "memories" / "sql" / "search_words_v1.sql").read_text(encoding="utf-8")
STATEMENTS = Path(search.__file__).read_text(encoding="utf-8")


def test_the_labels_are_what_a_turn_lends_to_those_around_it() -> None:
    lent = {f"{worth:g}".removeprefix("0") for worth in WORDS}
    for text in (FUNCTION, STATEMENTS):
        [labels] = LABELS.findall(text)
        *neighbours, own = labels.split(",")
        assert (set(neighbours), neighbours, own) == (lent, sorted(neighbours), "1")


def test_long_texts_and_rare_words_weigh_the_same_in_both() -> None:
    assert set(GUARD.findall(FUNCTION)) == set(GUARD.findall(STATEMENTS)) == {(".5", ".5", "40")}
    assert set(RARITY.findall(FUNCTION)) == set(RARITY.findall(STATEMENTS)) == {".5"}


def test_one_position_of_a_word_is_worth_its_label() -> None:
    """ts_rank divides a single hit by the sum of 1/n², which both multiply in again."""
    for text in (FUNCTION, STATEMENTS):
        assert {float(found) for found in WHOLE.findall(text)} == {round(math.pi**2 / 6, 11)}
