from django.apps import AppConfig
from django.core.checks import Tags, register


class MemoriesConfig(AppConfig):
    name = "memories"
    verbose_name = "Memories"

    def ready(self) -> None:
        """Add the checks of keys to `manage.py check`."""
        from memories.encryption import checks

        register(checks.check_keys, Tags.security)
        register(checks.check_keys_in_use, Tags.database)
