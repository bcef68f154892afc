"""What stands in an address."""

from django.urls import register_converter
from django.urls.converters import StringConverter


class ReferenceConverter(StringConverter):
    """An id, an external id or platform:id; a NUL, which Postgres cannot compare, is no name."""

    regex = r"[^/\x00]+"


register_converter(ReferenceConverter, "reference")
