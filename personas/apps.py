from django.apps import AppConfig


class PersonasConfig(AppConfig):
    """What robots learn about serving people of one profession; builds on memories."""

    name = "personas"

    def ready(self) -> None:
        """Register what this app adds: audiences, problems, and what follows when a member is
        removed or opts out."""
        from personas import context_source, demo  # noqa: F401
        from personas.api import problems  # noqa: F401
        from personas.associations import (  # noqa: F401
            association_export,
            cohort_audiences,
            cohort_readers,
            member_hooks,
        )
        from personas.learning import daily_job  # noqa: F401
        from personas.registry import personas  # noqa: F401
        from personas.views import associations  # noqa: F401 - a section of My memories
