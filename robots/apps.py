from django.apps import AppConfig


class RobotsConfig(AppConfig):
    name = "robots"
    verbose_name = "Robots"
