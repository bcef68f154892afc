"""Every version is kept, for those who could read it then and can read the memory now."""

from typing import Any
from uuid import UUID

import psycopg
import pytest

from memories.browsing.memory_versions import list_versions
from memories.curation.edit_memory import OutdatedVersionError, edit_memory, restore_version
from memories.curation.share_memory import share_memory
from memories.privacy.export_my_data import render_memories
from memories.store.models.memory import Memory
from memories.store.models.version import Version
from orgs.errors import NotFoundError
from orgs.principals import Actor, resolve_principal
from tests.databases import rolled_back_connection, set_scope_settings
from tests.page_client import response_text
from tests.world import NOW, Tenant, World

MEMORIES = "/api/v1/memories"


def edit(who: Actor, id_: UUID, **changes: Any) -> Memory:
    return edit_memory(who, id_, changes, now=NOW)


def texts(who: Actor, id_: UUID) -> list[str]:
    return [past.content for past in list_versions(who, id_).versions]


def shared_note(here: Tenant) -> UUID:
    """Mina's own note, corrected while private, shared with #launch, corrected there."""
    mina = here.person("mina")
    id_ = here.remember(mina, "I earn 4,000.", visibility="private").id
    edit(mina, id_, content="The budget is 9,000.")
    share_memory(mina, id_, visibility="group", group="launch", readers={}, now=NOW)
    edit(mina, id_, content="The budget is 9,500.")
    return id_


def test_every_change_is_kept_with_who_made_it(world: World) -> None:
    here = world.here
    id_ = here.remember(here.robot("aria"), "It closes at six.", tags=("office",)).id
    edit(here.person("chidi"), id_, content="It closes at seven.")
    edit(here.robot("aria"), id_, category="org_policy", tags=[])
    found = list_versions(here.person("bob"), id_).versions
    assert [(v.number, v.content, v.category, v.tags, v.current) for v in found] == [
        (3, "It closes at seven.", "org_policy", [], True),
        (2, "It closes at seven.", "", ["office"], False),
        (1, "It closes at six.", "", ["office"], False),
    ]
    assert [v.member.name if v.member else "" for v in found] == ["", "Chidi", ""]
    assert [v.robot.name if v.robot else "" for v in found] == ["aria", "", "aria"]


@pytest.mark.conformance("T06")
def test_sharing_opens_no_older_version(world: World) -> None:
    here = world.here
    id_ = shared_note(here)
    assert texts(here.person("mina"), id_) == [
        "The budget is 9,500.",
        "The budget is 9,000.",
        "The budget is 9,000.",
        "I earn 4,000.",
    ]
    assert texts(here.person("bob"), id_) == ["The budget is 9,500.", "The budget is 9,000."]
    assert texts(here.robot("aria"), id_) == ["The budget is 9,500.", "The budget is 9,000."]
    answer = here.browser("bob").get(f"{MEMORIES}/{id_}/history").json()
    assert [row["version"] for row in answer["results"]] == [4, 3]
    assert "4,000" not in str(answer)


@pytest.mark.conformance("T06")
def test_narrowing_closes_every_version(world: World) -> None:
    here = world.here
    mina, bob = here.person("mina"), here.person("bob")
    id_ = shared_note(here)
    share_memory(mina, id_, visibility="private", group=None, readers={}, now=NOW)
    with pytest.raises(NotFoundError):
        list_versions(bob, id_)
    with resolve_principal(bob).scope():
        assert Version.objects.filter(memory_id=id_).count() == 0
    assert len(texts(mina, id_)) == 5


def test_who_reads_both_audiences_reads_on_after_a_second_share(world: World) -> None:
    here, chidi = world.here, world.here.person("chidi")
    id_ = here.remember(chidi, "For all.").id
    share_memory(chidi, id_, visibility="organisation", group=None, readers={}, now=NOW)
    edit(chidi, id_, content="For everyone.")
    assert texts(here.person("vera"), id_)[0] == "For everyone."


