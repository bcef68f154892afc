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
from orgs.database.driver.pipeline import Rows
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
    """The question with its lexemes and the speakers that it names; one query in the asker's
    scope."""
    return apply_query_words(question, fetch_all(*query_words_statement(question)))


def query_words_statement(question: SearchRequest) -> tuple[str, dict[str, Any]]:
    """The statement that finds them in the asker's scope, and its parameters.

    Where nothing narrows the question, the size of the scope is measured along (see
    `readable_row_count`).
    """
    conditions, values = build_conditions(question)
    values |= _statement_values(question.text) | {
        "language": question.language,
        **readable_row_count.count_values(question),
        "counted": not conditions and readable_row_count.cached_count(question) is None,
    }
    return _statement(tuple(conditions), "%(language)s"), values


def caller_words_statement(
    organisation_id: UUID, text: str, conditions: Sequence[str]
) -> tuple[str, dict[str, Any]]:
    """The same for a caller who is known only inside the message that it is a part of; nothing is
    counted. conditions: without parameters."""
    values = _statement_values(text)
    values |= {"organisation": organisation_id, "counted": False}
    return _statement(tuple(conditions), _LANGUAGE_SQL), values


def apply_query_words(question: SearchRequest, rows: Rows) -> SearchRequest:
    """The question with the result of the statement."""
    lexemes, places, named, counted, speakers = rows[0]
    if counted is not None:
        readable_row_count.cache_count(question, counted)
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
    own = {"text": read, "names": possible_speaker_names(read), "most": MAX_QUERY_LEXEMES}
    return own | readable_row_count.count_values()


@lru_cache(maxsize=512)
def _statement(conditions: tuple[str, ...], language: str) -> str:
    return _QUERY_WORDS_SQL.format(
        conditions="".join(f" AND {c}" for c in conditions),
        count=readable_row_count.COUNT_SQL,
        language=language,
    )
