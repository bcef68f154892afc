"""An answer as it is written: no sentence is sent before it is held to the memories it cites."""

import json
import threading
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.http import StreamingHttpResponse
from django.utils import timezone

from memories.answers import answer_question
from memories.answers.model_usage import get_usage
from memories.answers.written_answer import MAX_CHARACTERS, MAX_SENTENCES, StreamedSentences
from memories.lifecycle.forget import forget_memory
from orgs.database.rls import organisation_scope
from orgs.database.time_budget import TimeBudget, current_budget, open_budget
from tests.fake_language_model import FakeModel, fake_model
from tests.memories.answers.test_written_answer import (
    BOARD,
    LIES,
    QUESTION,
    SENTENCE,
    URL,
    number,
    says,
)
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("X18")
FRIDAY = ("The harbour app has its launch on Friday.", ["Friday"])
MARCH = ("The board wants the launch no later than 6 March.", ["6 March"])


@pytest.fixture
def model(settings: Any) -> Iterator[FakeModel]:
    with fake_model(settings) as found:
        yield found


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    here = lasting_world.here
    here.remember(here.robot("aria"), f"Good morning! {SENTENCE}", speaker="Mina")
    here.remember(here.robot("aria"), BOARD, key="board")
    here.remember(here.robot("aria"), "The harbour app has a printer icon.")
    here.embed()
    return here


def stream(here: Tenant, query: str = QUESTION, **more: Any) -> StreamingHttpResponse:
    body = {"query": query, "stream": True, **more}
    answer = here.api("aria").post(URL, body, format="json")
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/event-stream"), answer
    return answer


def read(answer: StreamingHttpResponse) -> Iterator[tuple[str, Any]]:
    """The events as they come."""
    for part in answer:
        name, data, end = part.decode().split("\n", 2)
        assert end == "\n"
        yield name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def ask(here: Tenant, query: str = QUESTION, **more: Any) -> list[tuple[str, Any]]:
    return list(read(stream(here, query, **more)))


def count_questions(here: Tenant) -> int:
    with organisation_scope(here.id):
        return get_usage(here.id, now=timezone.now()).questions


def test_by_rules_the_last_event_is_the_answer(here: Tenant) -> None:
    (first, recall), (last, answer) = ask(here)
    assert (first, last) == ("recall", "answer")
    assert recall == {"answered": "yes", "confidence": answer["confidence"]}
    whole = here.api("aria").post(URL, {"query": QUESTION}, format="json").json()
    assert (answer["text"], answer.keys()) == (whole["text"], whole.keys())
    assert SENTENCE in answer["text"]


def test_each_sentence_comes_before_the_model_has_ended(here: Tenant, model: FakeModel) -> None:
    goes_on = threading.Event()

    def cut(text: str) -> Iterator[str]:
        head, tail = text.split(MARCH[0])
        yield head
        assert goes_on.wait(20)
        yield from (MARCH[0], tail)

    says(model, FRIDAY, MARCH)
    model.cut, model.usage = cut, {"prompt_tokens": 7, "completion_tokens": 5}
    events = read(stream(here))
    assert next(events)[0] == "recall"
    name, told = next(events)
    assert (name, told["text"]) == ("sentence", FRIDAY[0])
    assert not goes_on.is_set(), "the model has not said the second one"
    goes_on.set()
    name, second = next(events)
    [(last, answer)] = events
    assert (name, second["text"], last, answer["by"]) == ("sentence", MARCH[0], "answer", "model")
    assert answer["text"] == f"{FRIDAY[0]}\n{MARCH[0]}"
    assert [one["id"] for one in answer["citations"]] == [*told["memories"], *second["memories"]]
    with organisation_scope(here.id):
        totals = get_usage(here.id, now=timezone.now())
    assert (totals.questions, totals.prompt_tokens, totals.completion_tokens) == (1, 7, 5)


def test_no_lie_is_ever_sent(here: Tenant, model: FakeModel) -> None:
    for lie in LIES.values():
        says(model, lie, FRIDAY, FRIDAY)
        events = ask(here)
        assert [name for name, _ in events] == ["recall", "sentence", "answer"], lie
        assert (events[1][1]["text"], events[2][1]["text"]) == (FRIDAY[0], FRIDAY[0])
    says(model, *list(LIES.values())[:MAX_SENTENCES])
    *events, (_, answer) = ask(here)
    assert [name for name, _ in events] == ["recall"]
    assert (answer["by"], answer["not_by_model"]) == ("rules", "unsupported")


