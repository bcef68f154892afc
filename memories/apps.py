from django.apps import AppConfig


class MemoriesConfig(AppConfig):
    name = "memories"
    verbose_name = "Memories"

    def ready(self) -> None:
        """Register the hooks by which lower capabilities call higher ones."""
        from memories.api import problems  # noqa: F401 - says how exceptions look outside
        from memories.context.connectors import accounts  # noqa: F401 - go with their member
        from memories.context.team_memory import clear_removed, enter_remembered
        from memories.curation.bulk_job import run_change
        from memories.curation.merge_equal import run_merge_equal
        from memories.encryption import checks  # noqa: F401 - what `manage.py check` says of keys
        from memories.indexing.embed_worker import after_embedding
        from memories.indexing.organisation_indexes import build_after_restore
        from memories.ingestion.file_import.upload_files import UPLOADS
        from memories.ingestion.file_import.uploads import run_import
        from memories.ingestion.messages import note_replies, promote_messages
        from memories.ingestion.remember import tells_teams
        from memories.insights.written import written_by
        from memories.jobs.models import JobKind
        from memories.jobs.organisation_run import does_for_organisation, does_whole
        from memories.jobs.runner import does
        from memories.knowledge_graph import write_graph  # noqa: F401 - registers the graph
        from memories.lifecycle.consolidation.consolidate import (
            after_comparison,
            at_the_end,
            run_age,
            run_consolidate,
        )
        from memories.lifecycle.consolidation.near_duplicates import propose_pairs
        from memories.lifecycle.llm_checks.pairs import ask_about_pairs
        from memories.lifecycle.llm_checks.summaries import summarise_and_reword
        from memories.lifecycle.retention import retain
        from memories.privacy.erasure.steps import run_erase
        from memories.privacy.replay_erasures import replay
        from memories.safety import refusals  # noqa: F401 - looks at names given by hand
        from memories.snapshots.export_job import EXPORTS, run_export
        from orgs.database.backup.hooks import keeps_folder, on_loaded, on_restored
        from robots.conversations.hooks import follows_replies, promotes
        from robots.registry.activity import counts_written
        from robots.teams.teams import before_team_removal

        before_team_removal(clear_removed)
        tells_teams(enter_remembered)
        counts_written(written_by)
        promotes(promote_messages)
        follows_replies(note_replies)
        after_embedding(propose_pairs)
        does(JobKind.IMPORT, run_import)
        does(JobKind.CHANGE, run_change)
        does(JobKind.EXPORT, run_export)
        does_for_organisation(JobKind.AGE, run_age)
        does_for_organisation(JobKind.CONSOLIDATE, run_consolidate)
        does_for_organisation(JobKind.ERASE, run_erase)
        after_comparison(ask_about_pairs)
        at_the_end(run_merge_equal)
        does_whole(JobKind.SUMMARISE, summarise_and_reword)
        does_whole(JobKind.RETAIN, retain)
        for files in (UPLOADS, EXPORTS):
            keeps_folder(files.name)
        on_loaded(build_after_restore)
        on_restored(replay)
