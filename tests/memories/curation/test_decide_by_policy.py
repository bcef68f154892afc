"""Where a group says so, the newest that the same proven speaker said holds, and nothing else is
decided by itself."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from memories.access.references import ReaderReferences
from memories.curation.decide_by_policy import decide_item, decide_pairs_of
from memories.curation.edit_memory import edit_memory
from memories.curation.review_decisions import ReviewDecision, approve_item, reject_item
from memories.curation.share_memory import share_memory
from memories.curation.undo_review_decision import undo_review_decision
from memories.review.item_locks import lock_item
from memories.review.models import Proposal
from memories.review.propose import report_memory
from memories.review.protect import protect_memory
from memories.state.supersede_memory import set_validity
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member, Role
from orgs.models.organisations import ContradictionPolicy
from orgs.organisations.groups import add_to_group, set_contradiction_policy
from orgs.principals import resolve_principal
from tests.memories.curation.test_decide import waiting
from tests.memories.curation.test_owners_decide import give_group, seat
from tests.memories.lifecycle.llm_checks.test_pairs import consolidate
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("X05")
UPPSALA, MALMO = "I live in Uppsala near the old mill.", "I live in Malmö near the old mill."
CODES = tuple(f"The printer room has the code {code}." for code in (4410, 4471))
JANUARY, FEBRUARY = (datetime(2026, month, 10, 9, tzinfo=UTC) for month in (1, 2))
OWN, SAME, ASK = (
    ContradictionPolicy.OWN_FACTS,
    ContradictionPolicy.SAME_SPEAKER,
    ContradictionPolicy.ASK,
)


@pytest.fixture
def here(lasting_world: World, jobs_of_here: None) -> Tenant:
    return lasting_world.here


def say(here: Tenant, text: str, at: datetime | None = JANUARY, **fields: Any) -> UUID:
    """What Mina says in #launch, written down by aria, unless the fields say otherwise."""
    robot = fields.pop("robot", "aria")
    said = {"group": "launch", "speaker": str(here.members["mina"].id), "occurred_at": at}
    made = here.remember(here.robot(robot), text, **{**said, **fields})
    here.embed()
    return made.id


def pair(
    here: Tenant, texts: tuple[str, str] = (UPPSALA, MALMO), **fields: Any
) -> tuple[UUID, UUID]:
    """(older, newer). fields: of both; `second` further ones of the newer."""
    second = fields.pop("second", {})
    older = say(here, texts[0], **fields)
    return older, say(here, texts[1], **{"at": FEBRUARY, **fields, **second})


def allow(here: Tenant, policy: ContradictionPolicy, group: str = "launch") -> None:
    ada = here.person("ada")
    set_contradiction_policy(actor=ada, group=here.groups[group], policy=policy, now=NOW)


def rows(here: Tenant) -> dict[UUID, Memory]:
    with organisation_scope(here.id, using="worker"):
        found = Memory.objects.using("worker").filter(organisation_id=here.id)
        return {row.id: row for row in found}


def items(here: Tenant) -> list[Proposal]:
    with organisation_scope(here.id, using="worker"):
        found = Proposal.objects.using("worker").filter(organisation_id=here.id)
        return list(found.select_related("memory", "other").order_by("id"))


def states(here: Tenant) -> list[str]:
    return [item.state for item in items(here)]


def decided_by(here: Tenant, day: int = 1) -> int:
    """How many the daily run decides."""
    result = consolidate(here, day)
    return int(result.get("decided", 0))


def successor(here: Tenant, id_: UUID) -> UUID | None:
    return rows(here)[id_].superseded_by_id


def test_what_one_says_of_oneself_holds_as_one_said_it_last(here: Tenant) -> None:
    older, newer = pair(here)
    before = rows(here)[older]
    assert (before.superseded_by_id, before.valid_until) == (newer, FEBRUARY)
    assert before.status == "active"
    [item] = items(here)
    assert (item.state, item.decided_by_id, item.details) == ("approved", None, {"policy": OWN})
    assert (item.memory_id, item.other_id) == (newer, older)
    asked = {"query": "Where does Mina live near the old mill?", "group": "launch"}
    found = here.api("aria").post("/api/v1/recall", asked, format="json").json()["results"]
    assert [(hit["id"], hit["state"]) for hit in found] == [
        (str(newer), None), (str(older), "superseded"),
    ]  # fmt: skip
    assert decided_by(here) == 0


