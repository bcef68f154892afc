"""The trash is emptied, many are forgotten by their words, what is erased does not come back."""

import unicodedata
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest
from django.utils import timezone

from memories.access.permissions import (
    is_red_line_exempt,
    may_erase_q,
    may_forget,
    may_forget_q,
    red_line_allows_q,
)
from memories.lifecycle.forget import forget_memory, restore_memory
from memories.privacy import forget_all as forgetting
from memories.privacy import purge
from memories.privacy.forget_all import forget_content
from memories.privacy.purge import purge_trash
from memories.review.protect import protect_memory
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.audit import AuditEntry
from orgs.principals import resolve_principal
from tests.page_client import make_signed_in_client
from tests.world import NOW, Tenant, World

OLD = NOW - timedelta(days=40)


def note(here: Tenant, robot: str, text: str, **fields: Any) -> UUID:
    return here.remember(here.robot(robot), text, visibility="organisation", **fields).id


def post(here: Tenant, name: str, what: str, **body: Any) -> Any:
    client = here.api(name) if name in here.robots else here.browser(name)
    return client.post(f"/api/v1/memories/{what}", body, format="json")


@pytest.mark.conformance("H30")
def test_only_what_was_forgotten_long_ago_is_purged_and_only_on_request(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    old, young, kept = (note(here, "aria", f"Note {n} of tea.") for n in range(3))
    forget_memory(aria, old, now=OLD)
    forget_memory(aria, young, now=timezone.now())
    refused = post(here, "aria", "purge", older_than=30)
    assert refused.status_code == 400
    assert refused.json()["type"] == "urn:commonmind:problem:not-confirmed"
    assert refused.json()["detail"].startswith("1 memories in the trash")
    dry = post(here, "aria", "purge", older_than=30, dry_run=True)
    assert dry.json() == {"memories": 1, "more": False, "dry_run": True}
    assert {old, young, kept} <= here.readable(aria)
    done = post(here, "aria", "purge", older_than=30, confirm=True)
    assert done.json() == {"memories": 1, "more": False, "dry_run": False}
    assert {old, young, kept} & here.readable(aria) == {young, kept}
    with pytest.raises(NotFoundError):
        restore_memory(aria, old, now=NOW)
    restore_memory(aria, young, now=NOW)
    with organisation_scope(here.id):
        acts = AuditEntry.objects.filter(action="memory.erased")
        assert [(act.target, act.robot) for act in acts] == [(old, aria.robot_id)]


def test_the_moment_may_be_said_in_both_ways(world: World) -> None:
    here = world.here
    said = note(here, "aria", "Note of tea.")
    forget_memory(here.robot("aria"), said, now=OLD)
    for wrong in (-1, True, "soon", "", None, "2026-13-01", 1.5, 10**9, [], "9" * 400):
        answer = post(here, "aria", "purge", older_than=wrong, confirm=True)
        assert answer.status_code == 400, wrong
        assert answer.json()["errors"][0]["field"] == "older_than"
    assert post(here, "aria", "purge", confirm=True).status_code == 400
    for moment in (OLD.isoformat(), "2020-01-01T00:00:00"):
        found = post(here, "aria", "purge", older_than=moment, confirm=True).json()
        assert found["memories"] == 0
    later = (OLD + timedelta(seconds=1)).isoformat()
    assert post(here, "aria", "purge", older_than=later, confirm=True).json()["memories"] == 1


def test_a_purge_takes_only_what_the_asker_may_erase(world: World) -> None:
    here = world.here
    mina = str(here.members["mina"].id)
    ids = {
        "aria's": note(here, "aria", "Tea is at four."),
        "bolt's": note(here, "bolt", "Tea is at five."),
        "mina's": note(here, "aria", "Likes tea.", member=mina),
        "taken back": note(here, "aria", "Failed once.", member=mina),
        "protected": note(here, "aria", "Is allergic.", member=mina),
    }
    for name, id_ in ids.items():
        who = here.person("mina") if name == "taken back" else here.person("ada")
        forget_memory(who, id_, now=OLD)
    with resolve_principal(here.person("ada")).scope():
        Memory.objects.filter(id=ids["protected"]).update(red_line=True)

    def would(name: str) -> int:
        return int(post(here, name, "purge", older_than=1, dry_run=True).json()["memories"])

    counted = {name: would(name) for name in ("ada", "chidi", "mina", "bob", "aria", "bolt")}
    assert counted == {
        "ada": 3,
        "chidi": 0,
        "mina": 3,
        "bob": 0,
        "aria": 2,
        "bolt": 1,
    }
    assert post(here, "ada", "purge", older_than=1, confirm=True).json()["memories"] == 3
    with resolve_principal(here.person("mina")).scope():
        left = set(Memory.objects.values_list("id", flat=True))
    assert left == {ids["taken back"], ids["protected"]}


def test_a_call_ends_and_says_that_there_is_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, aria = world.here, world.here.robot("aria")
    for n in range(5):
        forget_memory(aria, note(here, "aria", f"Note {n}."), now=OLD)
    monkeypatch.setattr(purge, "BATCH_SIZE", 2)
    monkeypatch.setattr(purge, "MAX_MEMORIES", 4)
    done = [purge_trash(aria, older_than=NOW, confirm=True, now=NOW) for _ in range(3)]
    assert [(one.memories, one.more) for one in done] == [(4, True), (1, False), (0, False)]


@pytest.mark.conformance("H31")
def test_what_holds_the_words_is_forgotten_in_any_letter_case(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    first = note(here, "aria", "The ZEBRA is called Zoe.")
    second = note(here, "aria", "A zebra-crossing, ÄPFEL and 100 % of a_b.")
    other = note(here, "aria", "The horse is called Zoe; aXb, 100 of it.")
    assert post(here, "aria", "forget-content", substring="zebra", dry_run=True).json() == {
        "memories": [str(first), str(second)],
        "kept": 0,
        "more": False,
        "dry_run": True,
    }
    for literal in ("100 %", "A_B", "äpfel", "zebra-"):
        found = forget_content(aria, literal, now=NOW, dry_run=True)
        assert found.memories == [second], literal
    assert forget_content(aria, "z_e", now=NOW, dry_run=True).memories == []
    assert forget_content(aria, "\\", now=NOW, dry_run=True).memories == []
    answer = post(here, "aria", "forget-content", substring="ZeBrA")
    assert answer.json()["memories"] == [str(first), str(second)]
    listed = here.api("aria").get("/api/v1/memories").json()["results"]
    assert [row["id"] for row in listed] == [str(other)]
    restore_memory(aria, first, now=NOW)
    for blank in ("", " ", "\t\n", "\u2003"):
        answer = post(here, "aria", "forget-content", substring=blank)
        assert answer.status_code == 400, repr(blank)
    assert post(here, "aria", "forget-content").status_code == 400
    assert here.api("aria").get(f"/api/v1/memories/{first}").json()["status"] == "active"


@pytest.mark.conformance("H31")
@pytest.mark.parametrize(
    ("kept", "asked"),
    [
        ("The crème brûlée is Ines's.", "CRÈME BRÛLÉE"),
        ("The кофейня й is shut.", "КОФЕЙНЯ Й"),
        ("The host moved to DİYARBAKIR.", "diyarbakir"),
        ("The host moved to Diyarbakır.", "DİYARBAKIR"),  # noqa: RUF001
        ("The host moved to DİYARBAKIR.", "DİYARBAKIR".lower()),
        ("The GROẞE HALLE is shut.", "große halle"),
        ("The große Halle is shut.", "GROSSE HALLE"),
        ("Ο ΔΡΟΜΟΣ is shut.", "δρόμος".replace("ό", "ο")),  # noqa: RUF001
        ("The ﬁle is in ｒｏｏｍ ４.", "FILE is in room 4"),  # noqa: RUF001
    ],
)
def test_words_are_found_in_each_normal_form_and_letter_case(
    world: World, kept: str, asked: str
) -> None:
    here, aria = world.here, world.here.robot("aria")
    forms = ("NFC", "NFD", "NFKC", "NFKD")
    ids = [note(here, "aria", f"{form}: {unicodedata.normalize(form, kept)}") for form in forms]
    note(here, "aria", "The dinner is at eight.")
    for form in forms:
        words = unicodedata.normalize(form, asked)
        assert forget_content(aria, words, now=NOW, dry_run=True).memories == ids, form
        for status in ("active", "archived"):
            found = here.api("aria").get("/api/v1/memories", {"q": words, "status": status}).json()
            expected = ids[::-1] if status == "active" else []
            assert [row["id"] for row in found["results"]] == [str(id_) for id_ in expected]
    assert forget_content(aria, f"{asked} @", now=NOW, dry_run=True).memories == []


def test_a_run_of_marks_is_broken_up_before_its_normal_form(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    split, marks = unicodedata.normalize("NFD", "Café"), "\u0316\u0301" * 5_000
    id_ = note(here, "aria", f"{split} a{marks} of MARKS.")
    for words in ("of marks", "CAFÉ", split, marks[:900], "\u0301\u034f\u0316"):
        assert forget_content(aria, words, now=NOW, dry_run=True).memories == [id_]


@pytest.mark.conformance("H29")
@pytest.mark.conformance("H31")
def test_it_leaves_working_memory_as_well(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    ids = [note(here, "aria", f"Note {n} of tea.") for n in range(3)]
    path = f"/api/v1/robots/{here.robots['aria'].id}/working-memory"
    for id_ in ids:
        here.api("aria").post(path, {"memory": str(id_)}, format="json")
    forget_memory(aria, ids[0], now=NOW)
    forget_content(aria, "note 1", now=NOW)
    here.api("aria").delete(f"/api/v1/memories/{ids[2]}?hard=true&confirm={ids[2]}")
    found = here.api("aria").get(path).json()
    assert (found["count"], found["entries"], found["evicted"]) == (0, [], [])


def test_nobody_forgets_by_words_what_they_could_not_forget_by_id(world: World) -> None:
    here = world.here
    mina = str(here.members["mina"].id)
    ids = [
        note(here, "aria", "Tea is at four."),
        note(here, "bolt", "Tea is at five."),
        note(here, "aria", "Likes tea.", member=mina),
        note(here, "aria", "Is wild about tea.", member=mina),
        here.remember(here.robot("aria"), "Tea in secret.", group="design").id,
        here.remember(here.person("bob"), "Tea for Bob.", visibility="private").id,
    ]
    protect_memory(here.person("ada"), ids[3], reason="It saves lives.", now=NOW)

    def would(name: str) -> tuple[list[UUID], int]:
        who = here.person(name) if name in here.members else here.robot(name)
        found = forget_content(who, "tea", now=NOW, dry_run=True)
        with resolve_principal(who).scope():
            rows = Memory.objects.filter(content__icontains="tea").select_related("audience")
            alone = {
                row.id
                for row in rows
                if may_forget(resolve_principal(who), row)
                and (not row.red_line or is_red_line_exempt(who, row))
            }
            assert alone == set(found.memories), name
            assert found.kept == len(rows) - len(alone), name
        return found.memories, found.kept

    names = ("ada", "chidi", "mina", "bob", "vera", "aria", "bolt", "clio")
    counted = {name: (len(would(name)[0]), would(name)[1]) for name in names}
    assert counted == {
        "ada": (3, 1),
        "chidi": (3, 1),
        "mina": (2, 3),
        "bob": (1, 4),
        "vera": (0, 4),
        "aria": (3, 2),
        "bolt": (1, 3),
        "clio": (0, 5),
    }
    assert post(here, "bob", "forget-content", substring="tea").json() == {
        "memories": [str(ids[5])],
        "kept": 4,
        "more": False,
        "dry_run": False,
    }


def test_a_call_forgets_so_many_and_says_that_there_is_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, aria = world.here, world.here.robot("aria")
    for n in range(3):
        note(here, "aria", f"Note {n}.")
    monkeypatch.setattr(forgetting, "MAX_MEMORIES", 2)
    done = [forget_content(aria, "note", now=NOW) for _ in range(3)]
    assert [(len(one.memories), one.more) for one in done] == [(2, True), (1, False), (0, False)]


def test_a_fact_goes_with_its_memory_and_counts_once(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    text = "The launch of Spinnaker moves to June. Mina Ortega told the press of Spinnaker."
    id_ = here.remember(aria, text, group="launch").id
    here.api("aria").post(f"/api/v1/memories/{id_}/propositions", {}, format="json")
    found = forget_content(aria, "spinnaker", now=NOW)
    assert len(found.memories) == 3
    with resolve_principal(aria).scope():
        assert set(Memory.objects.values_list("status", flat=True)) == {"forgotten"}


def test_who_may_erase_may_forget(world: World) -> None:
    """Erasing is the narrower right, for each kind of asker."""
    here = world.here
    mina = str(here.members["mina"].id)
    for n, robot in enumerate(("aria", "bolt")):
        note(here, robot, f"Note {n}.")
        note(here, robot, f"Mina {n}.", member=mina)
        note(here, robot, f"Said {n}.", speaker=mina)
    here.remember(here.person("bob"), "Bob's.", group="launch")
    for name in (*here.members, *here.robots):
        who = here.person(name) if name in here.members else here.robot(name)
        with resolve_principal(who).scope():
            erases = set(Memory.objects.filter(may_erase_q(who)).values_list("id", flat=True))
            forgets = set(
                Memory.objects.filter(may_forget_q(who), red_line_allows_q(who)).values_list(
                    "id", flat=True
                )
            )
        assert erases <= forgets, name


@pytest.mark.conformance("T25")
@pytest.mark.parametrize("moment", ["5631-09-10T11:21:47.69-21:13", "0001-01-01T00:00:00+05:00"])
def test_a_moment_of_a_zone_that_postgres_does_not_know_ends_no_call(
    world: World, moment: str
) -> None:
    assert post(world.here, "aria", "purge", older_than=moment).status_code == 400
    page = make_signed_in_client(world.here, "mina").post(
        f"/me/forget/undo/?{urlencode({'at': moment})}"
    )
    assert page.status_code in (302, 404)
