"""The OpenAPI description: what every operation has, such as problems and cursors."""

import re
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers

from orgs.api import conditional, deprecation, idempotency
from orgs.api.base_view import APIView
from orgs.api.serializers import MAX_DEPTH, MAX_INTEGER, MAX_ITEMS, MIN_INTEGER, StrictSerializer


class ProblemErrorSerializer(serializers.Serializer[Any]):
    field = serializers.CharField(
        help_text="The path of the field with dots, such as `items.0.content`; `body` for the "
        "whole."
    )
    detail = serializers.CharField()


class ProblemSerializer(serializers.Serializer[Any]):
    """Problem details (RFC 9457)."""

    type = serializers.CharField(
        help_text="`urn:commonmind:problem:<code>`. The code is stable: programs compare it."
    )
    title = serializers.CharField(help_text="The kind of problem, in words.")
    status = serializers.IntegerField(help_text="The HTTP status code.")
    detail = serializers.CharField(help_text="What went wrong in this call, in a sentence.")
    errors = ProblemErrorSerializer(
        many=True,
        help_text="The invalid fields of a 400 `invalid`, and of a 404 the fields whose reference "
        "means nothing that the caller may see; empty for other problems.",
    )
    existing = serializers.CharField(
        required=False,
        help_text="Of a 409 the id of what exists already, if the caller may see it.",
    )
    etag = serializers.CharField(
        required=False, help_text="Of a 412 `changed` the present ETag, if the caller may see it."
    )
    request_id = serializers.CharField(help_text="Quote it when you report the problem.")


PROBLEM_TYPE = "application/problem+json"
PROBLEMS = ("400", "401", "403", "404", "409", "413", "415", "429", "503")
PROBLEM = OpenApiResponse(ProblemSerializer, description="Problem details (RFC 9457)")
IDEMPOTENCY_PARAMETERS = [
    OpenApiParameter(
        idempotency.HEADER,
        {"type": "string", "pattern": idempotency.KEY_PATTERN, "minLength": 1, "maxLength": 255},
        OpenApiParameter.HEADER,
        description="Makes a call count once, however often it is sent: for 24 hours the same call "
        "with the same key is answered as the first time.",
    ),
    OpenApiParameter(
        idempotency.REPLAYED,
        {"type": "string", "enum": ["true"]},
        OpenApiParameter.HEADER,
        description="The answer is that of an earlier call with this key.",
        response=["200", "201", "202", "204"],
    ),
]
_ETAG_PARAMETER = OpenApiParameter(
    conditional.ETAG,
    str,
    OpenApiParameter.HEADER,
    description="Changes when somebody changes what the caller reads here.",
    response=["200", "201"],
)
GET_CONDITIONS = [
    OpenApiParameter(
        conditional.IF_NONE_MATCH,
        str,
        OpenApiParameter.HEADER,
        description="ETags that are known; the answer is 304 if the present one is among them.",
    ),
    _ETAG_PARAMETER,
]
CHANGE_CONDITIONS = [
    OpenApiParameter(
        conditional.IF_MATCH,
        str,
        OpenApiParameter.HEADER,
        description="The ETag that was read, or `*`: 412 `changed` if the present one is another, "
        "and nothing is changed.",
    ),
    OpenApiParameter(
        conditional.ETAG,
        str,
        OpenApiParameter.HEADER,
        description="With If-Match: the new ETag.",
        response=["200", "201", "202"],
    ),
]
_ID_IN_PATH = re.compile(r"{(\w+)}")


# No NUL, which the database cannot hold. A field that may not be blank has a visible character.
# Python counts a few more controls as blank than the patterns of a description.
NUL_FREE_PATTERN = r"^[^\u0000]*$"
NOT_BLANK_PATTERN = r"^[^\u0000]*[^\s\u0000\u001c-\u001f\u0085][^\u0000]*$"


class TextFieldExtension(OpenApiSerializerFieldExtension):
    """A string without NUL, and not blank unless that is allowed."""

    target_class = "orgs.api.serializers.TextField"
    match_subclasses = True

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        described: dict[str, Any] = auto_schema._map_serializer_field(
            self.target, direction, bypass_extensions=True
        )
        if isinstance(described.get("type"), list):
            # The caller adds whether it may be null.
            described["type"] = "string"
        return described | {
            "pattern": self.target.pattern
            or (NUL_FREE_PATTERN if self.target.allow_blank else NOT_BLANK_PATTERN)
        }


