"""Settings for the type checker alone: the models without any service."""

from config.settings.base import *

SECRET_KEY = "only-for-type-checks"  # noqa: S105
DATABASES = {"default": {"ENGINE": "orgs.database.driver"}}
REDIS_URL = ""
