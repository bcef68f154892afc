"""Bodies of forms: the one way in which a call of the API takes a file."""

from collections.abc import Mapping
from typing import IO, Any

from django.http import QueryDict
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from orgs.api.problems import BAD_FORM, ProblemError
from orgs.api.serializers import FlagField


class FormParser(MultiPartParser):
    """multipart/form-data."""

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            return super().parse(stream, media_type, parser_context)
        except ParseError as error:
            raise ProblemError(400, "bad-form", BAD_FORM) from error


def is_form(request: Request) -> bool:
    """Whether a call has a form as its body, and its view takes one."""
    takes = any(isinstance(one, FormParser) for one in request.parsers)
    return takes and (request.content_type or "").startswith("multipart/form-data")


class FormFlagField(FlagField):
    """A flag in a form, which has texts alone: `true` or `false`."""

    def to_internal_value(self, data: Any) -> bool:
        return super().to_internal_value({"true": True, "false": False}.get(data, data))


def form_values(request: Request) -> dict[str, Any]:
    """The fields and files of a form. Raises ValidationError for one that is given more than
    once."""
    # Of an empty body the framework makes a mere dictionary.
    values = request.data or QueryDict()
    if repeated := sorted(name for name in values if len(values.getlist(name)) > 1):
        raise serializers.ValidationError(
            {name[:100]: ["Given more than once; it takes one value."] for name in repeated[:20]}
        )
    found: dict[str, Any] = values.dict()
    return found
