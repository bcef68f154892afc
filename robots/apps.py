from django.apps import AppConfig


class RobotsConfig(AppConfig):
    name = "robots"
    verbose_name = "Robots"

    def ready(self) -> None:
        from robots import principals, services  # noqa: F401
        from robots.services import leaving  # noqa: F401
