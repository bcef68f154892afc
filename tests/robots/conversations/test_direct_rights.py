"""What members decide about what they told a robot: export, pause, opt-out, erasure; and lists of
readers from before."""

import json
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from memories.jobs.run_jobs import run_job
from memories.privacy.erasure.erasure_run import Erasure
from memories.privacy.opt_out import set_sharing
from memories.privacy.request_erasure import erase_member
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.members.member_settings import set_learning_paused
from orgs.models.audiences import Audience, AudienceEntry
from orgs.models.base import new_id
from orgs.organisations.audience_rows import direct_audience_key, ensure_explicit_audience
from orgs.principals import resolve_principal
from robots.models.conversations import Conversation
from tests.databases import autocommit_connection, rolled_back_connection
from tests.robots.conversations.test_direct import (
    SECRETS,
    add_person,
    for_member,
    give_account,
    recalled,
    tell,
)
from tests.world import NOW, Tenant, World

DIRECT_LISTS = Path(__file__).resolve().parents[3] / "robots" / "sql" / "direct_lists_v1.sql"


def plant(here: Tenant) -> None:
    """Rosa and Kofi told aria something, and aria noted what Rosa wants."""
    for name, words in SECRETS.items():
        add_person(here, name)
        assert tell(here.api("aria"), name, words)["memory"]
    wish = {"kind": "preference", "text": "Short answers, please.", "member": "telegram:rosa"}
    assert here.api("aria").post("/api/v1/preferences", wish, format="json").status_code == 201
    here.read()


@pytest.mark.conformance("X07")
def test_who_signs_in_takes_all_of_it_along(world: World) -> None:
    here = world.here
    plant(here)
    give_account(here, "rosa")
    lines = [
        json.loads(line) for line in b"".join(here.browser("rosa").get("/me/export/")).splitlines()
    ]
    told = [line["content"] for line in lines if "content" in line]
    assert told.count(SECRETS["rosa"]) == 2, "the memory and the message"
    assert "Short answers, please." in told
    assert SECRETS["kofi"] not in str(lines)


@pytest.mark.conformance("X07")
def test_a_pause_and_an_opt_out_hold_for_what_is_told(world: World) -> None:
    here, aria = world.here, world.here.api("aria")
    plant(here)
    give_account(here, "rosa")
    rosa = here.person("rosa")
    set_learning_paused(rosa, paused=True, now=NOW)
    kept = tell(aria, "rosa", "I take aspirin now.")
    assert (kept["memory"], kept["reason"]) == (None, "learning-paused")
    assert recalled(aria, **for_member("rosa")) == [SECRETS["rosa"]]
    set_learning_paused(rosa, paused=False, now=NOW)
    # What is told to one robot is shared with nobody else, so it goes on. Withdrawing takes what
    # the robot noted; turns of a conversation stay, as everywhere.
    set_sharing(rosa, out=True, now=NOW)
    assert tell(aria, "rosa", "I take paracetamol now.")["memory"]
    here.read()
    assert len(recalled(aria, "take now", **for_member("rosa"))) == 2
    wishes = "/api/v1/preferences?member=telegram:rosa"
    assert len(aria.get(wishes).json()["results"]) == 1
    set_sharing(rosa, out=True, withdraw=True, now=NOW)
    assert len(recalled(aria, "take now", **for_member("rosa"))) == 2
    assert aria.get(wishes).json()["results"] == []
    mine = here.browser("rosa").get("/api/v1/preferences").json()["results"]
    assert [one["content"] for one in mine] == ["Short answers, please."]


@pytest.mark.conformance("X07")
def test_erasing_a_member_without_a_log_in_leaves_nothing_of_it(lasting_world: World) -> None:
    here, aria = lasting_world.here, lasting_world.here.api("aria")
    plant(here)
    rosa = here.members["rosa"].id
    erasure = erase_member(here.person("ada"), rosa, confirm=str(rosa), now=NOW)
    for _ in range(10):
        if not run_job(here.id, erasure.job_id, None):
            break
    with rolled_back_connection("admin") as admin:
        assert count_rows_with(admin, here.id, "warfarin") == {}
        assert count_rows_with(admin, here.id, "Short answers") == {}
        assert count_rows_with(admin, here.id, "insulin") != {}
    assert recalled(aria, **for_member("kofi")) == [SECRETS["kofi"]]
    asked = {"query": "medicine", **for_member("rosa")}
    assert aria.post("/api/v1/recall", asked, format="json").status_code == 404
    assert isinstance(erasure, Erasure)


def count_rows_with(
    connection: psycopg.Connection[tuple[object, ...]], organisation_id: UUID, words: str
) -> dict[str, int]:
    """How many rows of memories and messages of one organisation have these words, by table.

    Other tests commit organisations of their own into the same tables.
    """
    found = {}
    for table in ("memories_memory", "memories_text", "robots_message", "robots_conversation"):
        statement = (
            f"SELECT count(*) FROM {table} t WHERE t.organisation_id = %s AND t::text ILIKE %s"
        )
        count = connection.execute(statement, [organisation_id, f"%{words}%"]).fetchone()
        if count and count[0]:
            found[table] = int(str(count[0]))
    return found


@pytest.mark.conformance("X07")
def test_lists_from_before_become_direct_ones(lasting_world: World) -> None:
    """A conversation that was opened when robots were plain readers of it."""
    here = lasting_world.here
    lin, aria = add_person(here, "lin"), here.robots["aria"]
    old = [("robot", aria.id), ("member", lin.id)]
    with organisation_scope(here.id):
        audience_id = ensure_explicit_audience(here.id, old)
        shared_with = ensure_explicit_audience(here.id, [("robot", aria.id)])
    with scope(Scope(organisation=here.id, audiences=(audience_id,))):
        Conversation.objects.create(
            id=new_id(), organisation_id=here.id, audience_id=audience_id, external_id="chat-lin",
            member_id=lin.id, robot_id=aria.id, created_at=NOW - timedelta(days=9),
        )  # fmt: skip
    assert audience_id in resolve_principal(here.robot("aria")).audiences
    with autocommit_connection("admin") as admin:
        admin.execute(DIRECT_LISTS.read_text(encoding="utf-8"))
    with organisation_scope(here.id):
        row = Audience.objects.get(id=audience_id)
        assert row.key == direct_audience_key(aria.id, lin.id)
        kinds = AudienceEntry.objects.filter(audience_id=audience_id).values_list("kind", flat=True)
        assert set(kinds) == {"direct", "member"}
        assert AudienceEntry.objects.get(audience_id=shared_with).kind == "robot"
    alone = resolve_principal(here.robot("aria")).audiences
    assert audience_id not in alone
    assert shared_with in alone
    tell(here.api("aria"), "lin", "I take ibuprofen.")
    with scope(Scope(organisation=here.id, audiences=(audience_id,))):
        assert Conversation.objects.count() == 1
    here.read()
    here.embed()
    assert recalled(here.api("aria"), **for_member("lin")) == ["I take ibuprofen."]
