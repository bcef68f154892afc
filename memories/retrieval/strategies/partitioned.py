"""Architecture 2: partitions for group, user and interaction rows, each with its own indexes.

Memories of the group, about the asker, and between the asker and others are searched one after the
other; the candidates are scored together and ranked as one list. Direct, organisation and internal
rows have no partition and are searched in the narrow tables, so that shared memories are found as
well.
"""

from collections.abc import Iterator
from dataclasses import replace

from memories.retrieval.candidates.scan import Source
from memories.retrieval.ranking.rank import rank
from memories.retrieval.strategies.projection_required import require
from memories.retrieval.types import Question, Served

TABLE = "memories_partition"
_GROUP = ("n.kind = 'group'",)
_USER = ("n.kind = 'user'",)
_MINE = ("n.kind = 'user'", "n.owner = %(me)s")
_INTERACTION = ("n.kind = 'interaction'",)
_AMONG = ("n.kind = 'interaction'", "%(me)s = ANY(n.parties)")
_REST = ("n.kind IN ('direct', 'organisation', 'internal')",)
_PARTITIONED = {"group", "user", "interaction"}


def partitioned(question: Question) -> Served:
    """The hits of all partitions: group; user = the asker; interactions in which the asker spoke or
    listened. Raises ProjectionOff.

    A robot that asks for nobody is no user, so all user and interaction rows that it may read are
    searched.
    """
    require(question.organisation_id, "partitions")
    hits = rank(replace(question, strategy="hybrid"), list(sources(question)))
    return Served(hits, question.strategy)


def sources(question: Question) -> Iterator[Source]:
    """The sources for the question, without those that its filters exclude anyway."""
    kinds = set(question.filters.kinds)
    me = question.asker
    values = {"me": me} if me else {}
    if not kinds or "group" in kinds:
        yield Source(TABLE, _GROUP)
    if not kinds or "user" in kinds:
        yield Source(TABLE, _MINE if me else _USER, values)
    if not kinds or "interaction" in kinds:
        yield Source(TABLE, _AMONG if me else _INTERACTION, values)
    if not kinds or kinds - _PARTITIONED:
        yield Source(conditions=_REST)
