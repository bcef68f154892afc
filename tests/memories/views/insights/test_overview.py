"""The overview: figures of what its reader may read, first steps, and the end of the demo."""

import csv
import io
from datetime import timedelta

import pytest
from django.utils import timezone

from memories.demo.create_demo import create_demo
from memories.indexing.models import Pending
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.store.models.version import Contribution
from memories.views.insights.audit_trail import csv_response
from orgs.accounts.sessions import list_memberships
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation
from tests.page_client import count_queries, get_user, make_signed_in_client, response_text
from tests.world import PEOPLE, World


def fill(world: World, many: int = 1) -> None:
    here = world.here
    for n in range(many):
        here.remember(here.robot("aria"), f"Lunch number {n} is at noon.", tier="glacial")
        here.remember(here.robot("aria"), f"The launch {n} is on Tuesday.", group="launch")
        here.remember(here.person("mina"), f"Mina alone knows {n}.", visibility="private")
        here.remember(here.robot("aria"), f"A note of robots {n}.", visibility="internal")


@pytest.mark.conformance("W01")
def test_figures_count_what_the_viewer_may_read(world: World) -> None:
    fill(world, 3)
    seen = {}
    for name in PEOPLE:
        client = make_signed_in_client(world.here, name)
        rows = {
            chart: dict(
                csv.reader(io.StringIO(response_text(client.get(f"/overview/{chart}.csv"))))
            )
            for chart in ("readers", "kinds", "tiers", "days")
        }
        seen[name] = rows["readers"]
        del seen[name]["Who"]
        page = client.get("/")
        assert page.context["stats"][0]["value"] == str(sum(map(int, seen[name].values())))
        assert "A note of robots" not in response_text(page)
        assert ("Mina alone knows" in response_text(page)) == (name == "mina")
        assert len(rows["days"]) == 29
    assert seen["mina"] == {"Everyone": "3", "Groups": "3", "Only you": "3"}
    assert seen["bob"] == {"Everyone": "3", "Groups": "3"}
    assert seen["vera"] == seen["ada"] == {"Everyone": "3"}
    assert make_signed_in_client(world.here, "ada").get("/overview/salaries.csv").status_code == 404


@pytest.mark.conformance("W02")
def test_robots_what_is_owed_and_questions_are_counted_for_their_reader(
    lasting_world: World,
) -> None:
    """By numbers that a query of its own gives, with table and CSV."""
    here, now = lasting_world.here, timezone.now()
    for number in range(3):
        here.remember(here.robot("aria"), f"Lunch number {number} is at noon.")
    shared = here.remember(here.robot("bolt"), "Lunch number 0 is at noon.")
    here.remember(here.robot("clio"), "The press comes on Tuesday.", group="design")
    old = here.remember(here.robot("bolt"), "Long ago.").id
    with organisation_scope(here.id, using="worker"):
        Contribution.objects.using("worker").filter(memory_id=old).update(
            last_at=now - timedelta(days=8)
        )
        Contribution.objects.using("worker").exclude(memory_id=old).update(last_at=now)
        Pending.objects.using("worker").filter(memory_id=shared.id).update(
            created_at=now - timedelta(hours=3)
        )
        Pending.objects.using("worker").exclude(memory_id=shared.id).update(created_at=now)
    for name, rows in (
        ("ada", [["Robot", "memories"], ["aria", "3"], ["bolt", "1"]]),
        ("bob", [["Robot", "memories"], ["aria", "3"], ["bolt", "1"]]),
        ("mina", [["Robot", "memories"], ["aria", "3"], ["bolt", "1"], ["clio", "1"]]),
    ):
        client = make_signed_in_client(here, name)
        assert (
            list(csv.reader(io.StringIO(response_text(client.get("/overview/robots.csv"))))) == rows
        )
        page = client.get("/")
        stats = {stat["label"]: stat for stat in page.context["stats"]}
        assert stats["Not indexed yet"]["change"] == "The oldest for 3\xa0hours"
        assert "Your questions by the API, answered" not in stats
        assert "What robots brought in seven days" in response_text(page)
    here.embed()
    for question in ("When is lunch?", "zzz"):
        recall(here.person("bob"), Query(text=question, strategy="keyword"), now=now)
    stats = {s["label"]: s for s in make_signed_in_client(here, "bob").get("/").context["stats"]}
    asked = stats["Your questions by the API, answered"]
    assert (asked["value"], asked["change"]) == ("50 %", "Of 2 in 30 days")
    assert stats["Not indexed yet"]["change"] == ""
    assert len(make_signed_in_client(here, "ada").get("/").context["stats"]) == 4


def test_queries_are_few_and_do_not_grow(world: World) -> None:
    fill(world)
    ada = make_signed_in_client(world.here, "ada")
    few = count_queries(ada, "/")
    fill(world, 6)
    assert count_queries(ada, "/") == few <= 12


def test_no_name_becomes_a_formula_in_a_file(world: World) -> None:
    evil = ("=cmd|' /C calc'!A1", "+1", "-1", "@x", "\tx", "-0.5")
    written = csv_response("x", [[word, -1, 0.5] for word in evil]).content.decode()
    rows = list(csv.reader(io.StringIO(written, newline="")))
    assert rows == [[f"'{word}", "-1", "0.5"] for word in evil]


@pytest.mark.conformance("W01")
def test_first_steps_are_told_from_what_is_there(world: World) -> None:
    here = world.here
    ada = make_signed_in_client(here, "ada")

    def left(name: str) -> list[str]:
        return [
            step["title"] for step in make_signed_in_client(here, name).get("/").context["steps"]
        ]

    # Others and a robot are here; a note of a robot to itself is nothing to see.
    here.remember(here.robot("aria"), "Lunch?", visibility="internal")
    assert left("ada") == ["Remember something", "Import a talk"]
    assert left("chidi") == ["Remember something"]
    assert left("mina") == ["Remember something"]
    assert left("vera") == [], "who only reads waits for others"
    assert "curl" in response_text(ada.get("/"))
    assert "/mcp" not in response_text(ada.get("/"))
    here.remember(here.robot("aria"), "Lunch is at noon.")
    for name in ("ada", "chidi", "mina", "vera"):
        assert left(name) == []
    assert "First steps" not in response_text(ada.get("/"))
    assert "curl" not in response_text(make_signed_in_client(here, "vera").get("/"))


@pytest.mark.conformance("W01")
def test_what_is_no_demo_is_not_removed(world: World) -> None:
    ada = make_signed_in_client(world.here, "ada")
    assert ada.get("/overview/demo/remove/").status_code == 404
    assert ada.post("/overview/demo/remove/", {"confirm": "remove"}).status_code == 404


@pytest.mark.slow
@pytest.mark.conformance("W01")
def test_the_demo_goes_by_a_typed_word_and_nothing_else_does(world: World) -> None:
    ada = make_signed_in_client(world.here, "ada")
    owner = get_user(world.here, "ada")
    create_demo(slug="demo-page", now=timezone.now(), owner=owner.email)
    demo = next(o for _, o in list_memberships(owner) if o.slug == "demo-page")
    ada.get("/organisations/demo-page/")
    assert "Remove the demo" in response_text(ada.get("/"))
    assert ada.post("/overview/demo/remove/", {"confirm": "yes"}).status_code == 422
    assert ada.post("/overview/demo/remove/", {"confirm": "remove"})["Location"] == "/"
    with organisation_scope(demo.id):
        assert not Organisation.objects.filter(id=demo.id).exists()
    after = response_text(ada.get("/"))
    assert "The demo is gone." in after
    assert world.here.organisation.name in after
