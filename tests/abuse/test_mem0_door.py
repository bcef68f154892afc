"""The door of mem0 is not in the description of the API, so its dearest input is put together here:
each filter as wide as it can be written, and adds of many sentences (T30)."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from memories.api.mem0 import add_memories, base, filters
from tests.abuse.cost import cost_of
from tests.abuse.test_abuse import A_CALL, PORTION, QUICK_SLACK
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("T30")
USER = {"user_id": "zoe"}
LISTS = "/mem0/v3/memories/"
WIDE = 900
# By the name of a field the widest operand of each operator that it has.
NUMBERS = [str(n) for n in range(100)]
OPERANDS: dict[str, list[Any]] = {
    **{name: [{"in": NUMBERS}, {"ne": "x" * 500}] for name in filters.ENTITIES},
    **{name: [{"gte": "2026-01-01T00:00:00Z"}] for name in ("created_at", "updated_at")},
    "categories": [{"in": NUMBERS}, {"contains": "x"}],
    "keywords": [{"icontains": "%_" * 250}],
    "memory_ids": [{"in": [str(UUID(int=n)) for n in range(100)]}],
    "metadata": [
        {f"k{n}": {"in": list(range(100))} for n in range(WIDE)},
        {f"k{n}": {"ne": "x" * 300} for n in range(WIDE)},
        {f"k{n}": "*" for n in range(WIDE)},
        {"k": {"in": [{"a": [{"b": n}]} for n in range(100)]}},
    ],
}


def widest(field: str) -> Iterator[dict[str, Any]]:
    """Filters of one field: once, and as often as conditions stand beside and in one another."""
    for operand in OPERANDS[field]:
        one = {field: operand}
        yield {"AND": [USER, one]}
        for joined in ("AND", "OR"):
            yield {"AND": [USER, {joined: [one] * (filters.MAX_CONDITIONS - 4)}]}
        deep: dict[str, Any] = one
        for _ in range(filters.MAX_DEPTH - 2):
            deep = {"NOT": [deep, one, one, one, one]}
        yield {"AND": [USER, deep]}


def add(here: Tenant, sentences: int, turns: int = 1) -> Any:
    words = [f"I like the green tea of hill {n} on day {n % 7}." for n in range(sentences * turns)]
    said = [" ".join(words[n::turns]) for n in range(turns)]
    messages = [{"role": "user", "content": one} for one in said]
    body = json.dumps({"messages": messages, **USER})
    return here.api("aria").post("/mem0/v3/memories/add/", body, content_type="application/json")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("field", OPERANDS)
def test_the_widest_filter_is_cheap_or_refused(world: World, field: str) -> None:
    here, statuses = world.here, set()
    assert add(here, 20).status_code == 200
    client = here.api("aria")
    for wanted in widest(field):
        body = json.dumps({"filters": wanted})
        cost = cost_of(lambda: client.post(LISTS, body, content_type="application/json"))  # noqa: B023
        statuses.add(cost.answer.status_code)
        most = A_CALL * max(1.0, len(body) / PORTION)
        assert cost.seconds <= QUICK_SLACK * most, (cost.seconds, len(body), str(wanted)[:200])
    # Another agent than the robot of the key is refused.
    assert statuses <= {200, 400, 403}


def test_every_field_of_a_filter_is_widened() -> None:
    assert set(OPERANDS) == set(filters._FIELDS)


@pytest.mark.parametrize(
    ("wanted", "status"),
    [
        ({"metadata": {"k": {"in": list(range(100))}, "l": {"in": list(range(99))}}}, 200),
        ({"metadata": {f"k{n}": {"in": list(range(100))} for n in range(3)}}, 400),
        ({"metadata": {f"k{n}": n for n in range(filters.MAX_COMPARISONS)}}, 400),
        ({"OR": [{"run_id": {"in": NUMBERS}}, {"run_id": {"in": NUMBERS}}]}, 400),
    ],
)
def test_values_are_counted_and_not_only_conditions(
    world: World, wanted: dict[str, Any], status: int
) -> None:
    body = json.dumps({"filters": {"AND": [USER, wanted]}})
    client = world.here.api("aria")
    add(world.here, 1)
    answer = client.post(LISTS, body, content_type="application/json")
    assert answer.status_code == status, answer.content


def test_an_add_keeps_as_many_texts_as_a_batch_has_items(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(add_memories, "MAX_TEXTS", 12)
    assert add(world.here, 3, turns=4).status_code == 200
    answer = add(world.here, 13)
    assert answer.status_code == 400
    assert b"at most 1,000 sentences" in answer.content


@pytest.mark.parametrize(
    ("body", "calls"),
    [
        ({"messages": "I like tea."}, 1),
        ({"messages": [{"role": "user", "content": "I like tea."}] * 100}, 20),
        ({"messages": [{"role": "user", "content": "I like tea. " * 90_000}]}, 200),
        ({"messages": [7, None, {"content": 7}]}, 1),
        ({}, 1),
    ],
)
def test_an_add_counts_as_a_batch_of_what_it_brings(body: dict[str, Any], calls: int) -> None:
    assert base.weigh_turns(body) == calls
    assert base.weigh_deletion({}) == base.MAX_DELETED // base.MEMORIES_PER_CALL == 40
