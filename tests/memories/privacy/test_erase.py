"""Erasing for good: who may, what goes with it, and that nothing of its words is left (H29)."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.test import Client
from psycopg import sql

from memories.access.permissions import ChangeForbiddenError, RedLineError
from memories.access.visibility import MemoryRequestError
from memories.curation.bulk_change import BulkChange, change_memories
from memories.curation.edit_memory import edit_memory
from memories.curation.share_memory import share_memory
from memories.lifecycle.consolidation.capacity_limit import AudienceTier
from memories.lifecycle.consolidation.summarise import summarise_and_archive
from memories.lifecycle.forget import forget_memory, restore_memory
from memories.privacy.erase_memory import erase_memory
from memories.privacy.purge import purge_trash
from memories.review.propose import propose_correction, report_memory
from memories.review.protect import protect_memory, set_red_line
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.errors import ConfirmationError, NotFoundError
from orgs.models.audit import AuditEntry
from orgs.principals import Actor, resolve_principal
from tests.databases import rolled_back_connection
from tests.isolation.catalogue import tenant_tables
from tests.world import NOW, Tenant, World

MARK = "Zwickmuhle"
# As the search keeps it.
STEM = "zwickmuhl"
TEXT = f"The hut near {MARK} opens in June. Bob looks after {MARK} from Lisbon."


def actor_of(here: Tenant, name: str) -> Actor:
    return here.robot(name) if name in here.robots else here.person(name)


def erase(here: Tenant, name: str, id_: UUID, **more: Any) -> Any:
    return erase_memory(actor_of(here, name), id_, confirm=str(id_), now=NOW, **more)


def there(here: Tenant, id_: UUID) -> bool:
    """Whether the row is there at all, for whoever may read its audience."""
    return any(id_ in here.readable(actor_of(here, n)) for n in (*here.members, *here.robots))


def holding(here: Tenant, connection: psycopg.Connection[Any], words: str) -> dict[str, int]:
    """Tenant tables by how many of the organisation's rows hold the words, in any column."""
    found = {}
    for table in tenant_tables(connection):
        query = sql.SQL("SELECT count(*) FROM {t} AS r WHERE r::text ILIKE %s AND r::text LIKE %s")
        asked = [f"%{words}%", f"%{here.id}%"]
        counted = connection.execute(query.format(t=sql.Identifier(table)), asked)
        if number := counted.fetchone()[0]:  # type: ignore[index]
            found[table] = number
    return found


@pytest.mark.conformance("H29")
def test_nothing_of_its_words_is_left_in_any_table(lasting_world: World) -> None:
    here, aria = lasting_world.here, lasting_world.here.robot("aria")
    mark = MARK.lower()
    id_ = here.remember(
        aria,
        TEXT,
        group="launch",
        member=str(here.members["mina"].id),
        kind="user",
        topic=f"{MARK} office",
        tags=(mark,),
        metadata={"note": MARK},
        conversation="c",
        position=1,
    ).id
    here.remember(aria, "It is lovely there.", group="launch", conversation="c", position=2)
    here.embed()
    answer = here.api("aria").post(f"/api/v1/memories/{id_}/propositions", {}, format="json")
    assert answer.json()["results"], "a proposition with the words"
    edit_memory(aria, id_, {"content": TEXT + f" {MARK} is small."}, now=NOW)
    here.api("aria").post(f"/api/v1/memories/{id_}/propositions", {}, format="json")
    propose_correction(here.person("bob"), id_, content=f"{MARK} is not here.", now=NOW)
    report_memory(here.person("mina"), id_, reason=f"{MARK} is secret.", now=NOW)
    change = BulkChange(action="set", tags=("other",))
    change_memories(here.person("mina"), [id_], change, now=NOW)
    here.embed()
    with rolled_back_connection("admin") as admin:
        before = holding(here, admin, STEM)
    assert {"memories_memory", "memories_version", "memories_text", "memories_proposal"} <= set(
        before
    )
    assert {"memories_job", "memories_entity"} <= set(before), before

    forget_memory(aria, id_, now=NOW)
    erased = erase(here, "aria", id_)
    here.embed()
    assert erased.memories >= 2
    with rolled_back_connection("admin") as admin:
        assert holding(here, admin, STEM) == {}
        # Ids are left in what says that something was done, and nowhere else.
        left = {"orgs_auditentry", "memories_job", "memories_erasure", "memories_tombstone"}
        left.add("memories_departure")
        assert set(holding(here, admin, str(id_))) <= left


