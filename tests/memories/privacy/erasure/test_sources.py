"""Everything that came from one robot, key, conversation, import or group goes (T13)."""

from typing import Any
from uuid import UUID

import pytest

from memories.curation.decision_records.models import Debate
from memories.ingestion.file_import.importer import Importer
from memories.jobs.run_jobs import run_job
from memories.lifecycle.consolidation.capacity_limit import AudienceTier
from memories.lifecycle.consolidation.summarise import summarise_and_archive
from memories.privacy.receipts import create_link, get_receipt
from memories.privacy.request_erasure import (
    ErasureTargetSource,
    erase_memory_unchecked,
    erase_source,
    parse_source,
)
from memories.review.propose import propose_correction
from memories.store.models.memory import Memory
from memories.store.models.version import Contribution
from orgs.database.rls import organisation_scope
from orgs.models.base import new_id
from orgs.models.memberships import ExternalIdentity
from orgs.principals import resolve_principal
from robots.models.conversations import Conversation, Message
from robots.models.identities import IdentityLink
from robots.models.keys import Key
from robots.registry.robots import IMPORT, ensure_builtin_robot
from tests.databases import rolled_back_connection
from tests.world import NOW, Tenant, World


def purge(here: Tenant, source: str) -> dict[str, int]:
    """Erase a source as an admin; the counts of the receipt."""
    erasure = erase_source(here.person("ada"), parse_source(source), confirm=source, now=NOW)
    while run_job(here.id, erasure.job_id, None):
        pass
    receipt = get_receipt(create_link(erasure))
    assert receipt.finished_at is not None, receipt
    return receipt.counts


def status_of(here: Tenant, *ids: UUID) -> list[str]:
    """What became of each: its status, or `gone`."""
    with organisation_scope(here.id, using="worker"):
        rows = Memory.objects.using("worker").filter(organisation_id=here.id, id__in=ids)
        known = dict(rows.values_list("id", "status"))
    return [known.get(id_, "gone") for id_ in ids]


@pytest.mark.conformance("T13")
def test_a_robot_with_what_was_built_on_it(lasting_world: World) -> None:
    """Three levels: what stood on both is made anew of what is left."""
    here = lasting_world.here
    aria, bolt = here.robot("aria"), here.robot("bolt")
    everyone = {"visibility": "organisation"}
    bad = [here.remember(bolt, f"Bolt's claim number {n}.", **everyone).id for n in range(2)]
    good = [here.remember(aria, f"The hall has {n} gates.", **everyone).id for n in range(2)]
    both = here.remember(bolt, "Both have said this.", **everyone).id
    assert here.remember(aria, "Both have said this.", **everyone).id == both
    cites = here.remember(aria, "So it follows.", source={"memories": [str(bad[0])]}, **everyone).id
    with resolve_principal(aria).scope():
        rows = {row.id: row for row in Memory.objects.filter(id__in=[*bad, *good])}
        place = AudienceTier(here.id, rows[bad[0]].audience_id, rows[bad[0]].tier, 1)
        pairs = [[rows[bad[0]], rows[good[0]]], [rows[bad[1]], rows[good[1]]]]
        middle = [
            summarise_and_archive(place, pair, unwilling=set(), now=NOW).made[0] for pair in pairs
        ]
        [top] = summarise_and_archive(place, middle, unwilling=set(), now=NOW).made
    here.embed()
    assert status_of(here, *good, top.id) == ["archived", "archived", "active"]

    counts = purge(here, f"robot:{here.robots['bolt'].id}")
    assert status_of(here, *bad, *(row.id for row in middle), top.id, cites) == ["gone"] * 6
    assert status_of(here, *good, both) == ["active"] * 3
    assert (counts["memories"], counts["brought_back"], counts["recounted"]) == (6, 2, 1)
    here.embed()
    answer = here.api("aria").post("/api/v1/recall", {"query": "How many gates?"}, format="json")
    assert {row["id"] for row in answer.json()["results"]} >= {str(id_) for id_ in good}
    with resolve_principal(aria).scope():
        assert Memory.objects.get(id=both).remember_count == 1


@pytest.mark.conformance("T13")
def test_a_key_takes_what_came_by_it_and_not_what_another_key_said(lasting_world: World) -> None:
    here, api = lasting_world.here, lasting_world.here.api("aria")

    def said(text: str) -> UUID:
        answer = api.post(
            "/api/v1/memories", {"content": text, "visibility": "organisation"}, format="json"
        )
        return UUID(answer.json()["id"])

    by_key, direct = (
        said("By the key."),
        here.remember(here.robot("aria"), "By no key.", visibility="organisation").id,
    )
    with organisation_scope(here.id, using="worker"):
        rows = Contribution.objects.using("worker").filter(memory_id__in=[by_key, direct])
        keys = dict(rows.values_list("memory_id", "key_id"))
    with organisation_scope(here.id):
        key = Key.objects.get(robot_id=here.robots["aria"].id)
    assert keys == {by_key: key.id, direct: None}
    purge(here, f"key:{key.id}")
    assert status_of(here, by_key, direct) == ["gone", "active"]


