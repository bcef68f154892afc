"""Handles, and the personas of an organisation."""

import pytest

from memories.demo.create_demo import create_demo
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError
from personas.block_writes.block_updates import WriteOptions, add_entry
from personas.demo import LESSONS
from personas.models.blocks import Block, Layer
from personas.models.personas import Persona
from personas.registry.handles import InvalidHandleError, parse_handle
from personas.registry.personas import (
    create_or_update_persona,
    delete_persona,
    get_persona_with_counts,
)
from tests.memories.demo.test_demo import asking
from tests.personas.persona_helpers import (
    QSR,
    get_block_by_label,
    make_association,
    make_owner_actor,
    make_robot_client,
)
from tests.world import NOW, World

SHIPPED = ["cpg_retail_media", "qsr_real_estate", "retail_asset_management"]
SHIPPED += ["tobacco_consumer_insights"]


@pytest.mark.conformance("P01")
@pytest.mark.parametrize(
    "handle",
    [
        "qsr",
        "_x",
        "x_",
        "a__b",
        "Qsr_real",
        "qsr-real",
        "qsr real",
        "",
        "é_b",
        "a_b\n",
        "a" * 60 + "_b",
    ],
)
def test_a_bad_handle_is_refused(handle: str) -> None:
    with pytest.raises(InvalidHandleError):
        parse_handle(handle)


@pytest.mark.conformance("P01")
def test_the_parts_of_a_handle() -> None:
    found = parse_handle("retail_asset_management")
    assert (found.industry, found.role) == ("retail", "asset_management")
    assert parse_handle("a1_2").role == "2"
    assert parse_handle("a" * 29 + "_" + "b" * 30).text


@pytest.mark.conformance("P02")
def test_an_organisation_begins_with_four_and_their_blocks(world: World) -> None:
    rows = world.here.api("aria").get("/api/v1/personas").json()["results"]
    assert [one["handle"] for one in rows] == SHIPPED
    assert (rows[1]["industry"], rows[1]["role"]) == ("QSR", "Real Estate")
    assert all(one["description"] and one["kpis"] and one["queries"] for one in rows)
    with organisation_scope(world.here.id):
        assert Block.objects.filter(persona__isnull=False).count() == 4


@pytest.mark.slow
@pytest.mark.conformance("P02")
@pytest.mark.django_db
def test_the_demo_has_a_user_of_each_of_the_first_two() -> None:
    made = create_demo(slug="demo-personas", now=NOW)
    accounts = {one["persona"]: one for one in made["users"] if "persona" in one}
    assert set(accounts) == {QSR, "tobacco_consumer_insights"}
    assert len({one["password"] for one in made["users"]}) == len(made["users"])
    assert all(len(one["password"]) >= 12 for one in accounts.values())
    rosa = asking("rosa@demo.example", "demo-personas")
    assert rosa.role == "member"
    shown = get_block_by_label(rosa, f"{QSR}_service_experience")
    taught = {words for who, layer, _, words in LESSONS if layer == Layer.SHARED and who != "Theo"}
    assert {entry.text for entry in shown.entries} == {one for one in taught if "Rosa" not in one}
    assert "Harbour" not in shown.text
    assert "Rosa" in get_block_by_label(rosa, "human").text


@pytest.mark.conformance("P01")
def test_those_who_curate_describe_one_and_make_one(world: World) -> None:
    chidi = world.here.person("chidi")
    made, new = create_or_update_persona(
        chidi, "food_quality", {"industry": "Food", "kpis": ["Complaints"]}, now=NOW
    )
    assert (new, made.industry, made.role, made.kpis) == (True, "Food", "Quality", ["Complaints"])
    again, new = create_or_update_persona(
        chidi, "food_quality", {"motivations": ["No recall"]}, now=NOW
    )
    assert (new, again.id, again.industry) == (False, made.id, "Food")
    assert get_persona_with_counts(world.here.robot("aria"), "food_quality").motivations == [
        "No recall"
    ]
    with pytest.raises(PermissionError):
        create_or_update_persona(world.here.person("mina"), "food_quality", {}, now=NOW)
    with pytest.raises(InvalidHandleError):
        create_or_update_persona(chidi, "food", {}, now=NOW)


def test_one_that_holds_something_is_not_removed(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    robot = make_owner_actor(here, "mina")
    add_entry(
        robot,
        get_block_by_label(robot).block.id,
        "They check visits first.",
        wanted=WriteOptions(),
        now=NOW,
    )
    with pytest.raises(AlreadyExistsError):
        delete_persona(here.person("ada"), QSR, now=NOW)
    delete_persona(here.person("ada"), "cpg_retail_media", now=NOW)
    with organisation_scope(here.id):
        assert not Persona.objects.filter(handle="cpg_retail_media").exists()
        assert Block.objects.filter(persona__isnull=False).count() == 3
    with pytest.raises(PermissionError):
        delete_persona(here.person("mina"), QSR, now=NOW)


@pytest.mark.conformance("P12")
def test_over_the_api_bad_handles_are_400(world: World) -> None:
    client = make_robot_client(world.here, "mina")
    for handle in ("qsr", "_x", "x" * 299):
        answer = client.post("/api/v1/personas/associations", {"handle": handle}, format="json")
        assert answer.status_code == 400
        assert answer.json()["type"].endswith(("bad-handle", "invalid"))
    with organisation_scope(world.here.id):
        assert Persona.objects.count() == 4
