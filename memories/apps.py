from django.apps import AppConfig


class MemoriesConfig(AppConfig):
    name = "memories"
    verbose_name = "Memories"

    def ready(self) -> None:
        """Register the hooks by which lower capabilities call higher ones."""
        from memories.api import exception_mapping  # noqa: F401 - says how exceptions look outside
        from memories.context.connectors import accounts  # noqa: F401 - go with their member
        from memories.context.team_working_memory import (
            add_remembered_memories,
            delete_team_working_memory,
        )
        from memories.curation.bulk_change import run_bulk_change
        from memories.curation.copy_and_merge import run_auto_merge
        from memories.encryption import checks  # noqa: F401 - what `manage.py check` says of keys
        from memories.indexing.embed_worker import register_embedding_hook
        from memories.indexing.organisation_indexes import on_restored_build_indexes
        from memories.ingestion.file_import.import_job import UPLOADS, run_import
        from memories.ingestion.message_memories import promote_messages, refresh_reply_projections
        from memories.ingestion.remember import register_team_hook
        from memories.insights.statistics import count_written
        from memories.jobs.models import JobType
        from memories.jobs.organisation_run import (
            register_organisation_job_handler,
            register_single_slice_handler,
        )
        from memories.jobs.run_jobs import register_job_handler
        from memories.knowledge_graph import graph_projection  # noqa: F401 - registers the graph
        from memories.lifecycle.consolidation.consolidate import (
            register_comparison_hook,
            register_end_hook,
            run_consolidation,
            run_tier_moves,
        )
        from memories.lifecycle.consolidation.near_duplicates import propose_and_count
        from memories.lifecycle.llm_checks.pair_questions import check_pairs_with_llm
        from memories.lifecycle.llm_checks.reword_summaries import run_summaries
        from memories.lifecycle.retention import run_retention
        from memories.privacy.erasure.steps import run_erase
        from memories.privacy.replay_erasures import replay_erasures
        from memories.safety import gate_refusals  # noqa: F401 - looks at names given by hand
        from memories.snapshots.export_job import EXPORTS, run_export
        from orgs.database.backup.hooks import (
            register_backup_folder,
            register_load_hook,
            register_restore_hook,
        )
        from robots.conversations.hooks import register_memory_maker, register_reply_hook
        from robots.registry.memory_counts import register_memory_counter
        from robots.teams.teams import register_team_removal_hook

        register_team_removal_hook(delete_team_working_memory)
        register_team_hook(add_remembered_memories)
        register_memory_counter(count_written)
        register_memory_maker(promote_messages)
        register_reply_hook(refresh_reply_projections)
        register_embedding_hook(propose_and_count)
        register_job_handler(JobType.IMPORT, run_import)
        register_job_handler(JobType.CHANGE, run_bulk_change)
        register_job_handler(JobType.EXPORT, run_export)
        register_organisation_job_handler(JobType.AGE, run_tier_moves)
        register_organisation_job_handler(JobType.CONSOLIDATE, run_consolidation)
        register_organisation_job_handler(JobType.ERASE, run_erase)
        register_comparison_hook(check_pairs_with_llm)
        register_end_hook(run_auto_merge)
        register_single_slice_handler(JobType.SUMMARISE, run_summaries)
        register_single_slice_handler(JobType.RETAIN, run_retention)
        for files in (UPLOADS, EXPORTS):
            register_backup_folder(files.name)
        register_load_hook(on_restored_build_indexes)
        register_restore_hook(replay_erasures)
