"""The ASGI application of the web processes: site, API and MCP."""

import gc
import os

import django
from django.conf import settings

from config.shared_metrics import share_metrics

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
_shared = share_metrics(settings.DATA_DIR)
django.setup(set_prefix=False)

from config.mcp.application import McpApplication  # noqa: E402 - the apps must be loaded
from config.monitoring.diagnosis import warn_if_folder_unshared  # noqa: E402
from config.monitoring.graceful_shutdown import draining  # noqa: E402
from config.monitoring.trace_export import start_tracing  # noqa: E402
from config.releases.database_release import abort_if_database_newer  # noqa: E402
from config.threaded_asgi import ThreadedHandler  # noqa: E402
from config.transport.http_protocol import end_connections  # noqa: E402
from memories.embedding.encoder_loading import exit_if_encoder_unusable  # noqa: E402
from orgs.database.backup.restore_marker import abort_if_restore_unfinished  # noqa: E402
from orgs.database.role_checks import abort_if_roles_unsafe  # noqa: E402
from orgs.database.standby.monitor import look_at_start  # noqa: E402
from orgs.placement.server_checks import abort_if_servers_differ  # noqa: E402

abort_if_roles_unsafe()
abort_if_servers_differ()
abort_if_restore_unfinished()
abort_if_database_newer()
exit_if_encoder_unusable()
look_at_start()
warn_if_folder_unshared()
start_tracing("web")
draining.watch(settings.DRAIN_SECONDS, end_connections)
_pool = settings.DATABASES["default"]["OPTIONS"].get("pool")
_askers = _shared and _shared / "askers"
application = McpApplication(
    ThreadedHandler(settings.WEB_THREADS, _pool and _pool["max_size"], _askers)
)
# Loaded code stays, so the garbage collector need not look at it again.
gc.collect()
gc.freeze()
