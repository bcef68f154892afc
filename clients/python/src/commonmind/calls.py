"""What a call is, without sending it: one description serves both clients.

A method of a resource only describes: `@call` one call and its answer, `@rows` a flow of calls that
yields rows. On a `Client` the first returns the answer and the second an iterator; on an
`AsyncClient` they return an awaitable and an async iterator.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Protocol, TypeVar, overload
from urllib.parse import parse_qs, quote, urlsplit

from commonmind.errors import UnexpectedAnswerError

if TYPE_CHECKING:
    from typing import Concatenate, TypeAlias

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Call(Generic[T]):
    """One call of the API.

    path: below /api/v1/. query: names whose value is None are left out. body: what becomes JSON, or
    a Form. changes: it gets an Idempotency-Key, so that it may be sent again. save: where the file
    that is the answer goes; the answer is then its number of bytes.
    """

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    changes: bool = True
    save: Path | None = None


@dataclass(frozen=True)
class Form:
    """A body with a file. name: of the file. fields: what is None is left out."""

    name: str
    content: bytes
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class Row(Generic[T]):
    """A row that a flow yields."""

    value: T


if TYPE_CHECKING:
    # Yields calls and is sent their answers; an error of a call is raised at its `yield`.
    Flow: TypeAlias = Generator[Call[Any] | Row[T], Any, None]


def get(path: str, **query: Any) -> Call[Any]:
    """A call that reads."""
    return Call("GET", path, query, changes=False)


def ask(path: str, **body: Any) -> Call[Any]:
    """A POST that only answers, such as a recall."""
    return Call("POST", path, body=body, changes=False)


def write(method: str, path: str, body: Any = None, *, if_match: str | None = None) -> Call[Any]:
    """A call that changes something. if_match: only if that is still its ETag; else 412."""
    return Call(method, path, body=body, headers={"If-Match": if_match} if if_match else {})


def segment(reference: object) -> str:
    """An id or a name as one part of a path. Raises ValueError for what would be another path."""
    text = str(reference)
    if text in ("", ".", ".."):
        raise ValueError(f"{text!r} names nothing.")
    return quote(text, safe="")


def each_row(path: str, page_size: int | None, **query: Any) -> Flow[Any]:
    """The rows of a list, page by page, as they are asked for."""
    cursor: str | None = None
    while True:
        page = yield get(path, limit=page_size, cursor=cursor, **query)
        for row in page["results"]:
            yield Row(row)
        cursor = next_cursor(page, cursor)
        if cursor is None:
            return


def next_cursor(page: Mapping[str, Any], before: str | None) -> str | None:
    """The cursor of the page after this one; None after the last.

    Only the cursor is taken out of `next`: its host is where a proxy sends the server's calls, and
    the key goes nowhere but to the client's own address.
    """
    if page.get("next") is None:
        return None
    cursors = parse_qs(urlsplit(str(page["next"])).query).get("cursor", [])
    if len(cursors) != 1 or cursors[0] == before:
        raise UnexpectedAnswerError("The list has a next page and does not say where it begins.")
    return cursors[0]


class Sync:
    """The mode of a client that waits."""


class Async:
    """The mode of a client whose answers are awaited."""


Mode = TypeVar("Mode", Sync, Async)


class Runner(Protocol):
    """Sends calls, in one mode or the other."""

    def run(self, call: Call[Any]) -> Any: ...

    def iterate(self, flow: Generator[Any, Any, None]) -> Any: ...


class Resource(Generic[Mode]):
    """Some calls of a client."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner


class one_call(Generic[P, T]):  # noqa: N801
    """Makes a method that describes a call into one that returns its answer."""

    def __init__(self, describe: Callable[Concatenate[Any, P], Call[T]]) -> None:
        self._describe = describe
        functools.update_wrapper(self, describe)  # type: ignore[arg-type]

    @overload
    def __get__(self, resource: Resource[Sync], owner: Any = None) -> Callable[P, T]: ...
    @overload
    def __get__(
        self, resource: Resource[Async], owner: Any = None
    ) -> Callable[P, Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, resource: None, owner: Any = None) -> one_call[P, T]: ...
    def __get__(self, resource: Any, owner: Any = None) -> Any:
        if resource is None:
            return self

        @functools.wraps(self._describe)
        def answer(*args: Any, **kwargs: Any) -> Any:
            return resource.runner.run(self._describe(resource, *args, **kwargs))

        return answer


class row_flow(Generic[P, T]):  # noqa: N801
    """Makes a method that is a flow of calls into one that iterates over its rows."""

    def __init__(self, describe: Callable[Concatenate[Any, P], Flow[T]]) -> None:
        self._describe = describe
        functools.update_wrapper(self, describe)  # type: ignore[arg-type]

    @overload
    def __get__(self, resource: Resource[Sync], owner: Any = None) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(
        self, resource: Resource[Async], owner: Any = None
    ) -> Callable[P, AsyncIterator[T]]: ...
    @overload
    def __get__(self, resource: None, owner: Any = None) -> row_flow[P, T]: ...
    def __get__(self, resource: Any, owner: Any = None) -> Any:
        if resource is None:
            return self

        @functools.wraps(self._describe)
        def iterate(*args: Any, **kwargs: Any) -> Any:
            return resource.runner.iterate(self._describe(resource, *args, **kwargs))

        return iterate
