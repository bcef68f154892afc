"""A robot keeps a block about a member without a log-in, of what they told it, and may say which
persona they have."""

import pytest

from orgs.database.rls import organisation_scope
from orgs.principals import resolve_principal
from personas.models.blocks import Block
from robots.access.acting_for_members import resolve_actor
from tests.personas.persona_helpers import QSR
from tests.robots.conversations.test_direct import add_person, delegate, give_account
from tests.world import Tenant, World

LINE = "Wants the short version first."


@pytest.fixture
def here(world: World) -> Tenant:
    world.here.add_robot("dora", scopes=("read", "write", "act_for"))
    add_person(world.here, "lin")
    add_person(world.here, "kofi")
    return world.here


def human_blocks(here: Tenant, name: str, member: str) -> list[dict[str, object]]:
    answer = here.api(name).get(f"/api/v1/blocks?member={member}")
    assert answer.status_code == 200, answer.json()
    return [one for one in answer.json()["results"] if one["layer"] == "human"]


@pytest.mark.conformance("X07")
def test_a_block_is_of_one_robot_and_one_member(here: Tenant) -> None:
    aria = here.api("aria")
    [block] = human_blocks(here, "aria", "telegram:lin")
    assert (block["robot"]["name"], block["entries"]) == ("aria", [])
    address = f"/api/v1/blocks/{block['id']}"
    line = {"text": LINE, "member": "telegram:lin"}
    assert aria.post(f"{address}/entries", line, format="json").status_code == 201
    assert aria.post(f"{address}/entries", line, format="json").status_code == 200
    here.read()
    [block] = human_blocks(here, "aria", "telegram:lin")
    assert block["text"] == f"User name: Lin\n{LINE}"
    # Neither the same robot for another member, nor for nobody, nor another robot.
    [other] = human_blocks(here, "aria", "telegram:kofi")
    assert (other["id"] != block["id"], other["entries"]) == (True, [])
    [doras] = human_blocks(here, "dora", "telegram:lin")
    assert (doras["id"] != block["id"], doras["entries"]) == (True, [])
    for client, whose in ((aria, ""), (aria, "?member=telegram:kofi"),
                          (here.api("dora"), "?member=telegram:lin")):  # fmt: skip
        assert client.get(f"{address}{whose}").status_code == 404
        assert client.get(f"{address}/versions{whose}").status_code == 404
    longer = {**line, "text": f"{LINE}\nLives in Delft.", "version": block["version"]}
    written = aria.put(address, longer, format="json")
    assert (written.status_code, len(written.json()["entries"])) == (200, 2)


@pytest.mark.conformance("X07")
def test_it_is_in_a_context_for_that_member_alone(here: Tenant) -> None:
    aria = here.api("aria")
    [block] = human_blocks(here, "aria", "telegram:lin")
    line = {"text": LINE, "member": "telegram:lin"}
    aria.post(f"/api/v1/blocks/{block['id']}/entries", line, format="json")
    here.read()

    def context(name: str, **asked: object) -> str:
        body = {"query": "hello", "include_recent": False, **asked}
        return here.api(name).post("/api/v1/context", body, format="json").json()["text"]

    assert LINE in context("aria", member="telegram:lin")
    assert LINE not in context("aria", member="telegram:lin", include_direct=False)
    assert LINE not in context("aria", member="telegram:kofi")
    assert LINE not in context("aria")
    assert LINE not in context("dora", member="telegram:lin")


@pytest.mark.conformance("X07")
def test_who_signs_in_sees_it(here: Tenant) -> None:
    aria = here.api("aria")
    [block] = human_blocks(here, "aria", "telegram:lin")
    line = {"text": LINE, "member": "telegram:lin"}
    aria.post(f"/api/v1/blocks/{block['id']}/entries", line, format="json")
    here.read()
    give_account(here, "lin")
    browser = here.browser("lin")
    assert LINE in browser.get("/me/?all=1").content.decode()
    mine = [one for one in browser.get("/api/v1/blocks").json()["results"] if one["robot"]]
    assert [one["text"] for one in mine] == [f"User name: Lin\n{LINE}"]
    put = {"text": "Something else.", "version": mine[0]["version"]}
    answer = browser.put(f"/api/v1/blocks/{block['id']}", put, format="json")
    assert answer.status_code == 403, "it is what she told the robot; she corrects its memories"
    assert human_blocks(here, "aria", "telegram:lin")[0]["text"] == f"User name: Lin\n{LINE}"
    delegate(here, "lin")
    texts = [one["text"] for one in human_blocks(here, "aria", "telegram:lin")]
    assert f"User name: Lin\n{LINE}" in texts
    end = browser.post(f"/me/robots/{here.robots['dora'].id}/end/")
    assert end.status_code == 404, "she told dora nothing"


@pytest.mark.conformance("X07")
def test_a_member_with_a_log_in_has_one_only_after_telling_the_robot(here: Tenant) -> None:
    bob = str(here.members["bob"].id)
    assert human_blocks(here, "aria", bob) == []
    with organisation_scope(here.id):
        assert not Block.objects.filter(robot__isnull=False).exists()
    opened = here.api("aria").post("/api/v1/conversations", {"member": bob}, format="json").json()
    said = {"content": "I like maps more than words.", "speaker": bob}
    here.api("aria").post(f"/api/v1/conversations/{opened['id']}/messages", said, format="json")
    assert len(human_blocks(here, "aria", bob)) == 1


@pytest.mark.conformance("X07")
def test_a_robot_sees_the_personas_that_it_proposed(here: Tenant) -> None:
    said = {"member": "telegram:lin", "handle": QSR}
    address = "/api/v1/personas/associations"
    made = here.api("aria").post(address, said, format="json")
    assert (made.status_code, made.json()["confirmed"]) == (201, False)
    mine, other = f"{address}?member=telegram:lin", f"{address}?member=telegram:kofi"
    [shown] = here.api("aria").get(mine).json()["results"]
    assert shown["id"] == made.json()["id"]
    assert here.api("aria").get(other).json()["results"] == []
    assert here.api("dora").get(mine).json()["results"] == []
    # It opens nothing of the persona to the robot, confirmed or not.
    confirm = f"{address}/{shown['id']}/confirm"
    assert here.browser("chidi").post(confirm).status_code == 200
    asked = resolve_actor(here.robot("aria"), member="telegram:lin", include_direct=True)
    opened = resolve_principal(asked)
    assert opened.cohorts == {opened.named["industry", "*"]}, "what everybody reads"
