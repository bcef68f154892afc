"""A robot that asks for a member: what it reads then, where, and by whose leave."""

from typing import Any
from uuid import UUID

import pytest

from memories.access.references import ReaderReferences
from orgs.errors import NotFoundError
from orgs.organisations.groups import remove_from_group
from orgs.principals import Actor, resolve_principal
from robots.access.acting_for_members import create_delegation, resolve_actor, revoke_delegation
from robots.errors import MissingScopeError
from robots.registry.robots import remove_robot_from_group
from tests.world import NOW, Tenant, World


def plant(here: Tenant) -> dict[str, UUID]:
    """One row of each kind that there is, by name."""
    mina, bob = str(here.members["mina"].id), str(here.members["bob"].id)
    rows: dict[str, tuple[Actor, dict[str, Any]]] = {
        "everyone's": (here.robot("bolt"), {}),
        "launch's": (here.robot("aria"), {"group": "launch"}),
        "design's": (here.robot("aria"), {"group": "design"}),
        "mina's protected in launch": (
            here.person("mina"), {"group": "launch", "visibility": "protected"}),
        "mina's protected in design": (
            here.person("mina"), {"group": "design", "visibility": "protected"}),
        "mina's protected, direct": (here.person("mina"), {"visibility": "protected"}),
        "mina's private": (here.person("mina"), {}),
        "mina's private in launch": (
            here.person("mina"), {"group": "launch", "visibility": "private"}),
        "bob's protected in launch": (
            here.person("bob"), {"group": "launch", "visibility": "protected"}),
        "bob to mina in launch": (
            here.person("bob"),
            {"group": "launch", "visibility": "protected",
             "readers": ReaderReferences(members=(mina,))}),
        "bob's private": (here.person("bob"), {}),
        "aria's note": (here.robot("aria"), {"visibility": "internal"}),
        "aria's note on bob": (
            here.robot("aria"), {"visibility": "internal", "group": "launch", "member": bob}),
        "bolt's note": (here.robot("bolt"), {"visibility": "internal"}),
        "for aria alone": (
            here.robot("bolt"),
            {"visibility": "shared",
             "readers": ReaderReferences(robots=(str(here.robots["aria"].id),))}),
        "ada's proposal": (here.person("mina"), {"visibility": "organisation"}),
    }  # fmt: skip
    return {
        name: here.remember(who, f"Row: {name}", **fields).id
        for name, (who, fields) in rows.items()
    }


def reads(here: Tenant, rows: dict[str, UUID], **asked: Any) -> set[str]:
    actor = resolve_actor(here.robot("aria"), **asked)
    readable = here.readable(actor)
    return {name for name, id_ in rows.items() if id_ in readable}


def recalls(here: Tenant, rows: dict[str, UUID], **asked: Any) -> set[str]:
    body = {"query": "row", "limit": 100, **asked}
    answer = here.api("aria").post("/api/v1/recall", body, format="json").json()
    by_id = {str(id_): name for name, id_ in rows.items()}
    return {by_id[hit["id"]] for hit in answer["results"]}


IN_LAUNCH = {
    "everyone's", "launch's", "mina's protected in launch", "bob to mina in launch", "aria's note",
    "aria's note on bob",
}  # fmt: skip


@pytest.mark.conformance("T20")
def test_acting_for_a_member_in_a_group(world: World) -> None:
    here = world.here
    rows = plant(here)
    asked = {"member": str(here.members["mina"].id), "group": "launch"}
    assert reads(here, rows, **asked) == IN_LAUNCH
    assert reads(here, rows, include_direct=True, **asked) == IN_LAUNCH
    assert recalls(here, rows, **asked) == IN_LAUNCH
    assert recalls(here, rows, include_direct=True, **asked) == IN_LAUNCH


@pytest.mark.conformance("T20")
def test_acting_for_a_member_nowhere_in_particular(world: World) -> None:
    here = world.here
    rows = plant(here)
    asked = {"member": str(here.members["mina"].id)}
    nothing_of_hers = {"everyone's", "aria's note", "aria's note on bob"}
    assert reads(here, rows, **asked) == nothing_of_hers
    assert recalls(here, rows, **asked) == nothing_of_hers


@pytest.mark.conformance("T20")
def test_a_robot_alone(world: World) -> None:
    here = world.here
    rows = plant(here)
    assert reads(here, rows) == {
        "everyone's", "launch's", "design's", "aria's note", "aria's note on bob", "for aria alone"
    }  # fmt: skip
    assert reads(here, rows, group="launch") == {
        "everyone's", "launch's", "aria's note", "aria's note on bob", "for aria alone"
    }  # fmt: skip
    recalled = recalls(here, rows, group="launch")
    assert recalled == {
        "everyone's", "launch's", "aria's note", "aria's note on bob", "for aria alone"
    }  # fmt: skip


