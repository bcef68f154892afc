"""Ports on 127.0.0.1."""

import random
import socket

from config.embedded.errors import EmbeddedError

# Below the range of outgoing connections on Linux (32768 and up). In that range a client that keeps
# trying to reach a stopped server can connect to itself, and so block the server's port.
PORT_RANGE = range(20_000, 32_000)

_random = random.SystemRandom()


def is_free(port: int) -> bool:
    """Whether a server could listen on 127.0.0.1:``port`` now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            probe.listen(1)
        except OSError:
            return False
    return True


def choose_port() -> int:
    """A port that is free now; another process may take it, then the caller tries again."""
    for _ in range(200):
        port = _random.choice(PORT_RANGE)
        if is_free(port):
            return port
    raise EmbeddedError(f"no free port between {PORT_RANGE.start} and {PORT_RANGE.stop}")


def parse_port(text: str, name: str) -> int:
    """The port number in ``text``, the value of the variable ``name``."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65_535:
        raise EmbeddedError(f"{name}={text!r} is not a port number (1 to 65535)")
    return int(text)
