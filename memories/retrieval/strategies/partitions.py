"""Architecture 2: partitions for group, user and interaction rows, each with its own indexes.

Memories of the group, about the asker, and between the asker and others are searched one after the
other; the candidates are scored together and ranked as one list. Direct, organisation and internal
rows have no partition and are searched in the narrow tables, so that shared memories are found as
well.
"""

from collections.abc import Iterator
from dataclasses import replace

from memories.retrieval.candidates.scan_rows import SearchTable
from memories.retrieval.ranking.rank_pass import rank_hits
from memories.retrieval.search_types import SearchRequest, SearchResult
from memories.retrieval.strategies.projection_check import check_projection

PARTITION_TABLE = "memories_partition"
_GROUP_SQL = ("n.kind = 'group'",)
_USER_SQL = ("n.kind = 'user'",)
_ASKER_SQL = ("n.kind = 'user'", "n.owner = %(me)s")
_INTERACTION_SQL = ("n.kind = 'interaction'",)
_ASKER_INTERACTION_SQL = ("n.kind = 'interaction'", "%(me)s = ANY(n.parties)")
_UNPARTITIONED_SQL = ("n.kind IN ('direct', 'organisation', 'internal')",)
_PARTITIONED_KINDS = {"group", "user", "interaction"}


def search_partitions(question: SearchRequest) -> SearchResult:
    """The hits of all partitions: group; user = the asker; interactions in which the asker spoke or
    listened. Raises ProjectionOffError.

    A robot that asks for nobody is no user, so all user and interaction rows that it may read are
    searched.
    """
    check_projection(question.organisation_id, "partitions")
    hits = rank_hits(replace(question, strategy="hybrid"), list(iter_search_tables(question)))
    return SearchResult(hits, question.strategy)


def iter_search_tables(question: SearchRequest) -> Iterator[SearchTable]:
    """The sources for the question, without those that its filters exclude anyway."""
    kinds = set(question.filters.kinds)
    me = question.asker
    values = {"me": me} if me else {}
    if not kinds or "group" in kinds:
        yield SearchTable(PARTITION_TABLE, _GROUP_SQL)
    if not kinds or "user" in kinds:
        yield SearchTable(PARTITION_TABLE, _ASKER_SQL if me else _USER_SQL, values)
    if not kinds or "interaction" in kinds:
        yield SearchTable(
            PARTITION_TABLE, _ASKER_INTERACTION_SQL if me else _INTERACTION_SQL, values
        )
    if not kinds or kinds - _PARTITIONED_KINDS:
        yield SearchTable(conditions=_UNPARTITIONED_SQL)