def test_counting_and_forgetting_make_no_version(world: World) -> None:
    here = world.here
    ada, id_ = here.browser("ada"), here.remember(here.robot("aria"), "A plan.").id
    here.remember(here.robot("bolt"), "A plan.")
    ada.post("/api/v1/recall", {"query": "plan"}, format="json")
    for call in ("archive", "restore"):
        assert ada.post(f"{MEMORIES}/{id_}/{call}").status_code == 200
    assert len(texts(here.person("ada"), id_)) == 1


def test_history_comes_in_pages(world: World) -> None:
    here = world.here
    aria, client = here.robot("aria"), here.api("aria")
    id_ = here.remember(aria, "Text 0").id
    for number in range(1, 5):
        edit(aria, id_, content=f"Text {number}")
    url, seen = f"{MEMORIES}/{id_}/history?limit=2", []
    while url:
        page = client.get(url).json()
        seen += [row["content"] for row in page["results"]]
        url = page["next"]
    assert seen == [f"Text {number}" for number in (4, 3, 2, 1, 0)]


def test_an_older_text_comes_back_as_a_new_version(world: World) -> None:
    here, chidi = world.here, world.here.person("chidi")
    id_ = here.remember(here.robot("aria"), "It closes at six.").id
    edit(chidi, id_, content="It closes at seven.")
    with pytest.raises(OutdatedVersionError):
        restore_version(chidi, id_, 1, version=1, now=NOW)
    assert restore_version(chidi, id_, 1, version=2, now=NOW).content == "It closes at six."
    assert texts(chidi, id_) == ["It closes at six.", "It closes at seven.", "It closes at six."]
    with pytest.raises(NotFoundError):
        restore_version(chidi, id_, 9, version=3, now=NOW)


