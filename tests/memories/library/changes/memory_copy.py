"""A copy of what somebody reads, kept by the feed of changes alone, as a program would keep it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.api.serializers.memories import MemorySerializer
from memories.browsing.change_feed.change_feed import ChangeLine, read_changes
from memories.browsing.change_feed.feed_position import FeedPosition
from memories.browsing.memory_queries import filter_memories
from orgs.principals import Actor, resolve_principal

# Of use, which is no change of a memory; and what follows from other rows and from who asks.
UNFOLLOWED = {
    *("tier", "access_count", "last_accessed_at"),
    *("group", "conversation", "superseded_by", "audience"),
}


def followed(memory: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in memory.items() if name not in UNFOLLOWED}


def fresh_list(who: Actor, now: datetime) -> dict[UUID, dict[str, Any]]:
    """What a list shows now, without the feed."""
    principal = resolve_principal(who)
    with principal.scope():
        rows = list(filter_memories(principal, {}, now))
        return {row.id: followed(MemorySerializer.render(row)) for row in rows}


@dataclass
class MemoryCopy:
    """position: None before the first page. told: ids of all memories that were ever in a line."""

    who: Actor
    position: FeedPosition | None = None
    rows: dict[UUID, dict[str, Any]] = field(default_factory=dict)
    audiences: dict[UUID, str] = field(default_factory=dict)
    told: set[UUID] = field(default_factory=set)

    def read(self, now: datetime, *, limit: int = 200) -> tuple[list[ChangeLine], bool]:
        """Read and apply a page; its lines, and whether there are more."""
        page = read_changes(self.who, self.position, limit=limit, now=now)
        # As it travels: nothing but bytes.
        self.position = FeedPosition.from_bytes(page.position.to_bytes())
        for line in page.lines:
            self.apply(line)
        return page.lines, page.more

    def apply(self, line: ChangeLine) -> None:
        if line.id is None:
            for id_ in [id_ for id_, name in self.audiences.items() if name == line.audience]:
                del self.rows[id_], self.audiences[id_]
            return
        self.told.add(line.id)
        if line.memory is None:
            self.rows.pop(line.id, None)
            self.audiences.pop(line.id, None)
        else:
            assert line.audience
            self.rows[line.id] = followed(MemorySerializer.render(line.memory))
            self.audiences[line.id] = line.audience

    def catch_up(self, now: datetime, *, limit: int = 200) -> list[ChangeLine]:
        """Read until nothing more is there; all lines."""
        found: list[ChangeLine] = []
        more = True
        while more:
            lines, more = self.read(now, limit=limit)
            found += lines
        return found
