"""The trail as evidence: sentences with from and to, filters, a file, the trail of one thing."""

import csv
import io
from uuid import UUID

import pytest

from memories.curation import bulk_change
from memories.curation.bulk_change import BulkChange
from memories.curation.edit_memory import edit_memory
from memories.curation.share_memory import share_memory
from memories.lifecycle.forget import forget_memory
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.members.members import change_role
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member
from orgs.organisations.groups import set_confidential
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import NOW, PEOPLE, Tenant, World

pytestmark = pytest.mark.conformance("T18")


def acted(here: Tenant) -> dict[str, UUID]:
    """Ada shares what she reads, Bob what she does not; a role and a group change."""
    ada, bob = here.person("ada"), here.person("bob")
    open_ = here.remember(ada, "Open.", visibility="private").id
    share_memory(ada, open_, visibility="organisation", readers={}, group=None, now=NOW)
    hidden = here.remember(bob, "Hidden.", visibility="private").id
    share_memory(bob, hidden, visibility="group", readers={}, group="launch", now=NOW)
    change_role(ada, member_id=here.members["vera"].id, role="member", now=NOW)
    set_confidential(actor=ada, group=here.groups["launch"], confidential=False, now=NOW)
    set_confidential(actor=ada, group=here.groups["launch"], confidential=True, now=NOW)
    return {"open": open_, "hidden": hidden}


def shown(here: Tenant, query: str = "") -> list[dict[str, object]]:
    return make_signed_in_client(here, "ada").get(f"/audit/?{query}").context["entries"]


def test_an_entry_says_from_what_to_what(world: World) -> None:
    here = world.here
    ids = acted(here)
    by_action: dict[str, list[object]] = {}
    for entry in shown(here):
        by_action.setdefault(str(entry["action"]), []).append(entry["change"])
    assert by_action["memory.shared"] == [None, ("you alone", "everyone in the organisation")]
    assert by_action["member.role"] == [("viewer", "member")]
    assert by_action["group.confidential"] == [
        ("open to curators", "confidential"),
        ("confidential", "open to curators"),
    ]
    page = response_text(make_signed_in_client(here, "ada").get("/audit/"))
    assert str(ids["hidden"]) not in page
    assert str(ids["open"]) in page


def test_readers_that_the_admin_is_not_of_have_no_name(world: World) -> None:
    here = world.here
    ada = here.person("ada")
    kept = here.remember(here.person("mina"), "Ours.", group="launch").id
    share_memory(
        here.person("mina"), kept, visibility="shared",
        readers={"members": (str(ada.member_id),)}, group=None, now=NOW,
    )  # fmt: skip
    (entry,) = shown(here, "act=memory.shared")
    assert entry["change"] == ("readers of whom you are none", "some people and robots")
    assert "launch" not in response_text(make_signed_in_client(here, "ada").get("/audit/"))


def test_each_filter_finds_what_a_count_by_hand_finds(world: World) -> None:
    here = world.here
    ids = acted(here)
    forget_memory(here.robot("aria"), here.remember(here.robot("aria"), "Hers.").id, now=NOW)
    with organisation_scope(here.id):
        rows = list(AuditEntry.objects.filter(organisation_id=here.id))
    bob, aria, vera = (here.members["bob"].id, here.robots["aria"].id, here.members["vera"].id)
    expected = {
        "person=bo": [row for row in rows if row.member == bob],
        "person=b+o": [row for row in rows if row.member == bob],
        "robot=ARI": [row for row in rows if row.robot == aria],
        "act=memory.shared": [row for row in rows if row.action == "memory.shared"],
        "kind=group": [row for row in rows if row.action.startswith("group.")],
        f"about={vera}": [row for row in rows if row.target == vera],
        f"about={ids['open']}": [row for row in rows if row.target == ids["open"]],
        f"about={ids['hidden']}": [],
        f"about={here.groups['launch'].id}": [],
        f"member={vera}": [row for row in rows if vera in (row.member, row.target)],
        f"member={ids['hidden']}": [],
        f"member={here.groups['launch'].id}": [],
        "person=nobody": [],
        "person=bob&act=memory.shared": [
            row for row in rows if row.member == bob and row.action == "memory.shared"
        ],
    }
    for query, wanted in expected.items():
        found = shown(here, query)
        assert sorted(str(e["action"]) for e in found) == sorted(e.action for e in wanted), query
    assert len(expected["person=bo"]) >= 1
    assert len(expected["robot=ARI"]) >= 1
    form = response_text(
        make_signed_in_client(here, "ada").get("/audit/?person=bo&act=memory.shared")
    )
    assert 'name="person" value="bo"' in form
    assert '<input type="hidden" name="act" value="memory.shared">' in form


