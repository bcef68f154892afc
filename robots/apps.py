from django.apps import AppConfig


class RobotsConfig(AppConfig):
    name = "robots"
    verbose_name = "Robots"

    def ready(self) -> None:
        """Say how this app looks from outside, and what follows where a member is removed."""
        from robots.access import audiences  # noqa: F401
        from robots.api import problems, schema  # noqa: F401
        from robots.registry import member_removed  # noqa: F401
