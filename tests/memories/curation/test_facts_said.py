"""Saying that a fact changed: `supersedes`, `valid_from`, `valid_until`; and what held when."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from memories.curation.review_decisions import ReviewDecision, approve_item
from memories.curation.undo_review_decision import undo_review_decision
from memories.privacy.export_my_data import render_memories
from memories.review.models import Proposal, ProposalCause
from memories.store.models.memory import Memory
from orgs.models.audit import AuditEntry
from orgs.principals import resolve_principal
from tests.world import NOW, Tenant

pytestmark = [pytest.mark.usefixtures("lasting_world"), pytest.mark.conformance("X05")]

URL, BATCH, RECALL = "/api/v1/memories", "/api/v1/memories/batch", "/api/v1/recall"
OLD, NEW, NEXT = (f"The parking permit costs {price} euros a month." for price in (30, 45, 60))
JANUARY, MARCH, MAY = (datetime(2026, month, 10, 9, tzinfo=UTC) for month in (1, 3, 5))
READ = ReviewDecision(version=1, into_version=1)


def say(here: Tenant, who: str, text: str, status: int = 201, **more: Any) -> dict[str, Any]:
    """Remember by the key of a robot or the session of a person; for everyone to read."""
    client = here.api(who) if who in here.robots else here.browser(who)
    body = {"content": text, "visibility": "organisation", **more}
    answer = client.post(URL, body, format="json")
    assert answer.status_code == status, answer.json()
    here.embed()
    return answer.json()


def patch(here: Tenant, who: str, id_: str, status: int = 200, **body: Any) -> dict[str, Any]:
    client = here.api(who) if who in here.robots else here.browser(who)
    answer = client.patch(f"{URL}/{id_}", body, format="json")
    assert answer.status_code == status, answer.json()
    return answer.json()


def ask(here: Tenant, who: str = "bolt", query: str = OLD, **more: Any) -> list[dict[str, Any]]:
    """The hits about the permit, best first."""
    client = here.api(who) if who in here.robots else here.browser(who)
    answer = client.post(RECALL, {"query": query, **more}, format="json")
    assert answer.status_code == 200, answer.json()
    return [hit for hit in answer.json()["results"] if "permit" in hit["content"]]


def states(hits: list[dict[str, Any]]) -> list[tuple[str, str | None]]:
    return [(hit["id"], hit["state"]) for hit in hits]


def row_of(here: Tenant, id_: str, name: str = "ada") -> Memory:
    with resolve_principal(here.person(name)).scope():
        return Memory.objects.with_names().get(id=id_)


def items(here: Tenant, name: str = "chidi") -> list[Proposal]:
    with resolve_principal(here.person(name)).scope():
        return list(Proposal.objects.filter(state="open").order_by("id"))


def fields(problem: dict[str, Any]) -> list[str]:
    return [one["field"] for one in problem["errors"]]


@pytest.mark.parametrize("as_list", [True, False])
def test_ones_own_fact_is_superseded_at_once(here: Tenant, as_list: bool) -> None:
    old = say(here, "bolt", OLD, occurred_at=JANUARY)["id"]
    made = say(here, "bolt", NEW, occurred_at=MARCH, supersedes=[old] if as_list else old)
    assert (made["superseded"], made["proposals"]) == ([old], [])
    newer, older = ask(here)
    assert states([newer, older]) == [(made["id"], None), (old, "superseded")]
    assert older["superseded_by"] == made["id"]
    assert datetime.fromisoformat(older["valid_until"]) == MARCH
    body = {"query": OLD, "include_recent": False}
    text = here.api("bolt").post("/api/v1/context", body, format="json").json()["text"]
    assert "was true until 2026-03-10 Tue" in text


def test_what_is_another_s_is_proposed_and_meanwhile_disputed(here: Tenant) -> None:
    old = say(here, "bolt", OLD, occurred_at=MARCH)["id"]
    # Its times alone say nothing: both were said at once.
    made = say(here, "clio", NEW, occurred_at=MARCH, supersedes=[old])
    assert made["superseded"] == []
    [item] = items(here)
    assert made["proposals"] == [str(item.id)]
    assert (item.cause, item.memory_id, item.other_id) == (
        ProposalCause.CONTRADICTION, UUID(made["id"]), UUID(old),
    )  # fmt: skip
    told = {hit["id"]: hit for hit in ask(here, "bob")}
    assert {hit["state"] for hit in told.values()} == {"disputed"}
    assert told[old]["contradicted_by"] == made["id"]
    assert told[made["id"]]["contradicted_by"] == old
    text = here.browser("bob").post("/api/v1/context", {"query": OLD}, format="json").json()["text"]
    assert text.count("disputed") == 2
    assert ask(here, as_of="2026-04-01")[0]["state"] is None, "undecided now, not then"
    # The same wish again is the same item.
    again = patch(here, "clio", made["id"], 202, supersedes=[old])
    assert (again["proposal"], len(items(here))) == (str(item.id), 1)
    approve_item(here.person("chidi"), item.id, READ, now=NOW)
    assert row_of(here, old).superseded_by_id == UUID(made["id"])
    assert states(ask(here)) == [(made["id"], None), (old, "superseded")]
    undo_review_decision(here.person("chidi"), item.id, now=NOW)
    assert row_of(here, old).valid_until is None


def test_an_unreadable_memory_is_as_unknown_as_none(here: Tenant) -> None:
    hidden = say(here, "aria", OLD, visibility="group", group="launch")["id"]
    theirs = say(here, "clio", NEXT)["id"]
    for path, method, body in (
        (URL, "post", {"content": NEW, "visibility": "organisation"}),
        (f"{URL}/{theirs}", "patch", {}),
        (BATCH, "post", None),
    ):
        told = []
        for wanted in (hidden, str(uuid4())):
            one = {"content": NEW, "visibility": "organisation", "supersedes": [wanted]}
            sent = {"items": [one]} if body is None else {**body, "supersedes": [wanted]}
            answer = getattr(here.api("clio"), method)(path, sent, format="json")
            problem = answer.json()
            problem = problem["results"][0]["problem"] if body is None else problem
            problem.pop("request_id", None)
            assert problem["status"] == 404
            assert [name.rpartition("supersedes")[1:] for name in fields(problem)] == [
                ("supersedes", ".0")
            ]
            told.append(problem)
        assert told[0] == told[1]
    assert [hit["id"] for hit in ask(here, "clio")] == [theirs], "nothing was written"


def test_a_circle_is_refused_and_names_its_field(here: Tenant) -> None:
    first, second, third = (say(here, "bolt", text)["id"] for text in (OLD, NEW, NEXT))
    patch(here, "bolt", second, supersedes=[first])
    patch(here, "bolt", third, supersedes=[second])
    for newer, older in ((first, first), (first, third), (first, second), (second, third)):
        problem = patch(here, "bolt", newer, 400, supersedes=[older])
        assert fields(problem) == ["supersedes"]
    both = [
        {"content": text, "visibility": "organisation", "supersedes": [older]}
        for text, older in ((NEW, third), (NEXT, second))
    ]
    results = here.api("bolt").post(BATCH, {"items": both}, format="json").json()["results"]
    assert [one["status"] for one in results] == ["refused", "active"]
    # The words of one of them again are that memory.
    problem = say(here, "bolt", OLD, 400, supersedes=[third])
    assert fields(problem) == ["supersedes"]
    assert row_of(here, first).remember_count == 1, "nothing of a refused one is counted"
    assert patch(here, "bolt", third, supersedes=[second])["id"] == third, "again is nothing new"


def test_a_circle_of_proposals_is_found_when_they_are_decided(here: Tenant) -> None:
    texts = ("The canteen closes at two.", "Anna tends roses in Kew.", OLD)
    ids = [say(here, "bolt", text)["id"] for text in texts]
    for newer, older in zip(ids, [*ids[1:], ids[0]], strict=True):
        patch(here, "clio", newer, 202, supersedes=[older])
    chidi = here.person("chidi")
    for item in items(here)[:2]:
        found = {one: row_of(here, str(one)).version for one in (item.memory_id, item.other_id)}
        read = ReviewDecision(version=found[item.memory_id], into_version=found[item.other_id])
        approve_item(chidi, item.id, read, now=NOW)
    [last] = items(here)
    answer = here.browser("chidi").post(
        f"/api/v1/proposals/{last.id}/decision",
        {
            "action": "approve",
            "version": row_of(here, str(last.memory_id)).version,
            "into_version": row_of(here, str(last.other_id)).version,
        },
        format="json",
    )
    assert (answer.status_code, fields(answer.json())) == (400, ["supersedes"])


REVERSED = {"valid_from": "2026-03-10", "valid_until": "2026-03-09"}


def test_reversed_times_are_refused_by_every_door(here: Tenant) -> None:
    assert fields(say(here, "bolt", OLD, 400, **REVERSED)) == ["valid_until"]
    day = {"valid_from": "2026-03-10", "valid_until": "2026-03-10"}
    good, bad = ({"content": text, **when} for text, when in ((NEW, day), (OLD, REVERSED)))
    answer = here.api("bolt").post(BATCH, {"items": [bad, good]}, format="json").json()["results"]
    assert fields(answer[0]["problem"]) == ["valid_until"]
    made = answer[1]["id"]
    assert fields(patch(here, "bolt", made, 400, valid_until="2026-03-01")) == ["valid_until"]
    assert fields(patch(here, "bolt", made, 400, valid_from="2026-03-11")) == ["valid_from"]
    assert fields(patch(here, "clio", made, 400, **REVERSED)) == ["valid_until"], "a proposal too"
    held = row_of(here, made)
    assert (held.valid_from.day, held.valid_until.day) == (10, 10)
    moved = patch(here, "bolt", made, valid_from="2026-04-01", valid_until=None)
    assert (moved["valid_from"], moved["valid_until"]) == ("2026-04-01T00:00:00Z", None)


def test_more_than_fifty_references_are_refused(here: Tenant) -> None:
    ids = [str(uuid4()) for _ in range(51)]
    assert fields(say(here, "bolt", OLD, 400, supersedes=ids)) == ["supersedes"]
    assert fields(say(here, "bolt", OLD, 400, supersedes=["no id"])) == ["supersedes.0"]


def test_two_clocks_that_disagree_end_nothing_before_it_began(here: Tenant) -> None:
    old = say(here, "bolt", OLD, occurred_at=MAY)["id"]
    say(here, "bolt", NEW, occurred_at=MARCH, supersedes=old)
    assert row_of(here, old).valid_until == MAY
    assert states(ask(here))[1] == (old, "superseded")
    assert [hit["id"] for hit in ask(here, as_of="2026-06-01")] != [old]


def test_a_fact_may_arrive_after_the_one_that_replaced_it(here: Tenant) -> None:
    new = say(here, "bolt", NEW, occurred_at=MARCH)["id"]
    old = say(here, "bolt", OLD, occurred_at=JANUARY)["id"]
    patch(here, "bolt", new, supersedes=[old])
    assert row_of(here, old).valid_until == MARCH
    assert states(ask(here)) == [(new, None), (old, "superseded")]
    # One that replaces both leaves the first its end.
    last = say(here, "bolt", OLD + " Or so.", occurred_at=MAY, supersedes=[old, new])
    assert (sorted(last["superseded"]), row_of(here, old).valid_until) == (
        sorted([old, new]), MARCH,
    )  # fmt: skip
    assert row_of(here, old).superseded_by_id == UUID(new)
    # And a third, that both came after: the chain stands in its order, whoever has the higher id.
    oldest = say(here, "bolt", NEXT, occurred_at=JANUARY - timedelta(days=9))["id"]
    patch(here, "bolt", old, supersedes=[oldest])
    assert [hit["id"] for hit in ask(here, query=NEXT)] == [last["id"], new, old, oldest]


def test_what_is_over_is_served_lower_and_marked(here: Tenant) -> None:
    over = say(here, "bolt", OLD, valid_until="2026-02-28")["id"]
    holds = say(here, "bolt", NEW)["id"]
    hits = ask(here)
    assert states(hits) == [(holds, None), (over, "superseded")]
    assert (hits[1]["superseded_by"], hits[1]["valid_until"][:10]) == (None, "2026-02-28")
    # By its own words it is found first only as long as nothing holds beside it.
    assert states(ask(here, filters={"metadata": {}}, limit=1)) == [(holds, None)]
    assert patch(here, "bolt", over, valid_until=None)["valid_until"] is None
    assert "superseded" not in {state for _, state in states(ask(here))}


def test_what_will_hold_is_marked_and_stands_behind_what_holds(here: Tenant) -> None:
    holds = say(here, "bolt", OLD)["id"]
    begins = timezone.now().replace(microsecond=0) + timedelta(days=400)
    later = say(here, "bolt", NEW, valid_from=begins, supersedes=holds)["id"]
    hits = ask(here, query=NEW)
    assert states(hits) == [(holds, None), (later, "upcoming")]
    assert datetime.fromisoformat(hits[1]["valid_from"]) == begins
    assert datetime.fromisoformat(hits[0]["valid_until"]) == begins, "until then it is true"
    then = ask(here, as_of=(begins + timedelta(days=1)).isoformat())
    assert states(then) == [(later, None)]
    body = {"query": NEW, "include_recent": False}
    lines = here.api("bolt").post("/api/v1/context", body, format="json").json()["text"]
    assert f"will be true from {begins:%Y-%m-%d}" in lines
    assert f"] {begins:%Y}" not in lines
    assert f"true until {begins:%Y-%m-%d}" in lines
    assert "was true" not in lines


def test_as_of_asks_what_was_said_and_true_then(here: Tenant) -> None:
    old = say(here, "bolt", OLD, occurred_at=JANUARY)["id"]
    new = say(here, "bolt", NEW, occurred_at=MARCH, supersedes=old)["id"]
    last = say(here, "bolt", NEXT, occurred_at=MAY)["id"]
    assert states(ask(here, as_of="2026-02-01")) == [(old, None)]
    assert states(ask(here, as_of="2026-01-09")) == []
    assert states(ask(here, as_of="2026-01-10")) == [(old, None)], "a day is its end"
    assert states(ask(here, as_of="2026-01-10T08:59:59Z")) == []
    assert states(ask(here, as_of="2026-03-10T09:00:00Z")) == [(new, None)]
    assert states(ask(here, as_of="2026-04-30", query=NEXT)) == [(new, None)]
    assert states(ask(here, query=OLD))[0] == (last, "current")
    body = {"query": OLD, "include_recent": False, "as_of": "2026-02-01"}
    text = here.api("bolt").post("/api/v1/context", body, format="json").json()["text"]
    assert OLD in text
    assert NEW not in text
    assert "was true until" not in text, "then it still held"
    refused = here.api("bolt").post(RECALL, {"query": OLD, "as_of": "in March"}, format="json")
    assert (refused.status_code, fields(refused.json())) == (400, ["as_of"])


def test_a_day_ends_by_the_clock_of_who_asks(here: Tenant) -> None:
    said = datetime(2026, 1, 10, 23, 30, tzinfo=UTC)
    say(here, "bolt", OLD, occurred_at=said)
    member = here.members["bob"]
    with resolve_principal(here.person("ada")).scope():
        type(member).objects.filter(id=member.id).update(time_zone="Europe/Madrid")
    assert len(ask(here, "bolt", as_of="2026-01-10")) == 1
    assert ask(here, "bob", as_of="2026-01-10") == []
    assert len(ask(here, "bob", as_of="2026-01-11")) == 1


def test_what_is_rejected_supersedes_nothing(here: Tenant) -> None:
    old = say(here, "bolt", OLD)["id"]
    say(here, "mina", NEW, supersedes=old)
    [item] = items(here)
    body = {"action": "reject", "reason": "No.", "version": 1}
    answer = here.browser("chidi").post(f"/api/v1/proposals/{item.id}/decision", body, "json")
    assert answer.status_code == 200
    assert row_of(here, old).valid_until is None


def test_superseding_tells_nobody_of_what_they_do_not_read(here: Tenant) -> None:
    """One's own fact for all, replaced by one for a group: it is over, and nobody hears why."""
    old = say(here, "aria", OLD, occurred_at=JANUARY)["id"]
    made = say(here, "aria", NEW, occurred_at=MARCH, visibility="group", group="launch",
               supersedes=old)  # fmt: skip
    assert made["superseded"] == [old]
    [hit] = ask(here, "clio")
    assert (hit["state"], hit["superseded_by"], hit["contradicted_by"]) == (
        "superseded", None, None,
    )  # fmt: skip
    whole = here.api("clio").get(f"{URL}/{old}").content.decode()
    whole += here.browser("ada").get(f"{URL}/{old}/versions").content.decode()
    assert made["id"] not in whole
    with resolve_principal(here.person("ada")).scope():
        [entry] = AuditEntry.objects.filter(target=old, action="memory.superseded")
    assert made["id"] not in str(entry.detail)
    assert ask(here, "aria")[1]["superseded_by"] == made["id"]


