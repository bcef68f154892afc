"""What a file would bring, told before anything is written (W19)."""

import gzip
import json
import re
import tracemalloc
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from config.settings.base import BASE_DIR
from memories.browsing import job_pages
from memories.ingestion.file_import import plan_import
from memories.ingestion.file_import.planned_readers import IF_JOINED, NO, YES
from memories.jobs import run_jobs
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.audiences import Audience
from orgs.models.memberships import Member
from orgs.models.organisations import Group, GroupMembership
from orgs.principals import resolve_principal
from robots.identities.identity_links import link_member_identity
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("W19")


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    return tmp_path


def keep(here: Tenant, content: bytes, name: str = "ada") -> Any:
    file = SimpleUploadedFile("talk.jsonl", content)
    sent = {"file": file, "speakers": "organisation", "readers": "private"}
    return make_signed_in_client(here, name).post("/import/", sent)


def kept(here: Tenant, lines: list[dict[str, Any]]) -> UUID:
    answer = keep(here, "\n".join(map(json.dumps, lines)).encode())
    assert answer.status_code == 302, response_text(answer)
    return UUID(answer["Location"].split("/")[2])


def plan_of(here: Tenant, id_: UUID, *, by_group: bool = False, everyone: bool = False) -> Any:
    return plan_import.plan_preview(
        here.person("ada"), id_, by_group=by_group, everyone=everyone, now=NOW
    )[1]


def bring(here: Tenant, id_: UUID, **more: str) -> Any:
    sent = make_signed_in_client(here, "ada").post(f"/import/{id_}/", {"sit": "no", **more})
    job = UUID(sent["Location"].strip("/").split("/")[-1])
    run_jobs.run_job(here.id, job, here.members["ada"].id)
    return job_pages.get_job(here.person("ada"), job)


def mixed(here: Tenant) -> list[dict[str, Any]]:
    """New and known groups and people, lists, everyone; lines that cannot be taken, and doubles."""
    me = {"identity": "import:me"}
    link_member_identity(here.person("ada"), str(here.members["ada"].id), me, now=NOW)
    return [
        {"id": "1", "group": "acme", "speaker": "Noor", "text": "The release is in March."},
        {"id": "2", "group": "acme", "speaker": "Tom", "text": "Cake.", "audience": ["Noor"]},
        {"id": "3", "group": "acme", "speaker": "me", "text": "Mine.", "audience": ["me", "Tom"]},
        {"id": "4", "text": "Everybody may know.", "group": "org", "speaker": "Noor"},
        {"id": "5", "group": "design", "speaker": "Lou", "text": "In a group that was here."},
        {"id": "6", "group": "launch", "speaker": "Lou", "text": "Like one that is hidden."},
        {"id": "7", "text": "For the group.", "audience": ["acme"]},
        {"id": "8", "text": "For none.", "audience": []},
        {"id": "4", "text": "Another text.", "group": "org"},
        {"id": "1", "group": "acme", "speaker": "Noor", "text": "The release is in March."},
        {"id": "9"},
        {"id": "10", "text": "Who?", "speaker": "a\u200bb"},
    ]


def test_a_plan_says_what_the_import_then_does(world: World) -> None:
    here = world.here
    id_ = kept(here, mixed(here))
    plan = plan_of(here, id_)
    page = response_text(make_signed_in_client(here, "ada").get(f"/import/{id_}/"))
    with organisation_scope(here.id):
        groups, people = set(Group.objects.all()), set(Member.objects.all())
    done = bring(here, id_)
    assert (plan.fresh, plan.here, plan.skipped) == (
        done.result["imported"],
        done.result["already"],
        done.result["skipped"],
    )
    assert plan.refused == done.problems
    assert sum(one.new for one in plan.groups) == done.result["groups"]
    assert sum(one.new for one in plan.people) == done.result["members"]
    with organisation_scope(here.id):
        made = {group.external_id for group in set(Group.objects.all()) - groups}
        born = {one.name for one in set(Member.objects.all()) - people}
    assert {one.name for one in plan.groups if one.new} == made
    assert {one.name for one in plan.people if one.new} == born
    for words in (*made, *born, "You read", "Only if you sit in", "You do not read it"):
        assert words in page, words
    readable = here.readable(here.person("ada"))
    with organisation_scope(here.id):
        brought = set(Memory.objects.none())
    with resolve_principal(here.person("ada")).scope():
        brought = set(Memory.objects.filter(source__has_key="import").values_list("id", flat=True))
    # Two of the lines that the asker reads are not new: they stand twice, or cannot stand at all.
    assert len(brought & readable) == plan.yours - 1
    assert f"You read {plan.yours} of {plan.taken} lines." in page


