from django.apps import AppConfig


class MemoriesConfig(AppConfig):
    name = "memories"
    verbose_name = "Memories"

    def ready(self) -> None:
        """Tell the capabilities below what the ones above do for them."""
        from memories.api import problems  # noqa: F401 - says how exceptions look outside
        from memories.curation.bulk_job import run_change
        from memories.indexing.embed_worker import after_embedding
        from memories.ingestion.file_import.uploads import run_import
        from memories.ingestion.messages import note_replies, promote_messages
        from memories.jobs.models import JobKind
        from memories.jobs.runner import does
        from memories.knowledge_graph import write_graph  # noqa: F401 - registers the graph
        from memories.lifecycle.consolidation.near_duplicates import propose_duplicates
        from robots.conversations.hooks import follows_replies, promotes

        promotes(promote_messages)
        follows_replies(note_replies)
        after_embedding(propose_duplicates)
        does(JobKind.IMPORT, run_import)
        does(JobKind.CHANGE, run_change)
