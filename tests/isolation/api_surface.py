"""Every address of the product and every place in a call where an id can stand.

Read from the URL conf and from the OpenAPI description, so that what is added later is attacked
without anybody writing a test for it.
"""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.converters import get_converters
from drf_spectacular.generators import SchemaGenerator

from config.mcp.tools import build_tools

METHODS = ("get", "post", "put", "patch", "delete")
# Addresses of the frame around the product, which know no tenant.
UNTENANTED_PATHS = ("admin/", "design/", "static/", "healthz", "readyz", "metrics")
# Account pages know no tenant and count attempts, so that no two answers are equal. What of them
# takes an id (a session, a passkey) looks it up among the person's own
# (tests/orgs/accounts/test_second_step.py).
UNTENANTED_PATHS += ("accounts/",)
UNDESCRIBED = {"api/v1/schema", "api/v1/docs"}
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Slot:
    """Where an id goes: in the path, the query or the body (a way through the JSON)."""

    where: str
    path: Path


# What else a body says where it names something: alone it would be refused before anybody looks.
VALID_WITH: dict[str | int, dict[str, Any]] = {"readers": {"visibility": "shared"}}


@dataclass(frozen=True)
class Operation:
    """A method on an address, its slots and a body that is valid but for them."""

    method: str
    address: str
    slots: tuple[Slot, ...]
    body: Any = None
    described: bool = True

    def call(
        self, slot: Slot, value: str, own: Mapping[str, str]
    ) -> tuple[str, dict[str, str], Any]:
        """(path, query, body) with the value in the slot.

        own: a thing that the caller may address, by the part of the path before it; if the path
        says nothing of the value, it stands there, so that the call comes as far as the value.
        Elsewhere in the path ids are absent.
        """
        address, query, body = self.address, {}, copy.deepcopy(self.body)
        for name in [s.path[0] for s in self.slots if s.where == "path"]:
            here = ABSENT_FILLER
            if slot.where == "path":
                here = value if slot.path == (name,) else ABSENT_FILLER
            elif (kind := address.partition(f"/{{{name}}}")[0].rpartition("/")[2]) in own:
                here = own[kind]
            address = address.replace(f"{{{name}}}", here)
        if slot.where == "query":
            query[str(slot.path[0])] = value
        if slot.where == "body":
            set_value(body, slot.path, value)
            body |= VALID_WITH.get(slot.path[0], {}) if isinstance(body, dict) else {}
        return address, query, body

    def __str__(self) -> str:
        return f"{self.method.upper()} {self.address}"


# Two ids that nothing has: the one stands in for a secret, the other where no secret stands.
ABSENT = "01990000-0000-7000-8000-00000000dead"
ABSENT_FILLER = "01990000-0000-7000-8000-00000000beef"


# Below this stand the addresses of mem0, which its own clients call: neither pages nor described.
MEM0_ROUTE = "mem0/"
# Likewise those of SCIM, which identity providers call.
SCIM_ROUTE = "scim/v2"


def iter_url_patterns(
    resolver: URLResolver | None = None, prefix: str = "", *, mem0: bool = False
) -> Iterator[tuple[str, URLPattern]]:
    """(route, pattern) of the whole URL conf. mem0: also of the doors of mem0 and SCIM, which
    `mem0_operations` and `scim_operations` have."""
    for entry in (resolver or get_resolver()).url_patterns:
        route = prefix + str(entry.pattern)
        if route.startswith((MEM0_ROUTE, SCIM_ROUTE)) and not mem0:
            continue
        if isinstance(entry, URLResolver):
            yield from iter_url_patterns(entry, route, mem0=mem0)
        else:
            yield route, entry


def openapi_path(route: str) -> str:
    """A route as the OpenAPI description writes it: /memories/{memory_id}."""
    for name in get_converters():
        route = route.replace(f"<{name}:", "{")
    return "/" + route.replace("<", "{").replace(">", "}")


@cache
def openapi_schema() -> dict[str, Any]:
    return SchemaGenerator().get_schema(request=None, public=True)


