"""Quotas: the database counts what an organisation keeps, and refuses what goes beyond (T19)."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections, transaction
from django.test import Client

from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember
from memories.jobs import run_jobs
from memories.jobs.job_queue import enqueue_job
from memories.jobs.models import Job, JobState, JobType
from memories.tasks import sweep_usage
from orgs.database.rls import organisation_scope
from orgs.errors import QuotaError
from orgs.models.audit import AuditEntry
from orgs.models.quotas import Quota, Usage
from orgs.organisations.organisations import create_organisation
from orgs.organisations.quotas import RESOURCES, get_usage, list_usage
from orgs.principals import Actor, resolve_principal
from tests.architecture.source import ROOT
from tests.databases import rolled_back_connection
from tests.page_client import response_text
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("T19")


def allow(tenant: Tenant, **limits: int | None) -> None:
    """Set a quota as the owner would, in the transaction of the test."""
    with organisation_scope(tenant.id):
        Quota(organisation_id=tenant.id, **limits).save(force_insert=True)


def used(tenant: Tenant) -> dict[str, int]:
    return {one.resource: one.used for one in get_usage(tenant.id)}


def left_to(tenant: Tenant, resource: str, more: int) -> int:
    """A limit that leaves room for so much more."""
    return used(tenant)[resource] + more


def counted(tenant: Tenant) -> tuple[int, int]:
    """Memories, and bytes of texts, past row-level security and past the counters."""
    with rolled_back_connection("admin") as admin:
        memories, texts = admin.execute(
            "SELECT count(*), "
            "coalesce(sum(length(coalesce(sealed, convert_to(content, 'UTF8')))), 0) "
            "FROM memories_memory WHERE organisation_id = %s",
            [tenant.id],
        ).fetchone()
        (messages,) = admin.execute(
            "SELECT coalesce(sum(length(convert_to(content, 'UTF8'))), 0) "
            "FROM robots_message WHERE organisation_id = %s",
            [tenant.id],
        ).fetchone()
    return memories, texts + messages


def say(tenant: Tenant, content: str, robot: str = "bolt", **fields: Any) -> Any:
    return tenant.api(robot).post("/api/v1/memories", {"content": content, **fields}, format="json")


def test_what_comes_changes_and_goes_is_counted(lasting_world: World) -> None:
    here = lasting_world.here
    api = here.api("bolt")
    made = [say(here, f"Grüße {n}: the pump is serviced each May").json() for n in range(3)]
    private = say(here, "My PIN is 4711", category="preference")
    assert private.status_code in (201, 202)
    chat = here.api("aria").post("/api/v1/conversations", {"group": "launch"}, format="json").json()
    said = {"role": "user", "content": "Ärger with the door of the cellar", "speaker": "Bob"}
    posted = here.api("aria").post(
        f"/api/v1/conversations/{chat['id']}/messages", said, format="json"
    )
    assert posted.status_code in (200, 201), posted.content
    assert used(here)["memories"] >= 4
    assert (used(here)["memories"], used(here)["bytes"]) == counted(here)
    changed = api.patch(
        f"/api/v1/memories/{made[0]['id']}", {"content": "Much shorter"}, format="json"
    )
    assert changed.status_code == 200
    assert (used(here)["memories"], used(here)["bytes"]) == counted(here)
    assert api.delete(f"/api/v1/memories/{made[1]['id']}").status_code == 204
    assert (used(here)["memories"], used(here)["bytes"]) == counted(here)


def test_what_was_there_before_is_counted(lasting_world: World) -> None:
    """The part of the migrations that counts old rows, on rows that are there."""
    here = lasting_world.here
    for n in range(2):
        assert say(here, f"Before the upgrade, {n}").status_code == 201
    chat = here.api("aria").post("/api/v1/conversations", {"group": "launch"}, format="json").json()
    said = {"content": "Ärger with the door of the cellar", "speaker": "Bob"}
    here.api("aria").post(f"/api/v1/conversations/{chat['id']}/messages", said, format="json")
    texts = [ROOT / "memories/sql/usage_of_memories_v1.sql", ROOT / "robots/sql/quota_v1.sql"]
    with rolled_back_connection("owner") as owner:
        owner.execute("ALTER TABLE orgs_usage NO FORCE ROW LEVEL SECURITY")
        owner.execute("DELETE FROM orgs_usage")
        owner.execute("ALTER TABLE orgs_usage FORCE ROW LEVEL SECURITY")
        for text in texts:
            _, _, fill = text.read_text(encoding="utf-8").partition("-- What is there already.")
            owner.execute(fill)
        owner.execute("ALTER TABLE orgs_usage NO FORCE ROW LEVEL SECURITY")
        found = owner.execute(
            "SELECT sum(memories), sum(bytes) FROM orgs_usage WHERE organisation_id = %s",
            [here.id],
        ).fetchone()
    assert found == counted(here)


def test_deleted_rows_are_taken_off_again(world: World) -> None:
    here = world.here
    before = used(here)
    made = here.remember(here.robot("bolt"), "The boiler is in the cellar")
    text = len("The boiler is in the cellar")
    assert used(here) == before | {
        "memories": before["memories"] + 1,
        "bytes": before["bytes"] + text,
    }
    with resolve_principal(here.robot("bolt")).scope(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM memories_memory WHERE id = %s", [made.id])
        assert cursor.rowcount == 1
    assert used(here) == before


def test_one_memory_too_many_is_refused_and_leaves_nothing(world: World) -> None:
    here = world.here
    most = left_to(here, "memories", 2)
    allow(here, memories=most)
    assert [say(here, f"Fact number {n}").status_code for n in range(2)] == [201, 201]
    refused = say(here, "One fact too many")
    assert refused.status_code == 403
    body = refused.json()
    assert body["type"] == "urn:commonmind:problem:quota"
    assert body["quota"] == {"resource": "memories", "used": most, "allowed": most}
    assert "ask whoever runs this server" in body["detail"]
    assert used(here)["memories"] == most
    assert say(world.there, "Another organisation has its own").status_code == 201
    # Whoever reads and corrects is not hindered.
    asked = here.api("bolt").post("/api/v1/recall", {"query": "fact number"}, format="json")
    assert asked.status_code == 200
    assert asked.json()["results"]


def test_a_batch_beyond_the_quota_says_so(world: World) -> None:
    here = world.here
    most = left_to(here, "memories", 3)
    allow(here, memories=most)
    items = [{"content": f"Batch line {n}"} for n in range(5)]
    answer = here.api("bolt").post("/api/v1/memories/batch", {"items": items}, format="json")
    assert answer.status_code == 403
    assert answer.json()["quota"]["resource"] == "memories"
    assert used(here)["memories"] == most - 3


def test_bytes_are_counted_as_utf_8_and_an_edit_counts_what_it_adds(world: World) -> None:
    here = world.here
    allow(here, bytes=left_to(here, "bytes", 20))
    made = say(here, "ü" * 9)
    assert made.status_code == 201
    path = f"/api/v1/memories/{made.json()['id']}"
    api = here.api("bolt")
    assert api.patch(path, {"content": "ü" * 11}, format="json").status_code == 403
    assert api.patch(path, {"content": "ü" * 10}, format="json").status_code == 200
    assert say(here, "x").json()["quota"]["resource"] == "bytes"
    assert api.patch(path, {"content": "ü" * 4}, format="json").status_code == 200
    assert say(here, "x" * 12).status_code == 201


def test_robots_and_groups_have_a_quota(world: World) -> None:
    here = world.here
    kept = used(here)
    assert (kept["robots"], kept["groups"]) == (3, 2)
    allow(here, robots=4, groups=3)
    admin = here.browser("ada")

    def make(path: str, name: str) -> Any:
        more = {"external_id": name} if path == "groups" else {}
        return admin.post(f"/api/v1/{path}", {"name": name} | more, format="json")

    assert make("robots", "dora").status_code == 201
    assert make("groups", "ops").status_code == 201
    for path, most in (("robots", 4), ("groups", 3)):
        refused = make(path, "beyond")
        assert refused.status_code == 403, refused.content
        assert refused.json()["quota"] == {"resource": path, "used": most, "allowed": most}
    with organisation_scope(here.id):
        here.robots["clio"].retired_at = NOW
        here.robots["clio"].save(update_fields=["retired_at"])
    assert make("robots", "beyond").status_code == 201


def test_what_workers_derive_is_counted_and_not_refused(lasting_world: World) -> None:
    here = lasting_world.here
    allow(here, memories=0)
    with pytest.raises(QuotaError):
        remember(here.robot("bolt"), Draft(content="Refused"), now=NOW)
    with (
        organisation_scope(here.id, using="worker"),
        transaction.atomic(using="worker"),
        connections["worker"].cursor() as cursor,
    ):
        cursor.execute("SELECT orgs_add_usage(%s, 1, 7)", [here.id])
    assert used(here)["memories"] == 1


def test_a_job_beyond_the_quota_stops_and_says_why(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    allow(here, memories=0)
    mina = resolve_principal(here.person("mina"))
    with mina.scope():
        job = enqueue_job(mina, JobType.IMPORT, parameters={}, total=1, now=NOW)

    def work(actor: Actor, _: Job) -> None:
        remember(actor, Draft(content="Refused", visibility="private"), now=NOW)

    monkeypatch.setitem(run_jobs._handlers, JobType.IMPORT, (work, "write"))
    assert run_jobs.run_job(here.id, job.id, here.members["mina"].id)
    with mina.scope():
        job.refresh_from_db()
    assert (job.state, used(here)["memories"]) == (JobState.DEAD, 0)
    assert "may keep 0 memories" in job.reason


def test_many_rows_become_one_and_say_the_same(lasting_world: World) -> None:
    here = lasting_world.here
    for n in range(3):
        assert say(here, f"Line {n}").status_code == 201
    before = used(here)
    assert sweep_usage() > 0
    with organisation_scope(here.id):
        assert Usage.objects.count() == 1
    assert used(here) == before


def test_a_new_organisation_gets_the_quota_of_the_settings(db: None, settings: Any) -> None:
    settings.QUOTAS = {"memories": 7, "bytes": 0, "robots": 2, "groups": 0}
    made = create_organisation(name="Quota of the settings", now=NOW)
    allowed = {one.resource: one.allowed for one in get_usage(made.id)}
    assert allowed == {"memories": 7, "bytes": None, "robots": 2, "groups": None}


def test_only_who_administers_sees_the_figures(world: World) -> None:
    here = world.here
    allow(here, memories=10)
    for name, status in {"ada": 200, "chidi": 403, "bob": 403, "vera": 403}.items():
        assert here.browser(name).get("/api/v1/organisation/usage").status_code == status, name
    assert here.api("aria").get("/api/v1/organisation/usage").status_code == 403
    body = here.browser("ada").get("/api/v1/organisation/usage").json()
    assert list(body) == list(RESOURCES)
    assert body["memories"] == {"used": used(here)["memories"], "allowed": 10}
    assert body["groups"] == {"used": 2, "allowed": None}
    with pytest.raises(PermissionError):
        list_usage(here.person("chidi"))
    browser = Client()
    here.sign_in(browser, "ada")
    text = response_text(browser.get("/people/usage/"))
    share = 100 * used(here)["memories"] // 10
    assert "any number" in text
    assert f"{share} %" in text
    assert ("Full" in text) == (share >= 100)
    here.sign_in(browser := Client(), "bob")
    assert browser.get("/people/usage/").status_code in (403, 404)


def command(*words: str) -> dict[str, Any]:
    printed = io.StringIO()
    call_command("set_quota", *words, json=True, stdout=printed)
    found: dict[str, Any] = json.loads(printed.getvalue())
    return found


def test_the_command_shows_and_changes_it(lasting_world: World) -> None:
    here = lasting_world.here
    slug = here.organisation.slug
    assert command(slug)["robots"] == {"used": 3, "allowed": None}
    assert command(slug, "--robots", "3", "--bytes", "1000000")["robots"]["allowed"] == 3
    answer = here.browser("ada").post("/api/v1/robots", {"name": "Dora"}, format="json")
    assert answer.status_code == 403
    # The other limits stay.
    after = command(slug, "--robots", "none")
    assert (after["robots"]["allowed"], after["bytes"]["allowed"]) == (None, 1_000_000)
    with organisation_scope(here.id):
        entries = AuditEntry.objects.filter(action="organisation.quota").order_by("at")
        assert [one.detail for one in entries] == [
            {"allowed": {"robots": 3, "bytes": 1_000_000}},
            {"allowed": {"robots": None}},
        ]


@pytest.mark.parametrize("text", ["-1", "many", "1.5", "9223372036854775808", "1" * 400, "٣"])
def test_the_command_refuses_what_is_no_number(lasting_world: World, text: str) -> None:
    with pytest.raises(CommandError, match="whole number"):
        command(lasting_world.here.organisation.slug, f"--memories={text}")


def test_nobody_but_the_owner_changes_a_quota(world: World) -> None:
    allow(world.here, memories=1)
    with organisation_scope(world.here.id), connection.cursor() as cursor:
        for statement in (
            "UPDATE orgs_quota SET memories = NULL",
            "DELETE FROM orgs_quota",
            "UPDATE orgs_usage SET memories = 0",
            "DELETE FROM orgs_usage",
        ):
            cursor.execute(
                "SELECT has_table_privilege('commonmind_app', %s, %s)",
                [statement.split()[-1 if "DELETE" in statement else 1], statement.split()[0]],
            )
            assert cursor.fetchone() == (False,), statement
