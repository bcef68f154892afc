"""The memory service at a real server, with ADK's own sessions, runner and tool. Run by
`test_google_adk_suite.py`."""

import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import httpx
import pytest
from commonmind import Client, InvalidError, NotFoundError, UnavailableError
from commonmind.google_adk import CommonmindMemoryService
from google.adk.agents import LlmAgent
from google.adk.events import Event
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService, Session
from google.adk.tools import preload_memory
from google.genai import types

APP = "chef"


def content(text: str, role: str = "user") -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


def event(text: str, author: str = "user", **fields: Any) -> Event:
    return Event(author=author, content=content(text), **fields)


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    with Client(timeout=60) as client:
        yield client


@pytest.fixture
def memory(client: Client) -> CommonmindMemoryService:
    return CommonmindMemoryService(client)


@pytest.fixture
def users() -> list[str]:
    return [f"{name}-{uuid.uuid4().hex[:12]}" for name in ("mina", "noor")]


async def session_of(user: str, *events: Event) -> Session:
    sessions = InMemorySessionService()  # type: ignore[no-untyped-call]
    session = await sessions.create_session(app_name=APP, user_id=user)
    for one in events:
        await sessions.append_event(session, one)
    return session


async def texts(
    memory: CommonmindMemoryService, user: str, query: str, app_name: str = APP
) -> list[str]:
    found = await memory.search_memory(app_name=app_name, user_id=user, query=query)
    return [entry.content.parts[0].text for entry in found.memories]


async def test_each_user_is_told_their_own(
    memory: CommonmindMemoryService, users: list[str], client: Client
) -> None:
    for user in users:
        session = await session_of(user, event(f"I am allergic to the nut of {user}."))
        await memory.add_session_to_memory(session)
    for user in users:
        assert await texts(memory, user, "Which nut?") == [f"I am allergic to the nut of {user}."]
        assert await texts(CommonmindMemoryService(client), user, "nut") != []
        assert await texts(memory, user, "nut", app_name="another") == []
    assert await texts(memory, f"x{users[0]}", "nut") == []
    other = CommonmindMemoryService(client, platform="slack")
    assert await texts(other, users[0], "nut") == []
    hits = client.recall("nut", limit=100)["results"]
    assert [hit for hit in hits if users[0] in hit["content"]] == []


async def test_what_was_added_is_added_once_and_what_is_new_later(
    memory: CommonmindMemoryService, users: list[str]
) -> None:
    first = event("My bicycle has the colour red.")
    session = await session_of(users[0], first, event("Your bicycle is a red one.", "chef"))
    await memory.add_session_to_memory(session)
    session.events.append(event("My bicycle has eleven gears."))
    await memory.add_session_to_memory(session)
    await memory.add_events_to_memory(
        app_name=APP, user_id=users[0], events=[first], session_id=session.id
    )
    found = await memory.search_memory(app_name=APP, user_id=users[0], query="bicycle")
    said = {one.content.parts[0].text: one for one in found.memories}
    assert len(said) == len(found.memories) == 3
    entry = said["My bicycle has the colour red."]
    assert (entry.author, entry.content.role) == ("user", "user")
    assert entry.timestamp
    answer = said["Your bicycle is a red one."]
    assert (answer.content.role, answer.author == "user") == ("model", False)
    one = CommonmindMemoryService(memory.client, limit=1)
    assert len(await texts(one, users[0], "bicycle")) == 1
    assert (
        await texts(CommonmindMemoryService(memory.client, min_score=0.99), users[0], "red") == []
    )


async def test_what_is_no_finished_text_is_left_out(
    memory: CommonmindMemoryService, users: list[str]
) -> None:
    call = types.Part(function_call=types.FunctionCall(name="bicycle", args={}))
    thought = types.Part(text="A bicycle is what I think of.", thought=True)
    silent = [
        Event(author="chef", content=types.Content(parts=[call])),
        Event(author="chef", content=types.Content(parts=[thought])),
        event("My bicycle is not yet", partial=True),
        Event(author="user"),
    ]
    await memory.add_events_to_memory(app_name=APP, user_id=users[0], events=silent)
    assert await texts(memory, users[0], "bicycle") == []


