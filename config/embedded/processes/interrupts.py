"""Ctrl-C and SIGTERM: the first asks for an orderly end, the second ends everything at once."""

import os
import signal
from collections.abc import Callable
from types import FrameType


class Interrupts:
    """Turns signals into a flag that loops look at; no exception ever interrupts a step.

    ``on_second`` must be safe inside a signal handler; after it the process ends at once.
    ``insist``: whether a second Ctrl-C counts too. A command that shares our terminal gets each
    Ctrl-C itself and may go on (psql does), so there only a second SIGTERM counts.
    """

    def __init__(self, on_second: Callable[[], None], insist: bool = True) -> None:
        self.received = 0
        self.last = 0
        self.on_second = on_second
        self.insist = insist
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # SIGHUP stays ignored under nohup. SIGINT is handled even if a shell's `&` has it
            # ignored.
            if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
                continue
            signal.signal(number, self._handle)

    def __bool__(self) -> bool:
        return self.received > 0

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.last = number
        if number == signal.SIGINT and not self.insist:
            self.received = max(1, self.received)
            return
        self.received += 1
        if self.received > 1:
            self.on_second()
            os._exit(128 + number)
