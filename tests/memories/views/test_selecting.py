"""Filters, saved views, and one change for many memories (W03)."""

import re
from datetime import date
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest

from memories.browsing.models import SavedView
from memories.browsing.selection import Selection, select_memories
from memories.curation import bulk_change
from memories.jobs import run_jobs
from memories.review.protect import protect_memory
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.memories.views.test_library import HTMX, count_queries
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("W03")
CHANGE = "/memories/change/"


def rows(page: str) -> int:
    return page.count("data-row-link")


def ids_for(here: Tenant, *contents: str, **fields: Any) -> list[UUID]:
    return [here.remember(here.robot("aria"), one, **fields).id for one in contents]


def test_each_filter_narrows_list_and_search(world: World) -> None:
    here = world.here
    mina = here.members["mina"]
    here.remember(
        here.robot("aria"), "Paint is blue.", group="launch", speaker=str(mina.id),
        category="decision", type="announcement", tags=("colour",), tier="fast",
        occurred_at=NOW.replace(year=2020),
    )  # fmt: skip
    here.remember(here.robot("bolt"), "Paint is dry.")
    client = make_signed_in_client(here, "mina")
    launch, aria = here.groups["launch"].id, here.robots["aria"].id
    filters = {
        "group": launch, "member": mina.id, "robot": aria, "category": "decision",
        "type": "announcement", "tag": "colour", "tier": "fast", "kind": "group",
        "until": "2020-12-31",
    }  # fmt: skip
    for q in ({}, {"q": "paint"}):
        assert rows(response_text(client.get("/memories/?" + urlencode(q)))) == 2
        for name, value in filters.items():
            page = response_text(client.get("/memories/?" + urlencode({**q, name: str(value)})))
            assert rows(page) == 1, (q, name)
            assert "blue" in page
    everything = urlencode({**filters, "q": "paint"})
    assert rows(response_text(client.get(f"/memories/?{everything}"))) == 1
    assert count_queries(client, f"/memories/?{everything}") <= 12
    part = client.get(f"/memories/?{everything}&kind=", headers=HTMX)
    assert "kind" not in part["HX-Push-Url"]
    assert "q=paint" in part["HX-Push-Url"]


def test_it_says_how_many_and_why_there_are_none(world: World) -> None:
    here = world.here
    ids_for(here, "One.", "Two.")
    here.remember(here.person("mina"), "Hers.", visibility="private")
    bob = make_signed_in_client(here, "bob")
    assert "2 memories that you can read</span>" in response_text(bob.get("/memories/"))
    assert "3 memories that you can read</span>" in response_text(
        make_signed_in_client(here, "mina").get("/memories/")
    )
    assert "No memory that you may read fits these filters" in response_text(
        bob.get("/memories/?tag=x")
    )
    assert "Nothing that you may see" in response_text(bob.get("/memories/?status=quarantined"))


@pytest.mark.parametrize(
    "narrowed",
    [
        {"category": "event"},
        {"kind": "direct", "type": "fact", "tier": "fast"},
        {"member": UUID(int=1), "robot": UUID(int=2), "group": UUID(int=3)},
        {"since": date(2020, 1, 1), "until": date(2020, 12, 31)},
        {"status": "archived"},
        {"readers": "profession", "came": date(2020, 1, 1)},
    ],
)
def test_a_filter_that_nothing_fits_needs_an_index_and_no_memory(
    world: World, narrowed: dict[str, Any]
) -> None:
    here = world.here
    ids_for(here, "One.", "Two.")
    rows = select_memories(
        resolve_principal(here.person("mina")), Selection(**narrowed), NOW
    ).values("id")
    statement, _ = rows.order_by().query.sql_with_params()
    [index] = [one for one in Memory._meta.indexes if one.name == "memory_lines"]
    held = {Memory._meta.get_field(n.lstrip("-")).column for n in (*index.fields, *index.include)}
    assert set(re.findall(r'"memories_memory"\."(\w+)"', statement)) <= held
    client = make_signed_in_client(here, "mina")
    nothing = count_queries(client, "/memories/?category=event")
    assert nothing < count_queries(client, "/memories/"), "what was counted as nothing is not read"


def test_saved_views_are_ones_own(world: World) -> None:
    here = world.here
    mina, bob = make_signed_in_client(here, "mina"), make_signed_in_client(here, "bob")
    form = {"name": "What we chose", "query": "category=decision"}
    for _ in range(2):
        assert mina.post("/memories/views/", form)["Location"] == "/memories/?category=decision"
    page = response_text(mina.get("/memories/?category=decision"))
    assert 'href="/memories/?category=decision" aria-current="page">What we chose' in page
    assert "What we chose" not in response_text(bob.get("/memories/"))
    bob.post("/memories/views/remove/", {"name": "What we chose"})
    with resolve_principal(here.person("mina")).scope():
        assert SavedView.objects.count() == 1
    mina.post("/memories/views/remove/", {"name": "What we chose"})
    assert "What we chose</a>" not in response_text(mina.get("/memories/"))
    assert mina.post("/memories/views/", {"name": "x" * 61}).status_code == 302