def test_the_trail_names_the_policy_and_both_memories(here: Tenant) -> None:
    seat(here, "ada")
    older, newer = pair(here)
    with organisation_scope(here.id):
        [entry] = AuditEntry.objects.filter(action="memory.superseded")
        [closed] = AuditEntry.objects.filter(action="proposal.approved")
    assert (entry.target, entry.member) == (older, None)
    assert (entry.detail["by"], entry.detail["policy"]) == (str(newer), OWN)
    assert closed.detail["policy"] == OWN
    assert closed.detail["by_itself"] is True
    page = here.browser("ada").get(f"/memories/{older}/trail/").content.decode()
    assert "the newest that its speaker said of themselves" in page
    assert str(newer) in page
    versions = here.browser("bob").get(f"/memories/{older}/versions/").content.decode()
    assert "Commonmind itself: noted that a newer memory holds instead, by policy" in versions
    assert f"/memories/{newer}/" in versions
    stranger = here.browser("vera").get(f"/memories/{older}/versions/")
    assert stranger.status_code == 404


def test_a_person_who_writes_for_themselves_is_their_own_speaker(here: Tenant) -> None:
    older = here.remember(here.person("mina"), UPPSALA, group="launch", occurred_at=JANUARY).id
    here.embed()
    newer = here.remember(here.person("mina"), MALMO, group="launch", occurred_at=FEBRUARY).id
    here.embed()
    assert successor(here, older) == newer


def test_the_later_said_holds_whichever_came_first(here: Tenant) -> None:
    newer = say(here, MALMO, FEBRUARY)
    older = say(here, UPPSALA, JANUARY)
    assert (successor(here, older), successor(here, newer)) == (newer, None)


def test_by_their_own_name_it_is_about_themselves(here: Tenant) -> None:
    texts = tuple(f"Mina lives in {city} near the old mill." for city in ("Uppsala", "Malmö"))
    older, newer = pair(here, texts)
    assert successor(here, older) == newer


PRIVATE = {"visibility": "private"}


@pytest.mark.parametrize("place", ["private", "list", "direct"])
def test_what_few_read_goes_by_the_default(here: Tenant, place: str) -> None:
    mina = str(here.members["mina"].id)
    if place == "direct":
        url = "/api/v1/conversations"
        made = here.api("aria").post(url, {"member": mina}, format="json").json()
        for at, text in ((JANUARY, UPPSALA), (FEBRUARY, MALMO)):
            sent = {"speaker": mina, "content": text, "sent_at": at.isoformat()}
            answer = here.api("aria").post(f"{url}/{made['id']}/messages", sent, format="json")
            assert answer.status_code == 201, answer.json()
        here.read()
        here.embed()
    elif place == "private":
        pair(here, group=None, member=mina, **PRIVATE)
    else:
        pair(here, group=None, readers=ReaderReferences(members=(mina,)), visibility="shared")
    [item] = items(here)
    assert (item.state, item.details) == ("approved", {"policy": OWN})


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("another person's newer word", {"second": {"speaker": "bob"}}),
        ("a mere name", {"speaker": "Ivo"}),
        ("a robot's word about her", {"speaker": "", "member": "mina"}),
        ("equal times", {"at": FEBRUARY}),
        ("a time to come", {"second": {"at": datetime(2999, 1, 1, tzinfo=UTC)}}),
        ("the newer one expires", {"second": {"expires_at": datetime(2999, 1, 1, tzinfo=UTC)}}),
        ("about somebody else", {"second": {"member": "bob"}}),
        ("everyone reads it", {"group": None, "visibility": "organisation"}),
        ("in another's private space", {"group": None, "member": "bob", **PRIVATE}),
        ("no fact about her", {"texts": CODES}),
        ("more than one fact", {"texts": (f"{UPPSALA} My room is 12.", MALMO)}),
    ],
)
def test_everything_else_asks(here: Tenant, name: str, fields: dict[str, Any]) -> None:
    def by_id(given: dict[str, Any]) -> dict[str, Any]:
        people = here.members
        return {
            key: str(people[value].id)
            if key in ("speaker", "member") and value in people
            else value
            for key, value in given.items()
        }

    second = by_id(fields.get("second", {}))
    older, _ = pair(here, **{**by_id(fields), **({"second": second} if second else {})})
    assert successor(here, older) is None, name
    assert set(states(here)) <= {"open"}, name
    decided = decided_by(here)
    assert (decided, successor(here, older)) == (0, None), name


