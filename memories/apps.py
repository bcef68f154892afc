from django.apps import AppConfig


class MemoriesConfig(AppConfig):
    name = "memories"
    verbose_name = "Memories"

    def ready(self) -> None:
        from memories.services.hearing import promote_messages
        from robots.services.promoting import promotes

        promotes(promote_messages)