def change(client: Any, action: str, **data: Any) -> Any:
    return client.post(f"{CHANGE}?action={action}", data)


def test_a_preview_says_what_changes_and_then_it_does(world: World) -> None:
    here = world.here
    ours = ids_for(here, "Old plan one.", "Old plan two.", category="event")
    red = ids_for(here, "Old but protected.")
    protect_memory(here.person("ada"), red[0], reason="The law says so.", now=NOW)
    chidi = make_signed_in_client(here, "chidi")
    selected = [str(i) for i in (*ours, *red)]
    look = response_text(change(chidi, "forget", selected=selected))
    assert "Forget 2 memories" in look
    assert "1 memory will stay as before: protected." in look
    assert rows(response_text(chidi.get("/memories/"))) == 3, "a preview changes nothing"
    done = chidi.post(
        f"{CHANGE}?action=forget", {"selected": selected, "confirm": "1"}, follow=True
    )
    assert "Forgot 2 memories." in response_text(done)
    assert rows(response_text(done)) == 1
    undo = re.search(r'action="(/jobs/[^"]+/undo/)"', response_text(done))[1]
    assert "Undone for 2 memories." in response_text(chidi.post(undo, follow=True))
    assert rows(response_text(chidi.get("/memories/"))) == 3
    assert chidi.post(undo).status_code == 409, "once"


def test_all_that_match_are_changed_and_no_others(world: World) -> None:
    here = world.here
    ids_for(here, *(f"Event {n}." for n in range(32)), category="event")
    ids_for(here, "A decision.", category="decision")
    chidi = make_signed_in_client(here, "chidi")
    listed = response_text(chidi.get("/memories/?category=event"))
    assert "All 32 that match" in listed
    data = {"all": "1", "query": "category=event"}
    assert "Change 32 memories" in response_text(change(chidi, "set", **data))
    assert change(chidi, "set", **data, confirm="1").status_code == 422, "nothing was chosen"
    change(chidi, "set", **data, confirm="1", tags="old, 2026", importance="0.8")
    tagged = response_text(chidi.get("/memories/?tag=old"))
    assert "32 memories that you can read fit these filters</span>" in tagged


def test_others_memories_are_neither_changed_nor_counted(world: World) -> None:
    here = world.here
    open_, hers = ids_for(here, "Open."), here.remember(
        here.person("mina"), "Hers.", visibility="private"
    ).id  # fmt: skip
    bob = make_signed_in_client(here, "bob")
    data = {"selected": [str(open_[0]), str(hers), str(UUID(int=7)), "nonsense"]}
    look = response_text(change(bob, "archive", **data))
    assert "1 memory will stay as before: not yours to change." in look
    change(bob, "archive", **data, confirm="1")
    assert here.readable(here.person("mina")) == {open_[0], hers}
    assert "Nothing that you selected" in look
    assert (
        make_signed_in_client(here, "vera").post(f"{CHANGE}?action=archive", data).status_code
        == 404
    )
    assert change(bob, "explode", **data).status_code == 404


def test_many_are_changed_by_a_worker_with_the_rights_of_then(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world.here
    monkeypatch.setattr(bulk_change, "MAX_SYNCHRONOUS", 2)
    monkeypatch.setattr("memories.views.memory.bulk_change.MAX_SYNCHRONOUS", 2)
    ids = ids_for(here, "One.", "Two.", "Three.")
    chidi = make_signed_in_client(here, "chidi")
    sent = chidi.post(
        f"{CHANGE}?action=archive", {"selected": [str(i) for i in ids], "confirm": "1"}
    )
    assert rows(response_text(chidi.get("/memories/"))) == 3
    job_id = UUID(sent["Location"].strip("/").split("/")[-1])
    assert "0 of 3 memories" in response_text(chidi.get(f"/jobs/{job_id}/"))
    assert make_signed_in_client(here, "ada").get(f"/jobs/{job_id}/").status_code == 404
    asked = (here.id, job_id, here.members["chidi"].id)
    assert not run_jobs.run_job(world.there.id, *asked[1:])
    assert run_jobs.run_job(*asked)
    assert not run_jobs.run_job(*asked), "a second message finds nothing to do"
    page = response_text(chidi.get(f"/jobs/{job_id}/"))
    assert "3 of 3 memories" in page
    assert rows(response_text(chidi.get("/memories/"))) == 0
