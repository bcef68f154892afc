"""What a group knows, and what is known in it of one member (A03)."""

from typing import Any

import pytest

from orgs.database.rls import organisation_scope
from orgs.organisations.groups import add_to_group
from tests.world import Tenant, World


def context(api: Any, group: str, **asked: str) -> tuple[set[str], set[str]]:
    answer = api.get(f"/api/v1/groups/{group}/context", asked)
    assert answer.status_code == 200, answer.json()
    body = answer.json()
    return (
        {m["content"] for m in body["group_context"]},
        {m["content"] for m in body["user_context"]},
    )


@pytest.fixture
def here(world: World) -> Tenant:
    """What each kind of row in #launch is called; everything else must stay out."""
    here, aria = world.here, world.here.robot("aria")
    mina, bob = str(here.members["mina"].id), str(here.members["bob"].id)
    here.remember(aria, "G1", group="launch")
    here.remember(aria, "G2", group="launch", speaker=mina)
    here.remember(aria, "U-mina", group="launch", member=mina)
    here.remember(aria, "U-mina-protected", group="launch", member=mina, visibility="protected")
    here.remember(aria, "U-bob", group="launch", member=bob)
    here.remember(aria, "U-bob-protected", group="launch", member=bob, visibility="protected")
    here.remember(aria, "I-mina", group="launch", member=mina, listeners=(bob,))
    here.remember(here.person("mina"), "P-mina", group="launch", visibility="private")
    here.remember(here.person("mina"), "D-mina")
    here.remember(aria, "Note", group="launch", visibility="internal")
    here.remember(aria, "Elsewhere", group="design")
    here.remember(aria, "Elsewhere-mina", group="design", member=mina)
    here.remember(aria, "Everyone")
    gone = here.remember(aria, "Gone", group="launch").id
    assert here.api("aria").delete(f"/api/v1/memories/{gone}").status_code == 204
    return here


@pytest.mark.conformance("A03")
def test_the_two_parts_are_those_worked_out_by_hand(here: Tenant) -> None:
    mina, bob = str(here.members["mina"].id), str(here.members["bob"].id)
    group = {"G1", "G2"}
    # Without a member the second part is empty, whoever asks.
    for api in (here.api("aria"), here.browser("mina"), here.browser("bob")):
        assert context(api, "launch") == (group, set())
    # A robot acts for whom it names: protected rows of that member, nothing private.
    own = {"U-mina", "U-mina-protected", "I-mina"}
    assert context(here.api("aria"), "launch", member=mina) == (group, own)
    assert context(here.api("aria"), "launch", member=bob) == (group, {"U-bob", "U-bob-protected"})
    # A person reads of themselves what is private, of others what is open to them there.
    assert context(here.browser("mina"), "launch", member=mina) == (group, {*own, "P-mina"})
    assert context(here.browser("bob"), "launch", member=mina) == (group, {"U-mina", "I-mina"})


@pytest.mark.conformance("A03")
def test_a_group_or_member_out_of_reach_is_not_found(here: Tenant) -> None:
    path = "/api/v1/groups/{}/context"
    mina, vera = str(here.members["mina"].id), str(here.members["vera"].id)
    assert here.browser("bob").get(path.format("design")).status_code == 404
    assert here.api("bolt").get(path.format("launch")).status_code == 404
    assert here.browser("bob").get(path.format("launch"), {"member": vera}).status_code == 404
    assert here.api("aria").get(path.format("launch"), {"member": vera}).status_code == 404
    # clio sits in #design without the scope to act for anybody.
    assert here.api("clio").get(path.format("design"), {"member": mina}).status_code == 403
    with organisation_scope(here.id):
        add_to_group(
            organisation_id=here.id,
            group_id=here.groups["launch"].id,
            member_ids=[here.members["vera"].id],
        )
    assert context(here.browser("bob"), "launch", member=vera) == ({"G1", "G2"}, set())
