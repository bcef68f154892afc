"""What runs when a lower app calls a function that a higher app defines.

Each line of `connect_apps` names the declared function (`@wired`, next to the call) and the one
that runs. The functions above it are for what several apps have to do.
"""

from collections.abc import Sequence
from datetime import datetime

from memories.access import reader_counts
from memories.api import exception_mapping as memory_problems
from memories.api.serializers.resources import RESOURCES
from memories.audit_stream.stream_entries import begin_trail
from memories.browsing.change_feed.old_departures import reset_positions
from memories.context.assembly import assemble
from memories.context.connectors.accounts import delete_removed_member_accounts
from memories.context.connectors.subscriptions import run_account_job
from memories.context.team_working_memory import (
    add_remembered_memories,
    delete_team_working_memory,
)
from memories.curation.bulk_change import run_bulk_change
from memories.curation.consolidate import run_consolidation, run_tier_moves
from memories.curation.decide_by_policy import propose_and_decide_pairs
from memories.curation.documents.import_document import run_any_import
from memories.demo import create_demo
from memories.indexing import embed_worker
from memories.indexing.model_switch import run_reembedding
from memories.indexing.organisation_indexes import build_indexes_on, build_missing_indexes
from memories.indexing.projections import run_projection
from memories.ingestion import draft_audience, remember
from memories.ingestion.file_import.import_job import UPLOADS
from memories.ingestion.message_memories import (
    find_validity_errors,
    promote_messages,
    rewrite_late_replies,
)
from memories.insights.statistics import count_written
from memories.jobs.models import JobType
from memories.jobs.organisation_run import (
    register_organisation_job_handler,
    register_single_slice_handler,
)
from memories.jobs.run_jobs import register_job_handler
from memories.knowledge_graph import entities
from memories.lifecycle import daily_jobs
from memories.lifecycle.consolidation import capacity_items
from memories.lifecycle.llm_checks.reword_summaries import run_summaries
from memories.lifecycle.retention import run_retention
from memories.news import member_news
from memories.privacy import export_my_data, opt_out
from memories.privacy.erasure import kept_answers
from memories.privacy.erasure.steps import run_erase
from memories.privacy.replay_erasures import replay_erasures
from memories.questions.consent import withdraw_removed_member
from memories.retrieval import feedback
from memories.safety.gate_refusals import check_entity_name, check_opened_conversation
from memories.snapshots.export_job import EXPORTS, run_export
from memories.views.privacy import my_memories_presenter, news_page
from memories.webhooks.move_positions import move_positions
from orgs import principals
from orgs.api import conditional, idempotency, problems
from orgs.database.backup import folder, restore
from orgs.database.erasure_ledger import LedgerEntry
from orgs.members import members
from orgs.models.memberships import Member
from orgs.models.organisations import Organisation
from orgs.organisations import organisation_removal, organisations
from orgs.placement.moving import move_organisation
from orgs.principals import Actor
from orgs.wired_functions import check_wiring
from personas.api import problems as persona_problems
from personas.api.blocks import BLOCK_RESOURCE
from personas.associations.association_export import iter_own_associations
from personas.associations.association_news import count_said_personas
from personas.associations.cohort_audiences import get_cohort_audience
from personas.associations.cohort_readers import cohort_audience_conditions, cohort_readers_sql
from personas.associations.member_hooks import apply_sharing_opt_out, delete_member_personas
from personas.associations.personal_robot import ensure_personal_robot
from personas.context_source import block_pieces
from personas.demo import add_personas
from personas.learning.block_capacity import find_block_handler
from personas.learning.daily_job import has_learned_anything, run_daily_learning
from personas.learning.tool_outcomes import record_tool_outcome
from personas.registry.personas import create_shipped_personas
from personas.views.associations import own_personas_section, persona_news
from robots.access import robot_administration
from robots.access.keys import revoke_organisation_keys
from robots.access.robot_audience_rules import owner_audience_sql, robot_audience_conditions
from robots.api import problems as robot_problems
from robots.conversations import conversations, post_messages
from robots.models.keys import KeyScope
from robots.oauth import grants
from robots.registry.removed_member_access import revoke_member_access
from robots.registry.robots import create_builtin_robots
from robots.teams import teams


def begin_organisation(organisation: Organisation, now: datetime) -> None:
    """What every new organisation has from the start."""
    create_builtin_robots(organisation, now)
    create_shipped_personas(organisation, now)
    begin_trail(organisation.id, now=now)


def close_member(actor: Actor, member: Member, now: datetime) -> None:
    """Everything that a removed member had opened."""
    revoke_member_access(actor, member, now)
    delete_removed_member_accounts(actor, member, now)
    delete_member_personas(actor, member, now)
    withdraw_removed_member(actor, member.id, now=now)


