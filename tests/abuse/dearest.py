"""The dearest input of an address, found by search over what its description allows.

For each field the values that cost most are tried: lists at their maximum, full of references that
nothing has; texts at theirs, of the kinds that keep rules busy; deep documents. The dearest that is
not refused stays, and the fields are tried on top of one another.
"""

import copy
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any
from urllib.parse import quote, unquote, urlencode
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.test import Client

from tests.abuse.cost import Cost, cost_of
from tests.fuzz.call_generator import Form, FormParser
from tests.isolation.api_surface import (
    METHODS,
    Path,
    example,
    iter_url_patterns,
    openapi_path,
    openapi_schema,
    resolve_schema,
    set_value,
)
from tests.isolation.comparable_responses import UUID_PATTERN
from tests.texts.text_generators import TEXT_GENERATORS, TextGenerator

# Of a text for which the description has no limit: the most that can be set, in ASCII.
LONGEST = 1_000_000
# Of a text with which the kinds are compared before the dearest ones are tried at full length.
PROBE = 10_000
# A text of at most so many characters gets few kinds: there is little for a rule to do.
SHORT, FEW = 2_000, 4
# How deep and how wide a document may be.
DEEP, WIDE = 18, 900
# What a page may be asked for in its address besides the fields of its own form.
QUERIES = frozenset({"q", "cursor", "group", "member", "topic", "tag"})
NO_PAGES = ("/api/", "/static/", "/admin/", "/metrics", "/healthz", "/readyz", "/accounts/")
# Inputs of which no value is dear: another one is refused, or the call does nothing.
UNTRIED = frozenset({"confirm", "dry_run", "cursor"})
# What changes a body and a query.
Change = Callable[[Any, dict[str, Any]], None]


@dataclass(frozen=True)
class Operation:
    """An operation of the description with its inputs: (way, description) of each field."""

    method: str
    address: str
    body: Any
    fields: tuple[tuple[Path, dict[str, Any]], ...]
    query: tuple[tuple[str, dict[str, Any]], ...]
    # Sent as a page sends it, and not as JSON.
    form: bool = False

    def __str__(self) -> str:
        return f"{self.method.upper()} {self.address}"

    def inputs(self) -> list[str | int]:
        """The names of what is tried."""
        names = [*(way[-1] for way, _ in self.fields), *(name for name, _ in self.query)]
        return [name for name in names if name not in UNTRIED]


def operations() -> list[Operation]:
    """Every operation of the description."""
    found = []
    for address, methods in openapi_schema()["paths"].items():
        for method in METHODS:
            if operation := methods.get(method):
                content = operation.get("requestBody", {}).get("content", {})
                schema = content.get("application/json", {}).get("schema")
                query = [p for p in operation.get("parameters", []) if p["in"] == "query"]
                found.append(
                    Operation(
                        method,
                        address,
                        example(schema) if schema else None,
                        tuple(_fields(schema)) if schema else (),
                        tuple((p["name"], p["schema"]) for p in query),
                    )
                )
    return found


def page_operations(client: Client, ids: dict[str, list[str]]) -> list[Operation]:
    """Every page with the fields that it asks for in its address, and every form that a page shows.

    A field that holds an id keeps it; every other takes any text.
    """
    places = {openapi_path(route) for route, _ in iter_url_patterns()}
    found: dict[tuple[str, str, frozenset[str]], Operation] = {}
    for place in sorted(one for one in places if not one.startswith(NO_PAGES)):
        path = re.sub(r"\{(\w+)\}", lambda slot: (ids.get(slot[1]) or ids["any"])[0], place)
        with transaction.atomic():
            answer = client.get(path)
            transaction.set_rollback(True)
        page = answer["Content-Type"].startswith("text/html") and not answer.streaming
        if answer.status_code != 200 or not page:
            continue
        parser = FormParser(path)
        parser.feed(answer.content.decode())
        for form in [Form(path), *parser.found]:
            action = form.action.partition("?")[0]
            asked = form.fields.keys() if form.method == "post" else form.fields.keys() | QUERIES
            known = (form.method, UUID_PATTERN.sub("{id}", action), frozenset(asked))
            texts = [
                (name, {"type": "string"})
                for name in sorted(asked - {"csrfmiddlewaretoken"})
                if not UUID_PATTERN.fullmatch(form.fields.get(name, ""))
            ]
            if known in found or action.startswith(NO_PAGES):
                continue
            if form.method == "post":
                ways = tuple(((name,), schema) for name, schema in texts)
                found[known] = Operation("post", action, dict(form.fields), ways, (), form=True)
            else:
                found[known] = Operation("get", action, None, (), tuple(texts))
    return list(found.values())


