"""The threads of a web process, shared out among callers: each has at most half of them.

A thread that has begun cannot be taken back. So the other half is free for others at every moment,
also if all of one caller's requests wait for the database. A request has at most one connection of
the pool, so the same holds for the pool if it is no smaller.

One thread at a time runs Python, and the encoder and often the database compute on the same
processors. So whoever is busy in many threads makes a request of somebody else wait for each of
them, again and again: while others ask, such a caller has one thread of each process. A stranger,
who showed no key and no session that is known, does not count as one who asks, or anybody could
slow an organisation down from outside.
"""

import asyncio
import hashlib
import math
import mmap
import struct
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from pathlib import Path

# What a caller used counts for half after so many seconds.
HALF_LIFE_SECONDS = 2.0
# Whoever had more threads than this on average lately is busy.
BUSY_THREADS = 1.0
# Another caller asks if a request of theirs began or ended within so many seconds.
ASKING_SECONDS = 5.0
BUSY_SHARE = 1
# So the names of callers begin that are only known by their network.
STRANGER = "address:"


class SharedAskers:
    """Who asked lately in any process of this machine: they share its processors.

    A file in memory with a place for each of a few callers; nothing is locked. Two callers of one
    place overwrite each other, and then one is not seen by other processes for a moment.
    """

    _PLACES = 64
    _PLACE = struct.Struct("=Qd")
    # A caller is written again after so many seconds.
    _AGAIN_SECONDS = 0.5

    def __init__(self, path: Path) -> None:
        size = self._PLACES * self._PLACE.size
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as file:
            # Written, not only made as long: the system ends a process that is the first to use a
            # part of a file on a full disk.
            file.write(bytes(max(size - file.tell(), 0)))
            file.flush()
            self._memory = mmap.mmap(file.fileno(), size)
        self._written: dict[int, float] = {}

    def note(self, caller: str, now: float) -> None:
        """A request of this caller begins or has ended."""
        mark = _mark_of(caller)
        place = mark % self._PLACES
        if now - self._written.get(mark, -math.inf) >= self._AGAIN_SECONDS:
            self._PLACE.pack_into(self._memory, place * self._PLACE.size, mark, now)
            if len(self._written) > self._PLACES:
                self._written.clear()
            self._written[mark] = now

    def others(self, caller: str, now: float) -> bool:
        """Whether another one asked within the last seconds."""
        mark = _mark_of(caller)
        # A time after now is left from before the machine started anew.
        return any(
            one not in (0, mark) and 0 <= now - at <= ASKING_SECONDS
            for one, at in self._PLACE.iter_unpack(self._memory[:])
        )


def _mark_of(caller: str) -> int:
    return int.from_bytes(hashlib.blake2b(caller.encode(), digest_size=8).digest(), "little") or 1


def is_asked_by_another(callers: Iterable[str], caller: str) -> bool:
    """Whether one of these is somebody else who is known."""
    return any(one != caller and not one.startswith(STRANGER) for one in callers)


class ThreadUsage:
    """Who had threads lately, and who asked; callers of the last seconds alone are kept.

    askers: of the other processes, None where there are none.
    """

    def __init__(self, clock: Callable[[], float], askers: SharedAskers | None = None) -> None:
        self._clock, self._askers = clock, askers
        # Seconds of threads, and when they were right. Who asked last stands at the end.
        self._used: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def note(self, caller: str, thread_seconds: float = 0.0) -> None:
        """A request of this caller begins, or has ended and used so much."""
        now = self._clock()
        self._used[caller] = (self._left(caller, now) + thread_seconds, now)
        self._used.move_to_end(caller)
        if self._askers is not None and not caller.startswith(STRANGER):
            self._askers.note(caller, now)
        while now - next(iter(self._used.values()))[1] > ASKING_SECONDS:
            self._used.popitem(last=False)

    def others(self, caller: str) -> bool:
        """Whether another one asked lately."""
        if is_asked_by_another(self._used, caller):
            return True
        return self._askers is not None and self._askers.others(caller, self._clock())

    def is_busy(self, caller: str) -> bool:
        """Whether the caller used more than BUSY_THREADS lately."""
        # So much is left of somebody who always has one thread.
        whole = HALF_LIFE_SECONDS / math.log(2)
        return self._left(caller, self._clock()) > BUSY_THREADS * whole

    def _left(self, caller: str, now: float) -> float:
        used, at = self._used.get(caller, (0.0, now))
        return used * 0.5 ** ((now - at) / HALF_LIFE_SECONDS)


class ThreadShares:
    """Who runs and who waits. Used in the event loop alone, so nothing is locked.

    threads: how many requests run at the same time. connections: the size of the pool if it is
    smaller than that. clock: seconds, the same in all processes. askers: of all processes.
    """

    def __init__(
        self,
        threads: int,
        connections: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        askers: SharedAskers | None = None,
    ) -> None:
        self.free = threads
        self.share = max(1, min(threads, connections or threads) // 2)
        self._running: dict[str, int] = {}
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._usage = ThreadUsage(clock, askers)

    def acquire_now(self, caller: str) -> bool:
        """Whether the caller gets a thread without waiting."""
        running = self._running.get(caller, 0)
        self._usage.note(caller)
        if not self.free or running >= self._share_of(caller):
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

    def release(self, caller: str, thread_seconds: float = 0.0) -> None:
        """Give back the thread of a request that has ended, which had its thread for so long."""
        self._usage.note(caller, thread_seconds)
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
            if running < least and running < self._share_of(caller):
                chosen, least = caller, running
        return chosen

    def _share_of(self, caller: str) -> int:
        """How many threads the caller may have now."""
        if not self._usage.is_busy(caller):
            return self.share
        others_ask = is_asked_by_another(self._running, caller) or self._usage.others(caller)
        return min(BUSY_SHARE, self.share) if others_ask else self.share
