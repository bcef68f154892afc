"""The audit trail: append-only for everybody, for admins alone, without a memory's text (T18)."""

import json
import re
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.curation import review_decisions
from memories.curation.edit_memory import edit_memory
from memories.curation.review_decisions import ReviewDecision
from memories.curation.share_memory import share_memory
from memories.lifecycle.forget import forget_memory, restore_memory
from memories.review.propose import report_memory
from memories.store.models.memory import Memory
from memories.views.insights.audit_labels import ACTION_LABELS
from memories.views.insights.audit_trail import csv_response
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.members.members import change_role
from orgs.models.audit import AuditEntry
from orgs.principals import Actor, resolve_principal
from tests.databases import rolled_back_connection, set_scope_settings
from tests.memories.curation.test_decide import propose
from tests.page_client import get_user, make_signed_in_client, response_text
from tests.world import NOW, PEOPLE, Tenant, World

pytestmark = pytest.mark.conformance("T18")


def done(tenant: Tenant, count: int, action: str = "group.created") -> None:
    with organisation_scope(tenant.id):
        for _ in range(count):
            audit.record_entry(action, actor=tenant.person("chidi"), now=timezone.now())


@pytest.mark.parametrize("role", ["default", "worker", "support", "owner"])
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE orgs_auditentry SET action = 'x'",
        "DELETE FROM orgs_auditentry",
        "TRUNCATE orgs_auditentry",
    ],
)
def test_no_role_changes_or_deletes_an_entry(lasting_world: World, role: str, change: str) -> None:
    done(lasting_world.here, 1)
    with rolled_back_connection(role) as connected:
        set_scope_settings(connected, organisation=lasting_world.here.id)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connected.execute(change)


@pytest.mark.parametrize("name", PEOPLE)
def test_admins_alone_read_it(world: World, name: str) -> None:
    done(world.here, 1)
    response = make_signed_in_client(world.here, name).get("/audit/")
    assert response.status_code == (200 if name == "ada" else 404)


def test_it_says_who_did_what_to_which_memory_but_no_text_of_what_is_gone(world: World) -> None:
    here, now = world.here, timezone.now()
    open_ = here.remember(here.robot("aria"), "Zanzibar is open.").id
    hidden = here.remember(here.person("bob"), "Zanzibar is mine.", visibility="private").id
    forget_memory(here.person("chidi"), open_, now=now)
    forget_memory(here.person("bob"), hidden, now=now)
    done(world.there, 1)
    page = response_text(make_signed_in_client(here, "ada").get("/audit/"))
    assert f'href="/memories/{open_}/"' in page
    assert "a memory that is gone or not yours to read" in page
    assert "Zanzibar" not in page
    assert str(hidden) not in page
    assert page.count("<tr>") == 4, "the head, what the gate said, and one row for each act here"


def test_a_memory_is_called_by_its_words_of_now_if_the_admin_reads_it(world: World) -> None:
    """Asked of another query: the memories that she reads, and whether they are in use."""
    here, now = world.here, timezone.now()
    mina = here.person("mina")
    aria = here.robot("aria")
    known = here.remember(aria, "The kiln is red.").id
    edit_memory(here.person("chidi"), known, {"content": "The kiln is green."}, now=now)
    theirs = here.remember(mina, "The kiln is hers.", visibility="private").id
    gone = here.remember(aria, "The kiln is gone.").id
    forget_memory(here.person("chidi"), gone, now=now)
    ada = here.person("ada")
    page = response_text(make_signed_in_client(here, "ada").get("/audit/"))
    with resolve_principal(ada).scope():
        rows = Memory.objects.filter(content__startswith="The kiln").values_list("id", "status")
        read = {id_ for id_, status in rows if status == "active"}
    assert known in read
    assert theirs not in read
    assert gone not in read
    assert set(re.findall(r"The kiln is \w+", page)) == {"The kiln is green"}
    file = make_signed_in_client(here, "ada").get("/audit/entries.csv")
    assert "kiln" not in response_text(file), "a file that is kept holds no words of a memory"


