"""Logs as JSON, one object a line, that never hold what a memory says.

A message of our own is written with care. A library's may quote what it was given (a path, an SQL
value, an argument), so of those only the template is kept, except where the library knows no
memory; Celery's lines about a task are filled in with its name, its id and numbers alone. Of an
exception its type and the places are kept: its message may quote a row.
"""

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from traceback import walk_tb
from types import TracebackType
from typing import Any

import orjson

OURS = ("commonmind",)
# Servers, pools and queues: they speak of addresses, processes and task names.
CAREFUL = (
    "celery.beat", "celery.worker.consumer", "kombu", "psycopg.pool", "py.warnings",
    "uvicorn",
)  # fmt: skip
# What a worker says of a task: its name, its id and the time are safe, what it was given is not.
OF_TASKS = ("celery.app.trace", "celery.worker.request", "celery.worker.strategy")
_SAFE = re.compile(r"[a-z_]+(?:\.[a-z_]+)+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
LEFT_OUT = "..."
FRAMES = 30
# What a line says beside its message; any other attribute of a record stays out.
FIELDS = ("request_id", "method", "route", "status", "ms")

_request_id: ContextVar[str] = ContextVar("request_id", default="")


@contextmanager
def request_context(request_id: str) -> Iterator[None]:
    """Let every line that is logged inside carry the id."""
    token = _request_id.set(request_id)
    try:
        yield
    finally:
        _request_id.reset(token)


class JSONFormatter(logging.Formatter):
    """{time, level, logger, message, request_id?, ..., exception?, at?}."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": message(record),
        }
        if request_id := _request_id.get():
            line["request_id"] = request_id
        line |= {name: vars(record)[name] for name in FIELDS if vars(record).get(name) is not None}
        if record.exc_info and record.exc_info[1] is not None:
            line["exception"] = [kind(error) for error in causes(record.exc_info[1])]
            line["at"] = list(places(record.exc_info[2]))[-FRAMES:]
        return orjson.dumps(line, default=kind).decode()


def message(record: logging.LogRecord) -> str:
    """The message; of a library that may quote what it was given, the template alone."""
    if _under(record.name, OURS) or _under(record.name, CAREFUL):
        return record.getMessage()
    if _under(record.name, OF_TASKS) and record.args and isinstance(record.msg, str):
        return _of_task(record.msg, record.args)
    return record.msg if record.args and isinstance(record.msg, str) else _unformatted(record)


def _of_task(template: str, given: Any) -> str:
    try:
        if isinstance(given, Mapping):
            return template % {name: _safe(value, name) for name, value in given.items()}
        return template % tuple(_safe(value) for value in given)
    except (TypeError, ValueError, KeyError):
        return template


def _safe(value: object, name: str = "") -> object:
    if isinstance(value, int | float):
        return value
    # The word that Celery itself has for what happened: "raised unexpected".
    safe = isinstance(value, str) and (name == "description" or _SAFE.fullmatch(value))
    return value if safe else LEFT_OUT


def _unformatted(record: logging.LogRecord) -> str:
    # Without arguments nobody can tell what was put into the text beforehand.
    return f"{record.module}.{record.funcName}:{record.lineno}"


def _under(name: str, parents: tuple[str, ...]) -> bool:
    return any(name == parent or name.startswith(f"{parent}.") for parent in parents)


def kind(value: object) -> str:
    """The full name of a value's type."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what led to it."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__


def places(traceback: TracebackType | None) -> Iterator[str]:
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
            # One line a request is ours; Django's and the server's would name the path.
            "django": {**through, "level": "WARNING"},
            "django.request": {**through, "level": "ERROR"},
            "django.server": {**through, "level": "WARNING"},
            # At DEBUG it writes every statement with its values.
            "django.db.backends": {**through, "level": "INFO"},
            "uvicorn": {**console, "level": "WARNING"},
            "uvicorn.error": {**through, "level": "WARNING"},
            "uvicorn.access": {**through, "level": "WARNING"},
        },
    }
