"""An erasure deletes the consent of a member and every question, since any may name them."""

import pytest

from memories.privacy.request_erasure import erase_member
from memories.questions.consent import find_member_consent
from memories.questions.models import QuestionConsent
from orgs.database.rls import organisation_scope
from tests.databases import rolled_back_connection
from tests.memories.privacy.erasure.test_erase_member import finish
from tests.memories.questions.asking import agree, ask, askers, kept
from tests.world import NOW, World


@pytest.mark.conformance("X14")
def test_nothing_that_an_erased_member_asked_is_left(lasting_world: World) -> None:
    here, there = lasting_world.here, lasting_world.there
    agree(here, "mina", "bob")
    agree(there, "mina")
    ask(here.person("mina"))
    ask(here.person("bob"), "Which printer is broken?")
    ask(there.person("mina"))
    mina = here.members["mina"].id
    finish(here, erase_member(here.person("mina"), mina, confirm=str(mina), now=NOW))
    assert kept(here) == askers(here) == []
    with organisation_scope(here.id):
        consents = QuestionConsent.objects.filter(organisation_id=here.id)
        assert [one.member_id for one in consents] == [here.members["bob"].id]
    # Whoever stays goes on being asked as before.
    ask(here.person("bob"))
    assert find_member_consent(here.person("bob")) == NOW
    assert len(kept(here)) == len(kept(there)) == 1


def test_an_organisation_that_goes_takes_its_questions_along(lasting_world: World) -> None:
    here = lasting_world.here
    agree(here, "mina")
    ask(here.person("mina"))
    with rolled_back_connection("admin") as admin:
        admin.execute("DELETE FROM orgs_organisation WHERE id = %s", [here.id])
        for table in ("question", "questionasker", "questionconsent"):
            rows = admin.execute(
                f"SELECT count(*) FROM memories_{table} WHERE organisation_id = %s", [here.id]
            ).fetchone()
            assert rows == (0,), table
