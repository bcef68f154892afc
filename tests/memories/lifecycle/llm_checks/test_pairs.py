"""A language model looks at near pairs: it proposes, is asked once, and may fail."""

import threading
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
from django.db import connections

from memories.curation.edit_memory import edit_memory
from memories.jobs.models import Job, JobType
from memories.jobs.organisation_run import create_run_once
from memories.lifecycle.llm_checks.pair_questions import ask_relation
from memories.lifecycle.llm_checks.stored_answers import ModelAnswer
from memories.llm.questions import QuestionBudget
from memories.review.models import Proposal, ProposalCause
from memories.tasks import run_job
from memories.views.review.item_presenter import reason_sentence
from orgs.database.rls import organisation_scope
from orgs.members.member_settings import set_learning_paused, set_sharing_opt_out
from tests.fake_language_model import FakeModel
from tests.memories.curation.test_decide import waiting
from tests.world import NOW, Tenant

BERLIN = "Lost bags of the airline wait for their owners in Berlin."
MUNICH = "Lost bags of the airline wait for their owners in Munich."
CONTRADICT = {"relation": "contradict"}


@pytest.fixture(autouse=True)
def only_here(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.jobs.run_jobs.list_organisation_ids", lambda: [here.id])


def pair(here: Tenant, **fields: Any) -> tuple[UUID, UUID]:
    return kept(here, BERLIN, **fields), kept(here, MUNICH, **fields)


def kept(here: Tenant, text: str, robot: str = "bolt", **fields: Any) -> UUID:
    id_ = here.remember(here.robot(robot), text, **fields).id
    here.embed()
    return id_


def consolidate(here: Tenant, day: int = 1) -> dict[str, Any]:
    job = create_run_once(here.id, JobType.CONSOLIDATE, f"2026-03-{day:02}", now=NOW)
    assert job is not None
    while run_job():
        pass
    with organisation_scope(here.id, using="worker"):
        done = Job.objects.using("worker").get(id=job.id)
    assert done.state == "done", done.reason
    return done.result


def answers(here: Tenant) -> list[str]:
    with organisation_scope(here.id, using="worker"):
        rows = ModelAnswer.objects.using("worker").filter(organisation_id=here.id)
        return sorted(rows.values_list("answer", flat=True))


@pytest.mark.conformance("N17")
def test_what_it_calls_a_contradiction_is_proposed_and_asked_about_once(
    here: Tenant, model: FakeModel
) -> None:
    older, newer = pair(here)
    model.answer = lambda question: CONTRADICT
    done = consolidate(here)
    assert (done["contradictions"], done["asked"], done["unanswered"]) == (1, 1, 0)
    [item] = waiting(here.person("chidi"))
    assert (item.cause, item.memory_id, item.other_id) == (
        ProposalCause.CONTRADICTION,
        newer,
        older,
    )
    assert item.details == {"found_by": "llm"}
    assert reason_sentence(item, None, "Here").endswith("says a language model")
    assert model.asked == [{"first": BERLIN, "second": MUNICH}], "words alone, no names or ids"
    again = consolidate(here, 2)
    assert (again["contradictions"], again["asked"], len(model.asked)) == (0, 0, 1)
    edit_memory(here.robot("bolt"), newer, {"content": MUNICH.replace("their ", "")}, now=NOW)
    here.embed()
    with organisation_scope(here.id, using="worker"):
        Proposal.objects.using("worker").filter(organisation_id=here.id).delete()
    consolidate(here, 3)
    assert len(model.asked) == 2, "another text is another question"


@pytest.mark.conformance("N17")
def test_without_a_model_everything_is_as_it_was(here: Tenant, settings: Any) -> None:
    pair(here)
    assert settings.LLM_URL == "", "tests run without one"
    done = consolidate(here)
    assert {"asked", "unanswered", "merged"}.isdisjoint(done)
    assert done["contradictions"] == 0
    assert (waiting(here.person("chidi")), answers(here)) == ([], [])


@pytest.mark.parametrize("word", ["same", "different"])
def test_any_other_word_changes_nothing(here: Tenant, model: FakeModel, word: str) -> None:
    pair(here)
    model.answer = lambda question: {"relation": word}
    assert consolidate(here)["contradictions"] == 0
    assert (waiting(here.person("chidi")), answers(here)) == ([], [word])
    consolidate(here, 2)
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    "nonsense",
    [
        "{",
        "I cannot.",
        [1],
        {},
        {"relation": "merge"},
        {"relation": ["contradict"]},
        {"relation": None},
        "[" * 100_000,
        "x" * 4_100_000,
    ],
)
def test_nonsense_is_counted_and_asked_again_another_day(
    here: Tenant, model: FakeModel, nonsense: Any
) -> None:
    pair(here)
    model.answer = lambda question: nonsense
    done = consolidate(here)
    assert (done["asked"], done["unanswered"], done["contradictions"]) == (1, 1, 0)
    assert answers(here) == []
    model.answer = lambda question: CONTRADICT
    assert consolidate(here, 2)["contradictions"] == 1


