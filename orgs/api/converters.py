"""URL converters."""

from django.urls import register_converter
from django.urls.converters import StringConverter


class ReferenceConverter(StringConverter):
    """An id, an external id or platform:identifier; without NUL, which Postgres cannot compare."""

    regex = r"[^/\x00]+"


register_converter(ReferenceConverter, "reference")