async def test_a_memory_is_deleted_by_its_user_and_application_alone(
    memory: CommonmindMemoryService, users: list[str]
) -> None:
    for user in users:
        await memory.add_session_to_memory(await session_of(user, event("My cat is ill today.")))
    found = await memory.search_memory(app_name=APP, user_id=users[0], query="cat")
    [entry] = found.memories
    for app_name, user in ((APP, users[1]), ("another", users[0]), (APP, "nobody")):
        await memory.delete_memory(app_name=app_name, user_id=user, memory_id=entry.id)
        assert await texts(memory, users[0], "cat") != []
    for id_ in (None, "", str(uuid.uuid4())):
        await memory.delete_memory(app_name=APP, user_id=users[0], memory_id=id_)
    await memory.delete_memory(app_name=APP, user_id=users[0], memory_id=entry.id)
    await memory.delete_memory(app_name=APP, user_id=users[0], memory_id=entry.id)
    assert await texts(memory, users[0], "cat") == []
    assert await texts(memory, users[1], "cat") == ["My cat is ill today."]


async def test_names_that_look_like_anothers_and_long_ones(
    memory: CommonmindMemoryService, users: list[str]
) -> None:
    for user in ("Mina", "mina", "x" * 180, "é b@c:d"):
        told = f"My dog is called Rex, says {users[0]}."
        await memory.add_session_to_memory(await session_of(user, event(told)))
        assert told in await texts(memory, user, f"dog {users[0]}")
    for user in ("\u202eevil", "x" * 10_000):
        with pytest.raises((InvalidError, NotFoundError)):
            await memory.add_session_to_memory(await session_of(user, event("The dog is ill.")))


class Answering(BaseLlm):
    """A model that notes what it is asked."""

    asked: list[str] = []

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        parts = [part.text or "" for one in llm_request.contents for part in one.parts or []]
        self.asked.append("\n".join([*parts, str(llm_request.config.system_instruction)]))
        yield LlmResponse(content=content("Noted.", "model"))


async def test_a_runner_is_given_what_was_said_before(
    memory: CommonmindMemoryService, users: list[str]
) -> None:
    model = Answering(model="none")
    agent = LlmAgent(name="chef", model=model, tools=[preload_memory])
    runner = Runner(
        app_name=APP,
        agent=agent,
        session_service=InMemorySessionService(),  # type: ignore[no-untyped-call]
        memory_service=memory,
        auto_create_session=True,
    )

    async def say(user: str, text: str) -> None:
        session = uuid.uuid4().hex
        async for _ in runner.run_async(
            user_id=user, session_id=session, new_message=content(text)
        ):
            pass
        kept = await runner.session_service.get_session(
            app_name=APP, user_id=user, session_id=session
        )
        await memory.add_session_to_memory(kept)

    await say(users[0], "I am allergic to walnuts.")
    await say(users[0], "Are walnuts good for me?")
    await say(users[1], "Are walnuts good for me?")
    assert ["allergic" in asked for asked in model.asked] == [True, True, False]


async def test_errors_are_raised_and_not_swallowed() -> None:
    def away(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("away")

    transport = httpx.MockTransport(away)
    with Client("http://localhost", "cmk_x", transport=transport, retries=0) as client:
        memory = CommonmindMemoryService(client)
        with pytest.raises(UnavailableError):
            await memory.search_memory(app_name=APP, user_id="x", query="y")
        with pytest.raises(UnavailableError):
            await memory.add_session_to_memory(await session_of("x", event("The office is open.")))
        with pytest.raises(ValueError, match="Metadata"):
            await memory.add_events_to_memory(
                app_name=APP, user_id="x", events=[], custom_metadata={"ttl": 1}
            )
