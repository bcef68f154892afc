"""Makes calls that nobody means: every address x method x nasty values, by everyone.

Addresses come from the URL conf, bodies from the OpenAPI description and from the forms of the
pages themselves, so that what is added later is tried without anybody writing a test for it.
"""

import copy
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from random import Random
from typing import Any
from urllib.parse import quote

from django.test import Client

from tests.fuzz import hostile_values
from tests.isolation.api_surface import (
    body_slots,
    example,
    iter_url_patterns,
    openapi_path,
    openapi_schema,
    set_value,
)

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "FOO")
# Likely ones more often: most views answer two methods.
WEIGHTS = (40, 40, 3, 4, 4, 3, 3, 1, 2)
# What pages and Django's admin read from an address.
QUERY = ["q", "group", "member", "robot", "cursor", "before", "since", "until", "limit", "status"]
QUERY += ["kind", "type", "tier", "tag", "category", "memory", "who", "staff", "next", "page"]
QUERY += ["trust", "topic", "person", "strategy", "format", "version", "script", "lang", "job"]
ADMIN_QUERY = ["o", "p", "e", "all", "q", "_to_field", "_popup", "_changelist_filters", "next"]
ADMIN_LOOKUPS = ["content", "text", "id", "name", "email", "password", "digest", "status", "kind"]
ADMIN_LOOKUPS += ["organisation", "organisation__name", "memory__content", "created_at", "user"]
ADMIN_LOOKUPS += ["metadata__a", "robot__keys__digest", "pk", "none_such", "created_at__year"]
OPERATORS = ["", "__exact", "__startswith", "__contains", "__regex", "__gt", "__in", "__isnull"]
OPERATORS += ["__range", "__year", "__x__y", "__search", "__trigram_similar", "__date"]
SLOT_PATTERN = re.compile(r"\{(\w+)\}")
# Who has business where; one call in eight comes from anybody else.
CALLERS_BY_PREFIX = {
    "/api/": ("aria", "dora", "aria", "dora", "ada", "mina"),
    "/admin/": ("support", "superuser"),
    "/design/": ("support",),
    "/": ("ada", "ada", "chidi", "mina", "vera"),
}


@dataclass(frozen=True)
class Call:
    """One call, as it can be repeated."""

    caller: str
    method: str
    path: str
    body: bytes = b""
    content_type: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    def send(self, client: Client) -> Any:
        """Send it; an exception in a view becomes its status 500."""
        environ = dict(self.headers)
        if self.content_type:
            environ["CONTENT_TYPE"] = self.content_type
        path, _, query = self.path.partition("?")
        return client.generic(
            self.method,
            path,
            self.body,
            self.content_type or "application/octet-stream",
            QUERY_STRING=query,
            **environ,
        )

    def __str__(self) -> str:
        body = self.body[:300] + (b"..." if len(self.body) > 300 else b"")
        return (
            f"{self.caller}: {self.method} {self.path[:600]} {self.content_type!r} "
            f"{dict(self.headers)} {body!r}"
        )


@dataclass
class Form:
    """A form as a page shows it: where it goes and what it sends."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    method: str = "get"


class FormParser(HTMLParser):
    """The forms of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.page, self.found = page, list[Form]()
        self.open: Form | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "form":
            to = values.get("action") or values.get("hx-post") or self.page
            by_script = "post" if values.get("hx-post") else "get"
            self.open = Form(to, method=(values.get("method") or by_script).lower())
            self.found.append(self.open)
        name = values.get("name")
        if self.open is not None and name and tag in ("input", "textarea", "select", "button"):
            self.open.fields[name] = values.get("value") or "1"

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.open = None


