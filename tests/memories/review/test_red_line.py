"""What a red line holds, who draws it and takes it off, and what always works (point 6)."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from memories.access.permissions import ChangeForbiddenError, RedLineError
from memories.access.visibility import MemoryRequestError
from memories.curation import review_decisions
from memories.curation.bulk_change import preview_bulk_change
from memories.curation.edit_memory import edit_memory
from memories.curation.review_decisions import ReviewDecision
from memories.curation.share_memory import share_memory
from memories.curation.split_memory import split_memory
from memories.curation.undo_review_decision import undo_review_decision
from memories.lifecycle.forget import archive_memory, forget_memory
from memories.privacy.forget_all import forget_all
from memories.privacy.opt_out import make_shared_private
from memories.review.models import Proposal, ProposalState
from memories.review.propose import propose_correction, report_memory
from memories.review.protect import protect_memory, unprotect_memory
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.audit import AuditEntry
from orgs.principals import Actor
from robots.models.robots import Robot
from tests.isolation.forgery import all_audiences_scope
from tests.memories.curation.test_decide import propose, waiting
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

TEXT = "Mina signs the lease alone, which matters a lot."


def row(here: Tenant, id_: UUID) -> Memory:
    with all_audiences_scope(here):
        return Memory.objects.select_related("audience").get(id=id_)


def acts(here: Tenant, id_: UUID) -> list[str]:
    with organisation_scope(here.id):
        rows = AuditEntry.objects.filter(target=id_).exclude(action="gate.passed")
        return list(rows.order_by("id").values_list("action", flat=True))


def protected(here: Tenant, who: str = "chidi", **fields: Any) -> UUID:
    id_ = here.remember(here.robot("aria"), TEXT, **fields).id
    protect_memory(here.person(who), id_, reason="It saves lives.", now=NOW)
    return id_


def share(actor: Actor, id_: UUID) -> None:
    with organisation_scope(actor.organisation_id):
        robot = Robot.objects.get(name="bolt")
    readers = {"robots": (str(robot.id),)}
    share_memory(actor, id_, visibility="shared", readers=readers, group=None, now=NOW)


def later(actor: Actor, id_: UUID) -> None:
    edit_memory(actor, id_, {"expires_at": NOW + timedelta(days=1)}, now=NOW)


HELD = {
    "forget": lambda actor, id_: forget_memory(actor, id_, now=NOW),
    "archive": lambda actor, id_: archive_memory(actor, id_, now=NOW),
    "edit": lambda actor, id_: edit_memory(actor, id_, {"content": "No."}, now=NOW),
    "expire": later,
    "share": share,
}


@pytest.mark.parametrize("act", HELD)
@pytest.mark.parametrize("who", ["ada", "chidi", "aria"])
def test_nobody_gets_past_it(world: World, who: str, act: str) -> None:
    here = world.here
    id_ = protected(here)
    before = row(here, id_)
    with pytest.raises(RedLineError):
        HELD[act](here.robot(who) if who in here.robots else here.person(who), id_)
    after = row(here, id_)
    assert (after.status, after.content, after.audience_id, after.expires_at, after.version) == (
        before.status, before.content, before.audience_id, None, before.version,
    )  # fmt: skip


@pytest.mark.parametrize("address", ["", "/archive", "/share"])
def test_over_http_it_is_409(world: World, address: str) -> None:
    here = world.here
    id_, api = protected(here), here.browser("ada")
    url = f"/api/v1/memories/{id_}{address}"
    if not address:
        answers = [api.delete(url), api.patch(url, {"content": "No."}, format="json")]
    else:
        some = {"visibility": "shared", "readers": {"robots": [str(here.robots["bolt"].id)]}}
        body = some if address == "/share" else {}
        answers = [api.post(url, body, format="json")]
    for answer in answers:
        assert answer.status_code == 409, answer.json()
        assert answer.json()["type"].endswith(":red-line")


def test_what_is_decided_in_the_queue_holds_it_as_well(world: World) -> None:
    here, chidi, mina = world.here, world.here.person("chidi"), world.here.person("mina")
    id_ = protected(here)
    items = [
        propose_correction(mina, id_, content="Mina likes nuts.", now=NOW),
        report_memory(mina, id_, reason="No.", now=NOW),
    ]
    for item in items:
        with pytest.raises(RedLineError):
            review_decisions.approve_item(chidi, item.id, ReviewDecision(version=1), now=NOW)
    into = propose(here)
    answer = ReviewDecision(version=1, into=id_, into_version=1, content="Mina likes nuts.")
    with pytest.raises(RedLineError):
        review_decisions.merge_item(chidi, into.id, answer, now=NOW)
    assert (row(here, id_).content, row(here, id_).remember_count) == (TEXT, 1)


def test_only_curators_and_whom_it_is_about_draw_and_lift_it_with_a_reason(world: World) -> None:
    here, minas = world.here, str(world.here.members["mina"].id)
    id_ = here.remember(here.robot("aria"), TEXT, group="launch", member=minas).id
    with pytest.raises(MemoryRequestError, match="Say why"):
        protect_memory(here.person("mina"), id_, reason=" ", now=NOW)
    with pytest.raises(NotFoundError):
        protect_memory(here.person("ada"), id_, reason="Hm.", now=NOW)
    protect_memory(here.person("mina"), id_, reason="It saves lives.", now=NOW)
    found = row(here, id_)
    assert (found.red_line, found.red_line_reason, found.red_line_by_id, found.red_line_at) == (
        True, "It saves lives.", here.members["mina"].id, NOW,
    )  # fmt: skip
    for who in (here.person("bob"), here.robot("aria")):
        with pytest.raises(ChangeForbiddenError):
            unprotect_memory(who, id_, reason="No.", now=NOW)
    with pytest.raises(MemoryRequestError):
        unprotect_memory(here.person("mina"), id_, reason="", now=NOW)
    unprotect_memory(here.person("mina"), id_, reason="I am well.", now=NOW)
    assert (row(here, id_).red_line, row(here, id_).red_line_reason) == (False, "I am well.")
    with pytest.raises(AlreadyExistsError):
        unprotect_memory(here.person("mina"), id_, reason="Again.", now=NOW)
    assert acts(here, id_)[-2:] == ["memory.protected", "memory.unprotected"]


@pytest.mark.parametrize("who", ["aria", "bob"])
def test_anybody_elses_wish_waits_for_a_decision(world: World, who: str) -> None:
    here, chidi = world.here, world.here.person("chidi")
    actor = here.robot(who) if who in here.robots else here.person(who)
    if who == "aria":
        id_ = here.remember(actor, TEXT, red_line=True).id
        with pytest.raises(AlreadyExistsError):
            protect_memory(actor, id_, reason="Please.", now=NOW)
    else:
        id_ = here.remember(here.robot("bolt"), TEXT).id
        assert isinstance(protect_memory(actor, id_, reason="Please.", now=NOW), Proposal)
    assert not row(here, id_).red_line
    assert "proposal.red_line" in acts(here, id_)
    forget_memory(here.person("ada"), id_, now=NOW)
    assert waiting(chidi) == [], "what is gone waits for nothing"


def test_a_wish_is_granted_with_a_reason_and_taken_back(world: World) -> None:
    here, chidi = world.here, world.here.person("chidi")
    id_ = here.remember(here.robot("bolt"), TEXT, red_line=True).id
    (item,) = waiting(chidi)
    assert waiting(here.person("bob")) == []
    with pytest.raises(MemoryRequestError, match="Say why"):
        review_decisions.approve_item(chidi, item.id, ReviewDecision(version=1), now=NOW)
    review_decisions.approve_item(
        chidi, item.id, ReviewDecision(version=1, reason="So it is."), now=NOW
    )
    assert (row(here, id_).red_line, row(here, id_).red_line_reason) == (True, "So it is.")
    assert acts(here, id_) == ["proposal.red_line", "memory.protected"]
    undo_review_decision(chidi, item.id, now=NOW)
    assert not row(here, id_).red_line
    assert acts(here, id_)[-1] == "memory.unprotected"
    assert [i.id for i in waiting(chidi)] == [item.id]
    review_decisions.reject_item(chidi, item.id, ReviewDecision(reason="No."), now=NOW)
    assert not row(here, id_).red_line


def test_the_subject_decides_a_wish_about_them(world: World) -> None:
    here, minas = world.here, str(world.here.members["mina"].id)
    here.remember(
        here.robot("aria"), TEXT, group="launch", member=minas, red_line=True,
        red_line_reason="A life.",
    )  # fmt: skip
    (item,) = waiting(here.person("mina"))
    assert waiting(here.person("bob")) == []
    done = review_decisions.approve_item(
        here.person("mina"), item.id, ReviewDecision(version=1), now=NOW
    )
    assert row(here, done.memory_id).red_line_reason == "A life."


def test_a_curator_may_write_it_protected_and_gives_a_reason(world: World) -> None:
    here, api = world.here, world.here.browser("chidi")
    body = {"content": TEXT, "visibility": "organisation", "red_line": True}
    refused = api.post("/api/v1/memories", body, format="json")
    assert (refused.status_code, "Say why" in refused.json()["detail"]) == (400, True)
    made = api.post("/api/v1/memories", body | {"red_line_reason": "Law."}, format="json")
    assert made.status_code == 201
    told = api.get(f"/api/v1/memories/{made.json()['id']}").json()
    assert (told["red_line"], told["red_line_reason"]) == (True, "Law.")
    own = {"content": "Nobody decides here.", "visibility": "internal", "red_line": True}
    assert here.api("bolt").post("/api/v1/memories", own, format="json").status_code == 400


def test_a_proposal_takes_the_wish_along(world: World) -> None:
    here, chidi = world.here, world.here.person("chidi")
    wish = {"visibility": "organisation", "red_line": True, "red_line_reason": "Law."}
    here.remember(here.person("bob"), TEXT, **wish)
    publish = next(i for i in waiting(chidi) if i.cause == "publish")
    done = review_decisions.approve_item(chidi, publish.id, ReviewDecision(version=1), now=NOW)
    (item,) = waiting(chidi)
    assert (item.cause, str(item.memory_id), item.reason) == (
        "red_line", done.outcome["made"], "Law.",
    )  # fmt: skip
    assert not item.memory.red_line
    assert item.proposed_by_id == here.members["bob"].id


def test_what_expires_does_so_no_more(world: World) -> None:
    here = world.here
    id_ = protected(here, expires_at=NOW + timedelta(days=1))
    assert row(here, id_).expires_at is None
    with organisation_scope(here.id):
        entry = AuditEntry.objects.get(target=id_, action="memory.protected")
    assert entry.detail["expired_at"].startswith("2026-03-03")
    gone = here.remember(here.robot("bolt"), "Over.", expires_at=NOW - timedelta(days=1)).id
    with pytest.raises(AlreadyExistsError, match="expired"):
        protect_memory(here.person("ada"), gone, reason="Hm.", now=NOW)


@pytest.mark.parametrize("act", ["forget", "archive", "edit"])
@pytest.mark.conformance("G20")
def test_an_admin_forces_with_a_reason_and_that_is_recorded(world: World, act: str) -> None:
    here, id_ = world.here, protected(world.here)
    url = f"/api/v1/memories/{id_}"

    def force(who: str, **given: Any) -> int:
        api = here.browser(who)
        if act == "forget":
            query = "&".join(f"{k}={str(v).lower() if v is True else v}" for k, v in given.items())
            return int(api.delete(f"{url}?{query}").status_code)
        if act == "archive":
            return int(api.post(f"{url}/archive", given, format="json").status_code)
        return int(api.patch(url, {"content": "Other.", **given}, format="json").status_code)

    assert force("chidi", force=True, reason="I want to.") == 403
    assert force("ada", force=True) == 400
    assert force("ada", reason="Only a reason.") == 409
    assert acts(here, id_) == ["memory.protected"]
    assert force("ada", force=True, reason="A court says so.") in (200, 204)
    with organisation_scope(here.id):
        entry = AuditEntry.objects.get(target=id_, action="memory.forced")
    assert (entry.detail["act"], entry.detail["reason"], entry.member) == (
        act, "A court says so.", here.members["ada"].id,
    )  # fmt: skip


def test_whom_it_is_about_always_forgets(world: World) -> None:
    here, minas = world.here, str(world.here.members["mina"].id)
    one = protected(here, "mina", group="launch", member=minas)
    said = here.remember(here.robot("aria"), "I hate nuts, all of them.", speaker=minas).id
    protect_memory(here.person("ada"), said, reason="Law.", now=NOW)
    other = protected(here, visibility="organisation")
    forget_memory(here.person("mina"), one, now=NOW)
    assert forget_all(here.person("mina"), now=NOW) == 1
    assert [row(here, id_).status for id_ in (one, said, other)] == [
        "forgotten", "forgotten", "active",
    ]  # fmt: skip


def test_taking_back_what_is_shared_leaves_what_others_protect(world: World) -> None:
    here, chidi = world.here, world.here.person("chidi")
    id_ = here.remember(chidi, "We close on Sundays, always.", visibility="organisation").id
    protect_memory(here.person("ada"), id_, reason="Law.", now=NOW)
    assert make_shared_private(chidi, now=NOW) == 0
    assert row(here, id_).audience.kind == "organisation"


@pytest.mark.conformance("G20")
def test_many_at_once_pass_it_over_and_say_so(world: World) -> None:
    here, id_ = world.here, protected(world.here)
    for act, changes in {"archive": 0, "forget": 0, "share": 0, "set": 1}.items():
        found = preview_bulk_change(here.person("ada"), [id_], act)
        assert (found.changes, found.skipped) == (changes, [] if changes else [("protected", 1)])


def test_what_was_made_of_others_is_not_protected_alone(world: World) -> None:
    here, ada = world.here, world.here.person("ada")
    text_ = "The red kite nests in the old oak. The office in Bonn closes at six."
    id_ = here.remember(here.robot("bolt"), text_).id
    part = split_memory(ada, id_, now=NOW).rows[0]
    with pytest.raises(MemoryRequestError, match="made of other"):
        protect_memory(ada, part.id, reason="Law.", now=NOW)


def test_the_pages_show_it_and_have_a_control(world: World) -> None:
    here, minas = world.here, str(world.here.members["mina"].id)
    id_ = here.remember(here.robot("aria"), TEXT, group="launch", member=minas).id
    mina, bob = make_signed_in_client(here, "mina"), make_signed_in_client(here, "bob")
    url = f"/memories/{id_}/"
    assert f"{url}protect/" in response_text(mina.get(url))
    assert f"{url}protect/" not in response_text(bob.get(url))
    assert mina.post(f"{url}protect/", {"reason": ""}).status_code == 422
    assert mina.post(f"{url}protect/", {"reason": "It saves lives."}).status_code == 302
    page = response_text(bob.get(url))
    assert "Protected by Mina" in page
    assert "It saves lives." in page
    assert f"{url}forget/" not in page
    assert "Protected" in response_text(mina.get("/me/"))
    assert f"{url}forget/" in response_text(mina.get("/me/"))
    assert f"{url}unprotect/" in response_text(mina.get(url))
    refused = mina.post(f"{url}edit/", {"content": "No.", "version": "1", "importance": "0.5"})
    assert (refused.status_code, "red line" in response_text(refused)) == (422, True)
    assert mina.post(f"{url}unprotect/", {"reason": "I am well."}).status_code == 302
    assert "Protected by" not in response_text(bob.get(url))


def test_the_review_page_asks_for_the_reason(world: World) -> None:
    here, chidi = world.here, make_signed_in_client(world.here, "chidi")
    id_ = here.remember(here.robot("bolt"), TEXT, red_line=True).id
    (item,) = waiting(here.person("chidi"))
    page = response_text(chidi.get(f"/review/{item.id}/"))
    assert "bolt asks that this is protected" in page
    assert 'name="reason"' in page
    sent = {"version": "1", "reason": "So it is."}
    assert chidi.post(f"/review/{item.id}/approve/", sent).status_code == 302
    assert row(here, id_).red_line
    with all_audiences_scope(here):
        assert Proposal.objects.get(id=item.id).state == ProposalState.APPROVED
    trail = response_text(make_signed_in_client(here, "ada").get("/audit/"))
    assert "asked to protect" in trail
