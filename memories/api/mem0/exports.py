"""Exports as mem0's client asks for them: made when they are fetched, so nothing of them is kept.

mem0 has a language model fill a schema. Here nothing is made up: of each memory a schema chooses
from the fields that a memory has, and names the list in which they stand.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import orjson
from django.core import signing
from django.utils import timezone
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.mem0 import serializers as s
from memories.api.mem0.base import Mem0View
from memories.api.mem0.filters import ENTITIES, parse_filters
from memories.api.mem0.memory_queries import list_memories
from memories.api.mem0.reach import resolve_reach
from memories.api.mem0.views import body_of
from orgs.api.serializers import validate_data
from orgs.errors import ReferenceNotFoundError
from orgs.principals import Actor

FIELDS = ("id", "memory", "metadata", "categories", "created_at", "updated_at", *ENTITIES)
LIST_NAME = "memories"
# As long as the files of other exports stay.
LIFETIME = timedelta(days=7)
MAX_SCHEMA_BYTES, MAX_REQUEST_BYTES, MAX_SCHEMA_DEPTH = 100_000, 4_000, 10
READY = (
    "The export is ready: get_memory_export with this memory_export_id answers what matches then."
)
NO_SCHEMA = "The schema is an object of JSON with properties, or such an object as a text."
NOT_OF_A_MEMORY = (
    "No language model fills a schema here. A memory has {fields}, and not {name!r}. Describe "
    "those, or an object with a list of them."
)
TOO_LONG = f"An export is described by at most {MAX_REQUEST_BYTES:,} bytes."
EITHER = "Give the id of an export or filters, not both."
ASK_BY_PAGE = (
    "{count:,} memories match. Ask for page=1, page=2 and so on, {size:,} each, or narrow the "
    "filters."
)


@dataclass(frozen=True, slots=True)
class ExportShape:
    """name: of the list. fields: of each memory in it."""

    name: str
    fields: tuple[str, ...]


def parse_schema(given: Any) -> ExportShape:
    """What a JSON schema asks for. Raises ValidationError for one that asks for more than there
    is."""
    if isinstance(given, str) and len(given) <= MAX_SCHEMA_BYTES:
        try:
            given = orjson.loads(given)
        except orjson.JSONDecodeError as error:
            raise ValidationError({"schema": [NO_SCHEMA]}) from error
    if not isinstance(given, Mapping):
        raise ValidationError({"schema": [NO_SCHEMA]})
    whole = _resolve(given, given)
    if whole.get("type") == "array":
        return ExportShape(LIST_NAME, _fields_of(_resolve(given, whole.get("items"))))
    properties = whole.get("properties")
    if isinstance(properties, Mapping) and len(properties) == 1:
        [(name, value)] = properties.items()
        inside = _resolve(given, value)
        if inside.get("type") == "array" and name not in FIELDS:
            items = _resolve(given, inside.get("items"))
            return ExportShape(str(name), _fields_of(items) if items else FIELDS)
    return ExportShape(LIST_NAME, _fields_of(whole))


def _fields_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        raise ValidationError({"schema": [NO_SCHEMA]})
    for name in properties:
        if name not in FIELDS:
            said = NOT_OF_A_MEMORY.format(fields=", ".join(FIELDS), name=str(name)[:100])
            raise ValidationError({"schema": [said]})
    return tuple(name for name in FIELDS if name in properties)


def _resolve(whole: Mapping[str, Any], part: Any) -> Mapping[str, Any]:
    """A part of a schema without references and without the choice of null; empty for what is no
    object."""
    for _ in range(MAX_SCHEMA_DEPTH):
        if not isinstance(part, Mapping):
            return {}
        choices = part.get("anyOf")
        if isinstance(choices, list):
            kept = [one for one in choices if one != {"type": "null"}]
            part = kept[0] if len(kept) == 1 else {}
            continue
        reference = part.get("$ref")
        if not isinstance(reference, str):
            return part
        found: Any = whole
        for step in reference.removeprefix("#/").split("/"):
            found = found.get(step) if isinstance(found, Mapping) else None
        part = found
    return {}


def _salt(actor: Actor) -> str:
    return f"mem0-export:{actor.organisation_id}:{actor.robot_id}"


def sign_export(actor: Actor, shape: ExportShape, asked: Mapping[str, Any]) -> str:
    """The id of an export: what was asked for, signed for the robot. Raises ValidationError."""
    content = {
        "name": shape.name,
        "fields": shape.fields,
        "filters": asked.get("filters"),
        "ids": s.given_ids(dict(asked)),
    }
    if len(orjson.dumps(content)) > MAX_REQUEST_BYTES:
        raise ValidationError({"filters": [TOO_LONG]})
    return signing.dumps(content, salt=_salt(actor), compress=False)


def load_export(actor: Actor, export_id: str) -> tuple[ExportShape, Any, dict[str, str]]:
    """(the shape, the filters, the ids beside them) of an export. Raises ReferenceNotFoundError for
    an id that is over or was not signed for the robot."""
    try:
        content = signing.loads(export_id, salt=_salt(actor), max_age=LIFETIME)
    except signing.BadSignature as error:
        raise ReferenceNotFoundError("export", export_id[:100]) from error
    shape = ExportShape(content["name"], tuple(content["fields"]))
    return shape, content["filters"], content["ids"]


def read_export(
    actor: Actor, asked: Mapping[str, Any], *, now: datetime
) -> dict[str, list[dict[str, Any]]]:
    """The memories that an export is about, as they are now and as far as the key reaches them.

    Raises what `load_export` and `list_memories` raise, and ValidationError where more match than
    one answer holds.
    """
    ids, given = s.given_ids(dict(asked)), asked.get("filters")
    shape = ExportShape(LIST_NAME, FIELDS)
    if (export_id := asked.get("memory_export_id")) is not None:
        if ids or given:
            raise ValidationError({"memory_export_id": [EITHER]})
        shape, given, ids = load_export(actor, export_id)
    page, size = asked.get("page"), asked["page_size"]
    count, rows = list_memories(
        actor, {}, parse_filters(given, ids), page=page or 1, size=size, now=now
    )
    if page is None and count > size:
        raise ValidationError({"page": [ASK_BY_PAGE.format(count=count, size=size)]})
    return {shape.name: [{name: row[name] for name in shape.fields} for row in rows]}


class ExportsView(Mem0View):
    scopes = {"POST": "read"}
    only_answers = ("POST",)

    def post(self, request: Request) -> Response:
        """Say what an export is about."""
        asked = validate_data(s.ExportSerializer, body_of(request))
        shape = parse_schema(asked["schema"])
        # What the key may not ask for is refused here already.
        resolve_reach(request.user, parse_filters(asked.get("filters"), s.given_ids(asked)))
        return Response({"message": READY, "id": sign_export(request.user, shape, asked)})


class ExportedView(Mem0View):
    scopes = {"POST": "read"}
    only_answers = ("POST",)

    def post(self, request: Request) -> Response:
        """What an export is about, or without its id what matches filters, with all fields."""
        asked = validate_data(s.ExportedSerializer, body_of(request))
        return Response(read_export(request.user, asked, now=timezone.now()))
