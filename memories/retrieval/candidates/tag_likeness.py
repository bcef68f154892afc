"""How much the tags of a question and of its candidates have in common, for the profile hive."""

import numpy as np

from memories.retrieval.candidates.question_words import QUERY_CHARACTERS
from memories.retrieval.profiles import jaccard
from memories.retrieval.types import Floats, Ids, Question
from memories.store.tag_names import spelt, with_ancestors
from orgs.database.binary_values import uuids
from orgs.database.prepared_statements import fetched

_TAGS = """
SELECT m.id, m.tags FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
    AND cardinality(m.tags) > 0
"""


def tag_likeness(question: Question, ids: Ids) -> Floats:
    """Jaccard of the question's tags and each candidate's, NaN where neither has any.

    The question's are those that it filters by, with the ones above them as memories have them, and
    those of the candidates that its words spell out.
    """
    likeness = np.full(len(ids), np.nan)
    values = {"organisation": question.organisation_id, "ids": uuids(ids)}
    # numpy keeps ids without trailing noughts.
    of = {id_.bytes.rstrip(b"\0"): frozenset(tags) for id_, tags in fetched(_TAGS, values)}
    asked = {above for tag in question.filters.tags for above in with_ancestors(tag)}
    asked |= frozenset().union(*of.values()) & set(spelt(question.text[:QUERY_CHARACTERS]))
    likeness[:] = [jaccard(asked, of.get(bytes(id_), frozenset())) for id_ in ids]
    return likeness
