"""The lexemes of a question, and the speakers of the scope that it names."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any
from uuid import UUID

from memories.language.query_cues import possible_speaker_names
from memories.retrieval.candidates import readable_row_count
from memories.retrieval.candidates.search_conditions import build_conditions
from memories.retrieval.search_types import SearchRequest
from orgs.database.libpq_pipeline import Rows
from orgs.database.prepared_statements import fetch_all

# Only the first words of a question count; more would only cost time.
MAX_QUERY_CHARACTERS = 2_000
MAX_QUERY_LEXEMES = 48

_QUERY_WORDS_SQL = """
SELECT words.lexemes,
    ARRAY(SELECT memories_word_place(lexeme) FROM unnest(words.lexemes) AS lexeme),
    ARRAY(SELECT name FROM unnest(%(names)s::text[]) AS name WHERE EXISTS (
        SELECT 1 FROM memories_text n
        WHERE n.organisation_id = %(organisation)s AND n.speaker_key = name
          AND n.speaker_key <> '' {conditions})) AS named,
    CASE WHEN %(counted)s THEN ({count}) END,
    ARRAY(SELECT memories_speaker_place(name) FROM unnest(%(names)s::text[]) AS name)
FROM (SELECT ARRAY(SELECT lexeme FROM unnest(to_tsvector({language}::regconfig, %(text)s))
                   LIMIT %(most)s) AS lexemes) AS words
"""
_LANGUAGE_SQL = "(SELECT o.language FROM orgs_organisation o WHERE o.id = %(organisation)s)"


def add_query_words(question: SearchRequest) -> SearchRequest:
    """The question with its lexemes and the speakers that it names; one query in the asker's scope.

    Where nothing narrows the question, the size of the scope is measured along (see
    `readable_rows`).
    """
    conditions, values = build_conditions(question)
    values |= readable_row_count.count_values()
    values |= _statement_values(question.text) | {
        "language": question.language,
        "model": question.model,
        "counted": not conditions and readable_row_count.cached_count(question) is None,
    }
    rows = fetch_all(_statement(tuple(conditions), "%(language)s"), values)
    if rows[0][3] is not None:
        readable_row_count.cache_count(question, rows[0][3])
    return apply_query_words(question, rows)


def query_words_statement(
    organisation_id: UUID, text: str, conditions: Sequence[str]
) -> tuple[str, dict[str, Any]]:
    """The statement that finds the same in the scope in force, and its parameters.

    For who does not know the asker yet. Nothing is counted.
    """
    values = _statement_values(text) | readable_row_count.count_values()
    values |= {"organisation": organisation_id, "model": None, "counted": False}
    return _statement(tuple(conditions), _LANGUAGE_SQL), values


def apply_query_words(question: SearchRequest, rows: Rows) -> SearchRequest:
    """The question with the result of the statement."""
    lexemes, places, named, _, speakers = rows[0]
    place_of = dict(
        zip(possible_speaker_names(question.text[:MAX_QUERY_CHARACTERS]), speakers, strict=True)
    )
    return replace(
        question,
        lexemes=tuple(lexemes),
        places=tuple(places),
        named=tuple(named),
        speakers=tuple(place_of[name] for name in named),
    )


def _statement_values(text: str) -> dict[str, Any]:
    read = text[:MAX_QUERY_CHARACTERS]
    return {"text": read, "names": possible_speaker_names(read), "most": MAX_QUERY_LEXEMES}


@lru_cache(maxsize=512)
def _statement(conditions: tuple[str, ...], language: str) -> str:
    return _QUERY_WORDS_SQL.format(
        conditions="".join(f" AND {c}" for c in conditions),
        count=readable_row_count.COUNT_SQL,
        language=language,
    )
