"""The one server process type: site, API and, later, /mcp."""

import os

from django.conf import settings
from django.core.asgi import get_asgi_application

from config.sharing import share_counts

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
share_counts(settings.DATA_DIR)
application = get_asgi_application()

from orgs.checks import refuse_unsafe_roles  # noqa: E402 - the apps must be loaded

refuse_unsafe_roles()
