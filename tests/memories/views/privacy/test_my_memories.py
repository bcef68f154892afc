"""My memories: what a member sees, takes along, forgets, pauses and takes back."""

import json
import re
from typing import Any

import pytest
from django.db import connection
from django.db.models import Q
from django.utils import timezone

from memories.access.references import ReaderReferences
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.store.models.memory import Memory
from orgs.database.rls import current_scope, organisation_scope
from orgs.members.member_settings import set_learning_paused, set_sharing_opt_out
from orgs.models.memberships import Member
from orgs.principals import resolve_principal
from robots.access.acting_for_members import create_delegation
from robots.models.delegations import Delegation
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import NOW, Tenant, World


def told(here: Tenant, content: str, **place: Any) -> Any:
    """A robot writes about Mina."""
    mina = str(here.members["mina"].id)
    return here.remember(here.robot("aria"), content, member=mina, **place).id


def answers(here: Tenant, who: str, question: str) -> list[str]:
    return [m.content for _, m in recall(here.person(who), Query(text=question), now=NOW).hits]


def refused(here: Tenant, **body: Any) -> tuple[int, str]:
    mina = str(here.members["mina"].id)
    answer = here.api("aria").post(
        "/api/v1/memories", {"content": "Mina likes tea.", "member": mina, **body}, format="json"
    )
    return answer.status_code, answer.json().get("type", "").rpartition(":")[2]


@pytest.mark.conformance("W13")
def test_only_what_is_mine_and_never_a_robots_notes(world: World) -> None:
    here = world.here
    told(here, "Mina likes tea.")
    told(here, "Mina leads.", group="launch")
    here.remember(here.robot("aria"), "Mina seems tired.", visibility="internal")
    here.remember(here.person("bob"), "Bob likes coffee.", visibility="private")
    mina = make_signed_in_client(here, "mina")
    page = response_text(mina.get("/me/"))
    assert "<strong>2 things</strong>" in page
    assert "1 only you can see, 1 is shared with 1 group." in page
    assert "aria learned this on" in page
    assert [word in page for word in ("likes tea", "leads", "seems tired", "coffee")] == [
        True, True, False, False,
    ]  # fmt: skip
    # Warm: nothing grows with the rows.
    few = count_queries(mina, "/me/")
    for number in range(9):
        told(here, f"Mina note {number}")
    assert count_queries(mina, "/me/") == few <= 13


