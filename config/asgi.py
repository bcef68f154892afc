"""The one server process type: site, API and, later, /mcp."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
application = get_asgi_application()

from orgs.checks import refuse_unsafe_roles  # noqa: E402 - the apps must be loaded

refuse_unsafe_roles()
