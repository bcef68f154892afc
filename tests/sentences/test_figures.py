"""Figures of the first page, of what is kept about a member, and of a robot, counted again."""

import re
from datetime import timedelta

from django.utils import timezone

from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.review.models import Proposal, ProposalState
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from tests.memories.curation.test_decide import propose
from tests.page_client import make_signed_in_client, response_text
from tests.sentences.test_readers import delegate_to_robot
from tests.world import Tenant, World

ASKED = "Your questions by the API, answered"


def tiles(here: Tenant, name: str) -> dict[str, dict[str, str]]:
    page = make_signed_in_client(here, name).get("/")
    return {stat["label"]: stat for stat in page.context["stats"]}


def rows_of(here: Tenant) -> list[Memory]:
    """All rows of the organisation, past every policy."""
    with organisation_scope(here.id, using="worker"):
        return list(Memory.objects.using("worker").filter(organisation_id=here.id))


def test_questions_with_an_answer_are_those_that_had_one(lasting_world: World) -> None:
    here, now = lasting_world.here, timezone.now()
    here.remember(here.robot("aria"), "The zebra of the zoo sleeps in the barn.")
    here.embed()
    said = [
        recall(here.person("mina"), Query(text=text, strategy="hybrid"), now=now).answered
        for text in ("Where does the zebra of the zoo sleep?", "zzzqqq", "qqqzzz", "zqzqzq")
    ]
    assert set(said) == {"yes", "no"}
    tile = tiles(here, "mina")[ASKED]
    assert tile["value"] == f"{100 * said.count('yes') / len(said):.0f} %"
    assert tile["change"] == f"Of {len(said)} in 30 days"
    assert ASKED not in tiles(here, "bob")
    page = response_text(make_signed_in_client(here, "mina").get("/tiers/"))
    assert f"In 30 days: {len(said)} questions that you asked by the API" in page


def test_questions_on_pages_and_of_robots_are_not_counted_and_no_page_counts_none(
    lasting_world: World,
) -> None:
    """By asking on the page, by a robot that acts for the member with leave, and by the API."""
    here = lasting_world.here
    here.remember(here.robot("aria"), "The zebra of the zoo sleeps in the barn.")
    here.add_robot("helper", scopes=("read", "act_for"))
    delegate_to_robot(here, "helper")
    here.embed()
    mina, question = make_signed_in_client(here, "mina"), "Where does the zebra of the zoo sleep?"
    assert "The zebra of the zoo" in response_text(mina.get("/memories/", {"q": question}))
    body = {"query": question, "member": str(here.members["mina"].id)}
    answer = here.api("helper").post("/api/v1/recall", body, format="json").json()
    assert answer["answered"] == "yes"
    assert ASKED not in tiles(here, "mina")
    said = "Those on these pages and those of robots are not counted."
    assert said in response_text(mina.get("/tiers/"))
    asked = mina.post("/api/v1/recall", {"query": question}, "application/json").json()
    assert asked["answered"] == "yes"
    tile = tiles(here, "mina")[ASKED]
    assert (tile["value"], tile["change"]) == ("100 %", "Of 1 in 30 days")
    assert said not in response_text(mina.get("/tiers/"))


def test_memories_are_counted_as_the_database_shows_them(lasting_world: World) -> None:
    """By who may open which row, one after the other."""
    here, now = lasting_world.here, timezone.now()
    aria = here.robot("aria")
    for number in range(3):
        here.remember(aria, f"Number {number} is for everyone.")
    here.remember(aria, "For launch alone.", group="launch")
    here.remember(here.person("mina"), "Mina's own.", visibility="private")
    here.remember(aria, "A note of a robot.", visibility="internal")
    gone = here.remember(aria, "This was once for everyone.").id
    late = here.remember(aria, "This is long ago.").id
    with organisation_scope(here.id, using="worker"):
        mine = Memory.objects.using("worker").filter(organisation_id=here.id)
        mine.filter(id=gone).update(status="forgotten", forgotten_at=now)
        mine.exclude(id=late).update(created_at=now)
        mine.filter(id=late).update(created_at=now - timedelta(days=9))
    rows = rows_of(here)
    for name in ("ada", "mina", "bob", "vera"):
        seen = here.readable(here.person(name))
        mine = [
            row
            for row in rows
            if row.id in seen and row.status == "active" and row.kind != "internal"
        ]
        shown = tiles(here, name)
        assert shown["Memories you may read"]["value"] == str(len(mine)), name
        lately = sum(row.created_at > now - timedelta(days=7) for row in mine)
        assert shown["New this week"]["value"] == str(lately), name


