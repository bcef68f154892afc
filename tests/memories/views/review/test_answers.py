"""Keys mean one thing: what `a` does, over every kind of item, and what it never does."""

import re
from uuid import uuid4

import pytest

from memories.curation import review_decisions
from memories.curation.review_decisions import ReviewDecision
from memories.review.models import Proposal, ProposalCause
from memories.review.review_queue import get_item
from memories.store.models.memory import Memory
from memories.views.review import decision_buttons
from orgs.database.rls import organisation_scope
from orgs.models.audiences import Audience, AudienceType
from orgs.models.organisations import Group
from orgs.principals import resolve_principal
from tests.memories.curation.test_decide import propose
from tests.memories.views.review.test_queue import keys_of
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

DESTROYS = re.compile(
    r"forget|drop|reject|archive|remove|delete|withdraw|replace|let .* through", re.I
)
# What each kind's `a` may do: nothing that is undone only by looking for it in a trash.
HARMLESS = {
    ProposalCause.PUBLISH: "Approve and share with everyone",
    ProposalCause.CORRECTION: "Approve the new text",
    ProposalCause.DUPLICATE: "They differ: keep both",
    ProposalCause.CONTRADICTION: "Both are right: keep both",
    ProposalCause.REPORT: "Keep it as it is",
    ProposalCause.RETURN: "Leave it forgotten",
    ProposalCause.RED_LINE: "Protect it",
    ProposalCause.CAPACITY: "Leave them all",
    ProposalCause.MENTION: "Leave the name hidden, keep the rest",
    ProposalCause.PERSONAL_DATA: "Edit first",
    ProposalCause.POISON: "Leave it out",
}


@pytest.mark.conformance("W05")
@pytest.mark.parametrize("cause", list(ProposalCause), ids=str)
def test_a_is_the_harmless_yes_of_every_kind(cause: ProposalCause) -> None:
    item = Proposal(cause=cause)
    (yes,) = [one for one in decision_buttons.buttons_of_item(item).values() if one.key == "a"]
    assert decision_buttons.harmless_button(item) == yes
    assert yes.label == HARMLESS[cause]
    assert not DESTROYS.search(yes.label.replace("Leave it forgotten", ""))
    assert not yes.caution
    keys = [one.key for one in decision_buttons.buttons_of_item(item).values()]
    assert len(keys) == len(set(keys))
    # The page's own keys: these never stand on an answer.
    assert not set(keys) & set("jkxzsgmnd/?")


def pending(here: Tenant, cause: ProposalCause) -> Proposal:
    """An item of this kind about what everyone reads."""
    old = here.remember(here.robot("bolt"), "The office closes at six.").id
    new = here.remember(here.robot("aria"), "The office closes at seven.").id
    told = {"tier": "slow", "capacity": 1, "count": 2, "chosen": 1, "summaries": 1}
    with resolve_principal(here.person("chidi")).scope():
        row = Memory.objects.get(id=new)
        item = Proposal(
            organisation_id=here.id, memory_id=new, audience_id=row.audience_id, kind=row.kind,
            cause=cause, created_at=NOW, details=told, content="The office closes at eight.",
            reason="It is so.", other_id=old if cause in ("duplicate", "contradiction") else None,
        )  # fmt: skip
        item.save(force_insert=True)
    return item


@pytest.mark.conformance("W05")
@pytest.mark.parametrize(
    "cause",
    [c for c in ProposalCause if c not in (ProposalCause.PUBLISH, ProposalCause.PERSONAL_DATA)],
    ids=str,
)
def test_what_a_does_leaves_every_memory_in_use(world: World, cause: ProposalCause) -> None:
    here, chidi = world.here, make_signed_in_client(world.here, "chidi")
    item = pending(here, cause)
    with resolve_principal(here.person("chidi")).scope():
        before = set(Memory.objects.filter(status="active").values_list("id", flat=True))
    page = response_text(chidi.get(f"/review/{item.id}/"))
    assert keys_of(page)["a"] == HARMLESS[cause]
    form = re.search(r'action="([^"]+)"(?:(?!</form>).)*data-key="a"', page, re.S)
    if cause in (ProposalCause.RETURN, ProposalCause.POISON):
        # These lie apart from what everyone reads; rejecting them shelves the proposal alone.
        assert form
        assert form[1].endswith("/reject/")
        return
    assert form
    assert chidi.post(form[1], {"version": "1"}).status_code == 302
    with resolve_principal(here.person("chidi")).scope():
        after = set(Memory.objects.filter(status="active").values_list("id", flat=True))
    assert before <= after
    assert get_item(here.person("chidi"), item.id).state != "open"


def test_the_label_names_the_group_that_would_read_it(world: World) -> None:
    group = Group(name="Design", external_id="design")
    target = Audience(kind=AudienceType.GROUP, group=group)
    assert decision_buttons.buttons_of_item(
        Proposal(cause=ProposalCause.PUBLISH, target_audience=target)
    )["approve"].label == ("Approve and share with Design")


