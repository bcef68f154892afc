"""Answers made comparable: what differs between two equal calls is taken out."""

import io
import re
from typing import Any
from urllib.parse import unquote

import orjson
from django.db import transaction
from django.http import HttpResponse
from rest_framework.test import APIClient

from config.fast_path import RECALL_PATH
from config.mcp.rest_calls import API_PREFIX, RestAnswer
from config.mcp.tools import ToolInputError
from memories.api.recall.recall_views import answer_by_key
from robots.access.keys import parse_key
from tests.isolation.api_surface import TOOL_METHOD, TOOLS, Operation

REQUEST_ID = re.compile(r"\b[0-9a-f]{32}\b")
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)")
TOOK_PATTERN = re.compile(r'"took_ms":\s*[\d.]+')
UUID_PATTERN = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
CSRF = re.compile(r"\b[A-Za-z0-9]{64}\b")
# The stamp and the signature of a cursor; what it points at stays.
CURSOR = re.compile(r'(cursor=[\w-]+)(%3A|:)[^&"]*')
SIGNED = re.compile(r"[\w-]+:[\w-]{6}:[\w-]{43}")
# A cursor that is encrypted: of the feed of changes.
SEALED = re.compile(r"\bgAAAA[\w-]{60,}=*")
# A new key of a robot or for enrolment, told once; its prefix stands beside it.
FRESH_KEY = re.compile(r"\bcm[ek]_[0-9a-f]{32}_([0-9a-z]+)_[\w-]{43}")
RANDOM_NAME = re.compile(r"\brobot_[0-9a-f]{8}\b")
# How many tokens a mark has differs from mark to mark; what the sections have is compared.
MARKED_TOKENS = re.compile(r'(?<="tokens":)\d+(?=,"recall_id")')
# The random mark around what a prompt is given.
MARK = re.compile(r"(?<=\[begin )[0-9a-f]{16}|(?<=\[end )[0-9a-f]{16}")
ACTIVE = re.compile(r'"last_active_at":("[^"]*"|null)')


def send(
    client: APIClient, operation: Operation, path: str, query: dict[str, str], body: Any
) -> HttpResponse:
    """One call; pages take forms, the API takes JSON, a tool its arguments."""
    if operation.method == TOOL_METHOD:
        return call_tool(client, path, body)
    options: dict[str, Any] = {"QUERY_STRING": ""}
    if query:
        path += "?" + "&".join(f"{k}={quote_url(v)}" for k, v in query.items())
    options.pop("QUERY_STRING")
    if body is not None:
        options["format"] = "json" if operation.described else "multipart"
        options["data"] = body
    told = getattr(client, operation.method)(path, **options)
    if not told.streaming:
        return told
    whole = HttpResponse(b"".join(told.streaming_content), status=told.status_code)
    whole.headers = told.headers
    return whole


def call_tool(client: APIClient, name: str, arguments: dict[str, Any]) -> HttpResponse:
    """The answer of a tool of MCP as it is told to the agent, with the status of its REST call."""
    tool = TOOLS[name]
    try:
        call = tool.prepare(arguments)
    except ToolInputError as refused:
        return HttpResponse(str(refused), status=400)
    told = client.generic(
        call.method,
        API_PREFIX + call.path,
        call.content or b"",
        content_type="application/json",
        QUERY_STRING=call.query,
    )
    headers = {name.lower(): value for name, value in told.headers.items()}
    structured, text = tool.answer(arguments, RestAnswer(told.status_code, headers, told.content))
    whole = orjson.dumps({"structured": structured, "text": text})
    return HttpResponse(whole, status=told.status_code, content_type="application/json")


def fast_path_answer(
    client: APIClient, path: str, query: dict[str, str], body: Any
) -> bytes | None:
    """What the straight way answers to a recall by key, in a transaction that is undone."""
    shown = client._credentials.get("HTTP_AUTHORIZATION", "")
    key = parse_key(shown.removeprefix("Bearer "))
    if key is None or path != RECALL_PATH or query:
        return None
    with transaction.atomic():
        found = answer_by_key(key, io.BytesIO(orjson.dumps(body)))
        transaction.set_rollback(True)
    return found


def quote_url(value: str) -> str:
    from urllib.parse import quote

    return quote(value, safe="")


def response_text(answer: HttpResponse) -> str:
    """Body and the headers that could tell something."""
    headers = {
        k: v
        for k, v in answer.headers.items()
        if k not in ("X-Request-ID", "Content-Length", "Set-Cookie")
    }
    whole = b"".join(answer.streaming_content) if answer.streaming else answer.content
    body = whole.decode(errors="replace")
    return f"{answer.status_code} {sorted(headers.items())}\n{body}"


def normalise_response(answer: HttpResponse, sent: str, known: frozenset[str]) -> str:
    """The answer without what is new in every call; the sent value is a blank in it."""
    # Twice: the way back after signing in is an address inside an address.
    text = unquote(unquote(response_text(answer))).replace(sent, "<sent>")
    for fresh in FRESH_KEY.finditer(text):
        text = text.replace(fresh.group(0), "<key>").replace(fresh.group(1), "<prefix>")
    text = CURSOR.sub(r"\1", SEALED.sub("<sealed>", text))
    text = UUID_PATTERN.sub(lambda m: m.group(0) if m.group(0) in known else "<id>", text)
    for pattern, blank in (
        (REQUEST_ID, "<request>"),
        (TIME, "<time>"),
        (TOOK_PATTERN, "<took>"),
        (SIGNED, "<signed>"),
        (RANDOM_NAME, "<name>"),
        (CSRF, "<token>"),
        (ACTIVE, "<active>"),
        (MARK, "<mark>"),
        (MARKED_TOKENS, "<tokens>"),
    ):
        text = pattern.sub(blank, text)
    return text
