"""How a web process ends without a failed call.

Told to end (SIGTERM), the process says so at /readyz, ends each connection with the next answer on
it, and goes on answering for DRAIN_SECONDS, so that whoever shares out calls has time to send none
here any more. Then the server ends as it always does: it takes no connection and finishes the calls
that have begun. A second SIGTERM ends the wait.
"""

import logging
import signal
import threading
from collections.abc import Callable
from types import FrameType

log = logging.getLogger("commonmind.web")


class Draining:
    """Whether this process drains."""

    def __init__(self) -> None:
        self.has_begun = False

    def watch(self, seconds: float, then: Callable[[], None]) -> None:
        """seconds: for how long, 0 for not at all. then: is called when it begins.

        Drain before the server that runs here ends. Its own handler of the signal is called when
        the time is over; where there is no server, nothing changes."""
        end = signal.getsignal(signal.SIGTERM)
        if seconds <= 0 or not callable(end):
            return
        if threading.current_thread() is not threading.main_thread():
            return

        def begin(number: int, frame: FrameType | None) -> None:
            if self.has_begun:
                end(number, frame)
                return
            self.has_begun = True
            then()
            log.info("draining for %g seconds", seconds)
            timer = threading.Timer(seconds, end, (number, None))
            timer.daemon = True
            timer.start()

        signal.signal(signal.SIGTERM, begin)


draining = Draining()
