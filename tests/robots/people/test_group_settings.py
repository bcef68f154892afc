"""What a group decides by itself is set by its owner and by who administers, on its page and by a
call, and every change is in the audit trail."""

import pytest

from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.models.organisations import Group
from tests.memories.curation.test_owners_decide import give_group, seat
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("X05")
URL, PAGE = "/api/v1/groups/launch", "/people/groups/{}/"


@pytest.fixture
def here(world: World) -> Tenant:
    give_group(world.here, "bob")
    return world.here


def policy(here: Tenant) -> str:
    with organisation_scope(here.id):
        return Group.objects.get(id=here.groups["launch"].id).contradiction_policy


def changes(here: Tenant) -> list[tuple[object, dict[str, str]]]:
    with organisation_scope(here.id):
        rows = AuditEntry.objects.filter(action="group.contradiction_policy").order_by("id")
        return list(rows.values_list("member", "detail"))


def test_its_owner_changes_it_by_a_call(here: Tenant) -> None:
    told = here.browser("mina").get(URL).json()
    assert told["contradiction_policy"] == "newest_of_own_facts"
    answer = here.browser("bob").patch(URL, {"contradiction_policy": "ask"}, format="json")
    assert (answer.status_code, answer.json()["contradiction_policy"]) == (200, "ask")
    again = here.browser("bob").patch(URL, {"contradiction_policy": "ask"}, format="json")
    assert again.status_code == 200
    assert changes(here) == [(here.members["bob"].id, {"contradiction_policy": "ask"})]
    refused = here.browser("bob").patch(URL, {"name": "Lift-off"}, format="json")
    assert refused.status_code == 403, "the name is not the owner's"


def test_an_admin_in_the_group_changes_it(here: Tenant) -> None:
    seat(here, "ada")
    body = {"contradiction_policy": "newest_of_same_speaker"}
    assert here.browser("ada").patch(URL, body, format="json").status_code == 200
    assert policy(here) == "newest_of_same_speaker"


@pytest.mark.parametrize(("name", "status"), [("mina", 403), ("ada", 404), ("vera", 404)])
def test_nobody_else_changes_it(here: Tenant, name: str, status: int) -> None:
    """Ada administers and is not in the group, which is confidential."""
    body = {"contradiction_policy": "ask"}
    assert here.browser(name).patch(URL, body, format="json").status_code in (status, 403)
    page = PAGE.format(here.groups["launch"].id)
    answer = here.browser(name).post(f"{page}contradictions/", {"policy": "ask"})
    assert answer.status_code in (403, 404)
    assert (policy(here), changes(here)) == ("newest_of_own_facts", [])


def test_a_robot_without_the_right_to_manage_does_not(here: Tenant) -> None:
    body = {"contradiction_policy": "ask"}
    assert here.api("aria").patch(URL, body, format="json").status_code == 403
    assert policy(here) == "newest_of_own_facts"


def test_another_word_is_refused(here: Tenant) -> None:
    answer = here.browser("bob").patch(URL, {"contradiction_policy": "newest"}, format="json")
    assert answer.status_code == 400
    assert [one["field"] for one in answer.json()["errors"]] == ["contradiction_policy"]
    page = PAGE.format(here.groups["launch"].id)
    bob = here.browser("bob")
    assert bob.post(f"{page}contradictions/", {"policy": "newest"}).status_code == 422
    assert policy(here) == "newest_of_own_facts"


def test_the_page_says_what_holds_and_lets_the_owner_choose(here: Tenant) -> None:
    page = PAGE.format(here.groups["launch"].id)
    mina = here.browser("mina").get(page).content.decode()
    assert "What people say of themselves holds as they said it last" in mina
    assert 'name="policy"' not in mina
    bob = here.browser("bob")
    assert 'value="newest_of_own_facts"' in bob.get(page).content.decode()
    assert bob.post(f"{page}contradictions/", {"policy": "ask"}).status_code == 302
    assert policy(here) == "ask"
    assert "Somebody decides about everything" in here.browser("mina").get(page).content.decode()
