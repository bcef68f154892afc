"""A kept question is seen by its asker and by curators of where it was asked, who see no asker."""

from dataclasses import replace
from uuid import UUID

import pytest
from django.db import ProgrammingError

from memories.privacy.export_my_data import iter_export
from memories.privacy.opt_out import set_sharing
from memories.questions.consent import find_member_consent
from memories.questions.models import Question, QuestionAsker
from memories.questions.work_list import close_questions, list_own_questions, list_questions
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.members.members import remove_member
from orgs.models.audit import AuditEntry
from orgs.principals import resolve_principal
from tests.databases import autocommit_connection
from tests.memories.questions.asking import QUESTION, agree, ask, askers, kept
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("X14")


def seen(here: Tenant, who: str) -> set[UUID]:
    """The ids of the questions that the database shows to a member."""
    with resolve_principal(here.person(who)).scope():
        return set(Question.objects.values_list("id", flat=True))


def open_group(here: Tenant, group: str, *, confidential: bool) -> None:
    row = here.groups[group]
    row.confidential = confidential
    with organisation_scope(here.id):
        row.save(update_fields=["confidential"])


def test_the_database_shows_questions_to_curators_and_askers_alone(lasting_world: World) -> None:
    here, there = lasting_world.here, lasting_world.there
    agree(here, "mina", "bob")
    ask(here.person("mina"))
    [only] = kept(here)
    for who in ("ada", "chidi", "mina"):
        assert seen(here, who) == {only.id}, who
    for who in ("bob", "vera"):
        assert seen(here, who) == set(), who
    assert seen(there, "ada") == set()
    for robot in ("aria", "bolt"):
        with resolve_principal(here.robot(robot)).scope():
            assert not Question.objects.exists()


def test_a_curator_reads_no_row_of_an_asker(lasting_world: World) -> None:
    here = lasting_world.here
    agree(here, "mina")
    ask(here.person("mina"))
    for who, rows in (("ada", 0), ("chidi", 0), ("bob", 0), ("mina", 1)):
        with resolve_principal(here.person(who)).scope():
            assert QuestionAsker.objects.count() == rows, who


def test_of_a_group_only_those_who_curate_it_see_questions(lasting_world: World) -> None:
    here = lasting_world.here
    agree(here, "aria")
    ask(here.robot("aria"), group="launch")
    for confidential, sees in ((True, 0), (False, 1)):
        open_group(here, "launch", confidential=confidential)
        found = list_questions(here.person("chidi"), now=NOW)
        assert [one.group for one in found] == ["#launch"] * sees
        assert len(seen(here, "chidi")) == sees


def test_an_answered_question_is_its_askers_alone(lasting_world: World) -> None:
    here = lasting_world.here
    agree(here, "mina")
    ask(here.person("mina"))
    with autocommit_connection("admin") as admin:
        admin.execute(
            "UPDATE memories_question SET reason = '' WHERE organisation_id = %s", [here.id]
        )
    assert seen(here, "chidi") == set()
    assert len(seen(here, "mina")) == 1


def test_a_curator_changes_no_word_and_makes_no_question(lasting_world: World) -> None:
    here = lasting_world.here
    agree(here, "mina")
    ask(here.person("mina"))
    [only] = kept(here)
    with resolve_principal(here.person("chidi")).scope():
        assert Question.objects.filter(id=only.id).update(reason="rated") == 0
    with (
        pytest.raises(ProgrammingError, match="permission denied"),
        resolve_principal(here.person("chidi")).scope(),
    ):
        Question.objects.filter(id=only.id).update(sealed="x")
    # Nor does the asker delete it past the consent.
    with resolve_principal(here.person("mina")).scope():
        assert Question.objects.filter(id=only.id).delete()[0] == 0
    with (
        pytest.raises(ProgrammingError, match="permission denied"),
        organisation_scope(here.id, using="worker"),
    ):
        list(Question.objects.using("worker").all())


def test_who_leaves_or_answers_takes_all_alike_off_the_list(lasting_world: World) -> None:
    here = lasting_world.here
    agree(here, "mina", "bob")
    ask(here.person("mina"))
    ask(here.person("bob"), "When does the canteen open on Fridays?")
    ask(here.person("bob"), "Who waters the plants?")
    chidi = here.person("chidi")
    plants, canteen = sorted(list_questions(chidi, now=NOW), key=lambda one: one.times)
    assert (canteen.times, len(canteen.texts)) == (2, 2)
    for who in ("bob", "vera"):
        with pytest.raises(NotFoundError):
            close_questions(here.person(who), canteen.id, answered=False, now=NOW)
    close_questions(chidi, canteen.id, answered=False, now=NOW)
    assert [one.texts for one in list_questions(chidi, now=NOW)] == [("Who waters the plants?",)]
    close_questions(chidi, plants.id, answered=True, now=NOW)
    assert kept(here) == []
    with pytest.raises(NotFoundError):
        close_questions(chidi, plants.id, answered=True, now=NOW)
    with organisation_scope(here.id):
        rows = AuditEntry.objects.filter(action__startswith="question.").order_by("id")
        found = [(row.action, row.member, row.target, row.detail) for row in rows]
    me = here.members["chidi"].id
    assert found == [
        ("question.left", me, canteen.id, {}),
        ("question.answered", me, plants.id, {}),
    ]


def test_a_curator_closes_nothing_of_a_group_that_they_do_not_read(lasting_world: World) -> None:
    here = lasting_world.here
    agree(here, "aria")
    open_group(here, "launch", confidential=True)
    ask(here.robot("aria"), group="launch")
    [only] = kept(here)
    with pytest.raises(NotFoundError):
        close_questions(here.person("chidi"), only.id, answered=False, now=NOW)
    assert len(kept(here)) == 1


def test_a_member_takes_their_questions_along(lasting_world: World) -> None:
    here = lasting_world.here
    agree(here, "mina", "bob", "aria")
    ask(here.person("mina"))
    mina = str(here.members["mina"].id)
    ask(here.robot("aria"), "Who waters the plants?", member=mina, group="launch")
    ask(here.person("bob"), "Which printer is broken?")
    ask(here.robot("aria"), "Where is the spare projector?", group="launch")
    own = {QUESTION, "Who waters the plants?"}
    assert {one.text for one in list_own_questions(here.person("mina"))} == own
    lines = b"".join(iter_export(here.person("mina"))).decode()
    assert all(text in lines for text in own)
    assert "printer" not in lines
    assert "projector" not in lines
    assert list_own_questions(here.person("chidi")) == []


@pytest.mark.parametrize("way", ["removed", "opted out"])
def test_who_leaves_or_opts_out_withdraws(lasting_world: World, way: str) -> None:
    here = lasting_world.here
    agree(here, "mina", "bob")
    ask(here.person("mina"))
    ask(here.person("bob"))
    if way == "removed":
        remove_member(here.person("ada"), member_id=here.members["mina"].id, now=NOW)
    else:
        set_sharing(here.person("mina"), out=True, now=NOW)
    assert len(kept(here)) == len(askers(here)) == 1
    assert find_member_consent(here.person("bob")) == NOW
    if way == "opted out":
        assert find_member_consent(here.person("mina")) is None


def test_what_a_key_asks_that_opens_some_groups_is_not_for_all_curators(
    lasting_world: World,
) -> None:
    here = lasting_world.here
    agree(here, "aria")
    aria = replace(here.robot("aria"), key_groups=frozenset({here.groups["launch"].id}))
    ask(aria)
    assert kept(here) == []
    ask(aria, group="launch")
    assert len(kept(here)) == 1