def test_what_was_done_often_is_one_line_under_its_day(world: World) -> None:
    here = world.here
    done(here, 4)
    done(here, 2, "robot.created")
    with organisation_scope(here.id):
        audit.record_entry(
            "group.created", actor=here.person("chidi"), now=timezone.now() - timedelta(days=3)
        )
        audit.record_entry("group.created", actor=here.person("ada"), now=timezone.now())
    context = make_signed_in_client(here, "ada").get("/audit/?kind=").context
    runs = [
        (day.day, run.first["who"], run.first["action"], len(run.entries))
        for day in context["days"]
        for run in day.runs
    ][:5]
    today, before = (timezone.localdate() - timedelta(days=ago) for ago in (0, 3))
    assert runs == [
        (today, "Ada", "group.created", 1),
        (before, "Chidi", "group.created", 1),
        (today, "Chidi", "robot.created", 1),
        (today, "Chidi", "robot.created", 1),
        (today, "Chidi", "group.created", 4),
    ]
    folded = [run for day in context["days"] for run in day.runs if run.is_folded]
    with organisation_scope(here.id):
        last = AuditEntry.objects.filter(
            organisation_id=here.id, action="group.created", member=here.members["chidi"].id
        ).order_by("id")[:4]
        assert {one.at for one in last} == {entry["at"] for entry in folded[0].entries}
    assert [entry for day in context["days"] for run in day.runs for entry in run.entries] == (
        context["entries"]
    )


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("forgot", {"memory.forgotten"}),
        ("tags of", {"memory.edited"}),
        ("corrected", set()),
        ("group.created", {"group.created"}),
        ("no such act", set()),
    ],
)
def test_an_act_is_found_by_its_words(world: World, words: str, found: set[str]) -> None:
    here, now = world.here, timezone.now()
    one = here.remember(here.person("ada"), "Paint is blue.", visibility="organisation").id
    edit_memory(here.person("ada"), one, {"tags": ["paint"]}, now=now)
    forget_memory(here.person("ada"), one, now=now)
    done(here, 1)
    shown = make_signed_in_client(here, "ada").get("/audit/", {"doing": words}).context["entries"]
    assert {entry["action"] for entry in shown} == found


def test_filters_stand_in_the_address(world: World) -> None:
    here = world.here
    mine = here.remember(here.robot("aria"), "One.").id
    theirs = here.remember(here.person("bob"), "Two.", visibility="private").id
    forget_memory(here.person("chidi"), mine, now=timezone.now())
    forget_memory(here.person("bob"), theirs, now=timezone.now())
    change_role(
        here.person("ada"), member_id=here.members["bob"].id, role="viewer", now=timezone.now()
    )
    ada = make_signed_in_client(here, "ada")

    def shown(query: str) -> list[tuple[str, str]]:
        return [(e["who"], e["action"]) for e in ada.get(f"/audit/?{query}").context["entries"]]

    assert shown("kind=member") == [("Ada", "member.role")]
    assert shown(f"who={here.members['chidi'].id}") == [("Chidi", "memory.forgotten")]
    assert shown(f"memory={mine}") == [("Chidi", "memory.forgotten"), ("aria", "gate.passed")]
    assert shown(f"memory={theirs}") == shown(f"memory={here.id}") == []
    tomorrow = (timezone.now() + timedelta(days=1)).date()
    assert shown(f"since={tomorrow}") == []
    assert "No match" in response_text(ada.get(f"/audit/?since={tomorrow}"))
    assert len(shown("since=nonsense&who=nonsense")) == len(shown(""))
    # A member in another organisation: nothing of theirs, and the words of no match.
    assert shown(f"who={world.there.members['bob'].id}") == []


def test_pages_and_queries_do_not_grow(world: World) -> None:
    here, ada = world.here, make_signed_in_client(world.here, "ada")

    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert ada.get("/audit/").status_code == 200
        return len(asked)

    done(here, 3)
    few = queries()
    done(here, 120)
    assert queries() <= few
    url, seen = "/audit/", 0
    while url:
        page = ada.get(url).context
        seen += len(page["entries"])
        url = page["page"]["next_url"]
    with organisation_scope(here.id):
        assert seen == AuditEntry.objects.filter(organisation_id=here.id).count()


TARGETS = ("memory", "member", "group", "robot", "key", "proposal", "job", "pending", "")


def test_every_entry_is_a_sentence(world: World) -> None:
    here, ada = world.here, make_signed_in_client(world.here, "ada")
    memory = here.remember(here.robot("aria"), "One.").id
    known = {
        "memory": memory,
        "member": here.members["bob"].id,
        "group": here.groups["launch"].id,
        "robot": here.robots["aria"].id,
    }
    assert len(ACTION_LABELS) > 100
    with organisation_scope(here.id):
        # A trace is always of a recall; its words name the robot.
        for number, action in enumerate(sorted({*ACTION_LABELS} - {"trace.read"})):
            # Each with three kinds of things, and each kind with a third of them.
            for kind in TARGETS[number % 3 :: 3]:
                for target in {known.get(kind), UUID(int=7)} if kind else {None}:
                    audit.record_entry(
                        action, actor=here.person("chidi"), now=NOW, target=target, target_type=kind
                    )
    url, said = "/audit/", set()
    while url:
        page = ada.get(url).context
        for entry in page["entries"]:
            said.add(f"{entry['did']} {entry.get('what', '')} {entry['detail']}".strip())
        url = page["page"]["next_url"]
    assert len(said) > len(ACTION_LABELS)
    doubled = [one for one in said if re.search(r"\b(\w[\w ]*\w) \1\b", one)]
    assert doubled == []
    assert [one for one in said if "None" in one or "_" in one] == []


