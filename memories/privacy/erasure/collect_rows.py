"""Collect the memories, messages, conversations and jobs of an erasure; each gets a tombstone.

Runs in the role of the worker, which reads every audience, also robots' notes. The tombstones are
the list of work, so a run that breaks off finds what is left. A row with a tombstone cannot be
written again.
"""

from memories.privacy.erasure.erasure_run import (
    ErasureRun,
    ErasureSource,
    ErasureTarget,
    TombstoneType,
)

# Memories about the member, said by them, private to them, of their personal robots, or written by
# them alone and neither about nor said by anybody else.
_MEMORIES_OF_MEMBER_SQL = """
SELECT m.id FROM memories_memory m WHERE m.organisation_id = %(organisation)s AND (
    m.member_id = %(target)s OR m.speaker_member_id = %(target)s
    OR (m.author_id = %(target)s AND m.member_id IS NULL AND m.speaker_member_id IS NULL
        AND NOT EXISTS (SELECT 1 FROM memories_contribution c
            WHERE c.organisation_id = m.organisation_id AND c.memory_id = m.id
                AND c.member_id IS DISTINCT FROM m.author_id))
    OR m.robot_id IN (SELECT r.id FROM robots_robot r
        WHERE r.organisation_id = %(organisation)s AND r.owner_id = %(target)s)
    OR m.audience_id IN (SELECT a.id FROM orgs_audience a
        WHERE a.organisation_id = %(organisation)s AND a.kind = 'member'
            AND a.key = %(target)s::text))
"""
# Memories that others have contributed as well stay.
_MEMORIES_BY_CONTRIBUTION_SQL = """
SELECT c.memory_id FROM memories_contribution c
WHERE c.organisation_id = %(organisation)s AND c.{column} = %(target)s AND NOT EXISTS (
    SELECT 1 FROM memories_contribution other
    WHERE other.organisation_id = c.organisation_id AND other.memory_id = c.memory_id
        AND other.{column} IS DISTINCT FROM c.{column})
"""
_MEMORIES_OF_CONVERSATION_SQL = """
SELECT m.id FROM memories_memory m WHERE m.organisation_id = %(organisation)s
    AND m.conversation = %(target)s::text
"""
_MEMORIES_OF_GROUP_SQL = """
SELECT m.id FROM memories_memory m WHERE m.organisation_id = %(organisation)s AND (
    m.group_id = %(target)s OR m.audience_id IN (SELECT a.id FROM orgs_audience a
        WHERE a.organisation_id = %(organisation)s AND a.kind = 'group'
            AND a.key = %(target)s::text))
"""
# Memories made from these, level by level: propositions, summaries, patterns, and memories that
# cite them.
_DERIVED_SQL = """
SELECT d.memory_id FROM memories_derivation d JOIN memories_tombstone t
    ON t.organisation_id = d.organisation_id AND t.target = d.source_id
WHERE d.organisation_id = %(organisation)s AND t.erasure_id = %(erasure)s AND t.kind = 'memory'
    AND t.gone_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM memories_tombstone known
        WHERE known.organisation_id = d.organisation_id AND known.target = d.memory_id)
"""
_MESSAGES_OF_MEMBER_SQL = """
SELECT s.id FROM robots_message s WHERE s.organisation_id = %(organisation)s
    AND (s.speaker_member_id = %(target)s OR s.author_id = %(target)s)
"""
_MESSAGES_OF_ROBOT_SQL = """
SELECT s.id FROM robots_message s WHERE s.organisation_id = %(organisation)s
    AND s.robot_id = %(target)s AND s.speaker_member_id IS NULL AND s.role = 'agent'
"""
_MESSAGES_OF_CONVERSATIONS_SQL = """
SELECT s.id FROM robots_message s JOIN memories_tombstone t
    ON t.organisation_id = s.organisation_id AND t.target = s.conversation_id
WHERE s.organisation_id = %(organisation)s AND t.erasure_id = %(erasure)s
    AND t.kind = 'conversation'
"""
# Only direct conversations of the member with a robot.
_CONVERSATIONS_OF_MEMBER_SQL = """
SELECT v.id FROM robots_conversation v WHERE v.organisation_id = %(organisation)s
    AND v.group_id IS NULL AND v.member_id = %(target)s
"""
_CONVERSATIONS_OF_GROUP_SQL = """
SELECT v.id FROM robots_conversation v WHERE v.organisation_id = %(organisation)s
    AND v.group_id = %(target)s
"""
# The memories of the collected messages.
_MEMORIES_OF_MESSAGES_SQL = """
SELECT m.id FROM memories_memory m JOIN memories_tombstone t
    ON t.organisation_id = m.organisation_id AND m.key = 'message:' || t.target::text
WHERE m.organisation_id = %(organisation)s AND t.erasure_id = %(erasure)s AND t.kind = 'message'
    AND t.gone_at IS NULL
"""
_JOBS_OF_MEMBER_SQL = """
SELECT j.id FROM memories_job j WHERE j.organisation_id = %(organisation)s
    AND j.member_id = %(target)s
"""
_JOBS_OF_ROBOT_SQL = """
SELECT j.id FROM memories_job j WHERE j.organisation_id = %(organisation)s
    AND j.robot_id = %(target)s
"""
_CONTRIBUTION_COLUMN = {
    ErasureSource.ROBOT: "robot_id",
    ErasureSource.KEY: "key_id",
    ErasureSource.IMPORT: "import_job",
}
_TARGET_ITSELF_SQL = "SELECT %(target)s::uuid"


