"""URL converters, and slashes inside a reference."""

import re
from typing import Any
from urllib.parse import unquote

from django.urls import register_converter
from django.urls.converters import StringConverter

API_PREFIXES = ("/api/", "/mem0/")
# Stands for a slash that was written %2F. No name holds it: nobody can read it (private use).
ESCAPED_SLASH = "\ue02f"
_WRITTEN_SLASH = re.compile(r"%2F", re.IGNORECASE)


class ReferenceConverter(StringConverter):
    """An id, an external id or platform:identifier; without NUL, which Postgres cannot compare."""

    regex = r"[^/\x00]+"

    def to_python(self, value: str) -> str:
        return value.replace(ESCAPED_SLASH, "/")


register_converter(ReferenceConverter, "reference")


def preserve_escaped_slashes(scope: dict[str, Any]) -> None:
    """Let a slash that was written %2F in an address of the API stay apart from those that divide
    the address: the path of an ASGI scope has both as the same character."""
    raw = scope.get("raw_path") or b""
    if b"%" not in raw or not scope["path"].startswith(API_PREFIXES):
        return
    written = raw.decode("ascii", "replace")
    if written.startswith(API_PREFIXES) and _WRITTEN_SLASH.search(written):
        scope["path"] = ESCAPED_SLASH.join(map(unquote, _WRITTEN_SLASH.split(written)))


def written_path(path: str) -> str:
    """The path of a request as it was written, with %2F for a slash inside a reference."""
    return path.replace(ESCAPED_SLASH, "%2F")
