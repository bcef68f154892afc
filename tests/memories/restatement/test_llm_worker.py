"""The optional language model: what it is shown, what is believed of it, what if it fails (A26)."""

import json
import logging
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID

import pytest
from django.db import connections
from django.utils import timezone

from memories.curation.edit_memory import edit_memory
from memories.knowledge_graph.models import Entity
from memories.lifecycle.forget import forget_memory
from memories.restatement import llm_worker
from memories.restatement.models import PendingRestatement
from orgs.database.rls import organisation_scope
from orgs.members.member_settings import set_sharing_opt_out
from orgs.principals import resolve_principal
from tests.memories.restatement.test_restate import chat, member, restated
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("A26")
Answer = Callable[[dict[str, Any]], Any]


class Model:
    """A server on this machine that speaks as much of the chat API as is used."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.answer: Answer = lambda turn: turn["text"]
        self.raw: str | None = None
        self.status = 200

    def reply(self, body: dict[str, Any]) -> bytes:
        question = json.loads(body["messages"][1]["content"])
        self.asked.append(question)
        turns = [
            {"turn": t["turn"], "restatement": self.answer(t), "persons": ["Daniel", "Nobody"],
             "keywords": ["demo"], "topic": "demo", "location": "Atlantis",
             "entities": [{"name": "Daniel", "type": "person"}, {"name": "X9", "type": "person"}]}
            for t in question["conversation"] if "turn" in t
        ]  # fmt: skip
        content = json.dumps({"turns": turns}) if self.raw is None else self.raw
        return json.dumps({"choices": [{"message": {"content": content}}]}).encode()


@pytest.fixture
def model(settings: Any) -> Iterator[Model]:
    found = Model()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            found.keys.append(self.headers["Authorization"])
            told = found.reply(body)
            self.send_response(found.status)
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        settings.LLM_URL = f"http://127.0.0.1:{server.server_port}/v1"
        settings.LLM_MODEL, settings.LLM_KEY, settings.LLM_TIMEOUT = "small", "secret", 5
        yield found
        server.shutdown()
        thread.join()


def work(tenant: Tenant, at: Any = None) -> int:
    return llm_worker.restate_pending(tenant.id, now=at or timezone.now())


def owed(tenant: Tenant) -> list[tuple[UUID, str, int]]:
    with resolve_principal(tenant.robot("aria")).scope():
        rows = PendingRestatement.objects.filter(organisation_id=tenant.id)
        return list(rows.values_list("memory_id", "state", "attempts"))


def talk(tenant: Tenant) -> list[UUID]:
    mina, bob = member(tenant, "mina"), member(tenant, "bob")
    return chat(
        tenant,
        {"content": "Daniel and Peter prepare the demo.", "speaker": mina},
        {"content": "he needs 3 screens tomorrow, not 4", "speaker": bob},
    )


def test_a_better_answer_takes_the_place_of_the_rules(lasting_world: World, model: Model) -> None:
    here = lasting_world.here
    first, second = talk(here)
    assert restated(here, second)["text"] == "he needs 3 screens on 2026-01-06, not 4", "two may be"
    better = "Daniel needs 3 screens for the demo on 2026-01-06, not 4."
    model.answer = lambda turn: better if turn["text"].startswith("he ") else turn["text"]
    assert work(here) == 2
    found = restated(here, second)
    assert (found["text"], found["source"]) == (better, "llm")
    assert (found["persons"], found["location"]) == (["Daniel"], ""), "only what it was shown"
    assert found["entities"] == [{"name": "Daniel", "type": "person"}]
    with resolve_principal(here.robot("aria")).scope():
        named = Entity.objects.filter(memory_id=second, source="llm")
        assert list(named.values_list("name", "type")) == [("Daniel", "person")]
    body = here.api("aria").get(f"/api/v1/memories/{second}").json()
    assert body["content"] == "he needs 3 screens tomorrow, not 4", "word for word"
    assert (owed(here), work(here), len(model.asked), model.keys) == ([], 0, 1, ["Bearer secret"])
    said = model.asked[0]["conversation"]
    assert [turn["speaker"] for turn in said] == ["Mina", "Bob"]
    # What it read out of a turn goes with the turn.
    forget_memory(here.robot("aria"), first, now=NOW)
    assert restated(here, second)["text"] == "he needs 3 screens on 2026-01-06, not 4"
    with resolve_principal(here.robot("aria")).scope():
        assert not Entity.objects.filter(memory_id=second, source="llm").exists()
    # Edited, it is owed again, and until then the rules speak.
    edit_memory(here.robot("aria"), second, {"content": "he needs 5 screens tomorrow"}, now=NOW)
    assert restated(here, second)["source"] == "rules"
    assert [row[0] for row in owed(here)] == [second]


@pytest.mark.parametrize(
    "worse",
    [
        "Daniel needs screens on 2026-01-06, not 4.",
        "Daniel needs 3 screens on 2026-01-07, not 4.",
        "Daniel needs 3 screens soon, not 4.",
        "Daniel needs 3 screens on 2026-01-06, and 4.",
        "Daniel needs 3 screens on 2026-01-06, not 4, for 900 euros.",
        "Sabine needs 3 screens on 2026-01-06, not 4.",
        "",
        17,
        None,
    ],
)
def test_an_answer_that_does_not_hold_is_dropped(
    lasting_world: World, model: Model, worse: Any
) -> None:
    here = lasting_world.here
    _, second = talk(here)
    before = restated(here, second)
    model.answer = lambda turn: worse if turn["text"].startswith("he ") else turn["text"]
    assert work(here) == 2
    assert restated(here, second) == before
    assert owed(here) == [], "never worse than without, and not asked for ever"


@pytest.mark.parametrize("raw", ["I cannot do that.", '{"turns": [{"turn": 99}]}', "[1]", "{"])
def test_nonsense_and_outages_are_tried_again_later(
    lasting_world: World, model: Model, raw: str, caplog: pytest.LogCaptureFixture
) -> None:
    here = lasting_world.here
    first, second = talk(here)
    before = restated(here, second)
    model.raw = raw
    now = timezone.now()
    with caplog.at_level(logging.DEBUG):
        assert work(here, now) == 2
        model.raw, model.status = None, 500
        assert work(here, now) == 0, "not at once"
        for attempt in range(2, 6):
            assert work(here, now + timedelta(hours=attempt)) == 2
    assert restated(here, second) == before
    assert {(state, attempts) for _, state, attempts in owed(here)} == {("dead", 5)}
    assert work(here, now + timedelta(days=9)) == 0
    # Seen by who reads the turns and curates, and asked about again by them.
    with organisation_scope(here.id):
        here.groups["launch"].confidential = False
        here.groups["launch"].save(update_fields=["confidential"])
    chidi = make_signed_in_client(here, "chidi")
    page = response_text(chidi.get("/jobs/"))
    assert "2 memories have only what the rules worked out" in page
    assert "ModelAnswerError: status 500" in page
    assert "did not answer" not in response_text(make_signed_in_client(here, "mina").get("/jobs/"))
    assert make_signed_in_client(here, "mina").post("/jobs/model/retry/").status_code == 404
    chidi.post("/jobs/model/retry/")
    model.status = 200
    assert work(here) == 2
    assert restated(here, first)["source"] == "llm"
    assert "screens" not in caplog.text
    assert "Daniel" not in caplog.text


def test_what_is_in_confidence_is_never_shown(lasting_world: World, model: Model) -> None:
    here = lasting_world.here
    mina = member(here, "mina")
    shared = {"group": "launch", "conversation": "monday", "occurred_at": NOW}
    aria = here.robot("aria")
    here.remember(aria, "Open one.", position=1, **shared)
    here.remember(aria, "Sensitive one.", position=2, sensitive=True, **shared)
    here.remember(aria, "Private one.", member=mina, conversation="monday", visibility="private")
    here.remember(aria, "Internal one.", conversation="monday", visibility="internal")
    here.remember(
        aria, "Listed one.", position=3, visibility="protected", listeners=(mina,), **shared
    )
    here.remember(aria, "Bob said one.", position=4, speaker=member(here, "bob"), **shared)
    here.remember(aria, "Open two.", position=5, **shared)
    heard = (member(here, "bob"),)
    here.remember(aria, "Bob was told one.", position=6, speaker=mina, listeners=heard, **shared)
    here.remember(here.person("bob"), "Bob wrote one.", group="launch", conversation="monday")
    gone = NOW + timedelta(minutes=1)
    here.remember(aria, "Expired one.", position=7, expires_at=gone, **shared)
    set_sharing_opt_out(here.person("bob"), out=True, now=NOW)
    here.embed()
    while work(here):
        pass
    shown = json.dumps(model.asked)
    assert "Open one." in shown
    assert "Open two." in shown
    for hidden in (
        "Sensitive",
        "Private",
        "Internal",
        "Listed",
        "Bob said",
        "Bob was",
        "Bob wrote",
        "Expired",
    ):
        assert hidden not in shown, hidden
    assert owed(here) == []


def test_nothing_is_owed_or_sent_without_a_model(lasting_world: World) -> None:
    here = lasting_world.here
    talk(here)
    assert (owed(here), work(here)) == ([], 0)
    assert llm_worker.organisations_with_due_turns(timezone.now()) == []


def test_an_answer_that_rests_on_what_is_gone_meanwhile_is_not_kept(
    lasting_world: World, model: Model
) -> None:
    here = lasting_world.here
    first, second = talk(here)
    better = "Daniel needs 3 screens for the demo on 2026-01-06, not 4."

    def answer(turn: dict[str, Any]) -> str:
        if turn["text"].startswith("he "):
            thread = threading.Thread(target=forgotten, args=(here, first))
            thread.start()
            thread.join()
            return better
        return str(turn["text"])

    model.answer = answer
    now = timezone.now()
    work(here, now)
    assert restated(here, second)["text"] == "he needs 3 screens on 2026-01-06, not 4"
    model.answer = lambda turn: turn["text"]
    assert work(here, now + timedelta(hours=1)) >= 1, "asked again, without it"
    assert "Daniel" not in json.dumps(model.asked[-1])
    assert owed(here) == []


def forgotten(tenant: Tenant, memory_id: UUID) -> None:
    try:
        forget_memory(tenant.robot("aria"), memory_id, now=NOW)
    finally:
        connections.close_all()


def test_a_name_from_beside_the_conversation_goes_with_what_told_it(
    lasting_world: World, model: Model
) -> None:
    here = lasting_world.here
    aria = here.robot("aria")
    beside = here.remember(aria, "Daniel looks after the screens.", group="launch").id
    (turn,) = chat(here, {"content": "he needs 3 screens", "speaker": member(here, "bob")})
    here.embed()
    model.answer = lambda turn: "Daniel needs 3 screens"
    work(here)
    assert "Daniel looks after the screens." in model.asked[-1]["known"]
    assert restated(here, turn)["text"] == "Daniel needs 3 screens"
    forget_memory(aria, beside, now=NOW)
    assert "Daniel" not in json.dumps(restated(here, turn))
    with resolve_principal(aria).scope():
        assert not Entity.objects.filter(memory_id=turn, name="Daniel").exists()
    assert [row[0] for row in owed(here)] == [turn]


def test_a_name_out_of_a_later_turn_goes_with_that_turn(lasting_world: World, model: Model) -> None:
    here = lasting_world.here
    mina, bob = member(here, "mina"), member(here, "bob")
    first, later = chat(
        here,
        {"content": "he needs 3 screens tomorrow, not 4", "speaker": bob},
        {"content": "Daniel prepares the demo.", "speaker": mina},
    )
    better = "Daniel needs 3 screens on 2026-01-06, not 4."
    model.answer = lambda turn: better if turn["text"].startswith("he ") else turn["text"]
    work(here)
    assert restated(here, first)["text"] == better
    forget_memory(here.robot("aria"), later, now=NOW)
    assert "Daniel" not in json.dumps(restated(here, first))
    with resolve_principal(here.robot("aria")).scope():
        assert not Entity.objects.filter(memory_id=first, name="Daniel").exists()
