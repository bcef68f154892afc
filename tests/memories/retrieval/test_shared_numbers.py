"""Looking at every row and searching by the indexes use the same numbers, in SQL and in Python."""

import inspect
import re
from pathlib import Path

from memories.retrieval.candidates import scan_rows
from memories.store.context_window import WORD_WEIGHTS

ROOT = Path(__file__).resolve().parents[3]
SQL = ROOT / "memories" / "sql"
FUNCTION = (SQL / "search_words_v3.sql").read_text(encoding="utf-8")
NARROW_ROW = (SQL / "search_row_v1.sql").read_text(encoding="utf-8")


def test_the_labels_are_what_a_turn_lends_to_those_around_it() -> None:
    assert set(WORD_WEIGHTS) == set(scan_rows.LABEL_WEIGHTS[1:-1])


def test_rare_words_weigh_the_same_in_both() -> None:
    """The function chooses by the worths by which the rows are scored afterwards."""
    [worth] = re.findall(r"ln\(1 \+ \(greatest\(total - w.df, 0\) \+ (.+?)\)\) AS idf", FUNCTION)
    assert worth == ".5) / (w.df + .5)"
    assert "0.5) / (counts + 0.5)" in inspect.getsource(scan_rows.compute_idf)


def test_as_many_turns_around_the_best_are_looked_at_as_are_lent_words() -> None:
    limits = re.findall(r"ORDER BY x.position(?: DESC)?, x.id(?: DESC)? LIMIT (\d+)", FUNCTION)
    assert limits == [str(len(WORD_WEIGHTS))] * 2


def test_the_narrow_row_has_places_for_the_words_of_a_question() -> None:
    assert set(re.findall(r"sparsevec\((\d+)\)", NARROW_ROW)) == {str(scan_rows.DIMENSIONS)}
    assert f"& {scan_rows.DIMENSIONS - 1})" in NARROW_ROW
    assert f"'}}/{scan_rows.DIMENSIONS}')::public.sparsevec INTO worth" in FUNCTION
