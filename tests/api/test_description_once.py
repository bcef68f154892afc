"""The API's description is made once and then handed out; no query changes it (N01, T25)."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.test import Client

from config.site import api_docs

ADDRESS = "/api/v1/schema"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """How often the description was made, from an empty shelf."""
    found: list[Any] = []
    make = api_docs.SchemaGenerator.get_schema

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        found.append(1)
        return make(self, *args, **kwargs)

    monkeypatch.setattr(api_docs.SchemaGenerator, "get_schema", counted)
    monkeypatch.setattr(api_docs, "schema_cache", api_docs.SchemaCache())
    return found


def test_parallel_first_calls_make_it_once(made: list[Any]) -> None:
    together = Barrier(6)

    def ask(number: int) -> bytes:
        together.wait(10)
        kind = "application/json" if number % 2 else "application/vnd.oai.openapi"
        return Client().get(ADDRESS, headers={"accept": kind}).content

    with ThreadPoolExecutor(6) as pool:
        bodies = set(pool.map(ask, range(6)))
    assert len(bodies) == 2, "JSON and YAML"
    assert made == [1]


def test_whoever_has_it_is_told_so(made: list[Any]) -> None:
    client, kind = Client(), {"accept": "application/json"}
    first = client.get(ADDRESS, headers=kind)
    assert first.status_code == 200
    assert first["Cache-Control"] == "no-cache"
    assert "Accept" in first["Vary"]
    again = client.get(ADDRESS, headers=kind | {"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = client.get(ADDRESS, headers={"if-none-match": first["ETag"]})
    assert other.status_code == 200, "YAML has a mark of its own"
    assert client.get(ADDRESS, headers=kind | {"if-none-match": '"x"'}).status_code == 200
    assert made == [1]


@pytest.mark.conformance("T25")
@pytest.mark.parametrize("query", ["version=%0d%0aX: y", "version=%00", "lang=%00", "lang=de"])
@pytest.mark.parametrize("page", ["schema", "docs"])
def test_no_query_changes_it(page: str, query: str) -> None:
    client = Client(raise_request_exception=False)
    plain = client.get(f"/api/v1/{page}")
    asked = client.get(f"/api/v1/{page}?{query}")
    assert (plain.status_code, asked.status_code) == (200, 200)
    if page == "schema":
        assert asked.content == plain.content
        assert asked.headers["ETag"] == plain.headers["ETag"]


def test_a_form_that_is_not_served_is_a_problem() -> None:
    answer = Client().get(ADDRESS, headers={"accept": "image/png"})
    assert answer.status_code == 406
    assert answer["Content-Type"] == "application/problem+json"
    assert Client().post(ADDRESS).status_code == 405


def test_the_page_loads_the_description_without_a_query() -> None:
    script = Client().get("/api/v1/docs?script=&version=%0d%0a&lang=x").content.decode()
    assert '"/api/v1/schema"' in script