def test_a_proposal_about_other_readers_does_not_name_the_newer_one(here: Tenant) -> None:
    old = say(here, "bolt", OLD, occurred_at=JANUARY)["id"]
    made = say(here, "clio", NEW, occurred_at=MARCH, visibility="group", group="design",
               supersedes=old)  # fmt: skip
    [item] = items(here)
    assert made["proposals"] == [str(item.id)]
    assert (item.cause, item.memory_id, item.other_id) == ("correction", UUID(old), None)
    told = here.browser("chidi").get(f"/api/v1/proposals/{item.id}").content.decode()
    assert made["id"] not in told
    assert [hit["state"] for hit in ask(here, "bob")] == [None]
    approve_item(here.person("chidi"), item.id, ReviewDecision(version=1), now=NOW)
    assert row_of(here, old).valid_until == MARCH
    undo_review_decision(here.person("chidi"), item.id, now=NOW)
    assert row_of(here, old).valid_until is None


def test_when_another_s_fact_holds_is_proposed_by_whoever_reads_it(here: Tenant) -> None:
    old = say(here, "bolt", OLD)["id"]
    waits = patch(here, "clio", old, 202, valid_until="2026-02-28")
    assert waits["changes"]["memory"]["valid_until"].startswith("2026-02-28")
    assert row_of(here, old).valid_until is None
    page = here.browser("chidi").get(f"/review/{waits['proposal']}/")
    assert "True until" in page.content.decode()
    approve_item(here.person("chidi"), UUID(waits["proposal"]), ReviewDecision(version=1), now=NOW)
    assert row_of(here, old).valid_until.day == 28
    # Anything else stays its own.
    assert patch(here, "clio", old, 403, valid_until=None, importance=1)["type"].endswith("yours")
    assert patch(here, "vera", old, 403, valid_until=None)["status"] == 403, "viewers only read"


