"""Wherever tags are set they get their form: remember, batch, edit, bulk, import, snapshots."""

import json
from typing import Any

import pytest

from memories.curation.bulk_change import BulkChange, apply_change
from memories.curation.edit_memory import edit_memory, restore_version
from memories.ingestion.drafts import Draft, DraftRefusal
from memories.ingestion.file_import.import_lines import InvalidLineError, parse_line
from memories.ingestion.remember import remember_many
from memories.store.models.memory import Memory
from memories.store.tag_names import InvalidTagError
from orgs.principals import Actor, resolve_principal
from tests.world import NOW, Tenant

MEMORIES = "/api/v1/memories"
BAD = ["A:b", "a:b:c:d:e", "a::b", ":a", "", "x" * 101, "a b"]


def tags_of(who: Actor, id_: Any) -> list[str]:
    with resolve_principal(who).scope():
        return Memory.objects.get(id=id_).tags


@pytest.mark.conformance("H26")
def test_remembered_tags_bring_those_above_them(here: Tenant) -> None:
    api = here.api("aria")
    made = api.post(MEMORIES, {"content": "x", "tags": ["a:b:c", "dealers"]}, format="json")
    assert made.status_code == 201
    shown = api.get(f"{MEMORIES}/{made.json()['id']}").json()
    assert shown["tags"] == ["a", "a:b", "a:b:c", "dealers"]


@pytest.mark.conformance("H26")
@pytest.mark.parametrize("bad", BAD)
def test_a_robot_is_told_which_tag_is_wrong(here: Tenant, bad: str) -> None:
    api = here.api("aria")
    id_ = here.remember(here.robot("aria"), "Kept.", tags=("kept",)).id
    for answer in (
        api.post(MEMORIES, {"content": "x", "tags": ["fine", bad]}, format="json"),
        api.patch(f"{MEMORIES}/{id_}", {"tags": [bad]}, format="json"),
    ):
        assert answer.status_code == 400
        [error] = answer.json()["errors"]
        assert error["field"] == "tags"
        assert f"The tag “{bad[:40]}" in error["detail"]
    items = [{"content": "good", "tags": ["ok"]}, {"content": "bad", "tags": [bad]}]
    batch = api.post(f"{MEMORIES}/batch", {"items": items}, format="json").json()["results"]
    assert [one["status"] for one in batch] == ["active", "refused"]
    assert bad[:40] in batch[1]["problem"]["detail"]
    assert tags_of(here.robot("aria"), id_) == ["kept"]


def test_the_service_refuses_one_draft_and_no_other(here: Tenant) -> None:
    aria = here.robot("aria")
    good, bad = remember_many(
        aria, [Draft(content="x", tags=("y",)), Draft(content="y", tags=("A",))], now=NOW
    )
    assert isinstance(bad, DraftRefusal)
    assert isinstance(bad.error, InvalidTagError)
    assert not isinstance(good, DraftRefusal)


def test_an_edit_and_a_change_of_many_attach_too(here: Tenant) -> None:
    aria, chidi = here.robot("aria"), here.person("chidi")
    id_ = here.remember(aria, "Kept.", tags=("z",)).id
    edit_memory(aria, id_, {"tags": ["contracts:rent"]}, now=NOW)
    assert tags_of(aria, id_) == ["contracts", "contracts:rent"]
    apply_change(chidi, id_, BulkChange(action="set", tags=("a:b",)), NOW)
    assert tags_of(aria, id_) == ["contracts", "contracts:rent", "a", "a:b"]
    with pytest.raises(InvalidTagError, match="“A”"):
        edit_memory(aria, id_, {"tags": ["A"]}, now=NOW)


def test_a_version_of_before_comes_back_in_the_form_of_now(here: Tenant) -> None:
    aria = here.robot("aria")
    id_ = here.remember(aria, "First.", tags=("old",)).id
    with resolve_principal(aria).scope():
        Memory.objects.filter(id=id_).update(tags=["Old: Form", "会议"])
    edit_memory(aria, id_, {"content": "Second.", "tags": []}, now=NOW)
    restore_version(aria, id_, 2, version=3, now=NOW)
    assert tags_of(aria, id_) == ["old", "old:form"]


def test_a_line_of_an_import_brings_tags_or_is_refused() -> None:
    def line(tags: Any) -> tuple[str, ...]:
        return parse_line(1, json.dumps({"text": "x", "tags": tags}).encode()).tags

    assert line(["a:cats"]) == ("a", "a:cats")
    assert line(None) == ()
    for bad in BAD:
        with pytest.raises(InvalidLineError, match="The tag “"):
            line([bad])
    for odd in ("a", [1], {"a": 1}):
        with pytest.raises(InvalidLineError, match="not a list of texts"):
            line(odd)


def test_people_write_tags_as_they_like(here: Tenant) -> None:
    browser = here.browser("chidi")
    id_ = here.remember(here.robot("aria"), "Kept.").id
    form = {"selected": [str(id_)], "confirm": "1"}
    browser.post("/memories/change/?action=set", form | {"tags": "Rent Contract, project: Zeus"})
    assert tags_of(here.robot("aria"), id_) == ["rent-contract", "project", "project:zeus"]
    answer = browser.post("/memories/change/?action=set", form | {"tags": "fine, a:b:c:d:e"})
    assert "The tag “a:b:c:d:e” has 5 levels" in answer.content.decode()
    assert tags_of(here.robot("aria"), id_) == ["rent-contract", "project", "project:zeus"]


def test_a_memory_is_found_by_its_tag_however_it_is_written(here: Tenant) -> None:
    api = here.api("bolt")
    here.remember(here.robot("aria"), "The rent is due.", tags=("rent-contract:zeus",))
    for tag in ("rent-contract", "Rent Contract"):
        listed = api.get(MEMORIES, {"tag": tag}).json()["results"]
        asked = {"query": "rent", "filters": {"tags": [tag]}}
        found = api.post("/api/v1/recall", asked, format="json").json()["results"]
        assert [one["content"] for one in listed] == ["The rent is due."]
        assert [one["content"] for one in found] == ["The rent is due."]


def test_the_page_of_a_memory_leads_to_those_with_its_tags(here: Tenant) -> None:
    id_ = here.remember(here.robot("aria"), "Kept.", tags=("project:zeus", "cost")).id
    page = here.browser("bob").get(f"/memories/{id_}/").content.decode()
    assert '<a href="/memories/?tag=project%3Azeus">project:zeus</a>' in page
    assert '<a href="/memories/?tag=cost">cost</a>' in page
    assert ">project</a>" not in page, "project:zeus says it"


def test_the_page_of_tags_shows_those_of_readable_memories(here: Tenant) -> None:
    assert "No tags yet" in here.browser("bob").get("/tags/").content.decode()
    here.remember(here.robot("aria"), "One.", tags=("project:zeus",))
    here.remember(here.robot("aria"), "Two.", tags=("project:hera",), group="design")
    bob, mina = (here.browser(name).get("/tags/").content.decode() for name in ("bob", "mina"))
    assert '<a href="/memories/?tag=project%3Azeus">zeus</a>' in bob
    assert "hera" in mina
    assert "hera" not in bob
    assert '<span class="note">1<' in bob
    assert '<span class="note">2<' in mina
