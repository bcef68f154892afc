from django.apps import AppConfig


class MemoriesConfig(AppConfig):
    name = "memories"
    verbose_name = "Memories"

    def ready(self) -> None:
        from memories.services import relating  # noqa: F401 - registers the graph
        from memories.services.hearing import note_replies, promote_messages
        from robots.services.promoting import follows_replies, promotes

        promotes(promote_messages)
        follows_replies(note_replies)