def test_what_goes_for_good_takes_its_versions_along(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    id_ = here.remember(aria, "Old.").id
    edit(aria, id_, content="New.")
    with resolve_principal(aria).scope():
        Memory.objects.filter(id=id_).delete()
        assert Version.objects.filter(memory_id=id_).count() == 0


def test_lineage_shows_what_the_asker_may_read(world: World) -> None:
    here = world.here
    aria, theirs = here.robot("aria"), world.there.remember(world.there.robot("aria"), "Theirs.").id
    parts = [
        here.remember(aria, "Part one.").id,
        here.remember(aria, "Part two.", group="launch").id,
    ]
    hers = here.remember(here.person("mina"), "Her own.", visibility="private").id
    named = [str(id_) for id_ in (*parts, hers, theirs)] + ["nonsense", 7]
    whole = here.remember(aria, "The whole.", source={"memories": named}).id

    def lineage(name: str, id_: UUID) -> dict[str, list[str]]:
        answer = here.browser(name).get(f"{MEMORIES}/{id_}/lineage").json()
        assert answer.pop("further_back") == []
        return {side: sorted(row["content"] for row in rows) for side, rows in answer.items()}

    assert lineage("bob", whole) == {"derived_from": ["Part one.", "Part two."], "used_in": []}
    assert lineage("vera", whole) == {"derived_from": ["Part one."], "used_in": []}
    assert lineage("bob", parts[1]) == {"derived_from": [], "used_in": ["The whole."]}
    assert lineage("mina", hers) == {"derived_from": [], "used_in": []}


@pytest.mark.conformance("T05")
def test_no_answer_names_what_a_memory_was_made_from_by_its_id(
    lasting_world: World,
) -> None:
    """Its readers need not be theirs; an id tells that there is something, and since when."""
    here, aria = lasting_world.here, lasting_world.here.robot("aria")
    text = "Bob looks after the falcon from Lisbon. Mina feeds it at noon in Porto."
    hidden = here.remember(aria, text, group="design").id
    source = {"memories": [str(hidden)], "page": 7}
    whole = here.remember(aria, "The falcon flies.", source=source).id
    said = {"topic": "Falcon", "conclusion": "It flies.", "visibility": "organisation"}
    decided = here.api("aria").post(
        "/api/v1/decisions", said | {"based_on": [str(hidden)]}, format="json"
    )
    parts = here.api("aria").post(f"{MEMORIES}/{hidden}/propositions", {}, format="json").json()
    part = UUID(parts["results"][0]["id"])
    share_memory(aria, part, visibility="group", readers={}, group="launch", now=NOW)
    here.embed()
    bob = here.browser("bob")
    asked = {"query": "falcon flies confidence", "limit": 20}
    answers = [
        bob.get(MEMORIES),
        *(bob.get(f"{MEMORIES}/{id_}") for id_ in (whole, part, decided.json()["id"])),
        *(bob.get(f"{MEMORIES}/{id_}/history") for id_ in (whole, part)),
        *(bob.get(f"{MEMORIES}/{id_}/lineage") for id_ in (whole, part)),
        bob.post("/api/v1/recall", asked, format="json"),
        bob.post("/api/v1/context", {"query": asked["query"]}, format="json"),
        here.api("bolt").post("/api/v1/recall", asked, format="json"),
    ]
    for answer in answers:
        assert answer.status_code == 200, answer.request
        assert str(hidden) not in response_text(answer), answer.request["PATH_INFO"]
    with resolve_principal(here.person("bob")).scope():
        row = Memory.objects.filter(id=whole).with_names().get()
    assert str(hidden) not in render_memories([row]).decode()
    assert answers[1].json()["source"] == {"page": 7}
    hits = {one["id"]: one["source"] for one in answers[8].json()["results"]}
    assert (hits[str(whole)], hits[str(part)]) == ({"page": 7}, {})
    made_from = here.api("aria").get(f"{MEMORIES}/{whole}/lineage").json()["derived_from"]
    assert [one["id"] for one in made_from] == [str(hidden)], "who reads both is told"


@pytest.mark.conformance("T11")
@pytest.mark.parametrize("column", ["robot_id", "author_id", "organisation_id"])
@pytest.mark.parametrize("role", ["default", "worker", "owner"])
def test_who_wrote_it_never_changes(lasting_world: World, column: str, role: str) -> None:
    here = lasting_world.here
    chidi = here.person("chidi")
    id_ = here.remember(chidi, "Mine.").id
    other = {
        "robot_id": here.robots["bolt"].id,
        "author_id": here.members["bob"].id,
        "organisation_id": lasting_world.there.id,
    }[column]
    with rolled_back_connection("admin" if role == "owner" else role) as connection:
        set_scope_settings(
            connection, organisation=here.id, audiences=resolve_principal(chidi).audiences
        )
        with pytest.raises(psycopg.errors.RestrictViolation):
            connection.execute(
                f"UPDATE memories_memory SET {column} = %s WHERE id = %s", (other, id_)
            )


@pytest.mark.conformance("T11")
def test_a_change_past_the_services_is_kept_too(lasting_world: World) -> None:
    here, chidi = lasting_world.here, lasting_world.here.person("chidi")
    id_ = here.remember(chidi, "Before.").id
    with rolled_back_connection("default") as connection:
        set_scope_settings(
            connection, organisation=here.id, audiences=resolve_principal(chidi).audiences
        )
        change = "UPDATE memories_memory SET content = %s WHERE id = %s"
        connection.execute(change, ("After.", id_))
        connection.execute(change, ("Later.", id_))
        kept = "SELECT number, content FROM memories_version WHERE memory_id = %s ORDER BY 1"
        assert connection.execute(kept, [id_]).fetchall() == [(1, "Before."), (2, "After.")]
        refused, sealed = psycopg.errors.InsufficientPrivilege, psycopg.errors.RestrictViolation
        for forged, error in {
            "UPDATE memories_version SET tags = '{}'": refused,
            "DELETE FROM memories_version": refused,
            "UPDATE memories_version SET content = 'x'": sealed,
            "UPDATE memories_version SET content = 'x', sealed = 'x'": sealed,
        }.items():
            with pytest.raises(error), connection.transaction():
                connection.execute(forged)
