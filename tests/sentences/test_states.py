"""What pages and answers say of a state: of a robot, a job, a tier, a vector, what one may do."""

import re
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from memories.jobs.models import Job, JobState
from memories.lifecycle.tiers import TIER_RULES
from memories.privacy.opt_out import set_sharing
from memories.tasks import run_job
from memories.views.insights import overview
from memories.views.insights.first_steps import demo_stories
from orgs.database.rls import organisation_scope
from personas.associations.association_changes import confirm_association
from personas.associations.personal_robot import create_own_key
from personas.block_writes.block_updates import WriteOptions, add_entry
from robots.models.keys import Key
from robots.models.robots import Robot
from robots.registry.robots import ensure_robot
from tests.memories.curation.test_decide import propose
from tests.page_client import make_signed_in_client, response_text
from tests.personas.persona_helpers import (
    QSR,
    get_block_by_label,
    make_association,
    make_owner_actor,
)
from tests.world import NOW, Tenant, World


def plain(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


@pytest.mark.usefixtures("jobs_of_here")
def test_a_job_that_is_done_has_begun(lasting_world: World) -> None:
    """By the row's state at each step."""
    here = lasting_world.here
    here.remember(here.robot("bolt"), "The office closes at six.")
    chidi = make_signed_in_client(here, "chidi")
    url = chidi.post("/jobs/consolidate/")["Location"]
    seen = set()
    for state in (JobState.WAITING, JobState.RUNNING, JobState.DEAD, JobState.CANCELLED, None):
        if state is None:
            with organisation_scope(here.id, using="worker"):
                Job.objects.using("worker").update(state=JobState.WAITING)
            assert run_job()
        else:
            with organisation_scope(here.id, using="worker"):
                Job.objects.using("worker").update(state=state, total=0, done=0)
        with organisation_scope(here.id, using="worker"):
            job = Job.objects.using("worker").get(organisation_id=here.id)
        for page in (response_text(chidi.get(url)), response_text(chidi.get("/jobs/"))):
            begun = job.state != JobState.WAITING or bool(job.total)
            assert ("Not begun yet" in page) is not begun, job.state
        if job.state == JobState.CANCELLED:
            assert "It stopped before it began." in response_text(chidi.get(url))
        seen.add(job.state)
    assert JobState.DONE in seen
    with organisation_scope(here.id, using="worker"):
        Job.objects.using("worker").update(total=0, done=0)
    assert "Not begun yet" not in response_text(chidi.get(url))


def test_no_tier_promises_how_long_something_stays(world: World) -> None:
    """A tier has a half-life of hours or days; what fades is said by the day, on the memory."""
    here = world.here
    kept = here.remember(here.robot("aria"), "The office closes at six.").id
    ada = make_signed_in_client(here, "ada")
    assert max(rule.half_life for rule in TIER_RULES) <= 24 * 31
    for url in ("/", "/memories/", "/tiers/", "/tiers/policy/", f"/memories/{kept}/", "/tiers/"):
        page = plain(response_text(ada.get(url)))
        assert not re.search(r"\byears\b|[Ff]ades in|Hardly fades|How long they last", page), url
    page = plain(response_text(ada.get(f"/memories/{kept}/")))
    assert "Half-life" not in page
    # Half as strong after so many days: by the decay of a fact of this importance.
    days = int(re.search(r"Half as strong after (\d+) days without use", page)[1])
    shown = here.api("aria").get(f"/api/v1/memories/{kept}").json()
    left = 2.718281828 ** (-0.02 * (1 - 0.5 * shown["importance"]) * days)
    assert left == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("role", ["ada", "chidi", "bob", "vera"])
def test_the_story_of_the_wrong_one_says_what_the_reader_can_do(world: World, role: str) -> None:
    """By the buttons of a memory that somebody else wrote for everybody."""
    here = world.here
    kept = here.remember(here.robot("aria"), "A bag can be returned for 30 days.").id
    page = response_text(make_signed_in_client(here, role).get(f"/memories/{kept}/"))
    acts = {
        "correct it": f"/memories/{kept}/edit/" in page,
        "suggest a correction": f"/memories/{kept}/suggest/" in page,
        "report it": f"/memories/{kept}/report/" in page,
    }
    [said] = re.findall(r"Open it and (.*)\.$", demo_stories(here.members[role].role)[0]["text"])
    assert said == next(name for name, may in acts.items() if may)


@pytest.mark.parametrize("name", ["mina", "vera", "bob"])
def test_who_can_say_what_one_does(world: World, name: str) -> None:
    """By what happens to who tries: a viewer, somebody out of sharing, and a member."""
    here, now = world.here, timezone.now()
    if name == "bob":
        set_sharing(here.person("bob"), out=True, now=now)
    client = make_signed_in_client(here, name)
    page = plain(response_text(client.get("/me/")))
    persona = f"/personas/{QSR}/"
    may_choose = "This is what I do" in response_text(client.get(persona))
    assert may_choose is (name == "mina")
    assert ("or you choose a persona" in page) is may_choose
    member = str(here.members[name].id)
    said = here.api("aria").post(
        "/api/v1/personas/associations", {"member": member, "handle": QSR}, format="json"
    )
    assert (said.status_code < 400) is (name != "bob"), said.content
    assert ("A robot or who curates may say so." in page) is (name == "vera")
    assert ("nobody can while you are out of sharing." in page) is (name == "bob")
    assert ("nothing of a persona is open to you" in page) is (name == "bob")
    assert ("What your robot learns" in page) is (name == "mina")
    make_association(here, "ada")
    robot = make_owner_actor(here, "ada")
    block = get_block_by_label(robot, now=now).block
    add_entry(robot, block.id, "Places come first.", wanted=WriteOptions(), now=now)
    if name != "bob":
        confirm_association(here.person("chidi"), UUID(said.json()["id"]), now=now)
    reads = "Places come first." in response_text(client.get(persona))
    assert reads is ("You read" in page), "what theirs learned, or it"
    assert reads is (name != "bob")


def test_a_robot_without_a_key_is_not_at_work(world: World) -> None:
    here = world.here
    ensure_robot(organisation_id=here.id, name="dumb", now=NOW)
    here.add_robot("late", scopes=("read",))
    heard, _ = ensure_robot(organisation_id=here.id, name="heard", now=NOW)
    with organisation_scope(here.id):
        Key.objects.filter(robot=here.robots["late"]).update(expires_at=NOW)
        Robot.objects.filter(id=heard.id).update(last_active_at=timezone.now())
    ada = make_signed_in_client(here, "ada")
    for url in ("/robots/", f"/robots/{heard.id}/"):
        page = plain(response_text(ada.get(url)))
        assert "It has no key, so it can neither read nor write." in page, url
        assert "No key yet" not in page, url
    keyless = here.api("aria")
    assert keyless.get("/api/v1/stats").status_code == 200
    assert here.api("late").get("/api/v1/stats").status_code == 401


def test_a_robot_was_heard_from_by_any_call(lasting_world: World) -> None:
    """By when its key was used; a call that writes and recalls nothing is one too."""
    here = lasting_world.here
    here.remember(here.robot("clio"), "The office closes at six.")
    for name in ("bolt", "aria"):
        assert here.api(name).get("/api/v1/stats").status_code == 200
    with organisation_scope(here.id):
        used = dict(
            Key.objects.filter(last_used_at__isnull=False).values_list("robot_id", "last_used_at")
        )
        acted = dict(Robot.objects.values_list("id", "last_active_at"))
    aria, bolt = here.robots["aria"].id, here.robots["bolt"].id
    assert acted[aria] is acted[bolt] is None
    ada = make_signed_in_client(here, "ada")
    page = ada.get("/robots/")
    seen = {one["id"]: one["last_seen_at"] for one in page.context["robots"]}
    assert (seen[aria], seen[bolt]) == (used[aria], used[bolt])
    assert seen[here.robots["clio"].id] == acted[here.robots["clio"].id]
    assert [one["id"] for one in page.context["robots"]] == sorted(
        seen, key=lambda id_: seen[id_], reverse=True
    )
    assert ada.get(f"/robots/{aria}/").context["heard_at"] == used[aria]


def test_what_a_robot_reads_is_said_of_one_that_can(world: World) -> None:
    """By what its key gets; a robot without one reads nothing, whatever is open to everyone."""
    here = world.here
    ensure_robot(organisation_id=here.id, name="dumb", now=NOW)
    here.add_robot("free", scopes=("read",))
    here.add_robot("writes", scopes=("write",))
    kept = here.remember(here.robot("aria"), "The office closes at six.").id
    reads = {}
    for name in ("free", "writes"):
        answer = here.api(name).get(f"/api/v1/memories/{kept}")
        reads[name] = answer.status_code == 200
    assert reads == {"free": True, "writes": False}
    ada = make_signed_in_client(here, "ada")
    entries = re.split(r'<section class="robot-entry"', response_text(ada.get("/robots/")))[1:]
    shown = {
        name: one for one in entries for name in ("dumb", "free", "writes") if f">{name}<" in one
    }
    assert len(shown) == 3
    for name, one in shown.items():
        assert ("it reads what is open to everyone" in plain(one)) is reads.get(name, False), name
        assert "Sits in no group" in plain(one), name
        robot = re.findall(r'id="robot-([0-9a-f-]{36})"', one)[0]
        page = plain(response_text(ada.get(f"/robots/{robot}/")))
        assert ("it reads what is open to everyone" in page) is reads.get(name, False), name


def test_of_a_personal_robot_nobody_is_told_that_it_wrote_nothing(world: World) -> None:
    """What it taught names no robot: the reader reads that and may not know whose it is."""
    here, now = world.here, timezone.now()
    make_association(here, "mina")
    robot = make_owner_actor(here, "mina")
    block = get_block_by_label(robot, now=now).block
    add_entry(robot, block.id, "Places come first.", wanted=WriteOptions(), now=now)
    chidi = make_signed_in_client(here, "chidi")
    assert "Places come first." in response_text(chidi.get("/personas/qsr_real_estate/"))
    page = plain(response_text(chidi.get("/robots/")))
    assert page.count("Wrote nothing yet that you may read") == 3, "aria, bolt and clio"
    assert "No memory names it to you" in page
    page = plain(response_text(chidi.get(f"/robots/{robot.robot_id}/")))
    assert "Nothing that names it to you" in page
    assert "Nothing that you may read" not in page


def save(here: Tenant, block: Any, words: str) -> str:
    chidi = make_signed_in_client(here, "chidi")
    chidi.post(f"/blocks/{block.id}/edit/", {"text": words, "version": 0})
    return plain(response_text(chidi.get("/personas/qsr_real_estate/")))


def test_who_reads_a_block_from_the_next_question_on(world: World) -> None:
    """By the lines that each robot gets with its own key."""
    here = world.here
    block = get_block_by_label(here.person("chidi"), now=timezone.now()).block
    page = save(here, block, "Places come first.")
    assert "Saved. No robot reads it yet." in page
    assert "nobody of Real Estate in QSR yet" in page


@pytest.mark.parametrize("own", [True, False])
def test_robots_that_read_a_block_are_counted(world: World, own: bool) -> None:
    here = world.here
    make_association(here, "mina")
    if own:
        _, here.keys["mine"] = create_own_key(here.person("mina"), label="mine", now=NOW)
    block = get_block_by_label(here.person("chidi"), now=timezone.now()).block
    page = save(here, block, "Places come first.")
    getting = [
        name
        for name in here.keys
        if "Places come first." in str(here.api(name).get("/api/v1/blocks").json())
    ]
    assert getting == (["mine"] if own else [])
    said = "1 robot reads it from its next question on." if own else "No robot reads it yet."
    assert f"Saved. {said}" in page


def test_nobody_else_decides_what_is_held_and_looking_holds_nothing(world: World) -> None:
    """By who can decide it, after a look and after a press."""
    here = world.here
    item = propose(here)
    ada, chidi = (make_signed_in_client(here, name) for name in ("ada", "chidi"))
    assert "Press Hold there, and nobody else decides it for five minutes." in plain(
        response_text(chidi.get("/review/"))
    )
    url = f"/review/{item.id}/"

    def refused() -> bool:
        return ada.post(f"{url}reject/", {"version": "1", "reason": "No."}).status_code == 409

    chidi.get(url)
    assert "holds this" not in response_text(ada.get(url))
    assert chidi.post(f"{url}hold/").status_code == 302
    assert "Chidi holds this." in response_text(ada.get(url))
    assert refused()
    ada.post(f"{url}hold/", {"take_over": "1"})
    assert not refused()


def test_a_repeat_says_whether_its_vector_is_there(lasting_world: World) -> None:
    """As a call for the memory itself says it."""
    here, aria = lasting_world.here, lasting_world.here.api("aria")
    body = {"content": "The office closes at six."}
    made = aria.post("/api/v1/memories", body, format="json").json()
    assert (made["embedding"], made["deduplicated"]) == ("pending", False)
    for embedded in (False, True):
        if embedded:
            here.read()
            here.embed()
        known = aria.get(f"/api/v1/memories/{made['id']}").json()["embedding"]
        again = aria.post("/api/v1/memories", body, format="json").json()
        assert again["deduplicated"] is True
        assert again["embedding"] == known == ("ready" if embedded else "pending")
    keyed = {"content": "The door is green.", "key": "door"}
    made = aria.post("/api/v1/memories", keyed, format="json").json()
    here.read()
    here.embed()
    for change, state in (({"importance": 0.9}, "ready"), ({"content": "It is red."}, "pending")):
        given = {**keyed, **change, "on_conflict": "replace"}
        replaced = aria.post("/api/v1/memories", given, format="json").json()
        assert replaced["embedding"] == state, change
        known = aria.get(f"/api/v1/memories/{made['id']}").json()["embedding"]
        assert known == state


def test_a_count_that_was_cut_off_says_so(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    here = world.here
    for number in range(4):
        here.remember(here.robot("aria"), f"Number {number} is for everyone.")
    for most, said in ((10, "4"), (4, "4 or more")):
        monkeypatch.setattr("memories.insights.overview.MAX_PENDING_COUNTED", most)
        monkeypatch.setattr(overview, "MAX_PENDING_COUNTED", most)
        stats = make_signed_in_client(here, "chidi").get("/").context["stats"]
        assert {one["label"]: one["value"] for one in stats}["Not indexed yet"] == said