@pytest.mark.conformance("W13")
def test_export_streams_in_scopes_of_its_own(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    here = world.here
    monkeypatch.setattr("memories.privacy.export_my_data.BATCH_SIZE", 2)
    for number in range(5):
        told(here, f"Mina note {number}")
    here.remember(here.person("bob"), "Bob likes coffee.", visibility="private")
    answer = make_signed_in_client(here, "mina").get("/me/export/")
    assert answer.streaming
    portions = list(answer)
    rows = [json.loads(line) for line in b"".join(portions).splitlines()]
    assert [row["content"] for row in rows] == [f"Mina note {n}" for n in range(5)]
    assert {(row["robot"], row["audience"]["kind"]) for row in rows} == {("aria", "member")}
    assert len(portions) == 3
    assert current_scope().organisation is None
    assert connection.in_atomic_block


@pytest.mark.conformance("W13")
def test_paused_learning_stores_nothing_about_the_member(world: World) -> None:
    here, mina = world.here, make_signed_in_client(world.here, "mina")
    mina.post("/me/learning/", {"on": "1"})
    speaker = {"group": "launch", "speaker": str(here.members["mina"].id), "member": None}
    assert refused(here) == (403, "learning-paused")
    batch = {"items": [{"content": "x", "member": str(here.members["mina"].id)}, {"content": "y"}]}
    results = here.api("aria").post("/api/v1/memories/batch", batch, format="json").json()
    assert [r["status"] for r in results["results"]] == ["refused", "active"]
    said = {k: v for k, v in speaker.items() if v}
    answer = here.api("aria").post("/api/v1/memories", {"content": "z", **said}, format="json")
    assert (answer.status_code, answer.json()["title"]) == (403, "Learning is paused")
    # What she writes herself is hers.
    here.remember(here.person("mina"), "My own note.", visibility="private")
    with resolve_principal(here.person("mina")).scope():
        assert set(Memory.objects.values_list("content", flat=True)) == {"y", "My own note."}
    mina.post("/me/learning/", {"on": "0"})
    assert refused(here)[0] == 201


@pytest.mark.conformance("W13")
@pytest.mark.parametrize("ticked", [False, True])
def test_opting_out_keeps_new_things_close_and_takes_back_if_ticked(
    world: World, ticked: bool
) -> None:
    here = world.here
    told(here, "Mina leads the launch.", visibility="organisation")
    told(here, "Mina owns the launch list.", group="launch")
    form = {"on": "1"} | ({"withdraw": "1"} if ticked else {})
    make_signed_in_client(here, "mina").post("/me/sharing/", form)
    left = ["Mina leads the launch.", "Mina owns the launch list."]
    assert sorted(answers(here, "bob", "launch")) == ([] if ticked else left)
    assert sorted(answers(here, "mina", "launch")) == left
    assert refused(here, visibility="organisation") == (403, "sharing-off")
    assert refused(here, group="launch")[0] == 201
    kept = told(here, "Mina sings.", group="launch")
    share = f"/api/v1/memories/{kept}/share"
    assert (
        here.api("aria")
        .post(share, {"visibility": "organisation"}, format="json")
        .json()["type"]
        .endswith("sharing-off")
    )


@pytest.mark.conformance("W13")
def test_forget_everything_by_a_typed_word_and_bring_it_back(world: World) -> None:
    here, mina = world.here, make_signed_in_client(world.here, "mina")
    told(here, "Mina likes tea.")
    told(here, "Mina leads.", group="launch")
    other = here.remember(here.person("bob"), "Bob leads.", group="launch").id
    assert mina.post("/me/forget/", {"confirm": "yes"}).status_code == 422
    assert len(answers(here, "mina", "leads tea")) == 3
    page = response_text(mina.post("/me/forget/", {"confirm": "forget everything"}, follow=True))
    assert "2 things are forgotten." in page
    assert answers(here, "mina", "leads tea") == ["Bob leads."]
    undo = page.split('action="/me/forget/undo/')[1].split('"')[0].replace("&amp;", "&")
    mina.post(f"/me/forget/undo/{undo}")
    assert len(answers(here, "mina", "leads tea")) == 3
    assert mina.post("/me/forget/undo/?at=nonsense").status_code == 404
    assert other


def test_leave_for_a_robot_and_the_time_zone(world: World) -> None:
    here, mina = world.here, make_signed_in_client(world.here, "mina")
    told(here, "Mina likes tea.")
    aria = here.robots["aria"]
    ask = {"query": "tea", "member": str(here.members["mina"].id)}

    def read() -> int:
        answer = here.api("aria").post("/api/v1/recall", ask, format="json")
        return len(answer.json()["results"])

    assert read() == 0
    assert mina.post("/me/robots/", {"robot": str(aria.id)}).status_code == 302
    assert read() == 1
    page = response_text(mina.get("/me/"))
    revoke = "/me/robots/" + page.split('action="/me/robots/')[1].split('"')[0]
    assert make_signed_in_client(here, "bob").post(revoke).status_code == 404
    assert mina.post(revoke).status_code == 302
    assert read() == 0
    foreign = str(world.there.robots["aria"].id)
    assert mina.post("/me/robots/", {"robot": foreign}).status_code == 404
    mina.post("/me/time-zone/", {"time_zone": "Europe/Lisbon"})
    mina.post("/me/time-zone/", {"time_zone": "Moon/Sea"})
    with organisation_scope(here.id):
        assert Member.objects.get(id=here.members["mina"].id).time_zone == "Europe/Lisbon"


def test_no_address_chooses_a_robot(world: World) -> None:
    here = world.here
    mina = make_signed_in_client(here, "mina")
    page = response_text(mina.get("/me/?trust=1"))
    chosen = re.findall(r'<option value="([^"]*)"[^>]*>', page.partition('id="robot"')[2])
    selected = re.findall(r'<option value="([^"]*)" selected', page)
    assert (chosen[0], selected) == ("", [""])
    assert mina.post("/me/robots/", {"robot": ""}).status_code == 404
    with organisation_scope(here.id):
        assert not Delegation.objects.filter(organisation_id=here.id).exists()


def test_no_address_ticks_people_or_a_wider_audience(world: World) -> None:
    here = world.here
    mina, bob = make_signed_in_client(here, "mina"), here.members["bob"].id
    own = here.remember(here.person("mina"), "Mine.", visibility="private").id
    page = response_text(mina.get(f"/memories/{own}/access/?people={bob}&audience=organisation"))
    assert f'value="{bob}" checked' not in page
    assert re.findall(r'name="audience" value="([^"]+)" checked', page) == ["private"]
    for asked, chosen in (("", ["private"]), ("?audience=organisation", []), ("?audience=x", [])):
        page = response_text(mina.get(f"/memories/add/{asked}"))
        assert re.findall(r'name="audience" value="([^"]+)" checked', page) == chosen, asked


def test_the_opening_counts_what_each_audience_is(world: World) -> None:
    """Counted here one by one; in a list that names her alone nobody else reads."""
    here, mina = world.here, world.here.person("mina")
    told(here, "Mina likes tea.")
    told(here, "Mina leads.", group="launch")
    told(here, "Mina draws.", group="design")
    told(here, "The door is open.", visibility="organisation")
    about = {"speaker": str(here.members["mina"].id)}
    here.remember(mina, "Alone.", visibility="protected", group="launch", **about)
    bob = ReaderReferences(members=(str(here.members["bob"].id),))
    here.remember(mina, "To Bob.", visibility="shared", readers=bob, **about)
    here.remember(mina, "For all?", visibility="organisation", **about)
    principal = resolve_principal(mina)
    with principal.scope():
        rows = [
            (m.audience.kind, {e.reader for e in m.audience.entries.all()})
            for m in Memory.objects.select_related("audience").filter(
                Q(member_id=mina.member_id) | Q(speaker_member_id=mina.member_id)
            )
        ]
    alone = [1 for k, who in rows if k == "member" or (k == "explicit" and len(who) == 1)]
    shared = [
        k for k, who in rows if k in ("group", "organisation") or (k, len(who)) == ("explicit", 2)
    ]
    page = re.sub(r"<[^>]+>", "", response_text(make_signed_in_client(here, "mina").get("/me/")))
    assert f"keep {len(rows)} things about you. {len(alone)} only you can see, " in page
    words = f"{len(shared)} are shared with 2 groups, some people and everyone, 1 waits for review."
    assert words in page
    assert "Alone." not in response_text(
        make_signed_in_client(here, "mina").get("/me/?show=shared")
    )


@pytest.mark.parametrize("who", ["delegation", "owner"])
def test_the_opening_names_the_robot_that_sees_it_too(world: World, who: str) -> None:
    here, mina = world.here, world.here.person("mina")
    told(here, "Mina likes tea.")
    if who == "owner":
        here.add_robot("mine", scopes=("read", "act_for"))
        here.give_owner("mine", "mina")
    else:
        create_delegation(
            organisation_id=here.id, member_id=mina.member_id, robot_id=here.robots["aria"].id,
            actor=mina, now=NOW,
        )  # fmt: skip
    client = make_signed_in_client(here, "mina")
    page = response_text(client.get("/me/"))
    # One's own robot is nobody else's, so it needs no name.
    robot = "your robot" if who == "owner" else "aria"
    assert f"1 only you and {robot} can see." in re.sub(r"<[^>]+>", "", page)
    assert "only you can" not in page
    assert "You have given no robot leave." not in page
    assert "You and your robots" in response_text(client.get("/"))
    assert "Only you" not in response_text(client.get("/"))


def test_a_time_stands_close_to_what_follows(world: World) -> None:
    here = world.here
    set_learning_paused(here.person("mina"), paused=True, now=timezone.now())
    set_sharing_opt_out(here.person("mina"), out=True, now=timezone.now())
    page = re.sub(r"<[^>]+>", "", response_text(make_signed_in_client(here, "mina").get("/me/")))
    assert "(now)" in page
    assert "(now )" not in re.sub(r"\s+", " ", page)
    assert not re.search(r"\s[.,)]", page.partition("Robots and people")[2])


def test_a_memory_that_is_opened_from_here_stays_under_it(world: World) -> None:
    here = world.here
    id_ = told(here, "Mina likes tea.")
    mina = make_signed_in_client(here, "mina")
    [url] = set(
        re.findall(
            rf'href="(/memories/{id_}/[^"]*)" data-row-link', response_text(mina.get("/me/"))
        )
    )
    for address, above in ((url, "/me/"), (f"/memories/{id_}/", "/memories/")):
        page = mina.get(address)
        [open_] = [item["url"] for item in page.context["nav"] if item["current"]]
        crumbs = response_text(page).partition('class="crumbs"')[2]
        assert (open_, f'href="{above}"' in crumbs.partition("</nav>")[0]) == (above, True)


def test_by_whom_what_is_kept_was_written(world: World) -> None:
    """X13: by robot, as many as the page says in all."""
    here = world.here
    mina = str(here.members["mina"].id)
    for n in range(3):
        here.remember(here.robot("aria"), f"Plums are liked {n}", group="launch", member=mina)
    here.remember(here.robot("clio"), "Pears are drawn", group="design", member=mina)
    here.remember(here.robot("aria"), "Of nobody", group="launch")
    context = make_signed_in_client(here, "mina").get("/me/").context
    values = {one["label"]: one["value"] for one in context["keepers"]["values"]}
    assert values == {here.robots["aria"].name: 3, here.robots["clio"].name: 1}
    assert sum(values.values()) == context["opening"].total
    bob = make_signed_in_client(here, "bob").get("/me/").context
    assert "keepers" not in bob, "nothing is kept about Bob"