def test_a_protected_fact_is_not_superseded(here: Tenant) -> None:
    old = say(here, "ada", OLD, red_line=True, red_line_reason="Signed.")["id"]
    assert say(here, "ada", NEW, 409, supersedes=old)["type"].endswith("red-line")
    assert patch(here, "ada", old, 409, valid_until="2026-02-28")["type"].endswith("red-line")
    assert len(ask(here)) == 1
    forced = patch(here, "ada", old, valid_until="2026-02-28", force=True, reason="Withdrawn.")
    assert forced["valid_until"][:10] == "2026-02-28"


def test_new_words_hold_again_unless_their_end_is_said(here: Tenant) -> None:
    old = say(here, "bolt", OLD, valid_until="2026-02-28")["id"]
    assert patch(here, "bolt", old, content=NEW)["valid_until"] is None
    ended = patch(here, "bolt", old, content=NEXT, valid_until="2026-03-31")
    assert ended["valid_until"][:10] == "2026-03-31"


def test_a_key_that_is_replaced_says_when_it_holds(here: Tenant) -> None:
    other = say(here, "bolt", NEXT)["id"]
    say(here, "bolt", OLD, key="permit")
    made = say(here, "bolt", NEW, 200, key="permit", on_conflict="replace",
               valid_from="2026-03-01", supersedes=other)  # fmt: skip
    held = row_of(here, made["id"])
    assert (held.content, held.valid_from.month) == (NEW, 3)
    assert (made["replaced"], made["superseded"]) == (True, [other])
    assert row_of(here, other).superseded_by_id == held.id


