"""Approved words stay: a table of every kind of published memory, every way to change it and
everybody who tries (T27)."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from memories.curation.edit_memory import edit_memory
from memories.review.models import ProposalState
from memories.review.protect import protect_memory
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.models.organisations import Organisation
from orgs.principals import resolve_principal
from tests.memories.curation.approved.doors import EVERYWHERE, ORDER, SOME, prepare
from tests.memories.curation.approved.published import KINDS, TEXT, as_it_is, waiting
from tests.page_client import make_signed_in_client, response_text
from tests.personas.persona_helpers import make_robot_client
from tests.sampling import mark_rest_slow
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("T27")
# Pages answer with a redirect.
PROPOSED = {202, 302}
LINES = [*((kind, door) for kind in KINDS for door in EVERYWHERE), *SOME]
# Of everybody else one way for each kind, and each way for one kind.
OTHERS = [(kind, door) for kind, door in LINES if kind == "memory" or door == "patch all"]


def _tried(
    here: Tenant, kind: str, door: str, who: str, *, freely: bool = False
) -> tuple[UUID, dict[str, Any], int]:
    """A published memory, what it was before somebody came by a door, and the answer. freely:
    whether members publish by then."""
    id_ = KINDS[kind](here)
    prepare(here, door, id_)
    if freely:
        with organisation_scope(here.id):
            Organisation.objects.filter(id=here.id).update(members_publish=True)
    before = as_it_is(here, id_)
    go = EVERYWHERE.get(door) or SOME[kind, door]
    return id_, before, go(here, who, id_)


@pytest.mark.parametrize(("kind", "door"), LINES)
def test_who_may_only_propose_changes_nothing(world: World, kind: str, door: str) -> None:
    here = world.here
    id_, before, status = _tried(here, kind, door, "mina")
    assert as_it_is(here, id_) == before
    assert status in PROPOSED
    [item] = waiting(here, id_)
    assert item.proposed_by_id == here.members["mina"].id


@pytest.mark.parametrize(("kind", "door"), OTHERS)
@pytest.mark.parametrize("who", mark_rest_slow(["chidi", "mina"], 1))
def test_who_publishes_changes_it_at_once(world: World, kind: str, door: str, who: str) -> None:
    here = world.here
    if who == "mina" and (kind == "block" or door == "red line"):
        pytest.skip("no member teaches a persona, and only whom it is about protects")
    id_, before, status = _tried(here, kind, door, who, freely=who == "mina")
    assert as_it_is(here, id_) != before
    assert status in {200, 201, 302}
    assert waiting(here, id_) == []


@pytest.mark.parametrize(("kind", "door"), OTHERS)
@pytest.mark.parametrize("who", mark_rest_slow(["vera", "bob"], 1))
def test_nobody_else_changes_or_proposes_it_here(
    world: World, kind: str, door: str, who: str
) -> None:
    here = world.here
    id_, before, status = _tried(here, kind, door, who)
    assert as_it_is(here, id_) == before
    if door.startswith("red line"):
        assert [one.cause for one in waiting(here, id_)] in (["red_line"], [])
    else:
        assert waiting(here, id_) == []
        assert status in {302, 403, 404}


def change(here: Tenant, id_: UUID, **fields: Any) -> dict[str, Any]:
    answer = here.browser("mina").patch(f"/api/v1/memories/{id_}", fields, format="json")
    assert answer.status_code == 202, answer.content
    return answer.json()


def decide(here: Tenant, item: str, verb: str = "approve", **more: Any) -> Any:
    chidi = here.browser("chidi")
    version = chidi.get(f"/api/v1/proposals/{item}").json()["version"]
    body = {"action": verb, "version": version} | more
    return chidi.post(f"/api/v1/proposals/{item}/decision", body, format="json")


def test_the_answer_names_the_proposal_and_the_queue_shows_old_and_new(world: World) -> None:
    here = world.here
    id_ = KINDS["memory"](here)
    made = change(here, id_, content=ORDER, importance=1.0)
    assert made["id"] == str(id_)
    assert made["status"] == "pending_review"
    assert made["changes"] == {"memory": {"content": ORDER, "importance": 1.0}}
    item = here.browser("chidi").get(f"/api/v1/proposals/{made['proposal']}").json()
    assert item["memory"]["content"] == TEXT
    assert (item["cause"], item["content"], item["changes"]) == (
        "correction", ORDER, made["changes"],
    )  # fmt: skip
    page = response_text(make_signed_in_client(here, "chidi").get(f"/review/{made['proposal']}/"))
    assert "<del>" in page
    assert "How important it is" in page
    assert "1.0" in page
    # Whoever proposed it sees it, and does not decide it.
    mine = here.browser("mina")
    assert mine.get(f"/api/v1/proposals/{made['proposal']}").status_code == 200
    body = {"action": "approve", "version": item["version"]}
    said = mine.post(f"/api/v1/proposals/{made['proposal']}/decision", body, format="json")
    assert said.status_code == 404


def test_an_approved_change_holds_as_the_proposers_words(world: World) -> None:
    here = world.here
    id_ = KINDS["summary"](here)
    made = change(
        here, id_, content=ORDER, category="preference", expires_at="2030-01-01T00:00:00Z"
    )
    assert decide(here, made["proposal"]).status_code == 200
    with resolve_principal(here.person("ada")).scope():
        row = Memory.objects.get(id=id_)
        assert (row.content, row.category) == (ORDER, "preference")
        assert row.expires_at == datetime(2030, 1, 1, tzinfo=UTC)
        # The speaker is nobody; the words were a robot's, and are Mina's now.
        assert row.reworded_by_id == here.members["mina"].id
        assert row.editor_id == here.members["chidi"].id
        acts = set(AuditEntry.objects.filter(target=id_).values_list("action", flat=True))
    assert {"proposal.correction", "memory.edited"} <= acts
    undone = here.browser("chidi").post(f"/api/v1/proposals/{made['proposal']}/undo")
    assert undone.status_code == 200, undone.content
    now = as_it_is(here, id_)
    assert (now["content"], now["category"], now["expires_at"]) == (TEXT, "", None)


def test_a_newer_change_takes_the_place_of_the_one_that_waits(world: World) -> None:
    here = world.here
    id_ = KINDS["memory"](here)
    first = change(here, id_, content=ORDER)
    assert change(here, id_, content=ORDER)["proposal"] == first["proposal"]
    second = change(here, id_, content="The canteen closes at five.")
    [item] = waiting(here, id_)
    assert str(item.id) == second["proposal"] != first["proposal"]
    assert decide(here, first["proposal"]).status_code == 409
    assert as_it_is(here, id_)["content"] == TEXT
    # Another act of the same person waits beside it, in one item.
    entity = {"memory": str(id_), "type": "concept", "name": "canteen hours"}
    here.browser("mina").post("/api/v1/entities", entity, format="json")
    [item] = waiting(here, id_)
    assert set(item.changes) == {"memory", "entity"}
    assert decide(here, str(item.id)).status_code == 200
    after = as_it_is(here, id_)
    assert (after["content"], after["given"]) == ("The canteen closes at five.", 1)


def test_a_change_of_what_was_changed_meanwhile(world: World) -> None:
    here = world.here
    id_ = KINDS["memory"](here)
    made = change(here, id_, content=ORDER)
    item = here.browser("chidi").get(f"/api/v1/proposals/{made['proposal']}").json()
    edit_memory(here.person("ada"), id_, {"content": "It closes at three."}, now=NOW)
    stale = decide(here, made["proposal"], version=item["version"])
    assert (stale.status_code, stale.json()["type"].split(":")[-1]) == (409, "outdated")
    page = response_text(make_signed_in_client(here, "chidi").get(f"/review/{made['proposal']}/"))
    assert "It was changed after this was proposed" in page
    assert as_it_is(here, id_)["content"] == "It closes at three."


@pytest.mark.parametrize("away", ["delete", "archive"])
def test_what_is_taken_away_needs_no_decision_any_more(world: World, away: str) -> None:
    here = world.here
    id_ = KINDS["memory"](here)
    made = change(here, id_, content=ORDER)
    mina, url = here.browser("mina"), f"/api/v1/memories/{id_}"
    gone = mina.delete(url) if away == "delete" else mina.post(f"{url}/archive", {}, format="json")
    assert gone.status_code in {200, 204}, "one's own right, at once"
    assert waiting(here, id_) == []
    assert decide_blindly(here, made["proposal"]) in {404, 409}
    # Not changed either while it is away, to come back as something else.
    assert mina.patch(url, {"content": ORDER}, format="json").status_code == 409
    mina.post(f"{url}/restore")
    assert as_it_is(here, id_)["content"] == TEXT


def decide_blindly(here: Tenant, item: str) -> int:
    body = {"action": "approve", "version": 1}
    url = f"/api/v1/proposals/{item}/decision"
    return here.browser("chidi").post(url, body, format="json").status_code


def test_to_narrow_and_to_hide_stay_ones_own_right(world: World) -> None:
    here = world.here
    id_ = KINDS["memory"](here)
    mina, url = here.browser("mina"), f"/api/v1/memories/{id_}"
    for change_ in ({"tier": "glacial"}, {"shareable": False}):
        assert mina.patch(url, change_, format="json").status_code == 200, change_
    assert mina.post(f"{url}/share", {"visibility": "private"}, format="json").status_code == 200
    # For herself alone she words it as she likes; everybody does not get it back so.
    assert mina.patch(url, {"content": ORDER}, format="json").status_code == 200
    back = mina.post(f"{url}/share", {"visibility": "organisation"}, format="json")
    assert back.status_code == 403
    assert waiting(here, id_) == []


def test_to_show_what_was_encrypted_is_a_change_that_waits(world: World) -> None:
    """Encrypted words are in no recall and no context; to bring them there is to publish them."""
    here = world.here
    id_ = KINDS["memory"](here)
    url = f"/api/v1/memories/{id_}"
    assert here.browser("mina").patch(url, {"sensitive": True}, format="json").status_code == 200
    made = change(here, id_, sensitive=False)
    page = response_text(make_signed_in_client(here, "chidi").get(f"/review/{made['proposal']}/"))
    assert "Stored encrypted" in page
    with resolve_principal(here.person("ada")).scope():
        assert Memory.objects.get(id=id_).sensitive
    assert decide(here, made["proposal"]).status_code == 200
    with resolve_principal(here.person("ada")).scope():
        assert not Memory.objects.get(id=id_).sensitive


def test_where_a_member_writes_they_change_at_once(world: World) -> None:
    here = world.here
    mina = here.browser("mina")
    for place in ({"group": "design"}, {"visibility": "private"}):
        id_ = here.remember(here.person("mina"), f"Seen in {place}.", **place).id
        answer = mina.patch(f"/api/v1/memories/{id_}", {"importance": 1.0}, format="json")
        assert (answer.status_code, answer.json()["importance"]) == (200, 1.0), place
    bobs = {"members": [str(here.members["bob"].id)]}
    body = {"content": "Between us.", "visibility": "shared", "readers": bobs}
    id_ = mina.post("/api/v1/memories", body, format="json").json()["id"]
    answer = mina.patch(f"/api/v1/memories/{id_}", {"content": "Ours."}, format="json")
    assert answer.status_code == 200


def test_a_robot_changes_what_it_wrote(world: World) -> None:
    here = world.here
    id_ = here.remember(here.robot("bolt"), TEXT, visibility="organisation").id
    answer = here.api("bolt").patch(f"/api/v1/memories/{id_}", {"content": ORDER}, format="json")
    assert (answer.status_code, answer.json()["content"]) == (200, ORDER)


def test_a_personal_robot_proposes_like_its_member(world: World) -> None:
    here = world.here
    robot = make_robot_client(here, "mina")
    body = {"content": TEXT, "visibility": "organisation"}
    waits = robot.post("/api/v1/memories", body, format="json").json()
    assert waits["status"] == "pending_review"
    [item] = waiting(here, UUID(waits["id"]))
    assert decide(here, str(item.id)).status_code == 200
    [found] = robot.get("/api/v1/memories", {"q": "canteen", "status": "active"}).json()["results"]
    answer = robot.patch(f"/api/v1/memories/{found['id']}", {"content": ORDER}, format="json")
    assert answer.status_code == 202, answer.content
    assert as_it_is(here, UUID(found["id"]))["content"] == TEXT
    mine = {"content": "Hers alone.", "visibility": "private"}
    own = robot.post("/api/v1/memories", mine, format="json").json()["id"]
    again = robot.patch(f"/api/v1/memories/{own}", {"importance": 1.0}, format="json")
    assert again.status_code == 200


def test_nobody_corrects_their_own_published_words_by_the_queue(world: World) -> None:
    """Bob suggests, and Mina, whose memory it is, would agree; so would she by a report."""
    here = world.here
    id_ = KINDS["memory"](here)
    bob, mina = here.browser("bob"), here.browser("mina")
    given = {"memory": str(id_), "content": ORDER}
    item = bob.post("/api/v1/proposals", given, format="json").json()
    report = bob.post(
        "/api/v1/reports", {"memory": str(id_), "reason": "No."}, format="json"
    ).json()
    body = {"action": "approve", "version": item["version"]}
    url = f"/api/v1/proposals/{item['id']}"
    assert mina.post(f"{url}/decision", body, format="json").status_code == 404
    assert mina.get(url).status_code == 200, "she sees it"
    to_decide = mina.get("/api/v1/proposals", {"mine": "false"}).json()["results"]
    assert [one["id"] for one in to_decide] == [report["id"]]
    url = f"/api/v1/proposals/{report['id']}/decision"
    answer = mina.post(url, body | {"content": ORDER}, format="json")
    assert answer.status_code == 403
    assert as_it_is(here, id_)["content"] == TEXT
    assert [one.state for one in waiting(here, id_)] == [ProposalState.OPEN] * 2
    # To take it away is her right.
    assert mina.post(url, body, format="json").status_code == 200
    assert as_it_is(here, id_, "mina")["status"] == "forgotten"


def test_a_protection_is_taken_off_by_a_curator(world: World) -> None:
    here = world.here
    id_ = KINDS["summary"](here)
    with resolve_principal(here.person("mina")).scope():
        Memory.objects.filter(id=id_).update(key=None, source={})
    protect_memory(here.person("ada"), id_, reason="It counts.", now=NOW)
    mina, url = here.browser("mina"), f"/api/v1/memories/{id_}/red-line/lift"
    answer = mina.post(url, {"reason": "No more."}, format="json")
    assert answer.status_code == 202, answer.content
    assert as_it_is(here, id_)["red_line"] is True
    page = response_text(
        make_signed_in_client(here, "chidi").get(f"/review/{answer.json()['id']}/")
    )
    assert "Take the protection off" in page
    assert decide(here, answer.json()["id"]).status_code == 200
    assert as_it_is(here, id_)["red_line"] is False
    again = here.browser("chidi").post(f"/api/v1/proposals/{answer.json()['id']}/undo")
    assert again.status_code == 200, again.content
    assert as_it_is(here, id_)["red_line"] is True


def test_the_edit_page_says_what_will_happen(world: World) -> None:
    here = world.here
    id_ = KINDS["memory"](here)
    words = "Your change waits for a curator; the words of now stay until then."
    assert words in response_text(make_signed_in_client(here, "mina").get(f"/memories/{id_}/edit/"))
    assert words not in response_text(
        make_signed_in_client(here, "chidi").get(f"/memories/{id_}/edit/")
    )
    mine = here.remember(here.person("mina"), "Mine.", visibility="private").id
    assert words not in response_text(
        make_signed_in_client(here, "mina").get(f"/memories/{mine}/edit/")
    )


def test_the_same_key_with_another_text_is_no_way(world: World) -> None:
    """Nor is the same file again: each line is a memory of its own with its key."""
    here = world.here
    mina = here.browser("mina")
    body = {"content": TEXT, "visibility": "organisation", "key": "canteen"}
    waits = mina.post("/api/v1/memories", body, format="json").json()
    [item] = waiting(here, UUID(waits["id"]))
    assert decide(here, str(item.id)).status_code == 200
    found = here.browser("bob").get("/api/v1/memories", {"q": "canteen"}).json()["results"]
    [published] = [UUID(one["id"]) for one in found]
    before = as_it_is(here, published)
    answer = mina.post("/api/v1/memories", body | {"content": ORDER}, format="json")
    assert answer.status_code in {201, 409}
    assert answer.json().get("status") != "active"
    assert as_it_is(here, published) == before
