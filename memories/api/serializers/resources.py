"""What has an ETag, by the name of its id in addresses; see `orgs.api.conditional`."""

from orgs.api.conditional import Resource

_LOCK_MEMORY = (
    "SELECT 1 FROM memories_memory WHERE organisation_id = %(organisation)s AND id = %(id)s "
    "FOR NO KEY UPDATE"
)
_LOCK_MEMORY_OF_TASK = """
SELECT 1 FROM memories_memory WHERE organisation_id = %(organisation)s AND id = (
    SELECT memory_id FROM memories_task
    WHERE organisation_id = %(organisation)s AND id = %(id)s)
FOR NO KEY UPDATE
"""
_LOCK_TASK = (
    "SELECT 1 FROM memories_task WHERE organisation_id = %(organisation)s AND id = %(id)s "
    "FOR NO KEY UPDATE"
)
_LOCK_MEMORY_OF_ITEM = """
SELECT 1 FROM memories_memory WHERE organisation_id = %(organisation)s AND id = (
    SELECT memory_id FROM memories_proposal
    WHERE organisation_id = %(organisation)s AND id = %(id)s)
FOR NO KEY UPDATE
"""
_LOCK_ITEM = (
    "SELECT 1 FROM memories_proposal WHERE organisation_id = %(organisation)s AND id = %(id)s "
    "FOR NO KEY UPDATE"
)

RESOURCES = {
    "memory_id": Resource(
        fields=(
            *("content", "status", "audience", "category", "tier", "topic", "tags", "metadata"),
            *("importance", "sensitive", "shareable", "red_line", "expires_at", "valid_from"),
            *("valid_until", "superseded_by", "updated_at"),
        ),
        locks=(_LOCK_MEMORY,),
    ),
    # A decision and a preference have the id of their memory.
    "decision_id": Resource(
        fields=(
            *("status", "topic", "conclusion", "strength", "confidence", "participants", "agree"),
            *("disagree", "claims", "dissents", "domain", "tags", "superseded_by"),
        ),
        locks=(_LOCK_MEMORY,),
    ),
    "preference_id": Resource(
        fields=("details", "content", "importance", "updated_at"), locks=(_LOCK_MEMORY,)
    ),
    "task_id": Resource(
        fields=("title", "importance", "assignee", "due_at", "done", "done_at"),
        locks=(_LOCK_MEMORY_OF_TASK, _LOCK_TASK),
    ),
    # Whoever decides locks the memory before the item.
    "item_id": Resource(
        fields=(
            *("state", "version", "content", "changes", "reason", "assignee", "decided_by"),
            *("decided_at", "decision"),
        ),
        locks=(_LOCK_MEMORY_OF_ITEM, _LOCK_ITEM),
    ),
}
