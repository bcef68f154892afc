"""The similarity of the tags of a question and its candidates, for the profile hive."""

import numpy as np

from memories.retrieval.candidates.query_words import MAX_QUERY_CHARACTERS
from memories.retrieval.scoring_profiles import jaccard
from memories.retrieval.search_types import Floats, Ids, SearchRequest
from memories.store.tag_names import possible_query_tags, with_ancestors
from orgs.database.binary_values import encode_uuid_bytes
from orgs.database.prepared_statements import fetch_all

_TAGS_SQL = """
SELECT m.id, m.tags FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
    AND cardinality(m.tags) > 0
"""


def compute_tag_similarity(question: SearchRequest, ids: Ids) -> Floats:
    """The Jaccard index of the question's and each candidate's tags, NaN if neither has any.

    The question's tags are those of its filter, with their parents, and those of the candidates
    that its words spell out.
    """
    likeness = np.full(len(ids), np.nan)
    values = {"organisation": question.organisation_id, "ids": encode_uuid_bytes(ids)}
    # numpy drops trailing zero bytes of ids.
    of = {id_.bytes.rstrip(b"\0"): frozenset(tags) for id_, tags in fetch_all(_TAGS_SQL, values)}
    asked = {above for tag in question.filters.tags for above in with_ancestors(tag)}
    asked |= frozenset().union(*of.values()) & set(
        possible_query_tags(question.text[:MAX_QUERY_CHARACTERS])
    )
    likeness[:] = [jaccard(asked, of.get(bytes(id_), frozenset())) for id_ in ids]
    return likeness
