"""No address can be made to work for long: the dearest input of each, found by search (T30).

docs/api.md says what a call may cost. The quick part looks at some addresses and pages with few
texts and allows a multiple, so that a busy machine changes nothing; the whole looks at all with
all.
"""

import json
from random import Random
from typing import Any

import pytest
from django.test import Client

from tests.abuse.cost import Cost
from tests.abuse.dearest import LONGEST, Operation, Search, Values, operations, page_operations
from tests.fuzz.test_no_server_error import ids_of
from tests.isolation.canaries import plant_canaries
from tests.sampling import run_seed, sample_slice
from tests.world import World

# Seconds of the processor of a call, and of each further portion of the text that it sends.
A_CALL, PORTION = 0.25, 32_000
# What has a budget of its own: calendars and mailboxes are read by a process of their own.
OWN = {"/api/v1/accounts": 5.0, "/api/v1/accounts/{account_id}/file": 5.0}
# Processor time is stretched by what else the machine does at the same time.
SLACK, QUICK_SLACK = 2.0, 8.0
MOST_STATEMENTS = 250


def budget(operation: Operation, sent: Any) -> float:
    """The seconds that a call may take."""
    size = len(json.dumps(sent, ensure_ascii=False))
    return OWN.get(operation.address, A_CALL) * max(1.0, size / PORTION)


def searches(world: World, rng: Random, kinds: int | None) -> list[Search]:
    """As a robot with every scope, and as an admin in a browser."""
    plant_canaries(world)
    here = world.here
    here.add_robot(
        "all", groups=("launch", "design"), scopes=("read", "write", "act_for", "manage")
    )
    values = Values(ids_of(here), rng, kinds)
    member, group = str(here.members["mina"].id), str(here.groups["launch"].id)
    named = {"group": group, "member": member, "visibility": "organisation"}
    clients: list[Client] = [here.api("all"), here.browser("ada")]
    for client in clients:
        client.raise_request_exception = False
    return [
        Search(clients[0], values, named=named),
        Search(clients[1], values, named={"group": group, "visibility": "organisation"}),
    ]


def faults(
    found: list[tuple[Operation, Cost, Any]], slack: float
) -> list[tuple[float, str, int, int, str]]:
    """(seconds, operation, status, statements, beginning of what was sent) of what is too dear."""
    return sorted(
        (
            (round(cost.seconds, 3), str(operation), cost.answer.status_code, cost.statements,
             str(sent)[:300])
            for operation, cost, sent in found
            if cost.seconds > slack * budget(operation, sent) or cost.statements > MOST_STATEMENTS
        ),
        reverse=True,
    )  # fmt: skip


@pytest.fixture(autouse=True)
def longest_memories(settings: Any) -> None:
    settings.MEMORY_MAX_BYTES = LONGEST


@pytest.mark.conformance("T30", "T24")
@pytest.mark.timeout(600)
def test_the_dearest_input_of_some_addresses_is_cheap(
    lasting_world: World, request: pytest.FixtureRequest
) -> None:
    rng = Random(run_seed(request))  # noqa: S311
    with_key, in_browser = searches(lasting_world, rng, 2)
    some = operations()[sample_slice(request, 48)]
    assert len(some) >= 2
    found = [(operation, *with_key.dearest(operation)) for operation in some]
    pages = page_operations(in_browser.client, in_browser.values.ids)
    assert len(pages) >= 100
    found += [(one, *in_browser.dearest(one)) for one in pages[sample_slice(request, 72)]]
    assert with_key.sent >= sum(1 + len(one.inputs()) for one in some)
    assert not (failed := with_key.failed + in_browser.failed), failed
    assert not (dear := faults(found, QUICK_SLACK)), dear


@pytest.mark.slow
@pytest.mark.conformance("T30", "T24")
@pytest.mark.timeout(7200)
def test_the_dearest_input_of_every_address_is_cheap(
    lasting_world: World, request: pytest.FixtureRequest
) -> None:
    rng = Random(run_seed(request))  # noqa: S311
    found = []
    both = searches(lasting_world, rng, 30)
    for search in both:
        for operation in operations():
            found.append((operation, *search.dearest(operation)))
            print(faults(found[-1:], 1.0) or "", end="", flush=True)  # noqa: T201 - for who waits
    pages = page_operations(search.client, search.values.ids)
    for operation in pages:
        found.append((operation, *search.dearest(operation)))
        print(faults(found[-1:], 1.0) or "", end="", flush=True)  # noqa: T201 - for who waits
    assert not (failed := both[0].failed + both[1].failed), "\n".join(map(str, failed[:20]))
    answered = [cost for _, cost, _ in found if cost.answer.status_code < 400]
    assert len(answered) >= 60
    assert not (dear := faults(found, SLACK)), "\n".join(map(str, dear[:20]))
