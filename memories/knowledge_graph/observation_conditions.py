"""The conditions for an observation to count: its question has not expired, and its person was not
removed.

Conditions on an edge `e` of the graph; they take %(organisation)s and %(now)s.
"""

# The other memory on which an observation rests: the answered question.
QUESTION_NOT_EXPIRED_SQL = """(e.other_id IS NULL OR EXISTS (
    SELECT 1 FROM memories_memory o WHERE o.organisation_id = %(organisation)s
      AND o.id = e.other_id AND (o.expires_at IS NULL OR o.expires_at > %(now)s::timestamptz)))"""
PERSON_NOT_REMOVED_SQL = """NOT EXISTS (
    SELECT 1 FROM orgs_member gone WHERE gone.organisation_id = %(organisation)s
      AND gone.id = e.source AND gone.removed_at IS NOT NULL)"""