def test_what_support_does_reads_as_a_sentence(world: World) -> None:
    here = world.here
    memory = here.remember(here.robot("aria"), "One.").id
    staff = get_user(here, "vera")
    with organisation_scope(here.id):
        for action, kind in (
            ("support.read", "memory"),
            ("support.opened", "memory"),
            ("support.viewed", "memory"),
            ("support.listed", "memory"),
        ):
            audit.record_entry(
                action,
                actor=Actor(organisation_id=here.id),
                now=NOW,
                staff=staff.pk,
                target=memory if action != "support.listed" else None,
                target_type=kind,
            )
    page = re.sub(
        r"<[^>]+>|\s+", " ", response_text(make_signed_in_client(here, "ada").get("/audit/"))
    )
    page = re.sub(r"\s+", " ", page)
    for words in (
        "read “One.”",
        "opened the text of “One.”",
        "looked at the facts of “One.”",
        "looked at a list of memories",
    ):
        assert words in page
    assert "a memory memory" not in page
    assert "memory a memory" not in page


CANARY = "Zanzibar"


def test_no_act_writes_what_a_memory_says(world: World) -> None:
    """Written, corrected, shared, split, reported, decided, merged, forgotten, brought back."""
    here, now = world.here, NOW
    ada, mina = make_signed_in_client(here, "ada"), here.person("mina")
    said = here.remember(mina, f"{CANARY} is an island. It is warm.", visibility="private").id
    edit_memory(mina, said, {"content": f"{CANARY} is large. It is warm."}, now=now)
    share_memory(mina, said, visibility="group", readers={}, group="launch", now=now)
    forget_memory(mina, said, now=now)
    restore_memory(mina, said, now=now)
    item = propose(here, content=f"{CANARY} has cloves.")
    review_decisions.approve_item(
        here.person("chidi"), item.id, ReviewDecision(content=f"{CANARY}!", version=1), now=now
    )
    second = propose(here, content=f"{CANARY} has spice.")
    review_decisions.reject_item(
        here.person("chidi"), second.id, ReviewDecision(reason=f"{CANARY}?"), now=now
    )
    known = here.remember(here.robot("bolt"), f"{CANARY} is known.").id
    report_memory(here.person("vera"), known, reason=f"{CANARY} is wrong.", now=now)
    ada.post("/playground/", {"as_whom": f"member:{mina.member_id}", "question": CANARY})
    ada.post("/memories/change/?action=archive", {"selected": [str(known)], "confirm": "1"})
    with organisation_scope(here.id):
        rows = AuditEntry.objects.filter(organisation_id=here.id)
        kept = [(row.action, json.dumps(row.detail), row.target_type) for row in rows]
    assert len(kept) > 8
    assert [one for one in kept if CANARY in str(one)] == []
    assert CANARY not in response_text(ada.get("/audit/entries.csv"))


@pytest.mark.parametrize(
    "name", ["Bolt;=1+1", "Bolt; =1+1", 'Bolt;"=1+1', "Bolt;\t@SUM(1)", "Bolt;\uff1d1+1", "a\n-1"]
)
def test_no_name_is_a_formula_where_cells_end_at_semicolons(name: str) -> None:
    """As spreadsheets part them where numbers have a comma, whatever the file is."""
    told = csv_response("audit", [[name, "5;6", "Mon - Tue"]]).content.decode()
    for cell in re.split(r"[;\t\r\n]", told):
        assert not cell.lstrip(' "').startswith(("=", "@", "-", "\uff1d")), told
    assert "5;6" in told
    assert "Mon - Tue" in told


@pytest.mark.parametrize("name", ["=1+1", "@SUM(1)", "\uff1d1+1", "\uff0b1", "\uff0d1", "\uff201"])
def test_no_name_is_a_formula_in_the_file(name: str) -> None:
    told = csv_response("audit", [[name]]).content.decode()
    assert told.lstrip('"').startswith("'"), told
