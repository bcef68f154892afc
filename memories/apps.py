from django.apps import AppConfig


class MemoriesConfig(AppConfig):
    name = "memories"
    verbose_name = "Memories"

    def ready(self) -> None:
        """Tell the capabilities below what the ones above do for them."""
        from memories.api import problems  # noqa: F401 - says how exceptions look outside
        from memories.maintenance.duplicates import propose_duplicates
        from memories.maintenance.embedding import after_embedding
        from memories.models import JobKind
        from memories.services import relating  # noqa: F401 - registers the graph
        from memories.services.hearing import note_replies, promote_messages
        from memories.services.jobs import run_change
        from memories.services.transfer import run_import
        from memories.services.working import does
        from robots.services.promoting import follows_replies, promotes

        promotes(promote_messages)
        follows_replies(note_replies)
        after_embedding(propose_duplicates)
        does(JobKind.IMPORT, run_import)
        does(JobKind.CHANGE, run_change)
