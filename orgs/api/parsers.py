"""The parser of JSON bodies: strict, with a limit on size, and with checks of the text."""

from collections.abc import Mapping
from typing import IO, Any

import orjson
from django.conf import settings
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser


class BodyTooLargeError(APIException):
    status_code = 413
    default_code = "body-too-large"


class StrictJSONParser(BaseParser):
    """UTF-8 JSON without lone surrogates, NaN or a body over REQUEST_BODY_MAX_BYTES."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        limit = settings.REQUEST_BODY_MAX_BYTES
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise BodyTooLargeError(f"The body is over {limit} bytes; send smaller batches.")
        try:
            return orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise ParseError(f"The body is not valid JSON: {error}") from error
