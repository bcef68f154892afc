"""What a caller is told about itself: GET /me."""

from typing import Any

import pytest
from django.test import override_settings

from memories.api.caller import CallerSerializer
from orgs.database.rls import organisation_scope
from orgs.organisations.groups import remove_from_group
from robots.people import caller
from tests.world import World

ME = "/api/v1/me"
LIMITS = {"key-reads": 70, "key-writes": 0, "organisation-reads": 900, "organisation-writes": 800}


def names(answer: Any) -> list[str]:
    return [group["external_id"] for group in answer["groups"]]


@pytest.mark.conformance("X10")
def test_a_robot_is_told_who_and_where_it_is_and_what_limits_it(world: World) -> None:
    here = world.here
    here.add_robot("dora", groups=("launch", "design"), scopes=("read", "manage"))
    with override_settings(
        LIMITS=LIMITS | {"address": 0, "wrong-keys": 0, "pages": 0}, REQUEST_BODY_MAX_BYTES=5_000
    ):
        me = here.api("dora").get(ME).json()
    assert (me["kind"], me["id"], me["name"]) == ("robot", here.robots["dora"].public_id, "dora")
    assert me["organisation"] == {"id": str(here.id), "name": here.organisation.name}
    assert (me["role"], me["member"], me["scopes"]) == (None, None, ["manage", "read"])
    assert set(names(me)) == {"launch", "design"}
    assert (me["groups"][0]["id"], me["more_groups"]) == (str(here.groups["launch"].id), False)
    limits = me["limits"]
    assert (limits["reads_per_minute"], limits["writes_per_minute"]) == (70, None)
    assert limits["organisation_reads_per_minute"] == 900
    assert (limits["body_bytes"], limits["references"], limits["items"]) == (5_000, 50, 1_000)
    assert set(limits) == set(CallerSerializer().fields["limits"].fields)


@pytest.mark.conformance("X10")
@pytest.mark.parametrize(
    ("who", "scopes", "groups"),
    [
        ("mina", ["read", "write"], {"launch", "design"}),
        ("vera", ["read"], set()),
        ("chidi", ["read", "write"], set()),
        ("ada", ["manage", "read", "write"], set()),
    ],
)
def test_a_member_is_told_the_groups_in_which_they_are_and_no_other(
    world: World, who: str, scopes: list[str], groups: set[str]
) -> None:
    """A curator reads open groups; that is not the same as being in them."""
    here = world.here
    with organisation_scope(here.id):
        here.groups["launch"].confidential = False
        here.groups["launch"].save(update_fields=["confidential"])
    me = here.browser(who).get(ME).json()
    assert (me["kind"], me["id"]) == ("member", str(here.members[who].id))
    assert (me["role"], me["scopes"]) == (here.members[who].role, scopes)
    assert set(names(me)) == groups


def test_a_personal_robot_has_its_members_role_and_groups(world: World) -> None:
    here = world.here
    here.add_robot("pet", groups=("launch", "design"), scopes=("read", "write", "manage"))
    here.give_owner("pet", "mina")
    with organisation_scope(here.id):
        remove_from_group(
            organisation_id=here.id,
            group_id=here.groups["design"].id,
            member_ids=[here.members["mina"].id],
        )
    me = here.api("pet").get(ME).json()
    assert (me["role"], me["member"]["id"]) == ("member", str(here.members["mina"].id))
    assert names(me) == ["launch"]
    assert me["scopes"] == ["read", "write"]


def test_many_groups_end_somewhere(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller, "MAX_CALLER_GROUPS", 1)
    me = world.here.browser("mina").get(ME).json()
    assert (len(me["groups"]), me["more_groups"]) == (1, True)
