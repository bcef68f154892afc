"""Who may call which address: each role and each scope of a key, at every address of the API.

Generated from the URL conf: a new address that writes refuses viewers and keys that only read,
unless it is put on one of two lists on purpose.
"""

import copy
from collections.abc import Iterator

import pytest
from rest_framework.permissions import SAFE_METHODS
from rest_framework.test import APIClient

from memories.lifecycle.forget import forget_memory
from orgs.members.members import change_role
from tests.isolation.api_surface import Operation, api_operations, iter_url_patterns, openapi_path
from tests.isolation.comparable_responses import send
from tests.page_client import make_signed_in_client
from tests.personas.persona_helpers import (
    QSR,
    get_block_by_label,
    make_association,
    make_entries,
    make_owner_actor,
)
from tests.world import NOW, Tenant, World

REFUSED = "urn:commonmind:problem:missing-scope"
# What everybody may do about themselves; the service looks whose it is.
OWN_RIGHTS = {
    "delete /api/v1/accounts/{account_id}",
    "delete /api/v1/memories/{memory_id}",
    "post /api/v1/memories/{memory_id}/restore",
    "post /api/v1/memories/{memory_id}/red-line",
    "post /api/v1/memories/{memory_id}/red-line/lift",
    "post /api/v1/memories/purge",
    "post /api/v1/memories/forget-content",
    "post /api/v1/erasures",
    "delete /api/v1/preferences/{preference_id}",
    "delete /api/v1/personas/associations/{association_id}",
    "post /api/v1/personas/associations/{association_id}/confirm",
}


# What no key of a robot and no session of a member opens.
SUPERUSERS = "/api/v1/organisations"
# What the service itself wants more for than the view says.
WANTS_MORE = {"post /api/v1/robots": "manage", "post /api/v1/enrol": "enrol"}


def needed() -> Iterator[tuple[Operation, str, bool]]:
    """(operation, the scope that its view needs, whether it is an own right)."""
    views = {
        openapi_path(r): getattr(p.callback, "view_class", None) for r, p in iter_url_patterns()
    }
    for one in api_operations():
        if one.address.startswith(SUPERUSERS):
            continue
        view = views[one.address]
        method = one.method.upper()
        usual = "read" if method in SAFE_METHODS else "write"
        scope = getattr(view, "scopes", {}).get(method, usual)
        scope = WANTS_MORE.get(f"{one.method} {one.address}", scope)
        yield one, scope, method in getattr(view, "own_rights", ())


def is_refused(client: APIClient, one: Operation) -> bool:
    path, query, body = one.address, {}, copy.deepcopy(one.body)
    for slot in one.slots:
        if slot.where == "path":
            path = path.replace(f"{{{slot.path[0]}}}", "01990000-0000-7000-8000-00000000beef")
    answer = send(client, one, path, query, body)
    if answer.status_code != 403:
        return False
    return bool(answer.json()["type"] == REFUSED)


@pytest.mark.conformance("D01")
def test_what_superusers_do_is_closed_to_every_key_and_session(world: World) -> None:
    here = world.here
    here.add_robot("nora", scopes=("read", "write", "act_for", "manage"))
    tried = [one for one in api_operations() if one.address.startswith(SUPERUSERS)]
    assert len(tried) == 2
    for client in (here.api("nora"), *(here.browser(name) for name in ("ada", "chidi", "vera"))):
        for one in tried:
            path = one.address.replace("{organisation_id}", str(here.id))
            query = {"confirm": here.organisation.slug}
            answer = send(client, one, path, query, {"name": "X", "admin": "x@y.example"})
            assert answer.status_code == 401, str(one)


def test_own_rights_are_those_that_are_meant() -> None:
    assert {f"{one.method} {one.address}" for one, _, own in needed() if own} == OWN_RIGHTS


@pytest.mark.conformance("Z03")
@pytest.mark.timeout(300)
def test_a_viewer_writes_nowhere_but_about_themselves(world: World) -> None:
    vera = world.here.browser("vera")
    wrong = {
        str(one)
        for one, scope, own in needed()
        if is_refused(vera, one) != (scope != "read" and not own)
    }
    assert wrong == set()


@pytest.mark.conformance("Z03")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("scope", ["read", "write", "act_for"])
def test_a_key_calls_what_its_scope_is_for(world: World, scope: str) -> None:
    """Rights about oneself are a person's: a key that reads deletes nothing."""
    world.here.add_robot("nora", scopes=(scope,))
    nora = world.here.api("nora")
    wrong = {str(one) for one, wanted, _ in needed() if is_refused(nora, one) != (wanted != scope)}
    assert wrong == set()