def test_a_message_says_what_it_replaces(here: Tenant) -> None:
    here_api = here.api("clio")
    body = {"external_id": "permits", "group": "design"}
    chat = here_api.post("/api/v1/conversations", body, format="json").json()["id"]
    url = f"/api/v1/conversations/{chat}/messages"
    old = here_api.post(url, {"content": OLD, "sent_at": JANUARY}, format="json").json()["memory"]
    strange = str(uuid4())
    posted = here_api.post(
        f"{url}/batch",
        {
            "items": [
                {"content": NEW, "sent_at": MARCH, "supersedes": [old], "valid_from": "2026-04-01"},
                {"content": NEXT, "supersedes": strange},
                {"content": NEXT, **REVERSED},
                {"content": "ok", "supersedes": [old]},
            ]
        },
        format="json",
    ).json()["results"]
    assert [one["status"] for one in posted] == ["kept", "refused", "refused", "kept"]
    assert posted[1]["problem"]["status"] == 404
    assert fields(posted[1]["problem"]) == ["supersedes"]
    assert fields(posted[2]["problem"]) == ["valid_until"]
    assert posted[3]["memory"] is None
    assert "supersedes nothing" in posted[3]["notes"][0]
    with resolve_principal(here.robot("clio")).scope():
        held, newer = (Memory.objects.get(id=id_) for id_ in (old, posted[0]["memory"]))
    assert held.superseded_by_id == newer.id
    assert held.valid_until == newer.valid_from == datetime(2026, 4, 1, tzinfo=UTC)
    assert here_api.get(url).json()["results"][0]["content"] == "ok", "refused ones are not stored"
    body = {"content": NEXT, "supersedes": [posted[0]["memory"]]}
    waits = here.api("aria").post(url, body, format="json").json()
    assert "Somebody decides" in waits["notes"][0]