def test_the_readers_of_a_plan_are_those_that_read_afterwards(world: World) -> None:
    here = world.here
    id_ = kept(here, mixed(here))
    told = {one.name or one.names or one.kind: one for one in plan_of(here, id_).readers}
    assert (told["acme"].reads, told["acme"].new) == (IF_JOINED, True)
    assert told["Everyone" if "Everyone" in told else "organisation"].reads == YES
    assert told[("Tom", "me")].reads == YES
    assert told[("Noor",)].reads == NO
    assert told[("acme",)].reads == IF_JOINED
    bring(here, id_)
    with organisation_scope(here.id):
        for name in ("acme", "launch"):
            group = Group.objects.filter(external_id=name).order_by("-id")[0]
            seats = GroupMembership.objects.filter(group=group, member__removed_at=None)
            enters = seats.filter(member__joined_at__isnull=False, member__user__is_active=True)
            counted = (enters.count(), seats.count() - enters.count())
            assert (told[name].entering, told[name].away) == counted, name
        everybody = Member.objects.filter(removed_at=None)
        enters = everybody.filter(joined_at__isnull=False, user__is_active=True)
        one = told["organisation"]
        assert (one.entering, one.away) == (enters.count(), everybody.count() - enters.count())


def test_sitting_in_reads_as_many_as_was_said(world: World) -> None:
    here = world.here
    lines = [one for one in mixed(here) if one["id"] in "1235"]
    id_ = kept(here, lines[:4])
    plan = plan_of(here, id_)
    bring(here, id_, sit="yes")
    with resolve_principal(here.person("ada")).scope():
        brought = Memory.objects.filter(source__has_key="import").for_people().count()
    assert brought == plan.seated


def test_a_look_writes_nothing_and_a_second_one_says_what_is_here(world: World) -> None:
    here = world.here
    lines = [
        {"id": "1", "group": "acme", "speaker": "Noor", "text": "One."},
        {"id": "2", "text": "Two."},
    ]
    id_ = kept(here, lines)

    def counted() -> list[int]:
        with organisation_scope(here.id):
            return [m.objects.count() for m in (Group, Member, Audience, GroupMembership)]

    before = counted()
    assert make_signed_in_client(here, "ada").get(f"/import/{id_}/").status_code == 200
    assert counted() == before
    bring(here, id_)
    again = plan_of(here, kept(here, lines))
    # The first is in a group that the asker does not read, and so is not told.
    assert (again.fresh, again.here) == (1, 1)
    assert [one.new for one in again.groups] == [False]
    page = response_text(make_signed_in_client(here, "ada").get(f"/import/{kept(here, lines)}/"))
    assert "as you do not read this group" in page
    assert 'type="radio" name="sit"' not in page, "no new group, nothing to choose"


def test_a_hidden_group_is_not_told(world: World) -> None:
    """Ada does not know the group of this name, so it is new to her, without its people."""
    here = world.here
    lines = [{"id": "1", "group": "launch", "speaker": "Lou", "text": "One."}]
    plan = plan_of(here, kept(here, lines))
    assert [(one.name, one.new) for one in plan.groups] == [("launch", True)]
    assert (plan.readers[0].entering, plan.readers[0].away) == (0, 1)


def test_a_kept_file_is_found_by_its_owner_alone(world: World) -> None:
    here = world.here
    id_ = kept(here, [{"text": "A zebra."}])
    for name in ("chidi", "bob", "vera"):
        browser = make_signed_in_client(here, name)
        assert browser.get(f"/import/{id_}/").status_code == 404
        assert browser.post(f"/import/{id_}/", {"sit": "no"}).status_code == 404
    there = world.there
    admin = next(name for name, one in there.members.items() if one.role == "admin")
    assert make_signed_in_client(there, admin).get(f"/import/{id_}/").status_code == 404
    later = kept(here, [{"text": "Another."}])
    ada = make_signed_in_client(here, "ada")
    assert ada.get(f"/import/{id_}/").status_code == 404, "one file for each member"
    assert ada.post(f"/import/{later}/", {}).status_code == 422
    bring(here, later)
    assert ada.post(f"/import/{later}/", {"sit": "no"}).status_code == 404, "gone once it is taken"


def test_a_kept_file_is_removed_after_an_hour(world: World, data_dir: Path) -> None:
    kept(world.here, [{"text": "A zebra."}])
    folder = data_dir / "previews"
    assert folder.stat().st_mode & 0o077 == 0
    assert plan_import.sweep_previews(now=timezone.now()) == 0
    assert plan_import.sweep_previews(now=timezone.now() + timedelta(minutes=61)) == 2
    assert list(folder.iterdir()) == []


def test_of_a_large_file_the_beginning_is_told(world: World) -> None:
    here = world.here
    many = [{"id": str(n), "text": f"Fact {n}.", "speaker": f"P{n % 7}"} for n in range(5_200)]
    id_ = kept(here, many)
    page = response_text(make_signed_in_client(here, "ada").get(f"/import/{id_}/"))
    assert "This says what the first 5,000 lines would bring." in page
    plan = plan_of(here, id_)
    assert (plan.lines, plan.fresh, len(plan.people)) == (5_000, 5_000, 7)


@pytest.mark.parametrize("broken", [False, True])
def test_a_packed_file_is_unpacked_no_further_than_it_is_looked_at(
    world: World, *, broken: bool
) -> None:
    here = world.here
    content = b'{"text":"One."}\n{"text":"' + b"a" * 200_000_000 + b'"}\n'
    packed = gzip.compress(content, 1)
    answer = keep(here, packed[:-20] if broken else packed)
    id_ = UUID(answer["Location"].split("/")[2])
    tracemalloc.start()
    plan = plan_of(here, id_)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (plan.lines, plan.fresh, plan.whole) == (1, 1, False)
    assert most < 60_000_000, f"{most:,}"


