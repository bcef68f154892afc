from django.apps import AppConfig


class OrgsConfig(AppConfig):
    name = "orgs"
    verbose_name = "Organisations"

    def ready(self) -> None:
        from orgs import checks  # noqa: F401