def resolve_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Follow $ref and the first choice of allOf, oneOf and anyOf."""
    while True:
        if "$ref" in schema:
            schema = openapi_schema()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
            continue
        choice = next((k for k in ("allOf", "oneOf", "anyOf") if k in schema), None)
        if choice is None:
            return schema
        schema = schema[choice][0]


def example(schema: dict[str, Any]) -> Any:
    """A small valid value: of an object what is required and what nests."""
    schema = resolve_schema(schema)
    kinds = schema.get("type", "string")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    if "enum" in schema:
        return schema["enum"][0]
    if kind == "object":
        required = schema.get("required", [])
        return {k: example(v) for k, v in schema.get("properties", {}).items() if k in required}
    if kind == "array":
        return (
            [example(schema["items"])]
            if schema.get("minItems") or has_nested_objects(schema)
            else []
        )
    return {"integer": 1, "number": 0.5, "boolean": False}.get(kind, "words")


def has_nested_objects(schema: dict[str, Any]) -> bool:
    return resolve_schema(schema.get("items", {})).get("type") == "object"


def body_slots(schema: dict[str, Any], path: Path = ()) -> Iterator[Path]:
    """Every place in a body that takes a free string."""
    schema = resolve_schema(schema)
    kinds = schema.get("type", "string")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    if kind == "object":
        for name, inner in schema.get("properties", {}).items():
            yield from body_slots(inner, (*path, name))
    elif kind == "array":
        yield from body_slots(schema["items"], (*path, 0))
    elif kind == "string" and "enum" not in schema and schema.get("format") != "date-time":
        yield path


def set_value(body: Any, path: Path, value: Any) -> None:
    """Set body[path], making what is missing on the way."""
    for step, following in pairwise(path):
        empty: Any = [] if isinstance(following, int) else {}
        if isinstance(step, int):
            if not body:
                body.append(empty)
            body = body[step]
        else:
            body = body.setdefault(step, empty)
    last = path[-1]
    if isinstance(last, int):
        body[:] = [value]
    else:
        body[last] = value


def api_operations() -> list[Operation]:
    """Every operation of the OpenAPI description."""
    found = []
    for path, methods in openapi_schema()["paths"].items():
        for method in METHODS:
            if method not in methods:
                continue
            operation = methods[method]
            slots = [
                Slot(p["in"], (p["name"],))
                for p in operation.get("parameters", [])
                if p["in"] in ("path", "query") and "enum" not in resolve_schema(p["schema"])
            ]
            body = None
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if content:
                body = example(content["schema"])
                slots += [Slot("body", way) for way in body_slots(content["schema"])]
            found.append(Operation(method, path, tuple(slots), body))
    return found


TOOLS = build_tools("https://memory.example")
TOOL_METHOD = "tool"


def tool_operations() -> list[Operation]:
    """Every tool of MCP; an id can stand in each of its arguments that takes text."""
    found = []
    for tool in TOOLS.values():
        schema = tool.input_schema
        slots = tuple(Slot("body", path) for path in body_slots(schema))
        found.append(Operation(TOOL_METHOD, tool.name, slots, example(schema)))
    return found


_MEM0_IDS = ("user_id", "agent_id", "app_id", "run_id")
# Methods by address of the mem0 door, each with a body that is valid but for its slots, the places
# of ids in it, and the query parameters that take one.
_MEM0_CALLS: dict[str, dict[str, tuple[Any, tuple[Path, ...], tuple[str, ...]]]] = {
    "v1/ping/": {"get": (None, (), _MEM0_IDS)},
    "v3/memories/add/": {
        "post": ({"messages": "The words of a call."}, tuple((n,) for n in _MEM0_IDS), ()),
    },
    "v3/memories/search/": {
        "post": (
            {"query": "words"},
            (("query",), *(("filters", n) for n in _MEM0_IDS), ("filters", "metadata", "n")),
            (),
        ),
    },
    "v3/memories/": {
        "post": (
            {},
            (
                *(("filters", n) for n in _MEM0_IDS),
                ("filters", "memory_ids"),
                ("filters", "OR", 0, "user_id"),
                ("filters", "NOT", 0, "run_id"),
            ),
            (),
        ),
    },
    "v1/memories/": {
        "get": (None, (), _MEM0_IDS),
        "post": ({"messages": "The words of a call."}, tuple((n,) for n in _MEM0_IDS), ()),
        "delete": (None, (), _MEM0_IDS),
    },
    "v1/memories/<uuid:memory>/": {
        "get": (None, (), ()),
        "put": ({"text": "Other words."}, (("metadata", "n"),), ()),
        "delete": (None, (), ()),
    },
    "v1/memories/<uuid:memory>/history/": {"get": (None, (), ())},
    "v1/event/<uuid:event>/": {"get": (None, (), ())},
    "v1/batch/": {
        "put": (
            {"memories": [{"memory_id": ABSENT_FILLER, "text": "Other words."}]},
            (("memories", 0, "memory_id"),),
            (),
        ),
        "delete": (
            {"memories": [{"memory_id": ABSENT_FILLER}]}, (("memories", 0, "memory_id"),), (),
        ),
    },
    "v1/entities/": {"get": (None, (), ())},
    "v2/entities/": {"get": (None, (), ())},
    "v2/entities/<reference:kind>/<reference:name>/": {
        "get": (None, (), ()), "delete": (None, (), ()),
    },
    "v1/feedback/": {
        "post": (
            {"memory_id": ABSENT_FILLER, "feedback": "POSITIVE"}, (("memory_id",),), (),
        ),
    },
    "v1/exports/": {
        "post": (
            {"schema": {"properties": {"memory": {}}}},
            (*((n,) for n in _MEM0_IDS), *(("filters", n) for n in _MEM0_IDS)),
            (),
        ),
    },
    "v1/exports/get/": {
        "post": (
            {},
            (
                ("memory_export_id",), ("filters", "memory_ids"),
                *(("filters", n) for n in _MEM0_IDS),
            ),
            (),
        ),
    },
    "search": {"post": ({"query": "words"}, tuple((n,) for n in _MEM0_IDS), ())},
    "memories": {
        "get": (None, (), _MEM0_IDS),
        "post": ({"messages": "The words of a call."}, tuple((n,) for n in _MEM0_IDS), ()),
        "delete": (None, (), _MEM0_IDS),
    },
    "memories/<uuid:memory>": {
        "get": (None, (), ()),
        "put": ({"text": "Other words."}, (("metadata", "n"),), ()),
        "delete": (None, (), ()),
    },
    "memories/<uuid:memory>/history": {"get": (None, (), ())},
}  # fmt: skip


def _door_operations(
    prefix: str, calls_by_route: dict[str, dict[str, tuple[Any, tuple[Path, ...], tuple[str, ...]]]]
) -> list[Operation]:
    found = []
    for route, calls in calls_by_route.items():
        place = openapi_path(prefix + route)
        names = [part.partition("}")[0] for part in place.split("{")[1:]]
        for method, (body, inside, query) in calls.items():
            slots = [Slot("path", (name,)) for name in names]
            slots += [Slot("body", path) for path in inside]
            slots += [Slot("query", (name,)) for name in query]
            found.append(Operation(method, place, tuple(slots), copy.deepcopy(body)))
    return found


def mem0_operations() -> list[Operation]:
    """Every operation of the mem0 door."""
    return _door_operations(MEM0_ROUTE, _MEM0_CALLS)


_SCIM_USER = {
    "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
    "userName": "new@elsewhere.example",
}
_SCIM_GROUP = {
    "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"],
    "displayName": "Provisioned",
}
_SCIM_PATCH = {
    "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
    "Operations": [{"op": "add", "path": "externalId", "value": "7"}],
}
_IN_USER: tuple[Path, ...] = (("externalId",), ("displayName",), ("userName",))
_IN_GROUP: tuple[Path, ...] = (("externalId",), ("displayName",), ("members", 0, "value"))
_IN_PATCH: tuple[Path, ...] = (("Operations", 0, "value"), ("Operations", 0, "path"))
_SCIM_QUERY = ("filter", "attributes", "excludedAttributes", "startIndex")
_SCIM_CALLS: dict[str, dict[str, tuple[Any, tuple[Path, ...], tuple[str, ...]]]] = {
    "/ServiceProviderConfig": {"get": (None, (), ())},
    "/ResourceTypes": {"get": (None, (), ())},
    "/ResourceTypes/<reference:scim_id>": {"get": (None, (), ())},
    "/Schemas": {"get": (None, (), ())},
    "/Schemas/<reference:scim_id>": {"get": (None, (), ())},
    "/Users": {"get": (None, (), _SCIM_QUERY), "post": (_SCIM_USER, _IN_USER, ())},
    "/Users/<uuid:scim_user>": {
        "get": (None, (), ()), "put": (_SCIM_USER, _IN_USER, ()),
        "patch": (_SCIM_PATCH, _IN_PATCH, ()), "delete": (None, (), ()),
    },
    "/Groups": {"get": (None, (), _SCIM_QUERY), "post": (_SCIM_GROUP, _IN_GROUP, ())},
    "/Groups/<uuid:scim_group>": {
        "get": (None, (), ()), "put": (_SCIM_GROUP, _IN_GROUP, ()),
        "patch": (_SCIM_PATCH, _IN_PATCH, ()), "delete": (None, (), ()),
    },
}  # fmt: skip


def scim_operations() -> list[Operation]:
    """Every operation of SCIM."""
    return _door_operations(SCIM_ROUTE, _SCIM_CALLS)


# A program leads to these with what it wants; without it a page says what is missing (400).
LED_TO = {"/oauth/authorize"}


def page_operations() -> list[Operation]:
    """Every address that is no API, for those who browse; ids stand in the path or the query."""
    found = []
    for route, _pattern in iter_url_patterns():
        if route.startswith(("api/", *UNTENANTED_PATHS)):
            continue
        place = openapi_path(route)
        names = [part.partition("}")[0] for part in place.split("{")[1:]]
        slots = [Slot("path", (name,)) for name in names]
        slots += [Slot("query", (name,)) for name in ("q", "group", "member", "robot", "cursor")]
        form = [Slot("body", (name,)) for name in ("group", "member", "readers", "memory")]
        found.append(Operation("get", place, tuple(slots), described=False))
        found.append(Operation("post", place, (*slots, *form), {"content": "x"}, described=False))
    return found