def collect_rows(running: ErasureRun) -> int:
    """Set a tombstone for every row to erase; returns how many are new."""
    new = 0
    if running.member_id:
        new += running.create_tombstones(TombstoneType.MEMORY, _MEMORIES_OF_MEMBER_SQL)
        new += running.create_tombstones(TombstoneType.CONVERSATION, _CONVERSATIONS_OF_MEMBER_SQL)
        new += running.create_tombstones(TombstoneType.MESSAGE, _MESSAGES_OF_MEMBER_SQL)
        new += running.create_tombstones(TombstoneType.JOB, _JOBS_OF_MEMBER_SQL)
    if running.erasure.what == ErasureTarget.MEMORY:
        new += running.create_tombstones(TombstoneType.MEMORY, _TARGET_ITSELF_SQL)
    for kind, column in _CONTRIBUTION_COLUMN.items():
        if running.is_source(kind):
            new += running.create_tombstones(
                TombstoneType.MEMORY, _MEMORIES_BY_CONTRIBUTION_SQL.format(column=column)
            )
    if running.is_source(ErasureSource.ROBOT):
        new += running.create_tombstones(TombstoneType.MESSAGE, _MESSAGES_OF_ROBOT_SQL)
        new += running.create_tombstones(TombstoneType.JOB, _JOBS_OF_ROBOT_SQL)
    if running.is_source(ErasureSource.IMPORT):
        new += running.create_tombstones(TombstoneType.JOB, _TARGET_ITSELF_SQL)
    if running.is_source(ErasureSource.CONVERSATION):
        new += running.create_tombstones(TombstoneType.MEMORY, _MEMORIES_OF_CONVERSATION_SQL)
        new += running.create_tombstones(TombstoneType.CONVERSATION, _TARGET_ITSELF_SQL)
    if running.is_source(ErasureSource.GROUP):
        new += running.create_tombstones(TombstoneType.MEMORY, _MEMORIES_OF_GROUP_SQL)
        new += running.create_tombstones(TombstoneType.CONVERSATION, _CONVERSATIONS_OF_GROUP_SQL)
    new += running.create_tombstones(TombstoneType.MESSAGE, _MESSAGES_OF_CONVERSATIONS_SQL)
    new += running.create_tombstones(TombstoneType.MEMORY, _MEMORIES_OF_MESSAGES_SQL)
    while more := running.create_tombstones(TombstoneType.MEMORY, _DERIVED_SQL, derived=True):
        new += more
    return new


# Names that others used for the member as a speaker.
_NICKNAMES_SQL = """
SELECT DISTINCT s.speaker FROM robots_message s WHERE s.organisation_id = %(organisation)s
    AND s.speaker_member_id = %(target)s
UNION SELECT DISTINCT m.speaker FROM memories_memory m WHERE m.organisation_id = %(organisation)s
    AND m.speaker_member_id = %(target)s
UNION SELECT l.known_as FROM robots_identitylink l JOIN orgs_externalidentity e
    ON e.organisation_id = l.organisation_id AND e.id = l.identity_id
    WHERE l.organisation_id = %(organisation)s AND e.member_id = %(target)s
"""


def fetch_nicknames(running: ErasureRun) -> list[str]:
    """The names by which speakers' rows and robots call the member; call while these rows exist."""
    return sorted(name for (name,) in running.rows(_NICKNAMES_SQL) if name)
