"""Shared knowledge: who writes, who proposes, who reads; categories and counts (Z03, Z24)."""

import pytest

from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation
from tests.memories.views.memory.test_edit import fields
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import PEOPLE, World


@pytest.mark.conformance("Z03", "Z24")
@pytest.mark.parametrize("publish", [False, True])
def test_each_role_does_what_it_may(world: World, publish: bool) -> None:
    here = world.here
    with organisation_scope(here.id):
        Organisation.objects.filter(id=here.id).update(members_publish=publish)
    for name in PEOPLE:
        client = make_signed_in_client(here, name)
        form = fields(content=f"By {name}.", audience="organisation", category="org_policy")
        answer = client.post("/memories/add/", form)
        assert answer.status_code == (404 if name == "vera" else 302)
    read = response_text(make_signed_in_client(here, "vera").get("/knowledge/"))
    seen = [name for name in PEOPLE if f"By {name}." in read]
    assert seen == (["ada", "chidi", "mina", "bob"] if publish else ["ada", "chidi"])
    assert "/memories/add/" not in read
    assert "/edit/" not in read
    mina = response_text(make_signed_in_client(here, "mina").get("/knowledge/"))
    assert ("Suggest something" in mina) is not publish
    assert "/suggest/" in mina


@pytest.mark.conformance("Z24")
def test_filter_by_category_counts_and_private_things_stay_out(world: World) -> None:
    here, chidi = world.here, make_signed_in_client(world.here, "chidi")
    robot = here.robot("bolt")
    for number in range(3):
        here.remember(robot, f"Policy {number}.", category="org_policy")
    here.remember(robot, "A fact.")
    here.remember(here.person("chidi"), "My own.", visibility="private", category="org_policy")
    here.remember(here.robot("aria"), "In launch.", group="launch", category="org_policy")
    page = response_text(chidi.get("/knowledge/"))
    assert "My own." not in page
    assert "In launch." not in page
    filtered = response_text(chidi.get("/knowledge/?category=org_policy"))
    assert ("Policy 1." in filtered, "A fact." in filtered) == (True, False)
    assert 'Policy <span class="count">3</span>' in filtered
    assert "No match" in response_text(chidi.get("/knowledge/?category=event"))
    before = count_queries(chidi, "/knowledge/")
    for number in range(20):
        here.remember(robot, f"More {number}.")
    assert count_queries(chidi, "/knowledge/") == before <= 12


@pytest.mark.conformance("Z22", "Z24")
def test_forgotten_there_is_gone_for_all_and_leads_back(world: World) -> None:
    here, chidi = world.here, make_signed_in_client(world.here, "chidi")
    kept = here.remember(here.robot("bolt"), "Policy 1.", category="org_policy").id
    came = {"HTTP_REFERER": "http://testserver/knowledge/?category=org_policy"}
    answer = chidi.post(f"/memories/{kept}/forget/", **came)
    assert answer["Location"] == "/knowledge/?category=org_policy"
    assert "Policy 1." not in response_text(make_signed_in_client(here, "mina").get("/knowledge/"))
    chidi.post(f"/memories/{kept}/restore/")
    assert "Policy 1." in response_text(make_signed_in_client(here, "mina").get("/knowledge/"))
