"""What personas learn over time, on the pages: trends, suggestions, figures."""

from datetime import timedelta
from uuid import UUID

import pytest
import time_machine
from django.test import Client

from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.principals import resolve_principal
from personas.block_writes.block_updates import confirm_entry
from personas.models.personas import Persona
from personas.models.suggestions import Suggestion
from personas.views.insights import _ratio_words
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.personas.persona_helpers import (
    QSR,
    RETAIL,
    get_block_by_label,
    make_association,
    make_entries,
    make_owner_actor,
)
from tests.world import NOW, Tenant, World

WEEK = timedelta(days=7)
LESSON = "They compare visits of centres before they renew a lease."


def rises(here: Tenant) -> None:
    """Said once in the first week and once more in each that follows."""
    robots = [make_owner_actor(here, "mina"), make_owner_actor(here, "bob")]
    entry: UUID | None = None
    for week in range(8):
        for time in range(week + 1):
            at = NOW - (7 - week) * WEEK - timedelta(hours=1 + time)
            if entry is None:
                [entry] = make_entries(here, "mina", "They ask about cannibalisation.", now=at)
            else:
                robot = robots[time % 2]
                confirm_entry(robot, get_block_by_label(robot).block.id, entry, now=at)


@pytest.mark.slow
@pytest.mark.conformance("W09")
def test_a_topic_that_rises_is_told_to_who_reads_the_persona(world: World) -> None:
    here = world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    rises(here)
    with time_machine.travel(NOW, tick=False):
        few = make_signed_in_client(here, "mina").get(f"/personas/{QSR}/trends/")
        assert few.context["topics"] == []
        assert "Fewer than three people taught this persona" in response_text(few)
    make_association(here, "ada")
    make_entries(here, "ada", "They look at maps.", now=NOW - WEEK)
    with time_machine.travel(NOW, tick=False):
        mina = make_signed_in_client(here, "mina")
        page = mina.get(f"/personas/{QSR}/trends/")
        [topic] = page.context["topics"]
        told = (topic["topic"], topic["trend"], topic["total"])
        assert told == ("cannibalisation", "Rising", 36)
        assert [bar[2] for bar in topic["columns"]["bars"]] == [1, 2, 3, 4, 5, 6, 7, 8]
        assert topic["columns"]["bars"][0] == (1, 7, 1), "from the top"
        assert "2 Mar: 8" in response_text(page)
        assert f"/personas/{QSR}/trends/" in response_text(mina.get(f"/personas/{QSR}/"))
        assert count_queries(mina, f"/personas/{QSR}/trends/") <= 12
        for name in ("vera",):
            assert (
                make_signed_in_client(here, name).get(f"/personas/{QSR}/trends/").status_code == 404
            )


def suggest(here: Tenant) -> Suggestion:
    """Retail's lesson for QSR's real estate, as the daily run would suggest it."""
    make_association(here, "mina", RETAIL)
    [lesson] = make_entries(here, "mina", LESSON, handle=RETAIL)
    with resolve_principal(here.person("chidi")).scope():
        of = Memory.objects.get(id=lesson)
        return Suggestion.objects.create(
            organisation_id=here.id,
            memory=of,
            audience_id=of.audience_id,
            kind=of.kind,
            persona=Persona.objects.get(organisation_id=here.id, handle=QSR),
            suggested_at=NOW,
        )


def rows(client: Client, show: str = "") -> list[tuple[str, str, str, str]]:
    found = client.get(f"/personas/suggestions/?show={show}").context["rows"]
    return [(one["text"], one["origin"], one["persona"], one["state"]) for one in found]


@time_machine.travel(NOW, tick=False)
@pytest.mark.conformance("W09")
def test_who_curates_accepts_a_suggestion(world: World) -> None:
    here = world.here
    one = suggest(here)
    chidi = make_signed_in_client(here, "chidi")
    assert rows(chidi) == [(LESSON, RETAIL, QSR, "")]
    page = response_text(chidi.get("/personas/suggestions/"))
    assert "Real Estate in QSR" in page
    assert "Asset Management in Retail" in page
    url = f"/personas/suggestions/{one.id}/accept/"
    for name in ("mina", "vera"):
        other = make_signed_in_client(here, name)
        assert other.get("/personas/suggestions/").status_code == 404
        assert other.post(url).status_code == 404
        assert "/personas/suggestions/" not in response_text(other.get("/personas/"))
    assert chidi.post(url)["Location"] == "/personas/suggestions/"
    assert [entry.text for entry in get_block_by_label(here.person("chidi")).entries] == [LESSON]
    assert rows(chidi) == []
    assert rows(chidi, "decided") == [(LESSON, RETAIL, QSR, "Accepted")]
    # Once is enough.
    chidi.post(url)
    assert "It was accepted already." in response_text(chidi.get("/personas/"))
    with organisation_scope(here.id):
        trail = AuditEntry.objects.filter(action="suggestion.accepted")
        assert [entry.member for entry in trail] == [here.members["chidi"].id]
    assert count_queries(chidi, "/personas/suggestions/") <= 12


