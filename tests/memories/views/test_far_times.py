"""Times at both ends of the calendar: who lives east or west of UTC reads every page all the same.

The fields are read from the description, so that a new one is tried without a test for it.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from tests.isolation.api_surface import Path, openapi_schema, resolve_schema, set_value
from tests.isolation.comparable_responses import send
from tests.isolation.forgery import (
    ForgeryWorld,
    bodies,
    build_forgery_world,
    writing_operations,
)
from tests.memories.views.test_every_page_asks_little import addresses
from tests.page_client import make_signed_in_client
from tests.sampling import run_seed, sample_slice
from tests.world import World

ENDS = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z")
EAST, WEST = "Pacific/Kiritimati", "Pacific/Niue"


def times(schema: dict[str, Any], path: Path = ()) -> Iterator[Path]:
    """Every place in a body that takes a time."""
    schema = resolve_schema(schema)
    for name, inner in schema.get("properties", {}).items():
        yield from times(inner, (*path, name))
    if "items" in schema:
        yield from times(schema["items"], (*path, 0))
    if schema.get("format") == "date-time":
        yield path


def write_everything(scene: ForgeryWorld, seed: int, one_of: int) -> dict[str, set[int]]:
    """Each operation with each of its times at a part of the ends; what it was answered with."""
    aria, answers, place = scene.here.api("aria"), dict[str, set[int]](), 0
    for operation in writing_operations():
        if operation.body is None or not operation.described:
            continue
        methods = openapi_schema()["paths"][operation.address][operation.method]
        content = methods["requestBody"]["content"]
        if "application/json" not in content:
            continue
        names = [part.partition("}")[0] for part in operation.address.split("{")[1:]]
        if set(names) - set(scene.ids):
            continue
        address = operation.address
        for name in names:
            address = address.replace(f"{{{name}}}", scene.ids[name][-1])
        for path in times(content["application/json"]["schema"]):
            place += 1
            for number, end in [*enumerate(ENDS)][(place + seed) % one_of :: one_of]:
                whole, _ = next(bodies(operation, scene.ids["memory_id"][3]))
                body = dict(whole)
                if "content" in body:
                    body["content"] = f"Comets {path[-1]} {number}."
                set_value(body, path, end)
                answer = send(aria, operation, address, {}, body)
                assert answer.status_code < 500, (str(operation), path, end, answer.content)
                answers.setdefault(f"{operation} {path[-1]}", set()).add(answer.status_code)
                if answer.status_code == 201 and "memory" in operation.address.rsplit("/")[-1]:
                    scene.ids["memory_id"].append(answer.json()["id"])
    return answers


@pytest.mark.conformance("T24")
@pytest.mark.parametrize("one_of", [2, pytest.param(1, marks=pytest.mark.slow)])
def test_a_time_at_the_end_of_the_calendar_breaks_nobodys_page(
    world: World, one_of: int, request: pytest.FixtureRequest
) -> None:
    scene = build_forgery_world(world)
    here = world.here
    answers = write_everything(scene, run_seed(request), one_of)
    taken = {name for name, known in answers.items() if known & {200, 201}}
    expected = {"valid_from", "valid_until", "occurred_at", "due_at", "decided_at", "sent_at"}
    assert expected <= {name.rsplit(" ", 1)[-1] for name in taken}, answers
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["ada"].id).update(time_zone=EAST)
        Member.objects.filter(id=here.members["chidi"].id).update(time_zone=WEST)
    broken = []
    for who in ("ada", "chidi"):
        client = make_signed_in_client(here, who)
        for url in (
            *addresses(scene)[sample_slice(request, 3 * one_of - 2)],
            "/said/?topic=comets",
            "/memories/?q=comets",
            "/trash/",
        ):
            answer = client.get(url)
            if answer.status_code >= 500:
                broken.append((who, url))
        made = client.post(
            "/api/v1/context",
            {"query": "comets", "include_profile": True},
            content_type="application/json",
        ).json()
        broken += [(who, one) for one in made["sections"] if one["status"] == "failed"]
    assert broken == []
