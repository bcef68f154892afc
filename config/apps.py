from django.apps import AppConfig


class SiteConfig(AppConfig):
    """The site, which connects the apps; last in INSTALLED_APPS."""

    name = "config"

    def ready(self) -> None:
        """Connect the apps. Raises ImproperlyConfigured if a declared function is left out."""
        from config.connect_apps import connect_apps

        connect_apps()