def test_a_report_is_answered_by_two_keys_and_its_reporter_reads_why(world: World) -> None:
    here, chidi = world.here, make_signed_in_client(world.here, "chidi")
    item = pending(here, ProposalCause.REPORT)
    with organisation_scope(here.id), resolve_principal(here.person("chidi")).scope():
        Proposal.objects.filter(id=item.id).update(proposed_by_id=here.members["mina"].id)
    page = response_text(chidi.get(f"/review/{item.id}/reject/"))
    assert 'data-key="1"' in page
    reason = str(decision_buttons.READY_REASONS[ProposalCause.REPORT][0])
    assert f'value="{reason}"' in page
    sent = {"version": "1", "reason": reason}
    assert chidi.post(f"/review/{item.id}/reject/", sent).status_code == 302
    assert reason in response_text(make_signed_in_client(here, "mina").get("/review/"))


@pytest.mark.conformance("W05")
def test_two_texts_one_after_the_other_are_no_merged_text(world: World) -> None:
    here, chidi = world.here, make_signed_in_client(world.here, "chidi")
    item = pending(here, ProposalCause.DUPLICATE)
    url = f"/review/{item.id}/merge/"
    page = response_text(chidi.get(url))
    both = "The office closes at six.\n\nThe office closes at seven."
    assert f">{both}</textarea>" in page
    into = f"{item.other_id}:1"
    sent = {"version": "1", "into": into, "content": both.replace("\n", "\r\n")}
    answer = chidi.post(url, sent)
    assert answer.status_code == 409
    assert "These are still the two texts" in response_text(answer)
    assert f">{both}</textarea>" in response_text(answer).replace("\r\n", "\n"), (
        "what was typed is there"
    )
    with resolve_principal(here.person("chidi")).scope():
        assert (
            Memory.objects.filter(id__in=[item.other_id, item.memory_id], status="active").count()
            == 2
        )
    done = chidi.post(url, sent | {"content": "The office closes at six, on Fridays at seven."})
    assert done.status_code == 302


def test_of_a_proposal_nothing_is_chosen_and_without_a_script_the_texts_are_asked_for(
    world: World,
) -> None:
    here, chidi = world.here, make_signed_in_client(world.here, "chidi")
    known = here.remember(here.robot("bolt"), "The office closes at 18:00.").id
    item = propose(here)
    url = f"/review/{item.id}/merge/"
    page = response_text(chidi.get(url))
    assert re.search(r'<textarea[^>]*id="merged"[^>]*></textarea>', page)
    assert not re.search(r'name="into"[^>]* checked', page)
    page = response_text(chidi.get(url, {"into": f"{known}:1", "content": ""}))
    assert re.search(rf'value="{known}:1"[^>]* checked', page)
    assert ">The office closes at 18:00.\n\nThe office closes at six.</textarea>" in page


def test_who_holds_another_item_lets_go_of_the_one_before(world: World) -> None:
    here, chidi = world.here, make_signed_in_client(world.here, "chidi")
    first, second = propose(here), propose(here, content="The roof leaks.")
    whole = response_text(chidi.get(f"/review/{first.id}/"))
    assert 'aria-current="true"' in whole
    assert f'hx-get="/review/{second.id}/"' in whole
    chidi.post(f"/review/{first.id}/hold/")
    part = response_text(chidi.get(f"/review/{second.id}/", headers={"HX-Request": "true"}))
    chidi.post(f"/review/{second.id}/hold/")
    assert "<html" not in part
    assert "The roof leaks." in part
    assert "desk-list" not in part
    locked = {
        i.id: i.locked_by_id for i in (get_item(here.person("ada"), x.id) for x in (first, second))
    }
    assert locked == {first.id: None, second.id: here.members["chidi"].id}


def test_what_is_worked_through_stays_the_kind_that_was_chosen(world: World) -> None:
    here, chidi = world.here, make_signed_in_client(world.here, "chidi")
    one = pending(here, ProposalCause.DUPLICATE)
    propose(here, content="The roof leaks.")
    page = response_text(chidi.get(f"/review/{one.id}/?cause=duplicate"))
    assert "The roof leaks." not in page
    answer = chidi.post(f"/review/{one.id}/reject/?cause=duplicate", {"version": "1"})
    assert answer["Location"] == "/review/?cause=duplicate"


def test_nobody_decides_what_is_not_there(world: World) -> None:
    here = world.here
    item = propose(here)
    for name in ("vera", "bob", "mina"):
        client = make_signed_in_client(here, name)
        for act in ("approve", "reject"):
            assert client.post(f"/review/{item.id}/{act}/", {"version": "1"}).status_code == 404
    with pytest.raises(review_decisions.VersionRequiredError):
        review_decisions.approve_item(here.person("chidi"), item.id, ReviewDecision(), now=NOW)
    assert make_signed_in_client(here, "chidi").get(f"/review/{uuid4()}/").status_code == 404
