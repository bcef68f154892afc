"""The newer of two that disagree holds: the older is kept, says until when, and ranks below."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from memories.access.permissions import RedLineError
from memories.access.visibility import MemoryRequestError
from memories.curation.edit_memory import OutdatedVersionError, edit_memory
from memories.curation.review_decisions import ReviewDecision, VersionRequiredError, approve_item
from memories.curation.share_memory import share_memory
from memories.curation.split_memory import split_memory
from memories.curation.undo_review_decision import undo_review_decision
from memories.lifecycle.forget import forget_memory
from memories.review.models import Proposal, ProposalCause
from memories.review.protect import protect_memory
from memories.store.models.memory import Memory
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.audit import AuditEntry
from orgs.principals import resolve_principal
from tests.memories.curation.test_decide import waiting
from tests.world import NOW, Tenant

pytestmark = pytest.mark.usefixtures("lasting_world")

OLD = "Customers return a bag within 14 days."
NEW = "Customers return a bag within 30 days."
READ = ReviewDecision(version=1, into_version=1)


def pair(here: Tenant, **fields: Any) -> tuple[UUID, UUID, UUID]:
    """(older, newer, the item that waits)."""
    older = here.remember(here.robot("bolt"), OLD, **fields).id
    here.embed()
    newer = here.remember(here.robot("bolt"), NEW, **fields).id
    here.embed()
    (item,) = waiting(here.person("chidi"))
    return older, newer, item.id


def seen(here: Tenant, id_: UUID, name: str = "chidi") -> Memory:
    with resolve_principal(here.person(name)).scope():
        return Memory.objects.with_names().get(id=id_)


def asked(here: Tenant, text: str, **fields: Any) -> list[dict[str, Any]]:
    body = {"query": text, "limit": 5, **fields}
    answer = here.api("bolt").post("/api/v1/recall", body, format="json")
    assert answer.status_code == 200, answer.json()
    return [hit for hit in answer.json()["results"] if hit["content"] in (OLD, NEW)]


@pytest.mark.conformance("W21")
@pytest.mark.parametrize("way", [{}, {"filters": {"types": ["fact"]}}, {"profile": "strength"}])
def test_the_older_ranks_below_and_says_until_when(here: Tenant, way: dict[str, Any]) -> None:
    """Straight and the usual way; asked in the very words of the older one."""
    older, newer, item = pair(here)
    assert next(hit["content"] for hit in asked(here, OLD, **way)) == OLD or way
    approve_item(here.person("chidi"), item, READ, now=NOW)
    first, second = asked(here, OLD, **way)
    assert (first["id"], second["id"]) == (str(newer), str(older))
    assert first["score"] > second["score"]
    assert (first["valid_until"], first["superseded_by"]) == (None, None)
    said = seen(here, newer).created_at
    assert second["superseded_by"] == str(newer)
    assert second["valid_until"] == said.isoformat().replace("+00:00", "Z")
    body = here.api("bolt").get(f"/api/v1/memories/{older}").json()
    assert (body["status"], body["superseded_by"]) == ("active", str(newer))


def test_what_will_hold_later_holds_later(here: Tenant) -> None:
    """The older one holds until the day that the newer one names."""
    older = here.remember(here.robot("bolt"), OLD).id
    here.embed()
    begins = NOW + timedelta(days=3_650)
    newer = here.remember(here.robot("bolt"), NEW, occurred_at=begins).id
    here.embed()
    (item,) = waiting(here.person("chidi"))
    approve_item(here.person("chidi"), item.id, READ, now=NOW)
    assert seen(here, older).valid_until == begins
    assert [hit["id"] for hit in asked(here, OLD)] == [str(older), str(newer)]


def test_undo_lets_it_hold_again(here: Tenant) -> None:
    older, _newer, item = pair(here)
    chidi = here.person("chidi")
    approve_item(chidi, item, READ, now=NOW)
    assert undo_review_decision(chidi, item, now=NOW).state == "open"
    row = seen(here, older)
    assert (row.valid_until, row.superseded_by_id) == (None, None)
    with resolve_principal(here.person("ada")).scope():
        actions = AuditEntry.objects.filter(target=older).order_by("id")
        noted = [entry.action for entry in actions if entry.action.startswith("memory.")]
    assert noted[-2:] == ["memory.superseded", "memory.holds_again"]
    approve_item(chidi, item, ReviewDecision(version=1, into_version=3), now=NOW)
    edit_memory(chidi, older, {"content": OLD + " Or later."}, now=NOW)
    assert seen(here, older).valid_until is None, "other words were not found to be over"
    with pytest.raises(AlreadyExistsError):
        undo_review_decision(chidi, item, now=NOW)


def test_a_chain_keeps_each_step(here: Tenant) -> None:
    older, newer, item = pair(here)
    chidi = here.person("chidi")
    approve_item(chidi, item, READ, now=NOW)
    third = here.remember(here.robot("bolt"), OLD.replace("14", "60")).id
    here.embed()
    (again,) = waiting(chidi)
    assert (again.memory_id, again.other_id) == (third, newer), "what is over is not asked again"
    approve_item(chidi, again.id, READ, now=NOW)
    hits = here.api("bolt").post("/api/v1/recall", {"query": OLD}, format="json").json()["results"]
    assert [hit["id"] for hit in hits[:3]] == [str(third), str(newer), str(older)]


def test_who_decides_has_read_both_and_may_change_both(here: Tenant) -> None:
    older, _newer, item = pair(here)
    chidi = here.person("chidi")
    for answer in (ReviewDecision(), ReviewDecision(version=1), ReviewDecision(into_version=1)):
        with pytest.raises(VersionRequiredError):
            approve_item(chidi, item, answer, now=NOW)
    for answer in (
        ReviewDecision(version=2, into_version=1),
        ReviewDecision(version=1, into_version=2),
    ):
        with pytest.raises(OutdatedVersionError):
            approve_item(chidi, item, answer, now=NOW)
    for other in (here.person("bob"), here.robot("bolt")):
        with pytest.raises(NotFoundError):
            approve_item(other, item, READ, now=NOW)
    protect_memory(chidi, older, reason="Agreed with the bank.", now=NOW)
    with pytest.raises(RedLineError):
        approve_item(chidi, item, ReviewDecision(version=1, into_version=1), now=NOW)
    assert seen(here, older).valid_until is None


def test_two_that_look_the_same_are_not_superseded(here: Tenant) -> None:
    _older, _newer, item = pair(here)
    with resolve_principal(here.person("ada")).scope():
        Proposal.objects.filter(id=item).update(cause=ProposalCause.DUPLICATE)
    with pytest.raises(MemoryRequestError):
        approve_item(here.person("chidi"), item, READ, now=NOW)


def test_what_holds_now_is_told_to_its_readers_alone(here: Tenant) -> None:
    older, newer, item = pair(here)
    ada = here.person("ada")
    approve_item(here.person("chidi"), item, READ, now=NOW)
    to_mina = {"members": (str(here.members["mina"].id),)}
    share_memory(ada, newer, visibility="shared", readers=to_mina, group=None, now=NOW)
    (hit,) = asked(here, OLD)
    assert (hit["id"], hit["superseded_by"]) == (str(older), None)
    assert hit["valid_until"] is not None
    assert here.api("bolt").get(f"/api/v1/memories/{older}").json()["superseded_by"] is None
    assert seen(here, older, "mina").holds_now == newer
    assert seen(here, older, "bob").holds_now is None
    forget_memory(ada, newer, now=NOW)
    assert seen(here, older, "ada").holds_now is None


def test_without_what_holds_now_it_still_says_until_when(here: Tenant) -> None:
    older, newer, item = pair(here)
    approve_item(here.person("chidi"), item, READ, now=NOW)
    forget_memory(here.person("ada"), newer, now=NOW)
    (hit,) = asked(here, OLD)
    assert (hit["id"], hit["superseded_by"]) == (str(older), None)
    assert hit["valid_until"] is not None


def test_its_propositions_hold_as_long_as_it_does(here: Tenant) -> None:
    """Taken from it before and after; and they hold again with it."""
    chidi, bolt = here.person("chidi"), here.robot("bolt")
    older, _newer, item = pair(here)
    made = split_memory(bolt, older, given=["A bag is returned within 14 days."], now=NOW).rows
    approve_item(chidi, item, READ, now=NOW)
    more = split_memory(bolt, older, given=["14 days are left to return a bag."], now=NOW).rows
    until = seen(here, older).valid_until
    assert until is not None
    assert {seen(here, row.id).valid_until for row in [*made, *more]} == {until}
    undo_review_decision(chidi, item, now=NOW)
    assert {seen(here, row.id).valid_until for row in [*made, *more]} == {None}
