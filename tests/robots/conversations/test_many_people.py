"""A bot with many people who have no log-in: each is told their own, nobody another's."""

import re
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.request import Request

import pytest
from rest_framework.test import APIClient

from tests.world import Tenant, World

AILMENT = re.compile(r"ailment-\d+")
QUESTION = "Which ailment do I have?"
FEW, MANY = 20, 1_000
GUIDE = Path(__file__).resolve().parents[3] / "docs" / "agents" / "bot.md"


class Bot:
    """A client of the API as anybody would write it: one call to begin, one to tell, one to ask."""

    def __init__(self, here: Tenant) -> None:
        here.add_robot("doctor", scopes=("read", "write", "act_for", "manage"))
        self.api: APIClient = here.api("doctor")

    def send(self, path: str, body: dict[str, Any]) -> Any:
        answer = self.api.post(f"/api/v1/{path}", body, format="json")
        assert answer.status_code < 300, answer.json()
        return answer.json()

    def tell(self, person: str, words: str) -> None:
        chat = self.send(
            "conversations", {"member": person, "external_id": "chat", "if_missing": "create"}
        )
        kept = self.send(
            f"conversations/{chat['id']}/messages", {"content": words, "speaker": person}
        )
        assert kept["memory"], kept

    def ask(self, **asked: Any) -> set[str]:
        found = self.send("recall", {"query": QUESTION, "limit": 100, **asked})["results"]
        return {word for hit in found for word in AILMENT.findall(hit["content"])}

    def context(self, **asked: Any) -> set[str]:
        text = self.send("context", {"query": QUESTION, "max_tokens": 4000, **asked})["text"]
        return set(AILMENT.findall(text))


@pytest.mark.conformance("X07")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
def test_each_gets_exactly_their_own(lasting_world: World, count: int) -> None:
    here = lasting_world.here
    bot = Bot(here)
    people = {f"telegram:{1000 + number}": f"ailment-{number}" for number in range(count)}
    for person, ailment in people.items():
        bot.tell(person, f"The ailment that I have is {ailment}, and I told nobody.")
    here.embed()
    for number, (person, ailment) in enumerate(people.items()):
        assert bot.ask(member=person, include_direct=True) == {ailment}
        if number % (count // FEW) == 0:
            assert bot.ask(member=person) == set()
            assert bot.context(member=person) == {ailment}
    for nobody in ({}, {"include_direct": True}):
        assert bot.ask(**nobody) == set()
        assert bot.context(**nobody) == set()
    other = here.api("aria")
    body = {"query": QUESTION, "member": next(iter(people)), "include_direct": True}
    assert other.post("/api/v1/recall", body, format="json").json()["results"] == []


@pytest.mark.conformance("X07")
def test_the_bot_of_the_guide_remembers_for_each(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program of docs/agents/bot.md as it stands there, against this server."""
    here = world.here
    here.add_robot("doctor", scopes=("read", "write", "act_for", "manage"))
    api = here.api("doctor")
    monkeypatch.setenv("COMMONMIND_KEY", here.keys["doctor"])
    program = GUIDE.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    assert len(program.splitlines()) < 25

    def urlopen(request: Request) -> Any:
        path = request.full_url.removeprefix("http://127.0.0.1:8000")
        answer = api.generic("POST", path, request.data, "application/json")
        assert answer.status_code < 300, answer.json()
        return BytesIO(answer.content)

    prompts: dict[int, str] = {}
    names: dict[str, Any] = {}
    exec(program, names)  # noqa: S102 - it stands in our own guide
    names["urlopen"] = urlopen
    for user in (1, 2):
        names["on_message"](user, f"P{user}", f"I am allergic to nut-{user}.", lambda *_: "Noted.")
    here.read()
    for user in (1, 2):
        names["on_message"](
            user, f"P{user}", "What am I allergic to?",
            lambda text, _, user=user: prompts.setdefault(user, text),
        )  # fmt: skip
    assert ("nut-1" in prompts[1], "nut-2" in prompts[1]) == (True, False)
    assert ("nut-1" in prompts[2], "nut-2" in prompts[2]) == (False, True)
