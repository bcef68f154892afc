"""A question whose answer its asker rated badly, for curators."""

# A part of the statement that stores the rating, in the asker's scope: row-level security shows the
# asker's questions alone. %(badly_answered)s: the recall, or null for another rating.
RATED_CTE = """rated AS (
    UPDATE memories_question SET reason = 'rated'
    WHERE organisation_id = %(organisation)s AND reason = '' AND asker_id IN (
        SELECT a.id FROM memories_questionasker a WHERE a.organisation_id = %(organisation)s
        AND a.recall = %(badly_answered)s::uuid)
)"""