class DocumentFieldExtension(OpenApiSerializerFieldExtension):
    """A JSON object as `orgs.api.serializers.check_json_object` takes it."""

    target_class = "orgs.api.serializers.DocumentField"

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        if direction == "response":
            return {"type": "object", "additionalProperties": {}}
        return {"$ref": "#/components/schemas/Document"}


def add_document_schema(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """drf-spectacular's hook: describe what a JSON document may hold.

    It is written out for two levels, because many generators cannot handle recursive schemas.
    """
    text = {"type": "string", "pattern": NUL_FREE_PATTERN}
    number = {"type": "number", "minimum": MIN_INTEGER, "maximum": MAX_INTEGER}
    names = {"propertyNames": {"pattern": NUL_FREE_PATTERN}, "maxProperties": MAX_ITEMS}
    plain = {"anyOf": [text, number, {"type": ["boolean", "null"]}]}
    nested = [
        {"type": "array", "items": plain, "maxItems": MAX_ITEMS},
        {"type": "object", "additionalProperties": plain, **names},
    ]
    result["components"]["schemas"]["Document"] = {
        "type": "object",
        "additionalProperties": {"anyOf": [*plain["anyOf"], *nested]},
        **names,
        "description": f"A JSON object. At most {MAX_DEPTH} levels are accepted, with at most "
        f"{MAX_ITEMS:,} entries each; numbers fit into 64 bits.",
    }
    return result


class CursorPagination:
    """The answer of `orgs.api.cursors.paginate`; each view describes its own query parameters."""

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        following = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["results", "next"],
            "properties": {"results": schema, "next": following},
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        return []


class ProblemAutoSchema(AutoSchema):
    """Adds the problems of every call; describes lists as pages and bodies as closed objects."""

    def _get_paginator(self) -> CursorPagination:
        return CursorPagination()

    def _map_basic_serializer(self, serializer: Any, direction: Any) -> Any:
        described = super()._map_basic_serializer(serializer, direction)
        kind = serializer if isinstance(serializer, type) else type(serializer)
        if issubclass(kind, StrictSerializer) and direction == "request":
            described["additionalProperties"] = False
        return described

    def _is_create_operation(self) -> bool:
        # Views name 201 themselves where a POST creates something; asking and restoring do not.
        return False

    @property
    def takes_idempotency_key(self) -> bool:
        """Whether the operation changes something for an organisation."""
        view = type(self.view)
        return issubclass(view, APIView) and view.changes(self.method) and not view.without_tenant

    @property
    def conditions(self) -> list[OpenApiParameter]:
        """The headers about an ETag of the operation."""
        names = _ID_IN_PATH.findall(self.path)
        name = conditional.find_resource_name(names)
        if name is None or not issubclass(type(self.view), APIView):
            return []
        if self.takes_idempotency_key:
            return CHANGE_CONDITIONS
        itself = self.method == "GET" and self.path.endswith(f"{{{name}}}")
        return GET_CONDITIONS if itself else []

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        """The operation, with a mark on what goes away."""
        operation = super().get_operation(*args, **kwargs)
        path = self.path.removeprefix(deprecation.API_PREFIX)
        for one in deprecation.find_deprecations(self.method, path) if operation else ():
            if not one.parameter:
                operation["deprecated"] = True
            for parameter in operation.get("parameters", ()):
                if (parameter["in"], parameter["name"]) == ("query", one.parameter):
                    parameter["deprecated"] = True
        return operation

    def get_override_parameters(self) -> list[OpenApiParameter]:
        keys = IDEMPOTENCY_PARAMETERS if self.takes_idempotency_key else []
        return [*keys, *self.conditions]

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        described = super()._get_response_bodies(direction)
        more = ["422"] if self.takes_idempotency_key else []
        more += ["412"] if self.conditions is CHANGE_CONDITIONS else []
        if self.conditions is GET_CONDITIONS:
            described["304"] = {"description": "It is as the caller knows it."}
        for status in (*PROBLEMS, *more):
            described.setdefault(
                status,
                self._get_response_for_code(PROBLEM, status, [PROBLEM_TYPE], direction),
            )
        return described
