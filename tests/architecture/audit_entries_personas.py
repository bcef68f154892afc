"""The same of personas and their blocks."""

from tests.architecture.audit_entries import READ_ONLY, RECALL_LOGGED, REMEMBER_ACTIONS

PERSONA_ENTRIES: dict[str, tuple[str, ...] | str] = {
    "personas.associations.association_changes.ensure_association": (
        "association.made",
        "association.repeated",
        "persona.made",
        "robot.personal",
    ),
    "personas.associations.association_changes.confirm_association": (
        "association.confirmed",
        "robot.personal",
    ),
    "personas.associations.association_changes.delete_association": ("association.removed",),
    "personas.associations.personal_robot.create_own_key": ("key.created", "robot.personal"),
    "personas.associations.member_hooks.apply_sharing_opt_out": ("memory.shared",),
    "personas.associations.personal_robot.ensure_own_robot": ("robot.personal",),
    "personas.associations.personal_robot.revoke_own_key": ("key.revoked",),
    "personas.associations.taught_memories.make_taught_private": ("memory.shared",),
    "personas.blocks.block_views.get_agent_block_view": READ_ONLY,
    "personas.blocks.block_views.list_own_blocks": READ_ONLY,
    "personas.browsing.blocks.get_editable_block": READ_ONLY,
    "personas.browsing.own_personas.list_own_personas": READ_ONLY,
    "personas.browsing.own_personas.get_own_robot": ("robot.personal",),
    "personas.browsing.persona_pages.get_persona_details": READ_ONLY,
    "personas.browsing.block_history.get_block_history": READ_ONLY,
    "personas.associations.association_changes.mark_seen": "a note that the member has seen it",
    "personas.associations.member_hooks.delete_member_personas": "the member's removal is recorded",
    "personas.block_writes.passages.add_passage": (*REMEMBER_ACTIONS, "gate.*"),
    "personas.block_writes.passages.search_passages": RECALL_LOGGED,
    "personas.block_writes.personal_data_check.require_clean_line": (
        "the gate's verdict is, by `record_verdicts`"
    ),
    "personas.block_writes.personal_data_check.record_refusal": "likewise",
    "personas.block_writes.block_updates.add_entry": (
        *REMEMBER_ACTIONS,
        "block.consolidated",
        "block.written",
        "gate.*",
    ),
    "personas.block_writes.block_updates.confirm_entry": ("block.written", "gate.*"),
    "personas.block_writes.block_updates.update_block_text": (
        *REMEMBER_ACTIONS,
        "block.consolidated",
        "block.entry_archived",
        "block.written",
        "gate.*",
        "memory.forced",
        "memory.superseded",
    ),
    "personas.blocks.block_views.get_block_view": READ_ONLY,
    "personas.blocks.block_views.list_blocks": READ_ONLY,
    "personas.blocks.block_views.build_view": READ_ONLY,
    "personas.blocks.version_list.list_block_versions": READ_ONLY,
    "personas.block_writes.overflow.consolidate": ("block.consolidated",),
    "personas.learning.suggestions.accept_suggestion": (
        "block.consolidated",
        "block.written",
        "gate.*",
        *REMEMBER_ACTIONS,
        "suggestion.*",
    ),
    "personas.learning.suggestions.reject_suggestion": ("suggestion.*",),
    "personas.registry.personas.create_or_update_persona": ("persona.described", "persona.made"),
    "personas.registry.personas.delete_persona": ("persona.removed",),
}
