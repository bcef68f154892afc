"""The lexemes of a question, and the speakers of the scope that it names."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any
from uuid import UUID

from memories.language.query_cues import possible_speaker_names
from memories.language.text_language import prepare_text
from memories.retrieval.candidates import readable_row_count
from memories.retrieval.candidates.search_conditions import build_conditions
from memories.retrieval.search_types import SearchRequest
from orgs.database.driver.pipeline import Rows
from orgs.database.prepared_statements import fetch_all

# Only the first words of a question count; more would only cost time.
MAX_QUERY_CHARACTERS = 2_000
MAX_QUERY_LEXEMES = 48

# A word has a form by the organisation's configuration, and another where the question is in a
# language of its own. What is a stop word in one of them is no word of the question.
_QUERY_WORDS_SQL = """
WITH base AS (SELECT {language}::regconfig AS configuration), forms AS (
    SELECT lexeme, at, 1 AS form FROM base,
        unnest(memories_index_words(coalesce(%(configuration)s::regconfig, base.configuration),
                                    %(own)s::text)),
        unnest(positions) AS at
    UNION ALL
    SELECT lexeme, at, 2 FROM base,
        unnest(memories_index_words(base.configuration, %(shared)s::text)), unnest(positions) AS at
    WHERE %(configuration)s::regconfig IS NOT NULL
      AND (%(configuration)s::regconfig <> base.configuration OR %(own)s::text <> %(shared)s::text)
), counted AS (
    SELECT lexeme, at, count(*) OVER (PARTITION BY at) AS here, max(form) OVER () AS forms
    FROM forms
)
SELECT words.lexemes,
    ARRAY(SELECT memories_word_place(lexeme) FROM unnest(words.lexemes) AS lexeme),
    words.numbers,
    ARRAY(SELECT name FROM unnest(%(names)s::text[]) AS name WHERE EXISTS (
        SELECT 1 FROM memories_text n
        WHERE n.organisation_id = %(organisation)s AND n.speaker_key = name
          AND n.speaker_key <> '' {conditions})) AS named,
    CASE WHEN %(counted)s THEN ({count}) END,
    ARRAY(SELECT memories_speaker_place(name) FROM unnest(%(names)s::text[]) AS name)
FROM (SELECT coalesce(array_agg(lexeme ORDER BY lexeme), '{{}}') AS lexemes,
        coalesce(array_agg(number ORDER BY lexeme), '{{}}') AS numbers
    FROM (SELECT lexeme, min(at) AS number FROM counted WHERE here >= forms
        GROUP BY lexeme ORDER BY lexeme LIMIT %(most)s) AS few) AS words
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
    lexemes, places, numbers, named, counted, speakers = rows[0]
    if counted is not None:
        readable_row_count.cache_count(question, counted)
    place_of = dict(
        zip(possible_speaker_names(question.text[:MAX_QUERY_CHARACTERS]), speakers, strict=True)
    )
    return replace(
        question,
        lexemes=tuple(lexemes),
        places=tuple(places),
        word_numbers=tuple(numbers),
        named=tuple(named),
        speakers=tuple(place_of[name] for name in named),
    )


def _statement_values(text: str) -> dict[str, Any]:
    read = text[:MAX_QUERY_CHARACTERS]
    prepared = prepare_text(read, is_query=True)
    return {
        "configuration": prepared.configuration,
        "own": prepared.own,
        "shared": prepared.shared,
        "names": possible_speaker_names(read),
        "most": MAX_QUERY_LEXEMES,
        **readable_row_count.count_values(),
    }


@lru_cache(maxsize=512)
def _statement(conditions: tuple[str, ...], language: str) -> str:
    return _QUERY_WORDS_SQL.format(
        conditions="".join(f" AND {c}" for c in conditions),
        count=readable_row_count.COUNT_SQL,
        language=language,
    )