@time_machine.travel(NOW, tick=False)
def test_who_curates_rejects_a_suggestion(world: World) -> None:
    here = world.here
    one = suggest(here)
    chidi = make_signed_in_client(here, "chidi")
    chidi.post(f"/personas/suggestions/{one.id}/reject/")
    assert rows(chidi) == []
    assert rows(chidi, "decided") == [(LESSON, RETAIL, QSR, "Rejected")]
    assert get_block_by_label(here.person("chidi")).entries == []
    with organisation_scope(here.id):
        assert AuditEntry.objects.filter(action="suggestion.rejected").count() == 1


@time_machine.travel(NOW, tick=False)
def test_the_figures_are_those_that_were_made(world: World) -> None:
    here = world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    lessons = ("They ask about leases.", "They want the trade area as a map.", "They call.")
    make_entries(here, "mina", lessons[0])
    make_entries(here, "bob", lessons[1])
    chidi = make_signed_in_client(here, "chidi")
    page = chidi.get("/personas/figures/")
    assert page.context["blocks"] == []
    assert QSR in [one["handle"] for one in page.context["few"]]
    assert "fewer than three people taught no figures are shown" in response_text(page)
    make_association(here, "ada")
    make_entries(here, "ada", lessons[2])
    page = chidi.get("/personas/figures/")
    # Of those that nobody wrote or read there is no row of zeros, and no column of dashes.
    [row] = page.context["blocks"]
    few = [one["handle"] for one in page.context["few"]]
    assert (row["handle"], len(few), QSR in few) == (QSR, 3, False)
    assert "A conversation" not in response_text(page)
    assert "Read 0 times, written 3 times" in response_text(page)
    assert row["ratio"] == ""
    told = (row["entries"], row["characters"], row["writes"], row["reads"], row["messages"])
    assert told == (3, len("\n".join(lessons)), 3, 0, "")
    assert page.context["associations"]["made"] == 3
    assert (page.context["with_persona"], page.context["everybody"]) == (3, 5)
    assert [(one["label"], one["value"]) for one in page.context["members"]["values"]] == [
        ("No persona", 2),
        ("1 persona", 3),
    ]
    assert make_signed_in_client(here, "mina").get("/personas/figures/").status_code == 404
    # One of them is how many taught each.
    assert count_queries(chidi, "/personas/figures/") <= 13


@pytest.mark.parametrize(
    ("reads_a_write", "words"),
    [
        (0.2, "written about 5 times as often as read"),
        (0.66, "written about 2 times as often as read"),
        (0.7, "read about as often as written"),
        (1.4, "read about as often as written"),
        (1500.0, "read about 1,500 times as often as written"),
    ],
)
def test_a_ratio_is_said_in_words(reads_a_write: float, words: str) -> None:
    assert _ratio_words(reads_a_write) == words


def test_pages_without_anything_say_so_in_one_sentence(world: World) -> None:
    chidi = make_signed_in_client(world.here, "chidi")
    for show in ("", "decided"):
        page = chidi.get(f"/personas/suggestions/?show={show}")
        assert page.context["shown"] == []
        assert "No suggestions yet" in response_text(page)
    figures = response_text(chidi.get("/personas/figures/"))
    assert "nobody was said to have a persona" in figures
    assert "fewer than three people taught no figures are shown" in figures
    for nothing in ("Said of members", "Entries by week", "Passed"):
        assert nothing not in figures
    # Nothing was written, so there are no versions and no trends to look at.
    empty = response_text(chidi.get(f"/personas/{QSR}/"))
    assert "/versions/" not in empty
    assert "/trends/" not in empty
    assert "/edit/" in empty