def _kind(schema: dict[str, Any]) -> str:
    kinds = schema.get("type", "string")
    return kinds if isinstance(kinds, str) else next(kind for kind in kinds if kind != "null")


def _fields(schema: dict[str, Any], way: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Of a list of objects the first one stands for all."""
    for name, given in resolve_schema(schema).get("properties", {}).items():
        inner = resolve_schema(given)
        items = resolve_schema(inner.get("items", {}))
        if _kind(inner) == "object" and inner.get("properties"):
            yield from _fields(inner, (*way, name))
        elif items.get("properties"):
            yield from _fields(items, (*way, name, 0))
        else:
            yield (*way, name), inner


@dataclass
class Values:
    """The dear values of a field.

    ids: what really exists, by the name of a slot. rng: decides in which order kinds come. kinds:
    how many kinds of texts are tried; None for all.
    """

    ids: dict[str, list[str]]
    rng: Random
    kinds: int | None = None

    def of(self, name: str, schema: dict[str, Any]) -> Iterator[Any]:
        schema = resolve_schema(schema)
        if "enum" in schema:
            yield from [one for one in schema["enum"] if one is not None][:6]
            return
        match _kind(schema):
            case "array":
                yield from self._lists(schema)
            case "object":
                yield {f"key {n}": "v" * 300 for n in range(WIDE)}
                yield self._nested(DEEP)
            case "boolean":
                yield from (True, False)
            case "integer":
                yield schema.get("maximum", 1_000)
            case "number":
                yield schema.get("maximum", 1)

    def _nested(self, depth: int) -> Any:
        return {"a": [self._nested(depth - 2)] * 2} if depth > 1 else "v"

    def _lists(self, schema: dict[str, Any]) -> Iterator[list[Any]]:
        most, items = schema.get("maxItems", 1_000), resolve_schema(schema["items"])
        if "enum" in items:
            yield [items["enum"][n % len(items["enum"])] for n in range(most)]
            return
        if _kind(items) != "string":
            return
        yield [str(UUID(int=self.rng.getrandbits(128), version=4)) for _ in range(most)]
        if items.get("format") != "uuid":
            longest = items.get("maxLength", 300)
            yield [f"platform{n}:unknown" for n in range(most)]
            yield [f"{n:06}".ljust(longest, "x") for n in range(most)]
            for kind in self._some()[:2]:
                text = kind(longest * most)
                yield [text[n * longest : (n + 1) * longest] for n in range(most)]
        for slot in ("member", "group", "robot"):
            known = self.ids[slot]
            yield [known[n % len(known)] for n in range(most)]

    def texts(self, name: str, schema: dict[str, Any]) -> list[tuple[TextGenerator, int]] | None:
        """(kind, its length) of the texts to try; None for what is no free text."""
        schema = resolve_schema(schema)
        if "enum" in schema or _kind(schema) != "string" or schema.get("format"):
            return None
        longest = schema.get("maxLength", LONGEST)
        kinds = self._some()
        return [(kind, longest) for kind in (kinds[:FEW] if longest <= SHORT else kinds)]

    def _some(self) -> list[TextGenerator]:
        every = [kind for kinds in TEXT_GENERATORS.values() for kind in kinds]
        return self.rng.sample(every, self.kinds or len(every))


@dataclass
class Search:
    """Sends calls, each undone, and keeps the dearest. sent: how many there were. failed: those
    at which the server failed."""

    client: Client
    values: Values
    sent: int = 0
    named: dict[str, str] = field(default_factory=dict)
    # (operation, status, query and beginning of the body) of what the server failed at.
    failed: list[tuple[str, int, str]] = field(default_factory=list)
    _answered: dict[str, str] = field(default_factory=dict)

    def try_texts(self, operation: Operation, texts: Sequence[str]) -> int:
        """Send each text in each field that takes free texts; returns how many fields."""
        path, fields = self._path(operation), 0
        inputs = [(way[-1], schema, partial(_in_body, way)) for way, schema in operation.fields]
        inputs += [(name, schema, partial(_in_query, name)) for name, schema in operation.query]
        for name, schema, setting in inputs:
            if self.values.texts(str(name), schema) is None:
                continue
            fields += 1
            for text in texts:
                body, query = copy.deepcopy(operation.body), dict[str, Any]()
                setting(text)(body, query)
                self._cost(operation, path, body, query)
        return fields

    def dearest(self, operation: Operation) -> tuple[Cost, Any]:
        """(what the dearest call costs, its body or query)."""
        path = self._path(operation)
        body, query = copy.deepcopy(operation.body), dict[str, Any]()
        best = self._cost(operation, path, body, query), _what(body, query)
        plain = best[0].answer.status_code

        def attempt(change: Change) -> Cost:
            nonlocal body, query, best
            tried, asked = copy.deepcopy(body), dict(query)
            change(tried, asked)
            cost = self._cost(operation, path, tried, asked)
            if cost.seconds > best[0].seconds:
                best = cost, _what(tried, asked)
                if cost.answer.status_code == plain or cost.answer.status_code < 400:
                    body, query = tried, asked
            return cost

        for way, schema in operation.fields:
            self._try(way[-1], schema, attempt, partial(_in_body, way))
        for name, schema in operation.query:
            self._try(name, schema, attempt, partial(_in_query, name))
        return best

    def _try(
        self,
        name: str | int,
        schema: dict[str, Any],
        attempt: Callable[[Change], Cost],
        setting: Callable[[Any], Change],
    ) -> None:
        if name in UNTRIED:
            return
        texts = self.values.texts(str(name), schema)
        if texts is None or name in self.named:
            values = self.values.of(str(name), schema) if texts is None else [self.named[str(name)]]
            for value in values:
                attempt(setting(value))
            return
        costs = [
            (attempt(setting(kind(min(PROBE, most)))).seconds, n)
            for n, (kind, most) in enumerate(texts)
        ]
        for _, n in sorted(costs, reverse=True)[:2]:
            kind, most = texts[n]
            if most > PROBE:
                attempt(setting(kind(most)))

    def _path(self, operation: Operation) -> str:
        """The address with ids that the caller may know, where there are any."""
        path = operation.address
        for name in [part.partition("}")[0] for part in path.split("{")[1:]]:
            known = self.values.ids.get(name) or [str(UUID(int=1))]
            for slot in ("robot", "team", "group", "member"):
                if name == "reference" and f"/{slot}s/" in path:
                    known = self.values.ids.get(slot) or known
            begin = path.partition(f"{{{name}}}")[0]
            path = path.replace(f"{{{name}}}", self._known(begin, known))
        return path

    def _known(self, begin: str, ids: list[str]) -> str:
        """The first of these ids that the address answers with 200, else the first."""
        if begin not in self._answered:
            asked = (one for one in ids[:12] if self.client.get(begin + one).status_code == 200)
            self._answered[begin] = next(asked, ids[0])
        return self._answered[begin]

    def _cost(self, operation: Operation, path: str, body: Any, query: dict[str, Any]) -> Cost:
        kind, data = "application/json", b"" if body is None else json.dumps(body).encode()
        if operation.form:
            kind, data = "application/x-www-form-urlencoded", urlencode(body).encode()
        return self._send(operation, path, data, kind, query)

    def send_empty(self, operation: Operation, content_type: str) -> None:
        """Send the operation without a body."""
        self._send(operation, self._path(operation), b"", content_type, {})

    def _send(
        self, operation: Operation, path: str, data: bytes, kind: str, query: dict[str, Any]
    ) -> Cost:
        self.sent += 1
        with transaction.atomic():
            cost = cost_of(
                lambda: self.client.generic(
                    operation.method.upper(), path, data, kind, QUERY_STRING=urlencode(query)
                )
            )
            transaction.set_rollback(True)
        # 503 is how too much work is refused.
        if (status := cost.answer.status_code) >= 500 and status != 503:
            self.failed.append((str(operation), status, f"{query} {data[:300]!r}"))
        return cost


def _in_body(way: Path, value: Any) -> Change:
    return lambda body, query: set_value(body, way, value)


def _in_query(name: str, value: Any) -> Change:
    """A longer address is refused before anything reads it."""
    if isinstance(value, str):
        value = unquote(quote(value)[: settings.HEADER_MAX_BYTES], errors="ignore")
    return lambda body, query: query.update({name: value})


def _what(body: Any, query: dict[str, Any]) -> Any:
    return {**(body or {}), **query}