@pytest.mark.conformance("Z03")
def test_a_viewer_forgets_and_erases_what_is_about_them(world: World) -> None:
    here = world.here
    vera = here.members["vera"]
    aria = here.robot("aria")
    ids = [
        here.remember(aria, f"Vera reads {n} papers.", member=str(vera.id), visibility="private").id
        for n in ("two", "three", "four")
    ]
    client = here.browser("vera")
    assert client.delete(f"/api/v1/memories/{ids[0]}").status_code == 204
    assert client.post(f"/api/v1/memories/{ids[0]}/restore").status_code == 200
    asked = {"reason": "As it is."}
    drawn = client.post(f"/api/v1/memories/{ids[1]}/red-line", asked, format="json")
    assert drawn.status_code == 200, drawn.content
    gone = client.delete(f"/api/v1/memories/{ids[2]}?hard=true&confirm={ids[2]}")
    assert gone.status_code == 200, gone.content
    # Not of others, nor of everybody.
    theirs = here.remember(here.person("chidi"), "Tea is at four.", visibility="organisation").id
    assert client.delete(f"/api/v1/memories/{theirs}").status_code == 403
    refused = client.delete(f"/api/v1/memories/{theirs}?hard=true&confirm={theirs}")
    assert refused.status_code == 403
    mina = str(here.members["mina"].id)
    of_mina = {"member": mina, "confirm": mina}
    assert client.post("/api/v1/erasures", of_mina, format="json").status_code == 403
    me = {"member": str(vera.id), "confirm": str(vera.id)}
    assert client.post("/api/v1/erasures", me, format="json").status_code == 202
    assert client.get("/api/v1/memories").status_code in (401, 403), "her access ends at once"


def demoted(here: Tenant, name: str) -> None:
    change_role(here.person("ada"), member_id=here.members[name].id, role="viewer", now=NOW)


@pytest.mark.conformance("Z03")
def test_a_member_who_becomes_a_viewer_forgets_no_more_what_they_wrote(world: World) -> None:
    here = world.here
    bob = here.person("bob")
    wrote = here.remember(bob, "Tea is at four.", visibility="group", group="launch").id
    gone = here.remember(bob, "Tea is at nine.", visibility="group", group="launch").id
    forget_memory(bob, gone, now=NOW)
    about = here.remember(
        here.robot("aria"), "Bob likes tea.", group="launch", member=str(bob.member_id)
    ).id
    demoted(here, "bob")
    client = here.browser("bob")
    assert client.delete(f"/api/v1/memories/{wrote}").status_code == 403
    assert client.post(f"/api/v1/memories/{gone}/restore").status_code == 404
    page = make_signed_in_client(here, "bob")
    assert page.post(f"/memories/{wrote}/forget/").status_code in (403, 404)
    assert client.get(f"/api/v1/memories/{wrote}").json()["status"] == "active"
    swept = client.post("/api/v1/memories/forget-content", {"substring": "tea"}, format="json")
    assert swept.status_code == 200, swept.content
    assert client.get(f"/api/v1/memories/{wrote}").json()["status"] == "active"
    assert client.get(f"/api/v1/memories/{about}").json()["status"] == "forgotten"


def test_what_is_said_of_a_curator_and_not_confirmed_teaches_their_context_nothing(
    world: World,
) -> None:
    """A curator reads every persona, but has only those that somebody has confirmed."""
    here = world.here
    make_association(here, "mina")
    line = "These people check visits before they look at rents."
    make_entries(here, "mina", line)
    chidi = here.members["chidi"]
    said = here.api("aria").post(
        "/api/v1/personas/associations", {"member": str(chidi.id), "handle": QSR}, format="json"
    )
    assert said.status_code == 201, said.content
    assert said.json()["confirmed"] is False
    client = here.browser("chidi")
    assert line in [one.text for one in get_block_by_label(here.person("chidi")).entries]

    def taught() -> bool:
        told = client.post("/api/v1/context", {"query": "canteen"}, format="json").json()
        return line in told["text"]

    assert not taught()
    place = f"/api/v1/personas/associations/{said.json()['id']}/confirm"
    assert client.post(place).status_code == 200
    assert taught()
    assert line in [one.text for one in get_block_by_label(make_owner_actor(here, "mina")).entries]
