"""A plugin of pytest for the tests of LangGraph's own stores: they meet the store of Commonmind.

`test_langgraph_suite.py` runs it with the tests that it takes from the sdists. COMMONMIND_URL and
COMMONMIND_KEY say where the server is.
"""

import uuid
from typing import Any

import langgraph.store.memory
import pytest
from commonmind import Client
from commonmind.langgraph import CommonmindStore

TTL_MINUTES = 0.1

CLIENTS: list[Client] = []


def client() -> Client:
    if not CLIENTS:
        CLIENTS.append(Client(timeout=60))
    return CLIENTS[0]


class Store(CommonmindStore):
    """A store of its own for each test, made as LangGraph's own are."""

    def __init__(self, *, index: Any = None, ttl: Any = None) -> None:
        fields = (index or {}).get("fields")
        super().__init__(client(), name=uuid.uuid4().hex, fields=fields, ttl=ttl)

    async def start_ttl_sweeper(self) -> None:
        """Theirs begins to delete what is over; here it is gone without that."""

    async def stop_ttl_sweeper(self) -> None:
        """See above."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """How a vector is kept is the server's: of the ways that a test is run for, one is enough."""
    seen: set[str] = set()
    chosen = []
    for item in items:
        name = item.nodeid.partition("[")[0]
        if "vector_type" not in getattr(getattr(item, "callspec", None), "params", {}):
            chosen.append(item)
        elif name not in seen:
            seen.add(name)
            chosen.append(item)
    items[:] = chosen


# The tests of the package import the name from here.
langgraph.store.memory.InMemoryStore = Store  # type: ignore[misc]


def make_store() -> Store:
    return Store(ttl={"default_ttl": TTL_MINUTES, "refresh_on_read": True})


@pytest.fixture
def store() -> Store:
    return make_store()


@pytest.fixture
def vector_store() -> Store:
    return Store(index={})


@pytest.fixture(autouse=True)
def clear_test_db() -> None:
    """Theirs empties their database."""


class _create_vector_store:  # noqa: N801
    """In place of a function of theirs, for `with` and `async with`."""

    def __init__(self, *_: Any, text_fields: list[str] | None = None, **__: Any) -> None:
        self.store = Store(index={"fields": text_fields})

    def __enter__(self) -> Store:
        return self.store

    def __exit__(self, *_: object) -> None:
        pass

    async def __aenter__(self) -> Store:
        return self.store

    async def __aexit__(self, *_: object) -> None:
        pass
