"""Database and broker settings from the environment.

Four connections to one database, one per role of the design: `default` is the application
(row-level security by organisation and audience), `owner` migrates, `worker` maintains one
organisation at a time, `support` serves support's console, with grants on single columns. `replica`
is the role of `default` on a standby, which searches and writes nothing.
"""

import re
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from kombu import Queue

from config.settings.database_address import has_several_servers, parse_database_address
from config.settings.environment import env

ALIASES = {
    "default": "DATABASE_URL",
    "owner": "DATABASE_OWNER_URL",
    "worker": "DATABASE_WORKER_URL",
    "support": "DATABASE_SUPPORT_URL",
    "replica": "DATABASE_REPLICA_URL",
}
# Of the standby: its sessions write nothing, and nobody waits long for one that is away.
REPLICA_OPTIONS = {
    "options": "-c default_transaction_read_only=on",
    "connect_timeout": 2,
    "tcp_user_timeout": 3000,
    "keepalives_idle": 2,
    "keepalives_interval": 1,
    "keepalives_count": 2,
}
REPLICA_POOL_SECONDS = 0.5

# The roles in which each other server is reached; support's console stays on the home server.
# Only what migrates or builds indexes needs the owner, whom row-level security does not bind.
SERVER_ROLES = {"default", "worker"}
OWNER_ROLE = "owner"
_SERVER_NAME = re.compile("[a-z0-9-]{1,40}")


def databases(pool_size: int) -> dict[str, dict[str, Any]]:
    """The DATABASES setting. `pool_size` connections for the application role, 0 for no pool."""
    if not env.str("DATABASE_URL", default=""):
        raise ImproperlyConfigured(
            "No database: DATABASE_URL is not set and no services are running in DATA_DIR. "
            "Start them with `make run`, or set DATABASE_URL."
        )
    prepare = env.bool("DATABASE_PREPARE", default=True)
    configured: dict[str, dict[str, Any]] = {}
    for alias, (role, url) in _addresses().items():
        given = parse_database_address(url, ALIASES.get(alias, f"{alias} of DATABASE_SERVERS"))
        # What the address asks for, such as sslmode, beside our own.
        options = {**given.pop("OPTIONS", {}), "prepare_threshold": 0 if prepare else None}
        if alias == "replica":
            # A pooler, for which nothing is prepared, refuses `options`.
            own = REPLICA_OPTIONS if prepare else {**REPLICA_OPTIONS, "options": ""}
            options = {**own, **options}
        configured[alias] = {
            **given,
            "ENGINE": "orgs.database.driver",
            "CONN_MAX_AGE": None if role == "worker" else 0,
            "CONN_HEALTH_CHECKS": role == "worker",
            "OPTIONS": options,
            # For tests and migrations: every alias is the same database.
            "TEST": {"MIRROR": None},
        }
    for alias, (role, _) in _addresses().items() if pool_size else ():
        if role not in ("default", "replica"):
            continue
        # The pool tries to connect after 0, 1 and 3 seconds, and once more when somebody asks.
        pool = {"min_size": 1, "max_size": pool_size, "timeout": 10, "reconnect_timeout": 3}
        if role == "replica":
            pool["timeout"] = REPLICA_POOL_SECONDS
        elif has_several_servers(configured[alias]):
            # Another server takes over within seconds. By itself the pool would try more and more
            # rarely, so it is asked again each half second, and callers hear 503 after three.
            pool |= {"timeout": 0.5, "reconnect_timeout": 0}
            configured[alias]["WAIT_FOR_SERVER"] = 3.0
        configured[alias]["OPTIONS"]["pool"] = pool
    return configured


def _addresses() -> dict[str, tuple[str, str]]:
    """(role, address) by alias. Those of other servers are `role@name`.

    Raises ImproperlyConfigured for DATABASE_SERVERS that is not as .env.example shows it.
    """
    found = {
        role: (role, url)
        for role, variable in ALIASES.items()
        if (url := env.str(variable, default=""))
    }
    try:
        servers = env.json("DATABASE_SERVERS", default={})
    except ValueError:
        servers = None
    if not isinstance(servers, dict):
        # Without what it holds, which are passwords.
        raise ImproperlyConfigured("DATABASE_SERVERS has to be a JSON object, by name of a server.")
    for name, urls in servers.items():
        if not (_SERVER_NAME.fullmatch(name) and isinstance(urls, dict)):
            raise ImproperlyConfigured(
                "DATABASE_SERVERS: a name has 1 to 40 small letters, digits and -, and an object "
                "with the addresses of its roles."
            )
        whole = urls.keys() - {OWNER_ROLE} == SERVER_ROLES
        if not whole or not all(isinstance(url, str) and url for url in urls.values()):
            raise ImproperlyConfigured(
                f"DATABASE_SERVERS: {name} needs the addresses of default and worker, of owner for "
                "what migrates or builds indexes, and no other."
            )
        found |= {f"{role}@{name}": (role, url) for role, url in urls.items()}
    return found


