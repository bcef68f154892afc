"""Whatever a service writes for somebody reaches the audit trail, or says here why not.

What is recorded is read from the source. Every action has its words on the page of the trail, and
tests/memories/insights/test_audited_acts.py plays the acts and looks at the rows.
"""

import re

from memories.jobs.models import JobType
from memories.review.models import ProposalCause, ProposalState
from memories.views.insights.audit_labels import ACTION_LABELS
from tests.architecture.service_actions import writing_actions
from tests.architecture.source import is_migration, module_files

# Why an act records nothing -> those acts.
UNRECORDED = {
    "it looks: what it writes is undone, or a note that somebody looked": (
        "memories.answers.written_answer.list_unchanged",
        "memories.answers.written_answer.load_sources",
        "memories.browsing.memory_pages.search_memories",
        "memories.curation.split_memory.preview_split",
        "memories.retrieval.recall_log.record_reads",
        "personas.blocks.block_views.build_view",
        "personas.blocks.block_views.find_global_view",
        "personas.blocks.block_views.get_agent_block_view",
        "personas.blocks.block_views.get_block_view",
        "personas.blocks.block_views.list_blocks",
        "personas.blocks.block_views.list_own_blocks",
        "personas.blocks.version_list.list_block_versions",
        "personas.browsing.block_history.get_block_history",
        "personas.browsing.blocks.get_editable_block",
        "personas.browsing.own_personas.get_own_robot",
        "personas.browsing.persona_pages.get_persona_details",
        "personas.browsing.persona_pages.list_personas_page",
    ),
    "what a robot has at hand: no memory changes, and the row keeps when and why one left": (
        "memories.context.team_working_memory.add_to_team_working_memory",
        "memories.context.team_working_memory.get_team_state",
        "memories.context.team_working_memory.get_team_state_and_memory",
        "memories.context.team_working_memory.get_team_working_memory",
        "memories.context.team_working_memory.remove_from_team_working_memory",
        "memories.context.working_memory.add_entry",
        "memories.context.working_memory.add_to_working_memory",
        "memories.context.working_memory.enforce_budget",
        "memories.context.working_memory.evict_entries",
        "memories.context.working_memory.get_working_memory",
        "memories.context.working_memory.record_evictions",
        "memories.context.working_memory.remove_entry",
        "memories.context.working_memory.remove_from_working_memory",
    ),
    "a part of an act that records": (
        "memories.access.permissions.record_memory_audit",
        "memories.access.permissions.record_memory_audits",
        "memories.curation.copy_and_merge.copy_to_audience",
        "memories.curation.decision_records.record_parts.delete_own_parts",
        "memories.privacy.erasure.begin_erasure.record_erased_memories",
        "memories.privacy.opt_out.make_private",
        "memories.store.use.restore_use",
        "orgs.members.settle_accounts.delete_account",
        "robots.conversations.message_withdrawal.restore_all_messages",
        "robots.conversations.message_withdrawal.withdraw_all_messages",
        "robots.conversations.message_withdrawal.withdraw_messages",
        "robots.registry.removed_member_access.revoke_member_access",
    ),
    "a question leaves its own record (memories_recall), without its text": (
        "memories.context.assembly.assemble.build_context",
        "memories.context.streams.streams.recall_stream",
        "memories.retrieval.feedback.record_feedback",
        "memories.retrieval.feedback.record_outcome",
        "memories.retrieval.recall.recall",
        "memories.retrieval.recall.recall_as_principal",
        "memories.questions.record_question.record_question",
        "memories.questions.record_question.record_question_later",
        "memories.retrieval.recall_log.record_recall",
        "personas.block_writes.passages.search_passages",
    ),
    "a count by persona, tool and day; an entry would say whose robot reported it": (
        "personas.learning.tool_outcomes.record_tool_outcome",
    ),
    "a hold of some minutes in the queue": (
        "memories.review.item_locks.lock_item",
        "memories.review.item_locks.release_lock",
    ),
    "a message that the log of its webhook keeps": (
        "memories.webhooks.delivery_log.enqueue_test",
        "memories.webhooks.delivery_log.redeliver",
        "memories.webhooks.delivery_log.redeliver_dead",
    ),
    "a view of one's own": (
        "memories.browsing.saved_views.delete_saved_view",
        "memories.news.member_news.mark_seen",
        "memories.browsing.saved_views.set_saved_view",
        "orgs.members.member_settings.set_language",
    ),
    "the job's beginning is recorded, and the job keeps what became of it": (
        "memories.curation.documents.import_document.run_any_import",
        "memories.curation.documents.import_document.run_document_import",
        "memories.ingestion.file_import.import_job.run_import",
        "memories.ingestion.folder_import.run_folder.run_folder_import",
        "memories.snapshots.export_job.run_export",
    ),
    "the member's removal is recorded": (
        "memories.context.connectors.accounts.delete_removed_member_accounts",
        "personas.associations.member_hooks.delete_member_personas",
    ),
    "the key is recorded that the client gets for the code": (
        "robots.oauth.consent.approve_request",
        "robots.oauth.grants.create_grant",
    ),
    "sessions are the account's own, in no organisation": ("orgs.accounts.sessions.end_sign_ins",),
    "a superuser's keys belong to no organisation, and a command on the server makes them": (
        "orgs.support.superuser_keys.create_superuser_key",
    ),
    "the trail goes with the organisation; the log and the erasure ledger keep the act": (
        "orgs.support.superuser_keys.remove_organisation_for",
    ),
}


def test_who_writes_records_it_or_says_why_not() -> None:
    silent = {name for name, actions in writing_actions().items() if not actions}
    said = {name for names in UNRECORDED.values() for name in names}
    assert silent - said == set(), "record it, or say why not"
    assert said - silent == set(), "these record something now, or write nothing any more"
    assert len(said) == sum(map(len, UNRECORDED.values()))


# What is put together in the source, and all that it can become.
PUT_TOGETHER = {
    "proposal": {*ProposalCause.values, *ProposalState.values} - {"open", "withdrawn"},
    "job": set(JobType.values),
    "group": {"confidential", "profile"},
}


def test_every_action_has_words_and_all_words_have_an_action() -> None:
    recorded = {action for actions in writing_actions().values() for action in actions}
    put_together = tuple(action[:-1] for action in recorded if action.endswith("*"))
    source = "".join(
        path.read_text(encoding="utf-8")
        for path in module_files("memories", "personas", "robots", "orgs")
        if not is_migration(path) and path.name != "audit_labels.py"
    )
    written = set(re.findall(r'"([a-z]+\.[a-z_]+)"', source))
    plain = {action for action in recorded if not action.endswith("*")}
    assert len(plain) > 100
    made = {f"{kind}.{end}" for kind, ends in PUT_TOGETHER.items() for end in ends}
    assert (plain | made) - set(ACTION_LABELS) == set()
    left = {label for label in ACTION_LABELS if not label.startswith(put_together)}
    assert left - written == set(), "nothing records these any more"