def replay_ledger(entries: Sequence[LedgerEntry], say: restore.Reporter) -> None:
    """Erase again what the ledger names: organisations, then members and memories."""
    organisation_removal.replay_removals(entries, say)
    replay_erasures(entries, say)


def prepare_loaded_database(say: restore.Reporter) -> None:
    """What a backup cannot have: indexes of organisations, and positions on this server."""
    reset_positions(say)
    build_missing_indexes(say)


def list_backup_folders() -> tuple[str, ...]:
    """The folders of uploaded and exported files."""
    return UPLOADS.name, EXPORTS.name


def connect_apps() -> None:
    """Connect every declared function; for the start of a process.

    Raises ImproperlyConfigured if one is left out or connected twice.
    """
    # Who reads what.
    principals.robot_audience_conditions.connect(robot_audience_conditions)
    principals.owner_audience_sql.connect(owner_audience_sql)
    principals.cohort_audience_conditions.connect(cohort_audience_conditions)
    reader_counts.cohort_readers_sql.connect(cohort_readers_sql)
    draft_audience.get_cohort_audience.connect(get_cohort_audience)

    # Organisations, members and teams.
    organisations.on_organisation_created.connect(begin_organisation)
    organisation_removal.on_organisation_closed.connect(revoke_organisation_keys)
    members.on_member_removed.connect(close_member)
    opt_out.apply_sharing_opt_out.connect(apply_sharing_opt_out)
    export_my_data.iter_own_associations.connect(iter_own_associations)
    teams.before_team_removal.connect(delete_team_working_memory)
    robot_administration.count_memories.connect(count_written)
    grants.ensure_client_robot.connect(ensure_personal_robot)

    # Conversations, and what is remembered.
    conversations.check_opening.connect(check_opened_conversation)
    post_messages.create_memories.connect(promote_messages)
    post_messages.find_validity_errors.connect(find_validity_errors)
    post_messages.on_late_replies.connect(rewrite_late_replies)
    remember.on_remembered_by_team.connect(add_remembered_memories)
    embed_worker.on_embedded.connect(propose_and_decide_pairs)
    entities.check_entity_name.connect(check_entity_name)

    # Jobs.
    register_job_handler(JobType.IMPORT, run_any_import)
    register_job_handler(JobType.CHANGE, run_bulk_change)
    register_job_handler(JobType.EXPORT, run_export, scope=KeyScope.READ)
    register_job_handler(JobType.ACCOUNTS, run_account_job)
    register_organisation_job_handler(JobType.AGE, run_tier_moves)
    register_organisation_job_handler(JobType.CONSOLIDATE, run_consolidation)
    register_organisation_job_handler(JobType.ERASE, run_erase)
    register_organisation_job_handler(JobType.LEARN, run_daily_learning)
    register_organisation_job_handler(JobType.PROJECT, run_projection)
    register_organisation_job_handler(JobType.RE_EMBED, run_reembedding)
    register_single_slice_handler(JobType.SUMMARISE, run_summaries)
    register_single_slice_handler(JobType.RETAIN, run_retention)
    daily_jobs.has_learned_anything.connect(has_learned_anything)
    capacity_items.find_block_handler.connect(find_block_handler)
    feedback.record_tool_outcome.connect(record_tool_outcome)

    # Pages, prompts, the demo and the answers to errors.
    my_memories_presenter.own_personas_section.connect(own_personas_section)
    member_news.count_said_personas.connect(count_said_personas)
    news_page.list_persona_news.connect(persona_news)
    assemble.load_block_pieces.connect(block_pieces)
    create_demo.add_personas.connect(add_personas)
    problems.register_exceptions(robot_problems.EXCEPTION_PROBLEMS)
    problems.register_exceptions(memory_problems.EXCEPTION_PROBLEMS)
    problems.register_exceptions(persona_problems.EXCEPTION_PROBLEMS)
    idempotency.find_readable_rows.connect(kept_answers.find_readable_rows)
    conditional.register_resources(RESOURCES)
    conditional.register_resources(BLOCK_RESOURCE)
    problems.on_problem.connect(robot_problems.record_robot_failure)

    _connect_servers()
    check_wiring()


def _connect_servers() -> None:
    """Moving to another server, backup and restore."""
    move_organisation.build_indexes_on.connect(build_indexes_on)
    move_organisation.move_positions.connect(move_positions)
    folder.backup_folders.connect(list_backup_folders)
    restore.on_database_loaded.connect(prepare_loaded_database)
    restore.on_database_restored.connect(replay_ledger)
