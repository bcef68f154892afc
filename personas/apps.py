from django.apps import AppConfig


class PersonasConfig(AppConfig):
    """What robots learn about serving people of one profession; builds on memories."""

    name = "personas"