@pytest.mark.conformance("X04")
@pytest.mark.parametrize(
    "newer",
    [
        "I might live in Malmö near the old mill.",
        "I plan to live in Malmö near the old mill.",
        "I think I live best in Malmö near the old mill.",
        "I live in Malmö near the old mill at weekends.",
    ],
    ids=["doubt", "plan", "opinion", "exception"],
)
def test_what_changes_nothing_decides_nothing(here: Tenant, newer: str) -> None:
    allow(here, SAME)
    older, _ = pair(here, (UPPSALA, newer))
    assert (items(here), successor(here, older)) == ([], None)


@pytest.mark.parametrize(
    ("policy", "texts", "decided"),
    [
        (SAME, CODES, True),
        (SAME, (UPPSALA, MALMO), True),
        (OWN, CODES, False),
        (ASK, CODES, False),
        (ASK, (UPPSALA, MALMO), False),
    ],
)
def test_the_group_says_what_is_decided(
    here: Tenant, policy: ContradictionPolicy, texts: tuple[str, str], decided: bool
) -> None:
    allow(here, policy)
    older, newer = pair(here, texts)
    assert successor(here, older) == (newer if decided else None)
    assert states(here) == ["approved" if decided else "open"]


def test_by_no_policy_another_speakers_word_holds(here: Tenant) -> None:
    allow(here, SAME)
    bob = str(here.members["bob"].id)
    older, _ = pair(here, CODES, second={"speaker": bob})
    assert (states(here), successor(here, older)) == (["open"], None)


def test_a_list_made_in_a_group_follows_the_group(here: Tenant) -> None:
    allow(here, ASK)
    readers = ReaderReferences(members=(str(here.members["mina"].id),))
    pair(here, visibility="shared", readers=readers)
    assert states(here) == ["open"]


def test_what_waits_is_decided_once_the_group_says_so(here: Tenant) -> None:
    allow(here, ASK)
    older, newer = pair(here)
    allow(here, OWN)
    assert decided_by(here) == 1
    assert successor(here, older) == newer


Change = Callable[[Tenant, UUID, UUID], Any]


def approved(here: Tenant, older: UUID, newer: UUID) -> None:
    """A curator of the group has shared it there."""
    seat(here, "chidi")
    for group in ("design", "launch"):
        add_to_group(
            organisation_id=here.id,
            group_id=here.groups["design"].id,
            member_ids=[here.members["chidi"].id],
        )
        share_memory(
            here.person("chidi"), older, visibility="group", readers={}, group=group, now=NOW
        )


def reworded(here: Tenant, older: UUID, newer: UUID) -> None:
    seat(here, "chidi")
    text = MALMO.replace("near", "close to")
    edit_memory(here.person("chidi"), newer, {"content": text}, now=NOW)


def protected(here: Tenant, older: UUID, newer: UUID) -> None:
    seat(here, "chidi")
    protect_memory(here.person("chidi"), older, reason="For the register.", now=NOW)


def reported(here: Tenant, older: UUID, newer: UUID) -> None:
    report_memory(here.person("bob"), newer, reason="It is not true.", now=NOW)


def opened(here: Tenant, older: UUID, newer: UUID) -> None:
    [item] = items(here)
    lock_item(here.person("mina"), item.id, now=datetime(2999, 1, 1, tzinfo=UTC))


def over(here: Tenant, older: UUID, newer: UUID) -> None:
    principal = resolve_principal(here.person("mina"))
    with principal.scope():
        row = Memory.objects.select_for_update().get(id=older)
        set_validity(principal, row, {"valid_until": FEBRUARY}, NOW)


@pytest.mark.parametrize("change", [approved, reworded, protected, reported, opened, over])
def test_what_others_have_touched_asks(here: Tenant, change: Change) -> None:
    allow(here, ASK)
    older, newer = pair(here)
    change(here, older, newer)
    allow(here, SAME)
    here.embed()
    assert decided_by(here) == 0
    assert successor(here, older) is None