def read_origin(name: str, default: str | None = None) -> str:
    """The setting, an address like https://memory.example.org, without a slash behind it.

    Raises ImproperlyConfigured for anything else: a page below a path would not be found.
    """
    given = env.str(name) if default is None else env.str(name, default=default)
    origin = given.removesuffix("/")
    found = urlsplit(origin)
    plain = f"{found.scheme}://{found.netloc}"
    if found.scheme not in ("http", "https") or not found.hostname or origin != plain:
        raise ImproperlyConfigured(
            f"{name} is {given!r}. It has to be http:// or https:// and a host, such as "
            "https://memory.example.org, and no path: the site cannot live below one."
        )
    return origin


def celery(redis_url: str) -> dict[str, Any]:
    """Celery settings. Messages are only hints, so they are acknowledged late and few are kept."""
    return {
        "CELERY_BROKER_URL": redis_url,
        "CELERY_BROKER_TRANSPORT": "config.broker_transport:Transport",
        "CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP": True,
        "CELERY_BROKER_TRANSPORT_OPTIONS": {"socket_timeout": 5, "socket_connect_timeout": 1},
        "CELERY_TASK_IGNORE_RESULT": True,
        "CELERY_TASK_ACKS_LATE": True,
        "CELERY_WORKER_PREFETCH_MULTIPLIER": 1,
        # For a process that a worker starts to say that it runs. With 4 s, the default, a machine
        # that has much to do kills what it has just started, and starts it again.
        "CELERY_WORKER_PROC_ALIVE_TIMEOUT": 60.0,
        "CELERY_TASK_TIME_LIMIT": 600,
        "CELERY_TASK_SOFT_TIME_LIMIT": 540,
        "CELERY_TASK_PUBLISH_RETRY": False,
        "CELERY_WORKER_HIJACK_ROOT_LOGGER": False,
        "CELERY_TIMEZONE": "UTC",
        # A worker without --queues takes from all of them.
        "CELERY_TASK_QUEUES": [Queue(name) for name in ("celery", "jobs", "indexes")],
        "CELERY_IMPORTS": ("config.monitoring.worker_tasks",),
        # Long tasks have queues of their own, so that an import does not delay embeddings.
        "CELERY_TASK_ROUTES": {
            "memories.run_job": {"queue": "jobs"},
            "memories.sweep_webhooks": {"queue": "jobs"},
            "memories.sweep_audit_stream": {"queue": "jobs"},
            "memories.maintain_indexes": {"queue": "indexes"},
            "memories.sweep_second_models": {"queue": "indexes"},
            "memories.sweep_removals": {"queue": "indexes"},
        },
        "CELERY_BEAT_SCHEDULE": {
            "sweep-pending-embeddings": {"task": "memories.sweep_embeddings", "schedule": 30.0},
            "sweep-models": {"task": "memories.sweep_models", "schedule": 3600.0},
            "sweep-words": {
                "task": "memories.sweep_words",
                "schedule": 60.0,
                "options": {"expires": 50.0},
            },
            "sweep-restatements": {"task": "memories.sweep_restatements", "schedule": 60.0},
            "sweep-jobs": {"task": "memories.sweep_jobs", "schedule": 60.0},
            "sweep-subscriptions": {"task": "memories.sweep_subscriptions", "schedule": 60.0},
            "sweep-webhooks": {
                "task": "memories.sweep_webhooks",
                "schedule": 15.0,
                "options": {"expires": 14.0},
            },
            "sweep-audit-stream": {
                "task": "memories.sweep_audit_stream",
                "schedule": 15.0,
                "options": {"expires": 14.0},
            },
            "sweep-ages": {"task": "memories.sweep_ages", "schedule": 60.0},
            "sweep-daily-jobs": {"task": "memories.sweep_daily_jobs", "schedule": 60.0},
            "sweep-uploads": {"task": "memories.sweep_uploads", "schedule": 3600.0},
            "sweep-operations": {"task": "memories.sweep_operations", "schedule": 3600.0},
            "sweep-news-mail": {
                "task": "memories.sweep_news_mail",
                "schedule": 3600.0,
                "options": {"expires": 3000.0},
            },
            "sweep-usage": {"task": "memories.sweep_usage", "schedule": 60.0},
            "sweep-patterns": {"task": "memories.sweep_patterns", "schedule": 60.0},
            # One run may take minutes, so hints that wait behind it expire.
            "sweep-removals": {
                "task": "memories.sweep_removals",
                "schedule": 60.0,
                "options": {"expires": 50.0},
            },
            "compare-account-copies": {
                "task": "memories.compare_account_copies",
                "schedule": 3600.0,
            },
            "sweep-account-copies": {
                "task": "memories.sweep_account_copies",
                "schedule": 60.0,
                "options": {"expires": 50.0},
            },
            "sweep-second-models": {
                "task": "memories.sweep_second_models",
                "schedule": 60.0,
                "options": {"expires": 50.0},
            },
            "maintain-indexes": {"task": "memories.maintain_indexes", "schedule": 3600.0},
        },
    }
