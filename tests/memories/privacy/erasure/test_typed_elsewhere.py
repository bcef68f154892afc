"""Words of an erased member that stand in what a colleague began."""

from uuid import UUID

from memories.curation.review_decisions import ReviewDecision, reject_item
from memories.review.models import Proposal, ProposalState
from memories.review.propose import propose_correction
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.members.members import change_role
from orgs.principals import resolve_principal
from robots.models.robots import Robot
from tests.databases import rolled_back_connection
from tests.memories.privacy.erasure.canaries import found_in_rows
from tests.memories.privacy.erasure.test_beside_others import erased
from tests.personas.persona_helpers import make_robot_client
from tests.world import NOW, Tenant, World


def left(*words: str) -> dict[str, list[str]]:
    """Where these stand still; other tests leave words of their own."""
    with rolled_back_connection("admin") as admin:
        rows = found_in_rows(admin)
    found = {table: sorted({*words} & {one.lower() for one in rows[table]}) for table in rows}
    return {table: those for table, those in found.items() if those}


def item_about(here: Tenant, id_: UUID) -> tuple[Proposal, int]:
    with resolve_principal(here.person("chidi")).scope():
        item = Proposal.objects.get(memory_id=id_, state=ProposalState.OPEN)
        return item, Memory.objects.get(id=id_).version


def test_her_answer_to_a_dissent_goes(lasting_world: World) -> None:
    """On a decision of Bob's, which she answered while she curated."""
    here = lasting_world.here
    bob = here.browser("bob")
    body = {"topic": "tea time", "conclusion": "Tea is at nine.", "group": "launch"}
    made = bob.post("/api/v1/decisions", body, format="json").json()["id"]
    against = {"kind": "minor_quibble", "content": "Too early."}
    said = bob.post(f"/api/v1/decisions/{made}/dissents", against, format="json").json()
    curate(here)
    url = f"/api/v1/decisions/{made}/dissents/{said['id']}"
    told = {"rebuttal": "I need my zwkxqdissen."}
    answered = here.browser("mina").patch(url, told, format="json")
    assert answered.status_code == 200, answered.content
    erased(here)
    assert left("zwkxqdissen") == {}


def test_reasons_that_she_typed_as_a_curator_go(lasting_world: World) -> None:
    here = lasting_world.here
    theirs = here.remember(here.robot("aria"), "Tea is at nine.", visibility="organisation").id
    propose_correction(here.person("bob"), theirs, content="Tea is at ten.", now=NOW)
    item, version = item_about(here, theirs)
    curate(here)
    answer = ReviewDecision(version=version, reason="No, for my zwkxqreason stands there.")
    reject_item(here.person("mina"), item.id, answer, now=NOW)
    erased(here)
    assert left("zwkxqreason") == {}


def curate(here: Tenant) -> None:
    mina = here.members["mina"]
    change_role(here.person("ada"), member_id=mina.id, role="curator", now=NOW)
    mina.role = "curator"


def test_what_she_told_her_own_robot_to_be_goes(lasting_world: World) -> None:
    """Purpose, personality and metadata of a personal robot, and the label of its key."""
    here = lasting_world.here
    robot = make_robot_client(here, "mina")
    with organisation_scope(here.id):
        id_ = Robot.objects.get(owner_id=here.members["mina"].id).public_id
    given = {
        "purpose": "Remind me of my zwkxqpurpos.",
        "personality": "Speak gently of my zwkxqperson.",
        "metadata": {"note": "zwkxqmetada"},
    }
    assert robot.patch(f"/api/v1/robots/{id_}", given, format="json").status_code == 200
    label = {"label": "for my zwkxqlabelo"}
    assert (
        here.browser("mina").post("/api/v1/me/robot/keys", label, format="json").status_code == 201
    )
    words = ("zwkxqpurpos", "zwkxqperson", "zwkxqmetada", "zwkxqlabelo")
    erased(here)
    assert left(*words) == {}
