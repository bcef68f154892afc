"""What a type checker says of calls; `make lint` and `test_package.py` check it, nobody runs it.

Each `type: ignore` stands where it has to complain: one that is not needed is an error itself.
"""

from collections.abc import AsyncIterator, Iterator
from datetime import datetime

from commonmind import AsyncClient, Client, RefusedError, schema
from typing_extensions import assert_type  # noqa: UP035


def sync_calls(client: Client, at: datetime) -> None:
    assert_type(client.remember("x", group="launch", occurred_at=at), schema.Remembered)
    assert_type(client.recall("x")["results"], list[schema.Hit])
    assert_type(client.recall("x")["results"][0]["score"], float)
    assert_type(client.memories.list(category="fact"), Iterator[schema.Memory])
    assert_type(client.robots.revoke_key("a", "b"), None)
    assert_type(client.imports.memories([{"content": "x"}]), Iterator[schema.BatchResult])
    assert_type(client.with_options(retries=0), Client)
    client.with_options(retry=0)  # type: ignore[call-arg]
    client.remember()  # type: ignore[call-arg]
    client.remember(5)  # type: ignore[arg-type]
    client.recall("x", limt=3)  # type: ignore[call-arg]
    client.recall("x", limit="3")  # type: ignore[arg-type]
    client.recall("x", strategy="fastest")  # type: ignore[arg-type]
    client.memories.list(cursor="x")  # type: ignore[call-arg]
    client.recall("x")["hits"]  # type: ignore[misc]


async def async_calls(client: AsyncClient) -> None:
    assert_type(await client.remember("x"), schema.Remembered)
    assert_type(client.memories.list(), AsyncIterator[schema.Memory])
    assert_type(await client.tasks.get("x"), schema.Task)
    client.remember("x")  # type: ignore[unused-coroutine]
    client.recall("x")["results"]  # type: ignore[index]
    await client.recall("x", limt=3)  # type: ignore[call-arg]


def errors(error: RefusedError) -> None:
    assert_type(error.problem, schema.Problem)
    assert_type(error.code, str)