def test_what_waits_is_what_can_be_decided(lasting_world: World) -> None:
    """By opening every item as every role, and looking whether it can be answered."""
    here = lasting_world.here
    for text in ("One thing for everybody.", "Another thing for everybody."):
        propose(here, content=text)
    with organisation_scope(here.id, using="worker"):
        items = list(
            Proposal.objects.using("worker").filter(
                organisation_id=here.id, state=ProposalState.OPEN
            )
        )
    assert items
    for name in ("ada", "chidi", "bob", "vera"):
        client = make_signed_in_client(here, name)
        pages = [client.get(f"/review/{item.id}/") for item in items]
        can = sum('aria-label="Your answer"' in response_text(page) for page in pages)
        assert tiles(here, name)["Waiting for your decision"]["value"] == str(can), name
    assert can < len(items)


def test_what_is_kept_about_somebody_is_counted_by_its_readers(lasting_world: World) -> None:
    here, mina = lasting_world.here, lasting_world.here.person("mina")
    about = str(mina.member_id)
    aria = here.robot("aria")
    here.remember(aria, "Mina likes tea.", member=about)
    here.remember(aria, "Mina likes coffee.", member=about)
    here.remember(aria, "Mina leads the launch.", member=about, group="launch")
    here.remember(aria, "Bob likes milk.", member=str(here.members["bob"].id))
    page = re.sub(r"<[^>]+>", "", response_text(make_signed_in_client(here, "mina").get("/me/")))
    seen = here.readable(mina)
    rows = [row for row in rows_of(here) if row.id in seen and row.member_id == mina.member_id]
    others = [name for name in here.members if name != "mina"]
    shared = [
        row for row in rows if any(row.id in here.readable(here.person(name)) for name in others)
    ]
    assert (len(rows), len(shared)) == (3, 1)
    assert f"Robots and people keep {len(rows)} things about you." in page
    assert (
        f"{len(rows) - len(shared)} only you can see, {len(shared)} is shared with 1 group" in page
    )


def test_what_taking_back_would_make_private_is_what_it_makes_private(
    lasting_world: World,
) -> None:
    """By the readers of every row before and after."""
    here, mina = lasting_world.here, lasting_world.here.person("mina")
    about, aria = str(mina.member_id), here.robot("aria")
    here.remember(aria, "Mina leads the launch.", member=about, group="launch")
    here.remember(mina, "The launch is on Friday.", group="launch")
    here.remember(mina, "Mina's own.", visibility="private")
    here.remember(aria, "Bob likes milk.", member=str(here.members["bob"].id), group="launch")
    here.remember(
        aria, "Mina said so.", speaker=about, group="launch", conversation="c1", type="conversation"
    )
    client = make_signed_in_client(here, "mina")
    out = {"organisation": str(here.id), "on": "1"}
    assert client.post("/me/sharing/", out).status_code == 302
    page = re.sub(r"<[^>]+>", "", response_text(client.get("/me/sharing/")))
    before = {row.id: row.audience_id for row in rows_of(here)}
    assert client.post("/me/sharing/", out | {"withdraw": "1"}).status_code == 302
    moved = sum(before[row.id] != row.audience_id for row in rows_of(here))
    assert moved == 2
    assert f"{moved} memories are shared: noted about you" in page
    page = response_text(client.get("/me/sharing/"))
    assert "Nothing that is about you or by you is shared" in page
    assert "Take it back" not in page