def test_the_file_holds_what_is_filtered_and_no_formula(world: World) -> None:
    here = world.here
    ids = acted(here)
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["bob"].id).update(name="=HYPERLINK(1)")
        audit.record_entry("member.joined", actor=here.person("bob"), now=NOW)
    ada = make_signed_in_client(here, "ada")
    answer = ada.get("/audit/entries.csv?person=hyperlink")
    assert answer["Content-Disposition"] == 'attachment; filename="audit.csv"'
    rows = list(csv.reader(io.StringIO(response_text(answer))))
    assert rows[0] == [
        "when", "who", "through", "did", "what", "from", "to", "detail", "action", "id"
    ]  # fmt: skip
    assert {row[1] for row in rows[1:]} == {"'=HYPERLINK(1)"}
    assert len(rows) - 1 == len(ada.get("/audit/?person=hyperlink").context["entries"])
    whole = response_text(ada.get("/audit/entries.csv"))
    assert str(ids["hidden"]) not in whole
    assert str(ids["open"]) in whole
    for name in PEOPLE:
        if name != "ada":
            assert make_signed_in_client(here, name).get("/audit/entries.csv").status_code == 404


def test_one_memory_and_one_member_have_a_trail_of_their_own(world: World) -> None:
    here = world.here
    ids = acted(here)
    ada, bob = make_signed_in_client(here, "ada"), here.members["bob"].id
    page = ada.get(f"/memories/{ids['open']}/trail/")
    assert [e["action"] for e in page.context["entries"]] == ["memory.shared"]
    assert "its trail" not in response_text(page), "this is it"
    assert f'href="/memories/{ids["open"]}/trail/"' in response_text(
        ada.get(f"/memories/{ids['open']}/")
    )
    assert ada.get(f"/memories/{ids['hidden']}/trail/").status_code == 404
    with organisation_scope(here.id):
        rows = AuditEntry.objects.filter(organisation_id=here.id)
        wanted = [row.action for row in rows if bob in (row.member, row.target)]
    page = ada.get(f"/people/{bob}/trail/")
    assert sorted(e["action"] for e in page.context["entries"]) == sorted(wanted) != []
    assert str(ids["hidden"]) not in response_text(page)
    assert "<span>Bob</span></nav>" in response_text(page)
    assert f'href="/people/{bob}/trail/"' in response_text(ada.get(f"/people/{bob}/"))
    theirs = world.there.members["bob"].id
    assert ada.get(f"/people/{theirs}/trail/").status_code == 404
    for name in ("chidi", "mina", "bob", "vera"):
        client = make_signed_in_client(here, name)
        for address in (f"/memories/{ids['open']}/trail/", f"/people/{bob}/trail/"):
            assert client.get(address).status_code == 404, (name, address)
        assert "/trail/" not in response_text(client.get(f"/memories/{ids['open']}/"))


def test_pages_ask_little(world: World) -> None:
    here = world.here
    ids = acted(here)
    ada = make_signed_in_client(here, "ada")
    for address in (
        "/audit/",
        f"/audit/?person=a&robot=a&act=memory.shared&kind=memory&about={ids['open']}",
        f"/audit/?about={here.members['vera'].id}",
        f"/memories/{ids['open']}/trail/",
        f"/people/{here.members['ada'].id}/trail/",
    ):
        assert count_queries(ada, address) <= 12, address


def test_what_was_changed_of_memories_is_named_and_no_tag_is(world: World) -> None:
    here = world.here
    ada, bob = here.person("ada"), here.person("bob")
    made = [here.remember(ada, words, visibility="organisation").id for words in ("One.", "Two.")]
    hidden = here.remember(bob, "Hidden.", visibility="private").id
    change = BulkChange(action="set", tags=("sacking-list",))
    result = bulk_change.change_memories(ada, made, change, now=NOW)
    bulk_change.undo_bulk_change(ada, result.job.id, now=NOW)
    bulk_change.change_memories(ada, made[:1], BulkChange(action="archive"), now=NOW)
    edit_memory(ada, made[1], {"importance": 0.9}, now=NOW)
    edit_memory(ada, made[1], {"category": "decision", "tags": ["x"]}, now=NOW)
    edit_memory(ada, made[1], {"content": "Two and a half.", "category": ""}, now=NOW)
    edit_memory(bob, hidden, {"importance": 0.9}, now=NOW)
    told = [(e["did"], e["what"], e["change"]) for e in shown(here, "act=job.change")]
    assert told == [
        ("began to archive", "1 memory", None),
        ("began to undo what was to change the tags of", "2 memories", None),
        ("began to change the tags of", "2 memories", None),
    ]
    told = [(e["did"], e["change"]) for e in shown(here, "act=memory.edited")]
    assert told == [
        ("changed", None),  # what the admin does not read
        ("corrected", None),
        ("changed the category and tags of", None),
        ("changed the importance of", ("0.5", "0.9")),
        *[("changed the tags of", ("1 tag", "0 tags"))] * 2,
        *[("changed the tags of", ("0 tags", "1 tag"))] * 2,
    ]
    with organisation_scope(here.id):
        kept = str(list(AuditEntry.objects.values_list("detail", flat=True)))
    assert "sacking" not in kept
    # An entry of before says no more than it knows.
    with organisation_scope(here.id):
        audit.record_entry("job.change", actor=ada, now=NOW, target_type="job", total=3)
    assert shown(here, "act=job.change")[0]["did"] == "changed many memories at once"
