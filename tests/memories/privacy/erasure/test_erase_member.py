"""A member is erased everywhere, and what others know stands (T14)."""

import pytest

from memories.jobs.models import Job, JobState
from memories.jobs.run_jobs import run_job
from memories.privacy.erasure.erasure_run import Erasure
from memories.privacy.receipts import create_link, get_receipt
from memories.privacy.request_erasure import erase_member
from memories.review.models import Proposal, ProposalCause
from memories.store.models.memory import Memory
from memories.store.models.version import Version
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.principals import resolve_principal
from tests.databases import rolled_back_connection
from tests.memories.privacy.erasure.canaries import found_in_rows, plant_canaries, plant_sealed
from tests.world import NOW, Tenant, World


def finish(here: Tenant, erasure: Erasure) -> None:
    """Do its job, as a worker would."""
    for _ in range(10):
        if not run_job(here.id, erasure.job_id, None):
            break
    with organisation_scope(here.id, using="worker"):
        job = Job.objects.using("worker").filter(id=erasure.job_id).first()
    assert job is not None
    assert job.state == JobState.DONE, (job.state, job.reason)


@pytest.mark.conformance("T14")
def test_nothing_of_a_member_is_left_and_the_others_knowledge_stands(lasting_world: World) -> None:
    here = lasting_world.here
    planted = plant_canaries(here)
    sealed = plant_sealed(planted)
    with rolled_back_connection("admin") as admin:
        before = found_in_rows(admin)
    assert len({word.lower() for words in before.values() for word in words}) >= 20
    expected = {"memories_memory", "memories_version", "memories_text", "memories_proposal"}
    expected |= {"robots_message", "robots_conversation", "orgs_member", "memories_entity"}
    assert expected <= set(before), before

    mina = here.members["mina"].id
    erasure = erase_member(here.person("mina"), mina, confirm=str(mina), now=NOW)
    finish(here, erasure)
    here.embed()

    with rolled_back_connection("admin") as admin:
        assert found_in_rows(admin) == {}
    bob = resolve_principal(here.person("bob"))
    with bob.scope():
        left = {row.id: row for row in Memory.objects.filter(id__in=planted.theirs)}
        assert set(left) == set(planted.theirs)
        assert {row.status for row in left.values()} == {"active"}
        texts = [row.content for row in left.values()]
        assert "Bob sent the plans to [removed] on Friday." in texts
        items = Proposal.objects.filter(cause=ProposalCause.MENTION)
        assert set(items.values_list("memory_id", flat=True)) == {*planted.theirs[:2], sealed}
        # No search of the database finds what is encrypted; it is hidden all the same.
        assert left[sealed].content == "[removed] has 13."
        assert [v.content for v in Version.objects.filter(memory_id=sealed)] == [
            "The code of [removed] is 12."
        ]
    with organisation_scope(here.id):
        member = Member.objects.get(id=mina)
        assert (member.name, member.user_id) == ("Erased member", None)
    receipt = get_receipt(create_link(erasure))
    assert receipt.finished_at is not None
    assert receipt.counts["memories"] == len(planted.hers) + 2
    assert receipt.mentions == 3
