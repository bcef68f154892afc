"""The memory service of Google's Agent Development Kit, kept in Commonmind. Needs
`pip install 'commonmind[google-adk]'`.

What a user says in a session is what they told this robot: it is remembered as in a direct
conversation, read for that user alone, and theirs to see, correct and erase.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from commonmind.calls import segment
from commonmind.errors import ConflictError, InvalidError, NotFoundError, refusal

if TYPE_CHECKING:
    from google.adk.events.event import Event
    from google.adk.sessions.session import Session

    from commonmind.client import Client

# Messages of one call, of which the server takes 1,000.
PORTION = 200
ID_MAX_CHARACTERS = 300
# Among so many hits those of the application are looked for.
LOOKED_AT = 100
USER = "user"


class CommonmindMemoryService(BaseMemoryService):
    """Memories of users, for the robot whose key the client has; the key needs `act_for` and
    `manage`.

    platform: a user is the member `<platform>:<user_id>`, made when something of them is first
    added. limit: of memories in an answer. min_score: 0-1, of a memory in an answer.

    An event is a message of one conversation of the user with the robot, one for each application.
    Adding it again changes nothing. The server makes memories of messages that say something. What
    a gate holds, and what a user says whose learning is paused, is not found and no error. Errors
    of the client are raised.
    """

    def __init__(
        self, client: Client, *, platform: str = "adk", limit: int = 10, min_score: float = 0.1
    ) -> None:
        self.client = client
        self.platform, self.limit, self.min_score = platform, limit, min_score
        self._conversations: dict[tuple[str, str], str] = {}

    async def add_session_to_memory(self, session: Session) -> None:
        """Add all events of a session."""
        await self.add_events_to_memory(
            app_name=session.app_name,
            user_id=session.user_id,
            events=session.events,
            session_id=session.id,
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Add events, of which those without a text are left out. custom_metadata: is refused."""
        if custom_metadata:
            raise ValueError("Metadata of events are not kept.")
        member = self._member(user_id)
        items = [
            _message(event, text, session_id or "", member)
            for event in events
            if (text := _text_of(event))
        ]
        if items:
            await asyncio.to_thread(self._post, app_name, user_id, items)

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """The memories that match, the best first; none of a user who is not known."""
        hits = await asyncio.to_thread(self._search, app_name, user_id, query)
        return SearchMemoryResponse(memories=[_entry(hit) for hit in hits])

    async def delete_memory(
        self, *, app_name: str, user_id: str, memory_id: str | None = None
    ) -> None:
        """Forget a memory of this user and application; any other id does nothing."""
        if memory_id:
            await asyncio.to_thread(self._delete, app_name, user_id, memory_id)

    def _member(self, user_id: str) -> str:
        return f"{self.platform}:{user_id}"

    def _post(self, app_name: str, user_id: str, items: list[dict[str, Any]]) -> None:
        path = f"conversations/{segment(self._open(app_name, user_id))}/messages/batch"
        for at in range(0, len(items), PORTION):
            body = {"items": items[at : at + PORTION]}
            answer: Any = self.client.request("POST", path, body=body)
            for result in answer["results"]:
                if result["status"] == "refused":
                    problem = result["problem"]
                    raise refusal(problem["status"], problem)

    def _search(self, app_name: str, user_id: str, query: str) -> list[Any]:
        conversation = self._find(app_name, user_id) if query.strip() else None
        if conversation is None:
            return []
        found = self.client.recall(
            query,
            member=self._member(user_id),
            include_direct=True,
            filters={"kinds": ["direct"]},
            limit=max(LOOKED_AT, self.limit),
        )
        own = [hit for hit in found["results"] if _is_of(hit, conversation)]
        return [hit for hit in own if hit["score"] >= self.min_score][: self.limit]

    def _delete(self, app_name: str, user_id: str, memory_id: str) -> None:
        conversation = self._find(app_name, user_id)
        try:
            memory = self.client.memories.get(memory_id)
            if conversation is not None and _is_of(memory, conversation):
                self.client.memories.forget(memory_id)
        except NotFoundError:
            return

    def _open(self, app_name: str, user_id: str) -> str:
        """The id of the conversation; it and the member are made if they are not there."""
        known = self._conversations.get((app_name, user_id))
        if known is not None:
            return known
        body = {
            "member": self._member(user_id),
            "external_id": _short(app_name),
            "if_missing": "create",
        }
        try:
            answer: Any = self.client.request("POST", "conversations", body=body)
        except (ConflictError, InvalidError) as error:
            if error.code not in ("like-another", "invalid") or "member_name" in body:
                raise
            # An id need not be fit for a name, or it is like that of somebody who is there.
            digest = hashlib.sha256(user_id.encode()).hexdigest()[:12]
            body["member_name"] = f"User {digest}"
            answer = self.client.request("POST", "conversations", body=body)
        return self._remember(app_name, user_id, answer["id"])

    def _find(self, app_name: str, user_id: str) -> str | None:
        """The id of the conversation, if there is one."""
        known = self._conversations.get((app_name, user_id))
        if known is not None:
            return known
        try:
            for row in self.client.rows("conversations", member=self._member(user_id)):
                if row["external_id"] == _short(app_name) and row["member"]:
                    return self._remember(app_name, user_id, row["id"])
        except NotFoundError:
            pass
        return None

    def _remember(self, app_name: str, user_id: str, conversation: str) -> str:
        self._conversations[app_name, user_id] = conversation
        return conversation


def _message(event: Event, text: str, session_id: str, member: str) -> dict[str, Any]:
    said_at = datetime.fromtimestamp(event.timestamp, timezone.utc)
    message = {
        "content": text,
        "external_id": _short(f"{session_id}/{event.id}"),
        "sent_at": said_at.isoformat(),
    }
    return message | ({"speaker": member} if event.author == USER else {"role": "agent"})


def _text_of(event: Event) -> str:
    """What is said in an event, without thoughts; empty for a part of what is still being said."""
    if event.partial or not event.content:
        return ""
    parts = event.content.parts or []
    return "\n".join(part.text for part in parts if part.text and not part.thought).strip()


def _entry(hit: Any) -> MemoryEntry:
    said_by_user = hit["speaker_member"] is not None
    part = types.Part(text=hit["content"])
    return MemoryEntry(
        id=hit["id"],
        content=types.Content(role="user" if said_by_user else "model", parts=[part]),
        author=USER if said_by_user else hit["speaker"],
        timestamp=hit["occurred_at"],
    )


def _is_of(memory: Any, conversation: str) -> bool:
    source = memory["source"]
    return isinstance(source, dict) and source.get("conversation") == conversation


def _short(text: str) -> str:
    """The text where it fits as an external id, else its digest."""
    if len(text) <= ID_MAX_CHARACTERS:
        return text
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