def test_a_summary_goes_with_each_of_its_sources(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    said = [here.remember(aria, f"{MARK} fact number {n}.", group="launch").id for n in range(3)]
    with resolve_principal(aria).scope():
        rows = list(Memory.objects.filter(id__in=said).order_by("id"))
        place = AudienceTier(here.id, rows[0].audience_id, rows[0].tier, 1)
        [summary] = summarise_and_archive(place, rows, unwilling=set(), now=NOW).made
    assert erase(here, "aria", said[0]).memories == 2
    left = here.readable(aria)
    assert (said[0] in left, summary.id in left) == (False, False)
    restore_memory(aria, said[1], now=NOW)


def test_what_was_made_of_it_for_other_readers_goes_as_well(world: World) -> None:
    """Facts stay with the readers of then when their memory goes to others."""
    here, aria = world.here, world.here.robot("aria")
    id_ = here.remember(aria, TEXT, group="design").id
    answer = here.api("aria").post(f"/api/v1/memories/{id_}/propositions", {}, format="json")
    made = [UUID(row["id"]) for row in answer.json()["results"]]
    share_memory(aria, id_, visibility="organisation", readers={}, group=None, now=NOW)
    restore_memory(aria, made[0], now=NOW)
    assert made[0] in here.readable(here.robot("clio"))
    assert erase(here, "aria", id_).memories >= 1
    assert not {id_, *made} & here.readable(here.robot("clio"))
    assert (
        here.api("clio").post("/api/v1/recall", {"query": MARK}, format="json").json()["results"]
        == []
    )


def test_what_it_replaced_for_other_readers_stays_and_names_it_no_more(world: World) -> None:
    """The eraser does not read the older one, so its line in the feed of changes is not theirs."""
    here, bolt, aria = world.here, world.here.robot("bolt"), world.here.robot("aria")
    old = here.remember(aria, "The hut opens in May.", visibility="internal").id
    newer = here.remember(aria, "The hut opens in June.", visibility="organisation").id
    edit_memory(aria, newer, {"supersedes": [old]}, now=NOW)
    erase(here, "ada", newer)
    assert newer not in here.readable(bolt)
    shown = here.api("aria").get(f"/api/v1/memories/{old}").json()
    assert (shown["superseded_by"], shown["content"]) == (None, "The hut opens in May.")


@pytest.mark.parametrize(
    ("written", "who", "may"),
    [
        ("about mina", "mina", True),
        ("about mina", "ada", True),
        ("about mina", "chidi", False),
        ("about mina", "bob", False),
        ("about mina", "vera", False),
        ("about mina", "aria", True),
        ("about mina", "bolt", False),
        ("by bob", "bob", True),
        ("by bob", "chidi", False),
        ("by bob and aria", "bob", False),
        ("by bob and aria", "aria", False),
        ("words of mina", "mina", True),
        ("words of mina", "aria", False),
        ("by aria and bolt", "aria", False),
    ],
)
def test_who_may_erase(world: World, written: str, who: str, may: bool) -> None:
    """Its subject, who alone wrote it about nobody else, an admin; curators and readers do not."""
    here = world.here
    mina = str(here.members["mina"].id)
    aria, everyone = here.robot("aria"), {"visibility": "organisation"}
    text = "Tea is at four."
    match written:
        case "about mina":
            id_ = here.remember(aria, text, member=mina, **everyone).id
        case "words of mina":
            id_ = here.remember(aria, text, speaker=mina, **everyone).id
        case "by bob" | "by bob and aria":
            id_ = here.remember(here.person("bob"), text, group="launch").id
        case _:
            id_ = here.remember(aria, text, **everyone).id
    if written == "by bob and aria":
        again = here.remember(aria, text, group="launch")
        assert again.id == id_
    if written == "by aria and bolt":
        assert here.remember(here.robot("bolt"), text, **everyone).id == id_
    if may:
        erase(here, who, id_)
    else:
        with pytest.raises((ChangeForbiddenError, NotFoundError)):
            erase(here, who, id_)
    assert there(here, id_) is not may


def test_what_its_subject_forgot_they_alone_erase(world: World) -> None:
    here, mina = world.here, world.here.person("mina")
    id_ = here.remember(
        here.robot("aria"), "Mina failed.", group="launch", member=str(mina.member_id)
    ).id
    forget_memory(mina, id_, now=NOW)
    for other in ("ada", "aria", "chidi"):
        with pytest.raises(NotFoundError):
            erase(here, other, id_)
    erase(here, "mina", id_)
    assert not there(here, id_)


@pytest.mark.conformance("G20")
def test_a_red_line_holds_but_not_against_its_subject(world: World) -> None:
    here = world.here
    mina = str(here.members["mina"].id)
    ids = [
        here.remember(here.robot("aria"), text, visibility="organisation", member=mina).id
        for text in ("Allergic to nuts.", "Allergic to milk.")
    ]
    for id_ in ids:
        protect_memory(here.person("ada"), id_, reason="It saves lives.", now=NOW)
    for who in ("aria", "ada"):
        with pytest.raises(RedLineError):
            erase(here, who, ids[0])
    with pytest.raises(PermissionError):
        erase(here, "aria", ids[0], force="because")
    erase(here, "ada", ids[0], force="A court says so.")
    erase(here, "mina", ids[1])
    assert not there(here, ids[0])
    assert not there(here, ids[1])
    with organisation_scope(here.id):
        acts = AuditEntry.objects.filter(target__in=ids, action="memory.forced")
        assert [(act.target, act.detail["act"]) for act in acts] == [(ids[0], "erase")]


@pytest.mark.conformance("H29")
def test_over_http_it_is_asked_for_twice(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    id_ = here.remember(here.robot("aria"), "Gone for good.").id
    address = f"/api/v1/memories/{id_}"
    for query in (
        "hard=true",
        "hard=true&confirm=",
        "hard=true&confirm=yes",
        f"hard=true&confirm={here.id}",
    ):
        answer = api.delete(f"{address}?{query}")
        code = "invalid" if query.endswith("=") else "not-confirmed"
        assert answer.status_code == 400, query
        assert answer.json()["type"] == f"urn:commonmind:problem:{code}", query
    assert api.delete(f"{address}?hard=1&confirm={id_}").status_code == 400
    assert api.delete(f"{address}?tough=true").status_code == 400
    assert api.get(address).status_code == 200
    strange = f"/api/v1/memories/{here.id}?hard=true&confirm={here.id}"
    assert api.delete(strange).status_code == 404
    assert api.delete(f"{address}?hard=false").status_code == 204
    answer = api.delete(f"{address}?hard=true&confirm={id_}")
    told = answer.json()
    receipt = told.pop("receipt")
    assert told.pop("erasure")
    assert (answer.status_code, told) == (200, {"memories": 1, "messages": [], "made_of_it": []})
    page = Client().get(receipt)
    assert (page.status_code, "Being erased" in page.content.decode()) == (200, True)
    assert api.delete(f"{address}?hard=true&confirm={id_}").status_code == 404
    assert api.post(f"{address}/restore", {}, format="json").status_code == 404
    with organisation_scope(here.id):
        [entry] = AuditEntry.objects.filter(target=id_, action="memory.erased")
    assert entry.detail == {"was": "forgotten"}


def test_without_its_id_nothing_is_erased(world: World) -> None:
    here = world.here
    id_ = here.remember(here.robot("aria"), "Kept.").id
    with pytest.raises(ConfirmationError):
        erase_memory(here.robot("aria"), id_, confirm="", now=NOW)
    assert there(here, id_)


def test_the_message_stays_and_lends_its_words_to_nothing(lasting_world: World) -> None:
    here, api = lasting_world.here, lasting_world.here.api("aria")
    chat = api.post("/api/v1/conversations", {"group": "launch"}, format="json").json()["id"]
    url = f"/api/v1/conversations/{chat}/messages"
    said = [
        api.post(url, {"content": text}, format="json").json()
        for text in (f"The {MARK} contract is signed with Lisbon.", "It starts in June, they say.")
    ]
    memory = UUID(
        said[0]["memory"]["id"] if isinstance(said[0].get("memory"), dict) else said[0]["memory"]
    )
    here.embed()
    erased = erase(here, "aria", memory)
    assert [str(id_) for id_ in erased.messages] == [said[0]["id"]]
    edit_memory(
        here.robot("aria"), UUID(said[1]["memory"]), {"content": "It starts in July."}, now=NOW
    )
    here.embed()
    with rolled_back_connection("admin") as admin:
        assert set(holding(here, admin, STEM)) <= {"robots_message", "robots_conversation"}
    listed = api.get(url).json()["results"]
    assert {row["reason"] for row in listed if MARK in row["content"]} == {"erased"}


def summary_of(here: Tenant, said: list[UUID]) -> Memory:
    with resolve_principal(here.robot("aria")).scope():
        rows = list(Memory.objects.filter(id__in=said).order_by("id"))
        place = AudienceTier(here.id, rows[0].audience_id, rows[0].tier, 1)
        [made] = summarise_and_archive(place, rows, unwilling=set(), now=NOW).made
    return made


def protect_as_once(here: Tenant, id_: UUID) -> None:
    """A summary with a red line, from before these were refused."""
    principal = resolve_principal(here.person("ada"))
    with principal.scope():
        set_red_line(principal, Memory.objects.get(id=id_), "It matters.", NOW)


def test_what_went_along_is_in_the_audit_trail(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    said = [
        here.remember(aria, f"{MARK} fact number {n}.", visibility="organisation").id
        for n in range(3)
    ]
    summary = summary_of(here, said)
    erase(here, "aria", said[0])
    with organisation_scope(here.id):
        [entry] = AuditEntry.objects.filter(target=said[0], action="memory.erased")
    assert entry.detail == {"was": "archived", "derived": 1, "ids": [str(summary.id)]}


def test_a_red_line_on_what_was_made_of_it_holds(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    said = [
        here.remember(aria, f"{MARK} fact number {n}.", visibility="organisation").id
        for n in range(3)
    ]
    summary = summary_of(here, said)
    with pytest.raises(MemoryRequestError):
        protect_memory(here.person("ada"), summary.id, reason="It matters.", now=NOW)
    protect_as_once(here, summary.id)
    for who in ("aria", "ada"):
        with pytest.raises(RedLineError):
            erase(here, who, said[0])
    assert there(here, said[0])
    with resolve_principal(here.person("ada")).scope():
        assert Memory.objects.get(id=summary.id).status == "active", "nothing was taken away"
    erase(here, "ada", said[0], force="A court says so.")
    assert not there(here, summary.id)
    with organisation_scope(here.id):
        assert AuditEntry.objects.filter(target=summary.id, action="memory.forced").count() == 1


def test_their_own_goes_with_what_was_made_of_it(world: World) -> None:
    here, aria, mina = world.here, world.here.robot("aria"), str(world.here.members["mina"].id)
    said = [
        here.remember(aria, f"{MARK} fact number {n}.", visibility="organisation", speaker=mina).id
        for n in range(3)
    ]
    summary = summary_of(here, said)
    protect_as_once(here, summary.id)
    with pytest.raises(RedLineError):
        erase(here, "ada", said[0])
    erase(here, "mina", said[0])
    assert not there(here, summary.id)


def test_the_trash_keeps_what_a_protected_one_was_made_of(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    said = [
        here.remember(aria, f"{MARK} fact number {n}.", visibility="organisation").id
        for n in range(3)
    ]
    alone = here.remember(aria, "Gone with the trash.", visibility="organisation").id
    protect_as_once(here, summary_of(here, said).id)
    for id_ in (said[0], alone):
        forget_memory(aria, id_, now=NOW)
    later = NOW + timedelta(days=1)
    done = purge_trash(aria, older_than=later, confirm=True, now=later)
    assert (done.memories, done.more) == (1, False)
    assert [there(here, id_) for id_ in (said[0], alone)] == [True, False]


@pytest.mark.parametrize(("writer", "editor"), [("aria", "ada"), ("chidi", "ada")])
def test_what_somebody_else_reworded_its_writer_does_not_erase(
    world: World, writer: str, editor: str
) -> None:
    here = world.here
    who = actor_of(here, writer)
    ids = [
        here.remember(who, f"Tea is at {n}.", visibility="organisation").id
        for n in ("four", "five")
    ]
    edit_memory(here.person(editor), ids[0], {"content": "Tea is at six."}, now=NOW)
    edit_memory(who, ids[1], {"content": "Tea is at seven."}, now=NOW)
    with pytest.raises(ChangeForbiddenError):
        erase(here, writer, ids[0])
    erase(here, writer, ids[1])
    assert [there(here, id_) for id_ in ids] == [True, False]
