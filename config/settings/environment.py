"""The environment, as the settings read it."""

import environ

from config.environment_files import FileValues


class Environment(environ.FileAwareEnv):
    """django-environ's, with these values."""

    ENVIRON = FileValues(cache=False)


env = Environment()
