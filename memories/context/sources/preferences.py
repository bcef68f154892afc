"""The most important preferences, which every context has, whatever the query.

One's own come first, also those that one wrote for a group, then those of few readers and of the
group, then those of everyone, so that none that others wrote for many displaces one's own.
"""

from typing import Any

from memories.context.sources.context_query import ContextBuildState
from memories.context.sources.memory_pieces import build_memory_piece
from memories.context.sources.pieces import ContextPiece
from memories.retrieval.candidates.search_conditions import IN_GROUP_SQL
from memories.retrieval.recall import load_memories
from memories.store.models.choices import PREFERENCE_ALWAYS_ABOVE
from orgs.database.prepared_statements import fetch_all
from orgs.models.audiences import AudienceType

MAX_PREFERENCES = 5
# A deposit (written by a robot without the member's delegation) is not given unasked. Category and
# least importance are literals, as in the partial index that finds them.
_PREFERENCES_SQL = f"""
SELECT n.id FROM memories_memory n
WHERE n.organisation_id = %(organisation)s
    AND n.category = 'preference' AND n.importance > {PREFERENCE_ALWAYS_ABOVE}
    AND n.status = 'active' AND NOT n.sensitive
    AND (n.expires_at IS NULL OR n.expires_at > %(now)s::timestamptz)
    AND n.superseded_by_id IS NULL AND n.deposited_by IS NULL
    AND (%(member)s::uuid IS NULL OR n.member_id = %(member)s::uuid
         OR (n.member_id IS NULL AND n.speaker_member_id IS NULL))
    AND (%(context_group)s::uuid IS NULL OR {IN_GROUP_SQL})
    AND (%(include_shared)s::bool OR n.audience_id <> %(organisation_audience)s::uuid)
ORDER BY CASE
        WHEN n.audience_id = %(own)s::uuid THEN 0
        WHEN n.author_id = %(member)s::uuid THEN 1
        WHEN n.member_id = %(member)s::uuid THEN 2
        WHEN n.audience_id = %(organisation_audience)s::uuid THEN 4 ELSE 3 END,
    n.importance DESC, n.id DESC LIMIT %(most)s
"""


def load_preferences(asked: ContextBuildState) -> list[ContextPiece]:
    """Up to MOST preferences with an importance above PREFERENCE_ALWAYS_ABOVE: one's own, then
    what one wrote oneself for others, then what others say one wants, then those of the group, then
    those of everyone; of each the most important first, then the newest.

    With a member: their preferences and those of nobody in particular. Without one a robot's own
    are its notes.
    """
    principal, member = asked.principal, asked.actor.member_id
    own = principal.named.get((AudienceType.MEMBER, str(member))) if member else None
    values: dict[str, Any] = {
        "organisation": principal.organisation_id,
        "organisation_audience": principal.organisation_audience,
        "own": own if member else principal.own_audience,
        "context_group": asked.actor.group_id,
        "member": member,
        "include_shared": asked.query.include_shared,
        "now": asked.now,
        "most": MAX_PREFERENCES,
    }
    ids = [id_ for (id_,) in fetch_all(_PREFERENCES_SQL, values)]
    found = load_memories(principal.organisation_id, ids) if ids else {}
    asked.memories.update(ids)
    return [
        build_memory_piece(found[id_], importance=found[id_].importance)
        for id_ in ids
        if id_ in found
    ]
