"""Logs as JSON, one object a line, that never hold what a memory says.

Our own messages never quote content. A library's message may quote what it was given (a path, an
SQL value, an argument), so only its template is logged, unless the library never sees memories.
Celery's lines about a task are filled in with its name, its id and numbers only. Of an exception
the type and the places in the code are logged, because its message may quote a row.
"""

import logging
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from traceback import walk_tb
from types import TracebackType
from typing import Any

import orjson

from orgs.trace_spans import current_trace

OWN_LOGGERS = ("commonmind",)
# Servers, pools and queues, which log only addresses, processes and task names; and the refusal of
# a host, which names the host that came.
TRUSTED_LOGGERS = (
    "celery.beat", "celery.worker.consumer", "django.security.DisallowedHost", "kombu",
    "psycopg.pool", "py.warnings", "uvicorn",
)  # fmt: skip
# The most characters of a message: what came from outside may be long.
MAX_MESSAGE_CHARACTERS = 2_000
# Loggers about tasks: name, id and times are safe, arguments are not.
TASK_LOGGERS = ("celery.app.trace", "celery.worker.request", "celery.worker.strategy")
_SAFE_VALUE = re.compile(r"[a-z_]+(?:\.[a-z_]+)+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
REDACTED = "..."
MAX_FRAMES = 30
# The attributes of a record that are logged beside the message; no others are.
EXTRA_FIELDS = ("method", "route", "status", "ms")


class JSONFormatter(logging.Formatter):
    """{time, level, logger, message, request_id?, trace_id?, organisation?, ..., exception?,
    at?}."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": safe_message(record),
        }
        trace = current_trace()
        told = {
            "request_id": trace.request_id,
            "trace_id": trace.trace_id,
            "organisation": trace.organisation_id,
        }
        line |= {name: str(value) for name, value in told.items() if value}
        line |= {
            name: vars(record)[name] for name in EXTRA_FIELDS if vars(record).get(name) is not None
        }
        if record.exc_info and record.exc_info[1] is not None:
            line["exception"] = [type_name(error) for error in iter_causes(record.exc_info[1])]
            line["at"] = list(iter_frames(record.exc_info[2]))[-MAX_FRAMES:]
        return orjson.dumps(line, default=type_name).decode()


def safe_message(record: logging.LogRecord) -> str:
    """The message; only its template for a library that may quote content."""
    if _is_logger_under(record.name, OWN_LOGGERS) or _is_logger_under(record.name, TRUSTED_LOGGERS):
        return record.getMessage()[:MAX_MESSAGE_CHARACTERS]
    if _is_logger_under(record.name, TASK_LOGGERS) and record.args and isinstance(record.msg, str):
        return _format_task_message(record.msg, record.args)
    return record.msg if record.args and isinstance(record.msg, str) else _source_location(record)


def _format_task_message(template: str, given: Any) -> str:
    try:
        if isinstance(given, Mapping):
            return template % {name: _redact(value, name) for name, value in given.items()}
        return template % tuple(_redact(value) for value in given)
    except (TypeError, ValueError, KeyError):
        return template


def _redact(value: object, name: str = "") -> object:
    if isinstance(value, int | float):
        return value
    # Celery's own word for the outcome, such as "raised unexpected".
    safe = isinstance(value, str) and (name == "description" or _SAFE_VALUE.fullmatch(value))
    return value if safe else REDACTED


def _source_location(record: logging.LogRecord) -> str:
    # A text without arguments may have content in it already, so only its place is logged.
    return f"{record.module}.{record.funcName}:{record.lineno}"


def _is_logger_under(name: str, parents: tuple[str, ...]) -> bool:
    return any(name == parent or name.startswith(f"{parent}.") for parent in parents)


def type_name(value: object) -> str:
    """The full name of a value's type."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


def iter_causes(error: BaseException) -> Iterator[BaseException]:
    """The error, then its causes."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__


def iter_frames(traceback: TracebackType | None) -> Iterator[str]:
    """`module:line function` of every frame, outermost first."""
    for frame, line in walk_tb(traceback):
        module = frame.f_globals.get("__name__", "?")
        yield f"{module}:{line} {frame.f_code.co_name}"


def logging_settings(level: str) -> dict[str, Any]:
    """The setting LOGGING: everything goes to stderr, through the one formatter."""
    through = {"handlers": [], "propagate": True}
    console = {"handlers": ["console"], "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "config.monitoring.logs.JSONFormatter"}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["console"], "level": "WARNING"},
        "loggers": {
            "commonmind": {"level": level},
            # We log one line a request ourselves; Django's and the server's would contain the path.
            "django": {**through, "level": "WARNING"},
            "django.request": {**through, "level": "ERROR"},
            "django.server": {**through, "level": "WARNING"},
            # A refused form has a line of its own, with the reason and without the path, which may
            # hold the secret of an invitation.
            "django.security.csrf": {**through, "level": "ERROR"},
            # At DEBUG it logs every SQL statement with its values.
            "django.db.backends": {**through, "level": "INFO"},
            # Its warnings quote what a client sent.
            "mcp": {"level": "ERROR"},
            "uvicorn": {**console, "level": "WARNING"},
            "uvicorn.error": {**through, "level": "WARNING"},
            "uvicorn.access": {**through, "level": "WARNING"},
        },
    }