def test_what_is_forgotten_while_the_model_speaks_is_not_sent(
    here: Tenant, model: FakeModel
) -> None:
    [board] = here.api("aria").get("/api/v1/memories?key=board").json()["results"]
    goes_on = threading.Event()

    def cut(text: str) -> Iterator[str]:
        head, tail = text.split(MARCH[0])
        yield head
        assert goes_on.wait(20)
        yield MARCH[0] + tail

    says(model, FRIDAY, MARCH)
    model.cut = cut
    events = read(stream(here))
    assert [next(events)[0] for _ in "ab"] == ["recall", "sentence"]
    forget_memory(here.robot("aria"), UUID(board["id"]), now=timezone.now())
    goes_on.set()
    [(name, answer)] = events
    assert (name, answer["text"], answer["by"]) == ("answer", FRIDAY[0], "model")
    assert "6 March" not in json.dumps(answer)


def test_who_leaves_has_asked_all_the_same(here: Tenant, model: FakeModel) -> None:
    says(model, FRIDAY, MARCH)
    answer = stream(here)
    parts = iter(answer)
    assert b"recall" in next(parts)
    assert count_questions(here) == 0, "nobody is asked before the first event is read"
    assert b"Friday" in next(parts)
    answer.close()
    assert count_questions(here) == 1


def test_a_call_that_is_stopped_has_asked_all_the_same(
    here: Tenant, model: FakeModel, settings: Any
) -> None:
    """Without that, whoever hangs up at once asks without an end."""
    budget = TimeBudget(30)

    def answer(question: Any) -> Any:
        budget.stop("The client has left.")
        return {"sentences": [{"text": FRIDAY[0], "cites": [number(question, "Friday")]}]}

    model.answer = answer
    outer = current_budget()
    open_budget(budget)
    try:
        gone = here.api("aria").post(URL, {"query": QUESTION}, format="json")
    finally:
        open_budget(outer)
    assert (gone.status_code, gone.json()["type"]) == (503, "urn:commonmind:problem:out-of-time")
    assert (len(model.asked), count_questions(here)) == (1, 1)


@pytest.mark.parametrize("cut", [None, lambda text: [text], list])
def test_however_the_server_cuts_it_the_answer_is_the_same(
    here: Tenant, model: FakeModel, cut: Any
) -> None:
    says(model, FRIDAY, MARCH)
    model.cut = cut
    events = ask(here)
    assert [name for name, _ in events] == ["recall", "sentence", "sentence", "answer"]
    assert events[-1][1]["text"] == f"{FRIDAY[0]}\n{MARCH[0]}"


@pytest.mark.parametrize("nonsense", ["no JSON", "[]", {"sentences": "x"}, {"sentences": [1]}])
def test_nonsense_leaves_the_answer_to_the_rules(
    here: Tenant, model: FakeModel, nonsense: Any
) -> None:
    model.answer = lambda question: nonsense
    *events, (_, answer) = ask(here)
    assert [name for name, _ in events] == ["recall"]
    assert (answer["by"], SENTENCE in answer["text"]) == ("rules", True)


def test_what_is_wrong_with_the_question_is_an_ordinary_problem(
    here: Tenant, model: FakeModel, settings: Any
) -> None:
    for status, body in (
        (400, {"limit": 51}),
        (404, {"group": "nowhere"}),
        (400, {"stream": "often"}),
    ):
        refused = here.api("aria").post(
            URL, {"query": QUESTION, "stream": True, **body}, format="json"
        )
        assert (refused.status_code, refused["Content-Type"]) == (
            status,
            "application/problem+json",
        )
    settings.LLM_URL = ""
    refused = here.api("aria").post(
        URL, {"query": QUESTION, "stream": True, "by": "model"}, format="json"
    )
    assert refused.status_code == 409


def test_what_fails_in_the_middle_is_told(
    here: Tenant, model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError(SENTENCE)

    monkeypatch.setattr(answer_question, "_by_model", fail)
    says(model, FRIDAY)
    *_, (name, problem) = ask(here)
    assert (name, problem["type"], problem["status"]) == (
        "error",
        "urn:commonmind:problem:error",
        500,
    )
    assert (bool(problem["request_id"]), SENTENCE in str(problem)) == (True, False)


def told(*pieces: str) -> list[Any]:
    said = StreamedSentences()
    return [one for piece in pieces for one in said.read(piece)]


def test_sentences_are_read_out_of_json_that_is_cut_anywhere() -> None:
    given = [{"text": 'a "} ] {" b', "cites": [1]}, {"text": "é🙂", "cites": []}, {"text": "c"}]
    for text in (json.dumps({"sentences": given}), json.dumps({"x": 1, "sentences": given})):
        assert told(*text) == given
        assert told(text) == given
        assert told("```json\n", text[:20], text[20:], "\n```") == given
    assert told('{"sentences": [], "other": [{"text": "no"}]}') == []
    assert told('{"sentences": [', *(['{"text": "x"},'] * 50)) == [{"text": "x"}] * MAX_SENTENCES


def test_an_object_without_an_end_is_not_waited_for() -> None:
    said = StreamedSentences()
    said.read('{"sentences": [{"text": "')
    for _ in range(50_000):
        assert said.read("}" * 20) == []
    assert len(said._text) < 10 * MAX_CHARACTERS
    assert said.read('"}, {"text": "late"}') == []
