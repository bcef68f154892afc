"""JSON as it is read and sent, by orjson: a strict parser with a limit on size, and a renderer that
takes datetimes, UUIDs and floats, several times faster than DRF's own."""

from collections.abc import Mapping
from typing import IO, Any

import orjson
from django.conf import settings
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.utils.encoders import JSONEncoder

_encode_default = JSONEncoder().default


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


class JSONRenderer(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        if data is None:
            return b""
        return orjson.dumps(
            data, default=_encode_default, option=orjson.OPT_UTC_Z | orjson.OPT_NON_STR_KEYS
        )