@pytest.mark.conformance("T20")
def test_private_rows_come_up_only_by_leave_and_where_direct_ones_are_wanted(world: World) -> None:
    here = world.here
    rows = plant(here)
    mina = here.members["mina"].id
    asked = {"member": str(mina), "group": "launch"}
    leave = create_delegation(
        organisation_id=here.id,
        member_id=mina,
        robot_id=here.robots["aria"].id,
        actor=here.person("mina"),
        now=NOW,
    )
    # In the group: what is private to her there; direct rows and other groups stay out.
    assert recalls(here, rows, **asked) == IN_LAUNCH | {"mina's private in launch"}
    hers = {
        "mina's private", "mina's private in launch", "mina's protected in design", "design's",
        "mina's protected, direct",
    }  # fmt: skip
    assert recalls(here, rows, include_direct=True, **asked) == IN_LAUNCH | hers

    bob = {"member": str(here.members["bob"].id), "group": "launch", "include_direct": True}
    assert not recalls(here, rows, **bob) & {"bob's private", "mina's private", *hers}
    revoke_delegation(
        organisation_id=here.id, delegation_id=leave.id, actor=here.person("mina"), now=NOW
    )
    assert recalls(here, rows, include_direct=True, **asked) == IN_LAUNCH


@pytest.mark.conformance("T20")
def test_acting_for_a_curator_gives_none_of_their_rights(world: World) -> None:
    from orgs.organisations.groups import add_to_group, set_confidential

    here = world.here
    rows = plant(here)
    for name in ("chidi", "ada"):
        person = here.members[name]
        add_to_group(
            organisation_id=here.id, group_id=here.groups["launch"].id, member_ids=[person.id]
        )
        set_confidential(
            actor=here.person("ada"), group=here.groups["design"], confidential=False, now=NOW
        )
        create_delegation(
            organisation_id=here.id, member_id=person.id, robot_id=here.robots["aria"].id,
            actor=here.person(name), now=NOW,
        )  # fmt: skip
        asked = {"member": str(person.id), "group": "launch", "include_direct": True}
        assert reads(here, rows, **asked) == {
            "everyone's", "launch's", "aria's note", "aria's note on bob"
        }  # fmt: skip
        assert rows["design's"] in here.readable(here.person(name))
        assert rows["ada's proposal"] in here.readable(here.person(name))


@pytest.mark.conformance("T20")
def test_both_must_be_in_the_group(world: World) -> None:
    here = world.here
    aria, clio = here.robot("aria"), here.robot("clio")
    mina, bob = str(here.members["mina"].id), str(here.members["bob"].id)
    resolve_actor(aria, member=bob, group="launch")
    for robot, member, group in (
        (aria, bob, "design"),
        (clio, mina, "launch"),
        (aria, str(world.there.members["mina"].id), "launch"),
        (aria, bob, str(world.there.groups["launch"].id)),
    ):
        with pytest.raises(NotFoundError):
            resolve_actor(robot, member=member, group=group)
    remove_from_group(
        organisation_id=here.id,
        group_id=here.groups["launch"].id,
        member_ids=[here.members["bob"].id],
    )
    with pytest.raises(NotFoundError):
        resolve_actor(aria, member=bob, group="launch")
    remove_robot_from_group(
        organisation_id=here.id, robot_id=aria.robot_id, group_id=here.groups["launch"].id
    )
    with pytest.raises(NotFoundError):
        resolve_actor(aria, member=mina, group="launch")


@pytest.mark.conformance("T20")
def test_the_scope_is_needed(world: World) -> None:
    here = world.here
    with pytest.raises(MissingScopeError):
        resolve_actor(here.robot("aria", "read", "write"), member=str(here.members["mina"].id))


@pytest.mark.conformance("T20")
def test_leave_is_the_members_to_give_and_to_take_back(world: World) -> None:
    here = world.here
    mina, robot = here.members["mina"].id, here.robots["aria"].id
    for other in (here.person("ada"), here.person("bob"), here.robot("aria")):
        with pytest.raises(PermissionError):
            create_delegation(
                organisation_id=here.id, member_id=mina, robot_id=robot, actor=other, now=NOW
            )
    leave = create_delegation(
        organisation_id=here.id, member_id=mina, robot_id=robot, actor=here.person("mina"), now=NOW
    )
    for other in (here.person("bob"), here.person("ada"), world.there.person("mina")):
        with pytest.raises(NotFoundError):
            revoke_delegation(organisation_id=here.id, delegation_id=leave.id, actor=other, now=NOW)


def test_a_principal_is_resolved_anew_for_each_question(world: World) -> None:
    here = world.here
    said = here.remember(here.robot("aria"), "Of #launch.", group="launch").id
    bob = here.person("bob")
    assert said in here.readable(bob)
    remove_from_group(
        organisation_id=here.id, group_id=here.groups["launch"].id, member_ids=[bob.member_id]
    )
    assert said not in here.readable(bob)
    assert resolve_principal(bob).actor == bob
