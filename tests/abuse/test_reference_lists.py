"""A list of references costs as many statements for fifty as for two, wherever the API takes one.

The lists are found in the OpenAPI description, so that what is added later is tried as well.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from memories.store.models.memory import Memory
from orgs.api.serializers import MAX_REFERENCES
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.audiences import Audience
from orgs.models.base import new_id
from orgs.organisations.references import find_groups, find_members, get_member, link_identity
from robots.conversations.conversations import ensure_conversation
from robots.people.directory import find_known_groups
from robots.registry.robots import find_robots
from robots.teams.teams import find_teams
from tests.isolation.api_surface import Path, example, openapi_schema, resolve_schema, set_value
from tests.sampling import run_seed
from tests.world import NOW, World

# Lists whose strings are texts of the caller and refer to nothing.
TEXTS = frozenset(
    {
        "tags",
        "add_tags",
        "remove_tags",
        "propositions",
        "vip_senders",
        "kpis",
        "motivations",
        "queries",
        "children",
    }
)
REFERENCES: dict[str, Callable[[int], str]] = {
    "id": lambda n: str(uuid4()),
    "external id": lambda n: f"unknown-{n}",
    "platform": lambda n: f"platform{n}:unknown",
}


def lists(schema: dict[str, Any], way: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """(way, description) of every list of free strings in a body."""
    schema = resolve_schema(schema)
    for name, inner in schema.get("properties", {}).items():
        yield from lists(inner, (*way, name))
    items = resolve_schema(schema.get("items", {}))
    if items.get("type") == "object":
        yield from lists(items, (*way, 0))
    elif items and "enum" not in items and way and way[-1] not in TEXTS:
        yield way, schema


def places() -> list[tuple[str, str, Path, Any, int | None]]:
    """(method, address, way, body, the most items) of every list of references."""
    found = []
    for address, methods in openapi_schema()["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if content:
                for way, schema in lists(content["schema"]):
                    body = example(content["schema"])
                    found.append((method, address, way, body, schema.get("maxItems")))
    return found


PLACES = places()
NAMED = [f"{method} {address} {'.'.join(map(str, way))}" for method, address, way, *_ in PLACES]


def test_the_lists_are_found() -> None:
    assert len(PLACES) >= 20
    ends = {place[2][-1] for place in PLACES}
    assert ends >= {"members", "robots", "groups", "teams", "listeners", "mentions"}
    assert ends >= {"participants", "add", "remove", "accounts"}


@pytest.mark.conformance("H34")
@pytest.mark.parametrize("place", PLACES, ids=NAMED)
def test_no_list_of_references_takes_more_than_fifty(
    place: tuple[str, str, Path, Any, int | None],
) -> None:
    assert place[4] is not None
    assert place[4] <= MAX_REFERENCES


def known_ids(world: World) -> dict[str, str]:
    """What stands in for the names in an address."""
    here = world.here
    with scope(Scope(organisation=here.id)):
        every = tuple(Audience.objects.values_list("id", flat=True))
    with scope(Scope(organisation=here.id, audiences=every)):
        memory = Memory.objects.filter(organisation_id=here.id).first()
    assert memory
    talk, _ = ensure_conversation(here.robot("aria"), {"group": "launch"}, now=NOW)
    return {
        "reference": str(here.groups["launch"].id),
        "memory_id": str(memory.id),
        "conversation_id": str(talk.id),
    }


@pytest.mark.conformance("T30", "H34")
@pytest.mark.parametrize("one_of", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_fifty_references_cost_no_more_statements_than_two(
    world: World, one_of: int, request: pytest.FixtureRequest
) -> None:
    """Of each list with references of one kind in the quick suite, with all of them in the slow."""
    here, seed = world.here, run_seed(request)
    here.remember(here.robot("aria"), "The canteen closes at two.", group="launch")
    here.add_robot(
        "all", groups=("launch", "design"), scopes=("read", "write", "act_for", "manage")
    )
    api, ids, statuses = here.api("all"), known_ids(world), {}

    def cost(method: str, path: str, body: Any) -> tuple[int, int]:
        # Django keeps so many statements, and there are more calls than that.
        connection.queries_log.clear()
        with transaction.atomic(), CaptureQueriesContext(connection) as captured:
            answer = api.generic(
                method.upper(), path, json.dumps(body), content_type="application/json"
            )
            transaction.set_rollback(True)
        return len(captured), answer.status_code

    # The first call notes that the key was used.
    cost("get", "/api/v1/robots", None)
    for number, (method, address, way, plain, _) in enumerate(PLACES):
        path, body = address, plain
        for name in [part.partition("}")[0] for part in address.split("{")[1:]]:
            path = path.replace(f"{{{name}}}", ids.get(name, str(new_id())))
        if "visibility" not in body and way[0] in ("readers", "listeners"):
            body = plain | {"visibility": "shared" if way[0] == "readers" else "protected"}
        for what, make in [*REFERENCES.items()][(number + seed) % one_of :: one_of]:
            costs = {}
            for count in (2, MAX_REFERENCES):
                sent = json.loads(json.dumps(body))
                set_value(sent, (*way, 0), "x")
                set_value(sent, way, [make(n) for n in range(count)])
                costs[count] = cost(method, path, sent)
            few, many = costs[2], costs[MAX_REFERENCES]
            assert few[1] == many[1], (method, address, way, what, costs)
            assert many[0] <= few[0] + 3, (method, address, way, what, costs)
            statuses[address, way] = many[1]
            set_value(sent, way, [make(n) for n in range(MAX_REFERENCES + 1)])
            if way[0] != "items":  # each item of a batch has a result of its own
                assert cost(method, path, sent)[1] in (400, 403), (method, address, way)
    # They reached the look-ups: most are answered, or told that nothing has such a name.
    reached = [status for status in statuses.values() if status in (200, 201, 404)]
    assert len(reached) >= len(statuses) * 0.7, statuses


def test_many_references_mean_what_each_means_alone(world: World) -> None:
    """Ids in other spellings, names with several readings, foreign, removed and impossible ones."""
    here, there = world.here, world.there
    mina, bob, ada = (here.members[name] for name in ("mina", "bob", "ada"))
    launch = here.groups["launch"]
    with organisation_scope(here.id):
        for member, identifier, inside in (
            (mina, "m", None), (bob, "m", launch.id), (ada, "a", None), (bob, "b:c", None),
        ):  # fmt: skip
            link_identity(
                organisation_id=here.id, platform="slack", identifier=identifier,
                member_id=member.id, group_id=inside, confirmed_at=here.organisation.created_at,
            )  # fmt: skip
    names = [
        "slack:m", "slack:a", "slack:b:c", "slack:", ":m", "m", "slack", "a\x00b", "\ud800",
        str(mina.id), str(mina.id).upper(), mina.id.hex, f"{{{bob.id}}}", str(uuid4()),
        str(there.members["mina"].id), str(launch.id), launch.external_id, "design", "pair",
        str(here.robots["aria"].id), str(there.robots["aria"].id), "",
    ]  # fmt: skip
    here.add_team("pair", "aria")
    actor = here.robot("aria")
    with organisation_scope(here.id):
        for within in (None, launch):
            found = find_members(here.id, names, within)
            alone = {
                n: m for name in names for n, m in find_members(here.id, [name], within).items()
            }
            assert found == alone
            assert found["slack:m"].id == (bob.id if within else mina.id)
        assert set(found) >= {"slack:a", "slack:b:c", mina.id.hex, f"{{{bob.id}}}"}
        assert not set(found) & {"slack:", ":m", "m", "a\x00b", "", str(there.members["mina"].id)}
        assert get_member(here.id, "slack:b:c") == bob
        # The one who does not know the member whom a name means gets nobody, and no other reading.
        among = type(mina).objects.exclude(id=bob.id)
        assert "slack:m" not in find_members(here.id, names, launch, among)
        finders: tuple[Callable[[list[str]], Mapping[str, Any]], ...] = (
            lambda some: find_groups(here.id, some),
            lambda some: find_known_groups(actor, some),
            lambda some: find_robots(here.id, some),
            lambda some: find_teams(here.id, some),
        )
        for find in finders:
            many = find(names)
            assert many == {n: one for name in names for n, one in find([name]).items()}
            assert len(many) in (1, 2, 3)
