"""docs/languages.md says of each rule in which languages it works: what the data says."""

import ast
from pathlib import Path

from memories.language.vocabularies.languages import VOCABULARIES
from memories.language.vocabularies.vocabulary import Vocabulary
from robots.conversations.small_talk import SMALL_TALK

PAGE = Path("docs/languages.md")
SMALL_TALK_CODES = {talk.code for talk in SMALL_TALK if talk.phrases}


def _tells_distances_ahead(one: Vocabulary) -> bool:
    """Whether a distance ahead is certain, or past verbs show when it is not."""
    meanings = {meaning.partition(" ")[0] for _, meaning in one.times.times}
    return "AHEAD" in meanings or ("AHEAD?" in meanings and bool(one.times.past))


# By the module of the rule: whether a vocabulary has what the rule needs.
NEEDS = {
    "memories/language/relative_dates.py": lambda one: bool(one.times.times and one.times.written),
    "memories/retrieval/timeframes/parse_timeframe.py": lambda one: bool(
        (one.times.bounds or one.times.bounds_after) and one.times.ranges
    ),
    "memories/language/query_cues.py": lambda one: bool(
        one.questions.when and one.questions.first_person
    ),
    "memories/language/comparison/text_comparison.py": lambda one: bool(
        one.comparison.negation and one.comparison.opposites
    ),
    "memories/language/comparison/changed_facts.py": lambda one: bool(one.comparison.change),
    "robots/conversations/chatter.py": lambda one: one.code in SMALL_TALK_CODES,
    "memories/knowledge_graph/task_rules.py": lambda one: bool(
        (one.duties.own and one.duties.named)
        or (one.duties.own_endings and one.duties.named_endings)
    ),
    "memories/language/spoken_times/spoken_dates.py": _tells_distances_ahead,
}


def _rows() -> list[list[str]]:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_page_says_what_the_data_says() -> None:
    head, _, *rows = _rows()
    assert head[2:] == ["English", *(one.name for one in VOCABULARIES)]
    told = {row[1].strip("`"): row[2:] for row in rows}
    assert set(NEEDS) <= set(told)
    for module, cells in told.items():
        needs = NEEDS.get(module, lambda _: False)
        assert cells == ["yes", *("yes" if needs(one) else "no" for one in VOCABULARIES)], module


def test_what_is_english_alone_says_so() -> None:
    for row in _rows()[2:]:
        module = row[1].strip("`")
        text = Path(module).read_text()
        says = ast.get_docstring(ast.parse(text)) or ""
        if module not in NEEDS:
            assert "vocabular" not in text, module
            assert "English" in says or "English" in text, module


def test_every_vocabulary_is_whole() -> None:
    for one in VOCABULARIES:
        times = one.times
        assert len(times.months) == 12, one.name
        assert len(times.short_months.split()) == 12, one.name
        assert len(times.weekdays) == 7, one.name
        assert {"day", "week", "month", "year"} <= set(times.units), one.name
        assert set(times.written) == {"day", "week", "weekend", "month", "year"}, one.name
        assert all("{}" in written for written in times.written.values()), one.name
        assert {"since", "before", "after", "until"} <= {*times.bounds, *times.bounds_after}
    assert len({one.code for one in VOCABULARIES}) == len(VOCABULARIES)