def test_a_file_that_breaks_off_says_so(world: World) -> None:
    here = world.here
    packed = gzip.compress(b'{"text":"One."}\n' * 3 + json.dumps({"text": "x"}).encode())
    answer = keep(here, packed[:-8])
    page = response_text(make_signed_in_client(here, "ada").get(answer["Location"]))
    assert "The file breaks off after" in page


def test_hostile_names_are_text(world: World) -> None:
    here = world.here
    bad = "<script>alert(1)</script>"
    lines = [
        {"id": "1", "group": bad, "speaker": bad, "text": "One.", "audience": [bad, "x"]},
        {"id": "2", "group": "g", "audience": [f"n{n}" for n in range(20_000)], "text": "Two."},
    ]
    page = response_text(make_signed_in_client(here, "ada").get(f"/import/{kept(here, lines)}/"))
    assert bad not in page.replace("&lt;", "<") or "<script>alert" not in page
    assert "20,0" in page
    assert len(page) < 100_000


def test_the_example_is_that_of_the_documentation() -> None:
    documented = BASE_DIR / "docs" / "examples" / "standup.jsonl"
    assert plan_import.EXAMPLE.read_bytes() == documented.read_bytes()


def test_the_list_of_an_import_is_for_who_asked_for_it(world: World) -> None:
    here = world.here
    done = bring(here, kept(here, [{"text": "Everybody may know.", "audience": ["org"]}]))
    other = here.remember(here.person("ada"), "Said by hand.").id
    listed = response_text(make_signed_in_client(here, "ada").get(f"/memories/?brought={done.id}"))
    assert "Everybody may know." in listed
    assert str(other) not in listed
    assert "From one import" in listed
    for name in ("chidi", "bob"):
        page = response_text(make_signed_in_client(here, name).get(f"/memories/?brought={done.id}"))
        assert "Everybody may know." not in page, name
    page = response_text(make_signed_in_client(here, "ada").get(f"/jobs/{done.id}/"))
    assert re.search(r"Who reads it</h2>.*Everyone", page, re.S)
    assert "See the memory" in page
    assert "Make a robot" in page


@pytest.mark.conformance("W16")
def test_readers_that_are_there_already_have_a_sheet(world: World) -> None:
    """Of what the file would make, and of what its author does not read, there is none."""
    here = world.here
    hidden = {"id": "1", "group": "launch", "speaker": "Lou", "text": "One."}
    lines = [
        hidden,
        {"id": "2", "group": "acme", "text": "Two."},
        {"id": "3", "group": "org", "text": "Three."},
    ]
    id_ = kept(here, lines)
    own = {one.kind: one.audience for one in plan_of(here, id_).readers if one.audience}
    assert own == {"organisation": resolve_principal(here.person("ada")).organisation_audience}
    client = make_signed_in_client(here, "ada")
    page = response_text(client.get(f"/import/{id_}/"))
    [url] = re.findall(r'href="(/readers/[^"]+/)" data-readers', page)
    assert client.get(url).status_code == 200


UNADDRESSED = [
    {"id": "u/1", "speaker": "Noor", "text": "The red folder is mine."},
    {"id": "u/2", "text": "The blue folder is nobody's."},
]


@pytest.mark.conformance("Z02")
@pytest.mark.parametrize("everyone", [False, True])
def test_the_page_asks_who_reads_lines_that_name_nobody(world: World, everyone: bool) -> None:
    """Private by default; the plan says what each choice means, and the import does it."""
    here = world.here
    id_ = kept(here, UNADDRESSED)
    plan = plan_of(here, id_, everyone=everyone)
    assert plan.unaddressed == 2
    found = [(one.kind, one.lines, one.reads, one.names) for one in plan.readers]
    if everyone:
        assert found == [("organisation", 2, "yes", ())]
    else:
        assert sorted(found) == [
            ("member", 1, "no", ("Noor",)), ("member", 1, "yes", ("you",))
        ]  # fmt: skip
    chosen = "organisation" if everyone else "private"
    page = make_signed_in_client(here, "ada").get(f"/import/{id_}/?readers={chosen}")
    text = response_text(page)
    assert "Without reader and group: 2 lines" in text
    other = "private" if everyone else "organisation"
    assert f"readers={other}" in text
    job = bring(here, id_, readers=chosen)
    assert job.result["imported"] == 2
    found_by = {
        name: {memory.content for memory in _memories(here, name)}
        for name in ("ada", "chidi", "bob")
    }
    both = {line["text"] for line in UNADDRESSED}
    assert found_by["ada"] == (both if everyone else {UNADDRESSED[1]["text"]})
    assert found_by["chidi"] == found_by["bob"] == (both if everyone else set())


def _memories(here: Tenant, name: str) -> list[Memory]:
    principal = resolve_principal(here.person(name))
    with principal.scope():
        return list(Memory.objects.filter(source__import__startswith="u/"))
