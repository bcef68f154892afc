"""Which observations count: their question still stands, and whoever made them is still there.

Conditions on an edge `e` of the graph; they take %(organisation)s and %(now)s.
"""

# What an observation rests on besides its own memory: the question that was answered.
STILL = """(e.other_id IS NULL OR EXISTS (
    SELECT 1 FROM memories_memory o WHERE o.organisation_id = %(organisation)s
      AND o.id = e.other_id AND (o.expires_at IS NULL OR o.expires_at > %(now)s::timestamptz)))"""
NOT_REMOVED = """NOT EXISTS (
    SELECT 1 FROM orgs_member gone WHERE gone.organisation_id = %(organisation)s
      AND gone.id = e.source AND gone.removed_at IS NOT NULL)"""
