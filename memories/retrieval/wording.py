"""What the scope knows of the question's wording: its lexemes, and the speakers it names."""

from dataclasses import replace

from memories.policies.cues import possible_names
from memories.retrieval.conditions import narrow
from memories.retrieval.types import Question
from orgs.prepared import fetched

# A question's first words decide; more would only cost time.
QUERY_CHARACTERS = 2_000
QUERY_LEXEMES = 48

_WORDING = """
SELECT ARRAY(SELECT lexeme FROM unnest(to_tsvector(%(language)s::regconfig, %(text)s))
             LIMIT %(most)s),
    ARRAY(SELECT name FROM unnest(%(names)s::text[]) AS name WHERE EXISTS (
        SELECT 1 FROM memories_text n
        WHERE n.organisation_id = %(organisation)s AND n.speaker_key = name
          AND n.speaker_key <> '' {conditions}))
"""


def worded(question: Question) -> Question:
    """The question with its lexemes and the speakers it names; one query in the asker's scope."""
    conditions, values = narrow(question)
    text = question.text[:QUERY_CHARACTERS]
    statement = _WORDING.format(conditions="".join(f" AND {c}" for c in conditions))
    values |= {
        "language": question.language,
        "text": text,
        "names": possible_names(text),
        "most": QUERY_LEXEMES,
    }
    [(lexemes, names)] = fetched(statement, values)
    return replace(question, lexemes=tuple(lexemes), named=tuple(names))
