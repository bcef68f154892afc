"""The lexemes of a question, and the speakers of the scope that it names."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any
from uuid import UUID

from memories.language.cues import possible_names
from memories.retrieval.candidates import readable_rows
from memories.retrieval.candidates.filters import narrow
from memories.retrieval.types import Question
from orgs.database.libpq_message import Rows
from orgs.database.prepared_statements import fetched

# Only the first words of a question count; more would only cost time.
QUERY_CHARACTERS = 2_000
QUERY_LEXEMES = 48

_WORDING = """
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
_LANGUAGE = "(SELECT o.language FROM orgs_organisation o WHERE o.id = %(organisation)s)"


def worded(question: Question) -> Question:
    """The question with its lexemes and the speakers that it names; one query in the asker's scope.

    Where nothing narrows the question, the size of the scope is measured along (see
    `readable_rows`).
    """
    conditions, values = narrow(question)
    values |= readable_rows.limits()
    values |= _asked(question.text) | {
        "language": question.language,
        "model": question.model,
        "counted": not conditions and readable_rows.known(question) is None,
    }
    rows = fetched(_statement(tuple(conditions), "%(language)s"), values)
    if rows[0][3] is not None:
        readable_rows.note(question, rows[0][3])
    return with_words(question, rows)


def wording(
    organisation_id: UUID, text: str, conditions: Sequence[str]
) -> tuple[str, dict[str, Any]]:
    """The statement that finds the same in the scope in force, and its parameters.

    For who does not know the asker yet. Nothing is counted.
    """
    values = _asked(text) | readable_rows.limits()
    values |= {"organisation": organisation_id, "model": None, "counted": False}
    return _statement(tuple(conditions), _LANGUAGE), values


def with_words(question: Question, rows: Rows) -> Question:
    """The question with the result of the statement."""
    lexemes, places, named, _, speakers = rows[0]
    place_of = dict(zip(possible_names(question.text[:QUERY_CHARACTERS]), speakers, strict=True))
    return replace(
        question,
        lexemes=tuple(lexemes),
        places=tuple(places),
        named=tuple(named),
        speakers=tuple(place_of[name] for name in named),
    )


def _asked(text: str) -> dict[str, Any]:
    read = text[:QUERY_CHARACTERS]
    return {"text": read, "names": possible_names(read), "most": QUERY_LEXEMES}


@lru_cache(maxsize=512)
def _statement(conditions: tuple[str, ...], language: str) -> str:
    return _WORDING.format(
        conditions="".join(f" AND {c}" for c in conditions),
        count=readable_rows.COUNT,
        language=language,
    )