class CallGenerator:
    """Calls in a row that a seed decides.

    ids: what really exists, by the name of the slot in an address.
    """

    def __init__(self, seed: int, callers: list[str], ids: dict[str, list[str]]) -> None:
        self.rng, self.callers, self.ids = Random(seed), callers, ids  # noqa: S311
        routes = sorted({openapi_path(route) for route, _ in iter_url_patterns(mem0=True)})
        self.addresses = [re.sub(r"[\^$\\]|\(\?P<\w+>[^)]*\)", "", a) for a in routes]
        self.forms: dict[str, list[Form]] = {}

    def calls(self, count: int) -> Iterator[Call]:
        """Every address in turn, in an order of its own each time."""
        made = 0
        while made < count:
            for place in self.rng.sample(self.addresses, len(self.addresses)):
                yield self.call(place)
                made += 1
                if made == count:
                    return

    def learn(self, place: str, html: str) -> None:
        """Keep the forms of a page: what they send is the start of what we send."""
        reader = FormParser(place)
        reader.feed(html)
        for form in reader.found:
            kept = self.forms.setdefault(form.action.partition("?")[0], [])
            if len(kept) < 20:
                kept.append(form)

    def call(self, place: str) -> Call:
        """One call to an address, its slots filled with what exists or with anything."""
        rng = self.rng
        caller = self.caller(place)
        if self.forms and not place.startswith("/api/") and rng.random() < 0.35:
            return self.submitted()
        method = rng.choices(METHODS, WEIGHTS)[0]
        described = openapi_schema()["paths"].get(place, {}) if place.startswith("/api/") else {}
        if described and rng.random() < 0.8:
            method = rng.choice([m for m in described if m != "parameters"]).upper()
        path = SLOT_PATTERN.sub(lambda found: self.filled(found[1]), place)
        query = self.query(place, described.get(method.lower(), {}))
        body, kind = self.body(method, place, described.get(method.lower(), {}))
        headers = [rng.choice(hostile_values.HEADERS)] if rng.random() < 0.15 else []
        return Call(caller, method, path + query, body, kind, tuple(headers))

    def caller(self, place: str) -> str:
        if self.rng.random() < 0.125:
            return self.rng.choice(self.callers)
        return self.rng.choice(
            next(who for to, who in CALLERS_BY_PREFIX.items() if place.startswith(to))
        )

    def filled(self, name: str) -> str:
        known = self.ids.get(name) or self.ids["any"]
        return (
            self.rng.choice(known)
            if self.rng.random() < 0.7
            else hostile_values.hostile_url_part(self.rng)
        )

    def query(self, place: str, operation: dict[str, Any]) -> str:
        rng = self.rng
        names = [p["name"] for p in operation.get("parameters", []) if p["in"] == "query"]
        if place.startswith("/admin/"):
            names = ADMIN_QUERY + [rng.choice(ADMIN_LOOKUPS) + o for o in OPERATORS]
        names = names or QUERY
        parts = []
        for _ in range(rng.choice((0, 1, 1, 2, 4))):
            name = (
                quote(rng.choice(names))
                if rng.random() < 0.95
                else hostile_values.hostile_url_part(rng)
            )
            parts.append(f"{name}={self.filled(name)}")
        return "?" + "&".join(parts) if parts else ""

    def body(self, method: str, place: str, operation: dict[str, Any]) -> tuple[bytes, str]:
        rng = self.rng
        if method in ("GET", "HEAD", "OPTIONS", "TRACE") and rng.random() < 0.95:
            return b"", ""
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is None and not place.startswith("/api/"):
            return self.form({})
        if rng.random() < 0.15:
            kind = rng.choice(hostile_values.CONTENT_TYPES)
            return rng.choice(
                hostile_values.BROKEN
            ), kind if rng.random() < 0.5 else "application/json"
        body = example(content["schema"]) if content else self.document()
        slots = list(body_slots(content["schema"])) if content else []
        for _ in range(rng.choice((0, 1, 1, 2, 5))):
            body = self.changed(body, slots)
        return json.dumps(body).encode(), "application/json"

    def document(self) -> Any:
        """One of its own: what is put into another, or into itself, must not change the next."""
        return copy.deepcopy(hostile_values.hostile_json(self.rng))

    def changed(self, body: Any, slots: list[Any]) -> Any:
        """The body with one value, sometimes of the wrong kind, in some place."""
        rng = self.rng
        if not slots or not isinstance(body, dict) or rng.random() < 0.1:
            return self.document()
        way = rng.choice(slots)
        value = self.document() if rng.random() < 0.7 else rng.choice(self.ids["any"])
        try:
            set_value(body, way if rng.random() < 0.7 else way[:1], value)
        except (AttributeError, IndexError, KeyError, TypeError):
            return self.document()  # an earlier change left no way to that place
        return body

    def submitted(self) -> Call:
        """A form of some page, with fields missing, doubled or wrong."""
        rng = self.rng
        form = rng.choice(rng.choice(list(self.forms.values())))
        body, kind = self.form(form.fields)
        place, _, query = form.action.partition("?")
        if query and rng.random() < 0.5:
            query = f"{query.partition('=')[0]}={hostile_values.hostile_url_part(rng)}"
        path = quote(f"{place}?{query}" if query else place, safe="/?&=%-_.~:,")
        return Call(self.caller(place), "POST", path, body, kind)

    def form(self, fields: dict[str, str]) -> tuple[bytes, str]:
        rng = self.rng
        if rng.random() < 0.05:
            return rng.choice(hostile_values.BROKEN), rng.choice(hostile_values.CONTENT_TYPES)
        known = fields or dict.fromkeys(rng.sample(QUERY, 3), "")
        pairs = []
        for name, value in known.items():
            chance = rng.random()
            if chance < 0.15:
                continue
            wrong = chance < 0.45 or not fields
            pairs.append((name, self.filled(name) if wrong else quote(value, safe="")))
            if chance > 0.9:
                pairs.append((name, hostile_values.hostile_url_part(rng)))
        joined = "&".join(f"{quote(name)}={value}" for name, value in pairs)
        return joined.encode(), "application/x-www-form-urlencoded"


def reset_cookies(client: Client, cookies: Any) -> Client:
    """The client as it was before anything was sent."""
    client.cookies = copy.deepcopy(cookies)
    return client