def test_a_model_that_hangs_is_left_alone_and_the_run_ends(
    here: Tenant, model: FakeModel, settings: Any
) -> None:
    settings.LLM_TIMEOUT = 0.2
    for city in ("Berlin", "Munich", "Oslo", "Rome", "Paris", "Madrid"):
        kept(here, BERLIN.replace("Berlin", city))
    model.hangs = threading.Event()
    done = consolidate(here)
    assert (done["asked"], done["unanswered"]) == (3, 3), "after three it asks no more"


def test_a_run_asks_no_more_than_its_budget(here: Tenant, model: FakeModel, settings: Any) -> None:
    settings.LLM_PAIRS = 2
    model.answer = lambda question: {"relation": "different"}
    for city in ("Berlin", "Munich", "Oslo", "Rome"):
        kept(here, BERLIN.replace("Berlin", city))
    assert consolidate(here)["asked"] == len(model.asked) == 2
    assert consolidate(here, 2)["asked"] == 2
    assert len({str(one) for one in model.asked}) == 4, "the next run goes on"


@pytest.mark.parametrize("how", ["private", "sensitive", "out", "paused"])
def test_what_may_not_be_shown_is_not_asked_about(here: Tenant, model: FakeModel, how: str) -> None:
    mina = here.person("mina")
    fields: dict[str, Any] = {"group": "launch", "member": str(here.members["mina"].id)}
    if how == "private":
        for text in (BERLIN, MUNICH):
            here.remember(mina, text, visibility="private")
        here.embed()
    else:
        pair(here, robot="aria", **fields, sensitive=how == "sensitive")
    if how == "out":
        set_sharing_opt_out(mina, out=True, now=NOW)
    if how == "paused":
        set_learning_paused(mina, paused=True, now=NOW)
    model.answer = lambda question: CONTRADICT
    assert (consolidate(here)["asked"], model.asked) == (0, [])


def test_the_group_may_be_asked_about(here: Tenant, model: FakeModel) -> None:
    """The counterpart of the test before: the same pair without a reason against it."""
    pair(here, robot="aria", group="launch", member=str(here.members["mina"].id))
    model.answer = lambda question: CONTRADICT
    assert consolidate(here)["asked"] == len(model.asked) == 1


def test_a_pair_that_changes_while_the_model_thinks_is_not_proposed(
    here: Tenant, model: FakeModel
) -> None:
    _, newer = pair(here)

    def answer(question: dict[str, Any]) -> dict[str, str]:
        try:
            change = {"content": "Lost bags of the airline wait for their owners in Oslo."}
            edit_memory(here.robot("bolt"), newer, change, now=NOW)
        finally:
            connections.close_all()
        return CONTRADICT

    model.answer = answer
    assert consolidate(here)["contradictions"] == 0
    assert (waiting(here.person("chidi")), answers(here)) == ([], [])


def test_two_workers_ask_at_once_and_one_answer_stays(here: Tenant, model: FakeModel) -> None:
    older, newer = pair(here)
    both = Barrier(2)

    def answer(question: dict[str, Any]) -> dict[str, str]:
        both.wait(10)
        return CONTRADICT

    model.answer = answer

    def work(_: int) -> str | None:
        try:
            return ask_relation(here.id, newer, older, QuestionBudget(5), now=NOW)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(work, range(2))) == ["contradict", "contradict"]
    assert (len(model.asked), answers(here)) == (2, ["contradict"])
