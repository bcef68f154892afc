"""The log of operations: which robot did what with which memory. No text is in it.

docs/adr/0016-operations.md says what is logged where. What is remembered or recalled is logged by
the statements that write it (`memories.ingestion.memory_writes`, `memories.retrieval.recall_log`).
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from memories.store.models.version import OperationVerb
from orgs.database.prepared_statements import fetch_all
from orgs.models.base import new_id

# Who alone is shown that something was served to them: a reader, but for a robot that asks for
# nobody and a team, whose lines all readers of the memory see. A member's own robot is the member.
ASKS_FOR_NOBODY = """EXISTS (
    SELECT 1 FROM orgs_audience t WHERE t.organisation_id = %(organisation)s
    AND t.id = %(reader)s::uuid AND t.kind IN ('team', 'robot'))"""
SHOWN_TO = f"(SELECT %(reader)s::uuid WHERE NOT {ASKS_FOR_NOBODY})"
_RECORD_SQL = f"""
INSERT INTO memories_operation (id, organisation_id, memory_id, audience_id, kind, robot_id, verb,
                                at, reader)
SELECT given.id, m.organisation_id, m.id, m.audience_id, m.kind, %(robot)s::uuid, %(verb)s, %(now)s,
    {SHOWN_TO}
FROM unnest(%(ids)s::uuid[], %(memories)s::uuid[]) AS given (id, memory)
JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = given.memory
"""


def record_operations(
    verb: OperationVerb,
    organisation_id: UUID,
    memory_ids: Sequence[UUID],
    *,
    robot_id: UUID | None,
    reader: UUID | None = None,
    now: datetime,
) -> None:
    """A line for each of the memories that the scope reads. robot_id: empty for a person. reader:
    of a line on what was served, who it was (`orgs.principals.reader_of`)."""
    if not memory_ids:
        return
    values = {
        "organisation": organisation_id,
        "memories": list(memory_ids),
        "ids": [new_id() for _ in memory_ids],
        "robot": robot_id,
        "reader": reader,
        "verb": verb.value,
        "now": now,
    }
    fetch_all(_RECORD_SQL, values)