def update_item(here: Tenant, **fields: Any) -> None:
    with organisation_scope(here.id, using="worker"):
        Proposal.objects.using("worker").filter(organisation_id=here.id).update(**fields)


def test_what_a_robot_or_a_model_proposed_asks(here: Tenant) -> None:
    allow(here, ASK)
    older, newer = pair(here)
    allow(here, OWN)
    clio = here.robots["clio"].id
    for fields in ({"robot_id": clio}, {"robot_id": None, "details": {"found_by": "llm"}}):
        update_item(here, **fields)
        [item] = items(here)
        assert decide_pairs_of(here.id, [newer], now=datetime.now(UTC)) == 0
        assert not decide_item(item, now=datetime.now(UTC))
    update_item(here, details={})
    assert decide_pairs_of(here.id, [newer], now=datetime.now(UTC)) == 1
    assert successor(here, older) == newer


def test_undone_it_waits_for_a_person_and_is_not_decided_again(here: Tenant) -> None:
    older, newer = pair(here)
    [item] = items(here)
    with pytest.raises(NotFoundError):
        undo_review_decision(here.person("bob"), item.id, now=NOW)
    assert undo_review_decision(here.person("mina"), item.id, now=NOW).state == "open"
    assert (successor(here, older), rows(here)[older].valid_until) == (None, None)
    assert decide_pairs_of(here.id, [newer], now=datetime.now(UTC)) == 0
    assert decided_by(here) == 0
    assert (states(here), successor(here, older)) == (["open"], None)
    [waits] = waiting(here.person("mina"))
    read = ReviewDecision(version=1, into_version=rows(here)[older].version)
    done = approve_item(here.person("mina"), waits.id, read, now=NOW)
    assert done.decided_by_id == here.members["mina"].id
    seat(here, "chidi")
    with pytest.raises(PermissionError):
        undo_review_decision(here.person("chidi"), item.id, now=NOW)
    undo_review_decision(here.person("mina"), item.id, now=NOW)
    reject_item(here.person("mina"), item.id, ReviewDecision(), now=NOW)
    here.embed()
    assert (decided_by(here, 2), states(here)) == (0, ["rejected"])


def test_who_said_it_takes_it_back_also_as_one_who_only_reads(here: Tenant) -> None:
    older, _ = pair(here)
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["mina"].id).update(role=Role.VIEWER)
    here.members["mina"].role = Role.VIEWER
    [item] = items(here)
    listed = here.browser("mina").get("/review/?show=decided").content.decode()
    assert "Decided by policy" in listed
    page = here.browser("mina").get(f"/review/{item.id}/").content.decode()
    assert "Undo this decision" in page
    assert "so what they said last holds" in page
    assert UPPSALA.split()[3] in page.partition("The older one")[2]
    assert here.browser("mina").post(f"/review/{item.id}/undo/").status_code == 302
    assert successor(here, older) is None
    with pytest.raises((NotFoundError, AlreadyExistsError)):
        undo_review_decision(here.person("mina"), item.id, now=NOW)


def test_the_owner_of_the_group_and_nobody_else_takes_it_back_too(here: Tenant) -> None:
    give_group(here, "bob")
    older, _ = pair(here)
    [item] = items(here)
    url = f"/api/v1/proposals/{item.id}"
    told = here.browser("bob").get(url).json()
    assert (told["state"], told["decided_by"], told["details"]) == (
        "approved", None, {"policy": "newest_of_own_facts"},
    )  # fmt: skip
    for name in ("ada", "chidi"):
        assert here.browser(name).get(url).status_code == 404
        assert here.browser(name).post(f"{url}/undo", format="json").status_code == 404
    assert here.api("aria").post(f"{url}/undo", format="json").status_code == 404
    assert here.browser("bob").post(f"{url}/undo", format="json").json()["state"] == "open"
    assert successor(here, older) is None


def test_nobody_else_hears_of_it(here: Tenant) -> None:
    pair(here, group="design")
    for name in ("bob", "ada", "chidi", "vera"):
        assert waiting(here.person(name), state="approved") == []
        found = here.browser(name).get("/api/v1/proposals?state=approved").json()["results"]
        assert found == []
