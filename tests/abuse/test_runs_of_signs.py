"""No address fails at a text that is one sign many times, and none at an empty body (T25)."""

from random import Random

import pytest
from django.test import Client

from tests.abuse.dearest import Operation, Search, Values, operations, page_operations
from tests.fuzz.test_no_server_error import ids_of
from tests.isolation.canaries import plant_canaries
from tests.sampling import sample_slice
from tests.world import World

pytestmark = pytest.mark.conformance("T25")

# PostgreSQL's queries of words take 31 signs that nest, and some of ours divide at a sign.
TEXTS = [sign * 64 for sign in "-:(\"'/.,&|!*<>@#\\%_"] + ["- " * 64 + "word", "or " * 64]
TYPES = ("", "application/json", "multipart/form-data; boundary=x", "text/plain")


def senders(world: World) -> tuple[Search, Search]:
    """A robot with every scope, and an admin in a browser."""
    plant_canaries(world)
    here = world.here
    scopes = ("read", "write", "act_for", "manage")
    here.add_robot("all", groups=("launch", "design"), scopes=scopes)
    clients: list[Client] = [here.api("all"), here.browser("ada")]
    for client in clients:
        client.raise_request_exception = False
    values = Values(ids_of(here), Random(1), 1)  # noqa: S311
    return Search(clients[0], values), Search(clients[1], values)


def try_all(search: Search, some: list[Operation]) -> int:
    fields = sum(search.try_texts(operation, TEXTS) for operation in some)
    assert not search.failed, search.failed[:10]
    return fields


@pytest.mark.timeout(600)
def test_some_addresses_take_a_run_of_any_sign(
    lasting_world: World, request: pytest.FixtureRequest
) -> None:
    with_key, in_browser = senders(lasting_world)
    assert try_all(with_key, operations()[sample_slice(request, 24)]) > 2
    pages = page_operations(in_browser.client, in_browser.values.ids)
    assert try_all(in_browser, pages[sample_slice(request, 24)]) > 2


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_every_address_takes_a_run_of_any_sign(lasting_world: World) -> None:
    with_key, in_browser = senders(lasting_world)
    assert try_all(with_key, operations()) > 150
    pages = page_operations(in_browser.client, in_browser.values.ids)
    assert try_all(in_browser, pages) > 150


@pytest.mark.parametrize("content_type", TYPES)
def test_no_address_fails_at_an_empty_body(lasting_world: World, content_type: str) -> None:
    search = senders(lasting_world)[0]
    tried = 0
    for operation in operations():
        if operation.method != "get":
            search.send_empty(operation, content_type)
            tried += 1
    assert tried > 100
    assert not search.failed, search.failed[:10]