def test_a_snapshot_and_the_export_carry_when_a_fact_holds(here: Tenant) -> None:
    made = say(here, "mina", OLD, visibility="private", valid_from="2026-01-01",
               valid_until="2026-02-28")["id"]  # fmt: skip
    mina = here.browser("mina")
    snapshot = mina.get("/api/v1/snapshots").json()["snapshot"]
    [line] = snapshot["memories"]
    assert (line["valid_from"][:10], line["valid_until"][:10]) == ("2026-01-01", "2026-02-28")
    patch(here, "mina", made, valid_from=None, valid_until=None)
    body = {"snapshot": snapshot, "mode": "replace"}
    assert mina.post("/api/v1/snapshots", body, format="json").json()["counts"]["replaced"] == 1
    held = row_of(here, made, "mina")
    assert (held.valid_from.month, held.valid_until.month) == (1, 2)
    assert b'"valid_from":"2026-01-01' in render_memories([held])


def test_the_list_and_its_search_narrow_to_what_was_true_on_a_day(here: Tenant) -> None:
    old = say(here, "bolt", OLD, occurred_at=JANUARY)["id"]
    say(here, "bolt", NEW, occurred_at=MARCH, supersedes=old)
    page = here.browser("bob")
    for asked in ("", "&q=parking+permit"):
        shown = page.get(f"/memories/?as_of=2026-02-01{asked}").content.decode()
        assert OLD in shown
        assert NEW not in shown
        later = page.get(f"/memories/?as_of=2026-03-31{asked}").content.decode()
        assert NEW in later
        assert OLD not in later


def test_saying_which_one_holds_closes_the_question_about_both(here: Tenant) -> None:
    """The worker has asked which of two holds, and then their writer says so."""
    old = say(here, "bolt", OLD, occurred_at=JANUARY)["id"]
    newer = say(here, "bolt", NEW, occurred_at=MARCH)["id"]
    [asked] = items(here)
    assert asked.cause == ProposalCause.CONTRADICTION
    patch(here, "bolt", newer, supersedes=[old])
    assert items(here) == []
    assert states(ask(here))[1] == (old, "superseded")
