"""Two memories that disagree and that no curator reads are decided by whoever owns their group, and
private ones by the member whose they are. Nobody sees more by that."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from memories.access.permissions import ChangeForbiddenError
from memories.access.references import ReaderReferences
from memories.curation.review_decisions import ReviewDecision, approve_item, merge_item, reject_item
from memories.curation.undo_review_decision import undo_review_decision
from memories.review.models import ProposalCause, ProposalState
from memories.review.propose import report_memory
from memories.review.waiting_count import count_waiting
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Group
from orgs.organisations.groups import add_to_group, remove_from_group
from orgs.principals import resolve_principal
from tests.memories.curation.test_decide import waiting
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("X05")
OLD, NEW = (f"The printer room has the code {code}." for code in (4410, 4471))
READ = ReviewDecision(version=1, into_version=1)


def give_group(here: Tenant, owner: str | None, group: str = "launch", **fields: Any) -> None:
    with organisation_scope(here.id):
        owner_id = here.members[owner].id if owner else None
        Group.objects.filter(id=here.groups[group].id).update(owner_id=owner_id, **fields)


def seat(here: Tenant, name: str, group: str = "launch") -> None:
    ids = [here.members[name].id]
    add_to_group(organisation_id=here.id, group_id=here.groups[group].id, member_ids=ids)


def pair(here: Tenant, robot: str = "aria", **fields: Any) -> tuple[UUID, UUID]:
    """(older, newer), which a robot wrote and no member said."""
    made = []
    for text in (OLD, NEW):
        made.append(here.remember(here.robot(robot), text, **fields).id)
        here.embed()
    return made[0], made[1]


def holds(here: Tenant, who: str, id_: UUID) -> bool:
    with resolve_principal(here.person(who)).scope():
        return Memory.objects.get(id=id_).superseded_by_id is None


def seen_by(here: Tenant) -> dict[str, int]:
    """How many items each person sees in the list of what they may decide."""
    found = {name: len(waiting(here.person(name), mine=False)) for name in here.members}
    assert found == {name: count_waiting(here.person(name)) for name in here.members}
    return {name: number for name, number in found.items() if number}


def test_who_owns_a_group_without_a_curator_decides(lasting_world: World) -> None:
    here = lasting_world.here
    give_group(here, "bob")
    older, newer = pair(here, group="launch")
    assert seen_by(here) == {"bob": 1}
    bob = here.person("bob")
    [item] = waiting(bob)
    with pytest.raises(NotFoundError):
        approve_item(here.person("mina"), item.id, READ, now=NOW)
    done = approve_item(bob, item.id, READ, now=NOW)
    assert (done.state, done.decided_by_id) == (ProposalState.APPROVED, here.members["bob"].id)
    assert (holds(here, "bob", older), holds(here, "bob", newer)) == (False, True)
    assert undo_review_decision(bob, item.id, now=NOW).state == ProposalState.OPEN
    assert holds(here, "bob", older)
    # Words of others are not merged, reworded or archived by that.
    for content in (None, NEW, "Ask at the desk."):
        answer = ReviewDecision(version=1, into_version=3, content=content)
        with pytest.raises(ChangeForbiddenError):
            merge_item(bob, item.id, answer, now=NOW)
    assert reject_item(bob, item.id, ReviewDecision(), now=NOW).state == ProposalState.REJECTED


def test_the_page_of_the_owner_offers_what_they_may_do(lasting_world: World) -> None:
    here = lasting_world.here
    give_group(here, "bob")
    older, _ = pair(here, group="launch")
    [item] = waiting(here.person("bob"))
    browser = make_signed_in_client(here, "bob")
    assert NEW in response_text(browser.get("/review/?show=waiting"))
    page = response_text(browser.get(f"/review/{item.id}/"))
    assert "The newer holds now" in page
    assert "Both are right: keep both" in page
    for denied in ("Merge the two texts", "Drop the newer"):
        assert denied not in page
    assert make_signed_in_client(here, "mina").get(f"/review/{item.id}/").status_code == 404
    sent = {"action": "approve", "version": 1, "into_version": 1}
    url = f"/api/v1/proposals/{item.id}/decision"
    assert here.browser("mina").post(url, sent, format="json").status_code == 404
    assert here.browser("bob").post(url, sent, format="json").status_code == 200
    assert not holds(here, "bob", older)


def curator_sits(here: Tenant) -> None:
    seat(here, "chidi")


def admin_sits(here: Tenant) -> None:
    seat(here, "ada")


def group_is_open(here: Tenant) -> None:
    give_group(here, "bob", confidential=False)


def owner_only_reads(here: Tenant) -> None:
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["bob"].id).update(role=Role.VIEWER)
    here.members["bob"].role = Role.VIEWER


def owner_has_left(here: Tenant) -> None:
    ids = [here.members["bob"].id]
    remove_from_group(organisation_id=here.id, group_id=here.groups["launch"].id, member_ids=ids)


def nobody_owns_it(here: Tenant) -> None:
    give_group(here, None)


@pytest.mark.parametrize(
    ("change", "deciders"),
    [
        (curator_sits, {"chidi": 1}),
        (admin_sits, {"ada": 1}),
        (group_is_open, {"ada": 1, "chidi": 1}),
        (owner_only_reads, {}),
        (owner_has_left, {}),
        (nobody_owns_it, {}),
    ],
)
def test_where_a_curator_reads_it_or_the_owner_does_not_all_is_as_before(
    lasting_world: World, change: Callable[[Tenant], None], deciders: dict[str, int]
) -> None:
    here = lasting_world.here
    give_group(here, "bob")
    pair(here, group="launch")
    change(here)
    assert seen_by(here) == deciders


def test_the_owner_decides_about_their_group_and_about_contradictions_alone(
    lasting_world: World,
) -> None:
    here = lasting_world.here
    give_group(here, "bob")
    pair(here, "clio", group="design")
    told = here.remember(here.robot("aria"), "The lift is slow.", group="launch").id
    report_memory(here.person("mina"), told, reason="It is not.", now=NOW)
    mina = str(here.members["mina"].id)
    pair(here, group="launch", member=mina, visibility="private")
    assert "bob" not in seen_by(here)


@pytest.mark.parametrize(
    ("readers", "expected"), [(("mina", "bob"), 1), (("mina",), 0), (("mina", "bob", "chidi"), 0)]
)
def test_of_a_list_made_in_the_group_what_the_owner_reads(
    lasting_world: World, readers: tuple[str, ...], expected: int
) -> None:
    here = lasting_world.here
    give_group(here, "bob")
    if "chidi" in readers:
        seat(here, "chidi")
    names = tuple(str(here.members[name].id) for name in readers)
    pair(here, group="launch", visibility="shared", readers=ReaderReferences(members=names))
    assert len(waiting(here.person("bob"))) == expected


def test_what_is_private_is_decided_by_whom_it_belongs_to(lasting_world: World) -> None:
    here = lasting_world.here
    mina = here.members["mina"]
    older, newer = pair(here, member=str(mina.id))
    assert seen_by(here) == {"mina": 1}
    [item] = waiting(here.person("mina"))
    assert (item.memory_id, item.other_id) == (newer, older)
    approve_item(here.person("mina"), item.id, READ, now=NOW)
    assert not holds(here, "mina", older)
    undo_review_decision(here.person("mina"), item.id, now=NOW)
    assert holds(here, "mina", older)


def test_what_a_member_told_a_robot_alone_is_decided_by_them(lasting_world: World) -> None:
    here, url = lasting_world.here, "/api/v1/conversations"
    mina = str(here.members["mina"].id)
    made = here.api("aria").post(url, {"member": mina}, format="json").json()
    for at, text in (("09", OLD), ("10", NEW)):
        sent = {"speaker": mina, "content": text, "sent_at": f"2026-03-01T{at}:00:00Z"}
        answer = here.api("aria").post(f"{url}/{made['id']}/messages", sent, format="json")
        assert answer.status_code == 201, answer.json()
    here.read()
    here.embed()
    assert seen_by(here) == {"mina": 1}
    [item] = waiting(here.person("mina"))
    assert item.cause == ProposalCause.CONTRADICTION
    done = approve_item(here.person("mina"), item.id, READ, now=NOW)
    assert not holds(here, "mina", UUID(done.outcome["superseded"]))


def test_a_robot_of_the_owner_decides_nothing(lasting_world: World) -> None:
    here = lasting_world.here
    give_group(here, "bob")
    pair(here, group="launch")
    [item] = waiting(here.person("bob"))
    here.add_robot("dora", groups=("launch",), scopes=("read", "write", "act_for", "manage"))
    here.give_owner("dora", "bob")
    for robot in ("aria", "dora"):
        url = f"/api/v1/proposals/{item.id}"
        assert here.api(robot).get(url).status_code == 404
        sent = {"action": "approve", "version": 1, "into_version": 1}
        assert here.api(robot).post(f"{url}/decision", sent, format="json").status_code == 404
