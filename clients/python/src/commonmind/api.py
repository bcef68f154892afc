"""The calls of a client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from commonmind.calls import (
    Call,
    Mode,
    Resource,
    Row,
    ask,
    each_row,
    get,
    next_cursor,
    one_call,
    row_flow,
    write,
)
from commonmind.resources import Blocks, Decisions, Jobs, Memories, Robots, Tasks
from commonmind.transfers import Exports, Imports

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from commonmind import schema as s
    from commonmind.calls import Flow


class Api(Resource[Mode]):
    """Remember, ask, and everything else that a robot does."""

    @one_call
    def remember(self, content: str, **fields: Unpack[s.RememberFields]) -> Call[s.Remembered]:
        """Remember a text.

        Without a `group` and a `member` everyone in the organisation reads it. The same text for
        the same readers is the same memory.
        """
        return write("POST", "memories", {"content": content, **fields})

    @one_call
    def recall(self, query: str, **fields: Unpack[s.RecallFields]) -> Call[s.RecallAnswer]:
        """The memories that answer a question, the best first."""
        return ask("recall", query=query, **fields)

    @one_call
    def context(self, query: str, **fields: Unpack[s.ContextFields]) -> Call[s.Context]:
        """A block for a prompt: what matters to a query, cited, within `max_tokens`."""
        return ask("context", query=query, **fields)

    @one_call
    def answer(self, query: str, **fields: Unpack[s.AnswerFields]) -> Call[s.AnsweredQuestion]:
        """The sentence or two that answer a question, marked in their memories."""
        return ask("answer", query=query, **fields)

    @one_call
    def feedback(self, **fields: Unpack[s.FeedbackFields]) -> Call[s.Learned | s.ToolCounted]:
        """Say how useful a hit of a recall was, or how a call of a tool turned out."""
        return write("POST", "feedback", dict(fields))

    @one_call
    def said(self, topic: str, *, limit: int | None = None) -> Call[s.WhoSaid]:
        """Which robot brought how many memories about a topic."""
        return get("said", topic=topic, limit=limit)

    @one_call
    def timeline(self, topic: str, *, limit: int | None = None) -> Call[s.Timeline]:
        """What was said about a topic, in the order of time."""
        return get("timeline", topic=topic, limit=limit)

    @row_flow
    def experts(
        self, topic: str, *, page_size: int | None = None, **filters: Unpack[s.ExpertFilters]
    ) -> Flow[s.Expert]:
        """Who knows about a topic, the best first."""
        return each_row("experts", page_size, topic=topic, **filters)

    @row_flow
    def groups(
        self, *, page_size: int | None = None, **filters: Unpack[s.GroupFilters]
    ) -> Flow[s.Group]:
        """The groups that the caller may know of."""
        return each_row("groups", page_size, **filters)

    @row_flow
    def members(
        self, *, page_size: int | None = None, **filters: Unpack[s.MemberFilters]
    ) -> Flow[s.Member]:
        """The members that the caller may know of."""
        return each_row("members", page_size, **filters)

    @one_call
    def me(self) -> Call[s.Caller]:
        """Who calls: the robot or member, its organisation, scopes, groups and limits."""
        return get("me")

    @one_call
    def stats(self) -> Call[s.Stats]:
        """Figures over what the caller reads."""
        return get("stats")

    @row_flow
    def changes(
        self, *, cursor: str | None = None, page_size: int | None = None
    ) -> Flow[s.Changes]:
        """The pages of what changed since the cursor, until nothing more is there; without one
        everything is `made`. Apply the `results` of a page, then keep its `cursor`. Raises
        CursorTooOldError: begin the copy anew, without a cursor."""
        while True:
            page = yield get("changes", limit=page_size, cursor=cursor)
            yield Row(page)
            if page.get("next") is None:
                return
            cursor = next_cursor(page, cursor)

    @property
    def memories(self) -> Memories[Mode]:
        return Memories(self.runner)

    @property
    def blocks(self) -> Blocks[Mode]:
        return Blocks(self.runner)

    @property
    def decisions(self) -> Decisions[Mode]:
        return Decisions(self.runner)

    @property
    def tasks(self) -> Tasks[Mode]:
        return Tasks(self.runner)

    @property
    def jobs(self) -> Jobs[Mode]:
        return Jobs(self.runner)

    @property
    def robots(self) -> Robots[Mode]:
        return Robots(self.runner)

    @property
    def imports(self) -> Imports[Mode]:
        return Imports(self.runner)

    @property
    def exports(self) -> Exports[Mode]:
        return Exports(self.runner)

    @one_call
    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        changes: bool | None = None,
    ) -> Call[Any]:
        """Any other call of the API. path: below /api/v1/, such as `teams`.

        changes: whether it gets an Idempotency-Key; by default all but GET do.
        """
        if changes is None:
            changes = method.upper() not in ("GET", "HEAD")
        return Call(method.upper(), path, query or {}, body, headers or {}, changes)

    @row_flow
    def rows(self, path: str, /, *, page_size: int | None = None, **query: Any) -> Flow[Any]:
        """The rows of any other list, such as `teams`."""
        return each_row(path, page_size, **query)
