from django.apps import AppConfig


class RobotsConfig(AppConfig):
    name = "robots"
    verbose_name = "Robots"

    def ready(self) -> None:
        """Register what this app adds: audiences, problems, API schemes, what a removal closes."""
        from robots.access import robot_audience_rules  # noqa: F401
        from robots.api import problems, schema  # noqa: F401
        from robots.registry import removed_member_access  # noqa: F401