@pytest.mark.conformance("T13")
def test_an_import_and_its_late_lines(lasting_world: World) -> None:
    here, job = lasting_world.here, new_id()
    with organisation_scope(here.id):
        robot = ensure_builtin_robot(here.id, IMPORT, NOW)
    lines = [
        b'{"id": "%d", "group": "g", "speaker": "Tom", "text": "Line %d."}' % (n, n) for n in (1, 2)
    ]

    def bring(import_job: UUID, line: bytes) -> Any:
        importer = Importer(
            here.organisation, robot, NOW, "organisation", frozenset({"g"}), import_job=import_job
        )
        return importer.run([line]).imported

    assert bring(job, lines[0]) == 1
    counts = purge(here, f"import:{job}")
    assert counts["memories"] == 1
    with pytest.raises(Exception, match="its import was erased"):
        bring(job, lines[1])
    # Brought in once more by somebody, it is another import.
    assert bring(new_id(), lines[0]) == 1


@pytest.mark.conformance("T13")
def test_a_conversation_and_a_group(lasting_world: World) -> None:
    here, api = lasting_world.here, lasting_world.here.api("aria")
    made = {}
    for title in ("one", "two"):
        answer = api.post(
            "/api/v1/conversations", {"group": "launch", "title": title}, format="json"
        )
        made[title] = answer.json()["id"]
        api.post(
            f"/api/v1/conversations/{made[title]}/messages",
            {"role": "agent", "content": f"We order chairs, number {title}."},
            format="json",
        )
    kept = here.remember(here.robot("aria"), "The other group.", group="design").id
    purge(here, f"conversation:{made['one']}")
    with organisation_scope(here.id, using="worker"):
        rows = Conversation.objects.using("worker").filter(organisation_id=here.id)
        assert {str(id_) for id_ in rows.values_list("id", flat=True)} == {made["two"]}
    counts = purge(here, f"group:{here.groups['launch'].id}")
    assert counts["messages"] == 1
    with organisation_scope(here.id, using="worker"):
        assert not Message.objects.using("worker").filter(organisation_id=here.id).exists()
    assert status_of(here, kept) == ["active"]


def test_a_source_is_an_id_of_a_kind() -> None:
    id_ = new_id()
    assert parse_source(f"robot:{id_}") == ErasureTargetSource("robot", id_)  # type: ignore[arg-type]
    for bad in ("robot", f"person:{id_}", "robot:1", "", f"robot:{id_}:x"):
        with pytest.raises(ValueError, match=r"valid|badly"):
            parse_source(bad)


def debates(here: Tenant) -> set[str]:
    """The topics of all debates."""
    with organisation_scope(here.id, using="worker"):
        return set(Debate.objects.using("worker").values_list("topic", flat=True))


@pytest.mark.conformance("T13")
def test_what_a_robot_and_a_group_said_beside_memories(lasting_world: World) -> None:
    """Debates, corrections that wait, and whose account it takes one for; others' stay."""
    here = lasting_world.here
    bobs = here.remember(here.person("mina"), "The hall is blue.", group="design").id
    mina = here.members["mina"].id
    with organisation_scope(here.id):
        identity = ExternalIdentity(
            organisation_id=here.id, member_id=mina, platform="slack", identifier="U7"
        )
        identity.save(force_insert=True)
    for name in ("aria", "clio"):
        for group in ("", "design"):
            body = {"topic": f"{name} {group}", **({"group": group} if group else {})}
            answer = here.api(name).post("/api/v1/debates", body, format="json")
            assert answer.status_code == 201, answer.content
        propose_correction(here.robot(name), bobs, content=f"Red, says {name}.", now=NOW)
        with organisation_scope(here.id):
            IdentityLink(
                organisation_id=here.id,
                identity_id=identity.id,
                robot_id=here.robots[name].id,
                evidence=f"{name} was told",
                created_at=NOW,
            ).save(force_insert=True)
    counts = purge(here, f"robot:{here.robots['clio'].id}")
    assert (counts["debates"], counts["proposals"], counts["identity_links"]) == (2, 1, 1)
    with rolled_back_connection("admin") as admin:
        for table, left in (("memories_proposal", 1), ("robots_identitylink", 1)):
            rows = admin.execute(
                f"SELECT r::text FROM {table} r WHERE organisation_id = %s", [here.id]
            ).fetchall()
            assert len(rows) == left
            assert "clio" not in str(rows)
    assert debates(here) == {"aria", "aria design"}
    assert status_of(here, bobs) == ["active"]
    purge(here, f"group:{here.groups['design'].id}")
    assert debates(here) == {"aria"}


@pytest.mark.conformance("T13")
def test_a_debate_goes_with_its_decision(lasting_world: World) -> None:
    """Its topic is that of the decision; by the page and by the command."""
    here, api = lasting_world.here, lasting_world.here.api("aria")
    for topic in ("Which queue", "Which wall"):
        body = {"topic": topic, "group": "launch"}
        debate = api.post("/api/v1/debates", body, format="json").json()["id"]
        outcome = {"conclusion": f"{topic}: the old one."}
        done = api.post(f"/api/v1/debates/{debate}/outcome", outcome, format="json")
        made = done.json()["decision"]["id"]
        assert topic in debates(here)
        if topic == "Which queue":
            gone = api.delete(f"/api/v1/memories/{made}?hard=true&confirm={made}")
            assert gone.status_code == 200, gone.content
        else:
            erasure = erase_memory_unchecked(here.person("ada"), UUID(made), now=NOW)
            while run_job(here.id, erasure.job_id, None):
                pass
        assert topic not in debates(here)
