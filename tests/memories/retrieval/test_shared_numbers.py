"""Looking at every row and searching by the indexes use the same numbers, in SQL and in Python."""

import inspect
import math
import re
from pathlib import Path

from memories.retrieval.candidates import word_codes
from memories.store.context_reach import WORDS

ROOT = Path(__file__).resolve().parents[3]
SQL = ROOT / "memories" / "sql"
FUNCTION = (SQL / "search_words_v1.sql").read_text(encoding="utf-8")
NARROW_ROW = (SQL / "search_row_v1.sql").read_text(encoding="utf-8")


def test_the_labels_are_what_a_turn_lends_to_those_around_it() -> None:
    [labels] = re.findall(r"ts_rank\('\{+([^}]+)\}+'", FUNCTION)
    assert [float(label) for label in labels.split(",")] == word_codes.WORTHS[1:].tolist()
    assert set(WORDS) == set(word_codes.WORTHS[1:-1])


def test_long_texts_and_rare_words_weigh_the_same_in_both() -> None:
    guard = re.findall(r"\((\.5) \+ (\.5) \* greatest\(1, x.length / (\d+)", FUNCTION)
    assert guard == [(".5", ".5", str(word_codes.LONG))]
    assert "0.5 + 0.5 * np.maximum(1.0, length / LONG)" in inspect.getsource(word_codes)
    assert set(re.findall(r"greatest\(total - [a-z.]+, 0\) \+ (\.5)", FUNCTION)) == {".5"}


def test_one_position_of_a_word_is_worth_its_label() -> None:
    """ts_rank divides a single hit by the sum of 1/n², which is multiplied in again."""
    [whole] = re.findall(r"\* (1\.64\d+)", FUNCTION)
    assert float(whole) == round(math.pi**2 / 6, 11)


def test_the_narrow_row_has_places_for_the_words_of_a_question() -> None:
    assert set(re.findall(r"sparsevec\((\d+)\)", NARROW_ROW)) == {str(word_codes.DIMENSIONS)}
    assert f"& {word_codes.DIMENSIONS - 1})" in NARROW_ROW
