from django.apps import AppConfig


class PersonasConfig(AppConfig):
    """Personas and shared blocks build on memories; the house keeps their place."""

    name = "personas"
