"""The ASGI application of the web processes: site and API."""

import gc
import os

import django
from django.conf import settings

from config.monitoring.shared_metrics import share_counts

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
share_counts(settings.DATA_DIR)
django.setup(set_prefix=False)

from config.threaded_asgi import ThreadedHandler  # noqa: E402 - the apps must be loaded
from memories.embedding.encoders import refuse_unfit  # noqa: E402
from orgs.database.backup.marker import refuse_unfinished_restore  # noqa: E402
from orgs.database.role_checks import refuse_unsafe_roles  # noqa: E402

refuse_unsafe_roles()
refuse_unfinished_restore()
refuse_unfit()
_pool = settings.DATABASES["default"]["OPTIONS"].get("pool")
application = ThreadedHandler(settings.WEB_THREADS, _pool and _pool["max_size"])
# Loaded code stays, so the garbage collector need not look at it again.
gc.collect()
gc.freeze()
