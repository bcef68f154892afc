"""What the scope knows of the question's wording: its lexemes, and the speakers it names."""

from dataclasses import replace

from memories.language.cues import possible_names
from memories.retrieval.candidates import readable_rows
from memories.retrieval.candidates.filters import narrow
from memories.retrieval.types import Question
from orgs.database.prepared_statements import fetched

# A question's first words decide; more would only cost time.
QUERY_CHARACTERS = 2_000
QUERY_LEXEMES = 48

_WORDING = """
SELECT words.lexemes,
    ARRAY(SELECT memories_word_place(lexeme) FROM unnest(words.lexemes) AS lexeme),
    ARRAY(SELECT name FROM unnest(%(names)s::text[]) AS name WHERE EXISTS (
        SELECT 1 FROM memories_text n
        WHERE n.organisation_id = %(organisation)s AND n.speaker_key = name
          AND n.speaker_key <> '' {conditions})),
    CASE WHEN %(counted)s THEN ({count}) END
FROM (SELECT ARRAY(SELECT lexeme FROM unnest(to_tsvector(%(language)s::regconfig, %(text)s))
                   LIMIT %(most)s) AS lexemes) AS words
"""


def worded(question: Question) -> Question:
    """The question with its lexemes and the speakers it names; one query in the asker's scope.

    Where nothing narrows the question, the size of the scope is counted along (see `scale`).
    """
    conditions, values = narrow(question)
    text = question.text[:QUERY_CHARACTERS]
    narrowed = "".join(f" AND {c}" for c in conditions)
    statement = _WORDING.format(conditions=narrowed, count=readable_rows.COUNT)
    values |= {
        "language": question.language,
        "text": text,
        "names": possible_names(text),
        "most": QUERY_LEXEMES,
        "model": question.model,
        "counted": not conditions and readable_rows.known(question) is None,
    }
    [(lexemes, places, names, rows)] = fetched(statement, values)
    if rows is not None:
        readable_rows.note(question, rows)
    return replace(question, lexemes=tuple(lexemes), places=tuple(places), named=tuple(names))
