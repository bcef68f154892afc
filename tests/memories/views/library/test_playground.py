"""Ask as somebody else: what both may read, and no word of the rest (W06)."""

import re
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from memories.retrieval.models import Recall
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.organisations.groups import set_confidential
from orgs.principals import resolve_principal
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("W06")


def ask(here: Tenant, who: str, as_whom: str, question: str = "paint") -> Any:
    kind, thing = ("robot", here.robots) if as_whom in here.robots else ("member", here.members)
    data = {"as_whom": f"{kind}:{thing[as_whom].id}", "question": question}
    return make_signed_in_client(here, who).post("/playground/", data)


def plain(response: Any) -> str:
    page = re.sub(r"</?mark>|\b[A-Za-z0-9]{64}\b", "", response_text(response))
    return page.replace(response["X-Request-ID"], "")


def paint(here: Tenant) -> None:
    aria = here.robot("aria")
    here.remember(aria, "Paint for everyone.")
    here.remember(aria, "Paint in launch.", group="launch")
    here.remember(here.person("mina"), "Paint of Mina.", visibility="private")
    here.remember(here.person("chidi"), "Paint of Chidi.", visibility="private")
    here.remember(aria, "Paint noted by aria.", visibility="internal")


def test_only_what_both_may_read(world: World) -> None:
    here = world.here
    paint(here)
    for other in ("mina", "bob", "aria"):
        page = plain(ask(here, "chidi", other))
        assert "Paint for everyone." in page
        for hidden in ("in launch", "of Mina", "of Chidi", "noted by"):
            assert f"Paint {hidden}" not in page, (other, hidden)
    set_confidential(
        actor=here.person("ada"), group=here.groups["launch"], confidential=False, now=NOW
    )
    assert "Paint in launch." in plain(ask(here, "chidi", "bob"))
    assert "Paint in launch." in plain(ask(here, "chidi", "aria"))
    assert "Paint in launch." not in plain(ask(here, "chidi", "bolt"))
    assert "Found because it says “Paint”" in plain(ask(here, "chidi", "bob"))


def test_what_comes_up_once_says_for_whom_else_it_is_kept(world: World) -> None:
    """And the list of the library still has every row, for each is looked after by itself."""
    here, told = world.here, "Paint the gate green."
    for place in ({}, {"group": "launch"}):
        here.remember(here.robot("aria"), told, **place)
    set_confidential(
        actor=here.person("ada"), group=here.groups["launch"], confidential=False, now=NOW
    )
    page = plain(ask(here, "chidi", "bob"))
    assert page.count(told) == 1
    assert "Also kept for everyone in the organisation, and shown once" in page
    assert "Also kept for" not in plain(ask(here, "chidi", "bolt")), "who is not in the group"
    library = plain(make_signed_in_client(here, "chidi").get("/memories/", {"q": "paint gate"}))
    assert library.partition("<tbody")[2].count(f">{told}<") == 2
    assert "Also kept for" not in library


def test_hidden_rows_leave_no_trace(world: World) -> None:
    """The same page, whether the other has private matches or not."""
    here = world.here
    here.remember(here.robot("aria"), "Paint for everyone.")
    with time_machine.travel(timezone.now(), tick=False):
        before = plain(ask(here, "chidi", "mina"))
        for number in range(30):
            here.remember(here.person("mina"), f"Paint of Mina {number}.", visibility="private")
        assert plain(ask(here, "chidi", "mina")) == before
    assert "took" not in before


def test_it_is_recorded_and_counts_as_no_use(world: World) -> None:
    here = world.here
    paint(here)
    ask(here, "chidi", "mina", "A secret paint question")
    with organisation_scope(here.id):
        entry = AuditEntry.objects.get(action="playground.asked")
    assert (entry.member, entry.target) == (here.members["chidi"].id, here.members["mina"].id)
    assert "secret" not in str(entry.detail)
    with resolve_principal(here.person("mina")).scope():
        assert set(Memory.objects.values_list("use__access_count", flat=True)) == {None}
        assert Recall.objects.count() == 0


def test_for_those_who_curate_and_nobody_else(world: World) -> None:
    here = world.here
    for name in ("bob", "vera"):
        assert make_signed_in_client(here, name).get("/playground/").status_code == 404
        assert ask(here, name, "mina").status_code == 404
    ada = make_signed_in_client(here, "ada")
    assert ada.get("/playground/").status_code == 200
    foreign = f"member:{world.there.members['mina'].id}"
    for as_whom in (foreign, "member:nonsense", "", "team:1"):
        answer = ada.post("/playground/", {"as_whom": as_whom, "question": "paint"})
        assert answer.status_code == 422


def test_a_group_narrows_what_would_come_up_there(world: World) -> None:
    here = world.here
    paint(here)
    chidi = make_signed_in_client(here, "chidi")
    set_confidential(
        actor=here.person("ada"), group=here.groups["launch"], confidential=False, now=NOW
    )

    def asked(as_whom: str, group: str) -> Any:
        data = {"as_whom": f"member:{here.members[as_whom].id}", "question": "paint"}
        return chidi.post("/playground/", data | {"group": str(here.groups[group].id)})

    assert "Paint in launch." in plain(asked("mina", "launch"))
    away = asked("vera", "launch")
    assert "Whom you ask as is not in this group." in plain(away)
    assert "Paint" not in plain(away)
    # A group that the curator may not know cannot be chosen.
    refused = asked("mina", "design")
    assert (refused.status_code, "Paint" in plain(refused)) == (422, False)


@pytest.mark.conformance("Q06")
def test_what_does_not_answer_is_folded_and_the_page_says_so(lasting_world: World) -> None:
    """By what both may read: Mina's own words answer nothing for Bob."""
    here = lasting_world.here
    paint(here)
    here.remember(here.person("mina"), "A zzzqqq stands in the yard.", visibility="private")
    here.remember(here.robot("aria"), "Lunch is at noon.")
    here.embed()
    page = plain(ask(here, "chidi", "bob", "zzzqqq"))
    nothing, _, folded = page.partition("Not really about this (2)")
    assert "Nothing here answers that." in nothing
    assert "data-row-link" not in nothing.split("<main")[1]
    assert "Paint for everyone." in folded
    assert "Lunch is at noon." in folded
    assert "yard" not in page
    page = plain(ask(here, "chidi", "bob", "Is there paint for everyone?"))
    answer, _, folded = page.partition("Not really about this (1)")
    assert "Nothing here answers that." not in page
    assert "Paint for everyone." in answer
    assert "Lunch is at noon." in folded
