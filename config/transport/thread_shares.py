"""The threads of a web process, shared out among callers: each has at most half of them.

A thread that has begun cannot be taken back. So the other half is free for others at every moment,
also if all of one caller's requests wait for the database. A request has at most one connection of
the pool, so the same holds for the pool if it is no smaller.
"""

import asyncio
from collections import OrderedDict, deque


class ThreadShares:
    """Who runs and who waits. Used in the event loop alone, so nothing is locked.

    threads: how many requests run at the same time. connections: the size of the pool if it is
    smaller than that.
    """

    def __init__(self, threads: int, connections: int | None = None) -> None:
        self.free = threads
        self.share = max(1, min(threads, connections or threads) // 2)
        self._running: dict[str, int] = {}
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    def acquire_now(self, caller: str) -> bool:
        """Whether the caller gets a thread without waiting."""
        running = self._running.get(caller, 0)
        if not self.free or running >= self.share:
            return False
        # Whoever waits while a thread is free has used up their share.
        self.free -= 1
        self._running[caller] = running + 1
        return True

    def enqueue(self, caller: str) -> "asyncio.Future[None]":
        """A future that is done when the caller has got a thread. Who cancels it calls `leave`."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(turn)
        return turn

    def leave(self, caller: str, turn: "asyncio.Future[None]") -> None:
        """Wait no longer, and give back the thread if it came at the same moment."""
        if turn.done() and not turn.cancelled():
            self.release(caller)
            return
        turns = self._waiting.get(caller)
        if turns is not None and turn in turns:
            turns.remove(turn)
            self._tidy(caller, turns)

    def release(self, caller: str) -> None:
        """Give back the thread of a request that has ended."""
        self.free += 1
        if self._running[caller] == 1:
            del self._running[caller]
        else:
            self._running[caller] -= 1
        while self.free and (following := self._following()):
            turns = self._waiting[following]
            turn = turns.popleft()
            self._tidy(following, turns)
            if turn.done():
                # Cancelled a moment ago; its call has not left yet.
                continue
            self.free -= 1
            self._running[following] = self._running.get(following, 0) + 1
            turn.set_result(None)

    def _tidy(self, caller: str, turns: "deque[asyncio.Future[None]]") -> None:
        """Whoever was served goes to the end of the queue; whoever waits no more leaves it."""
        if turns:
            self._waiting.move_to_end(caller)
        else:
            del self._waiting[caller]

    def _following(self) -> str | None:
        """Whose turn it is: who runs least, and among these who waits for longest."""
        chosen, least = None, self.share
        for caller in self._waiting:
            running = self._running.get(caller, 0)
            if running == 0:
                return caller
            if running < least:
                chosen, least = caller, running
        return chosen
