"""The client against the real application, in this process or at an address of this machine."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from commonmind import Client
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections

from tests.clients.command_shell import Shell
from tests.live_site import serving_site
from tests.world import World


@pytest.fixture(autouse=True)
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads the configuration of whoever runs it. Returns the folder of configurations."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    for name in ("COMMONMIND_URL", "COMMONMIND_KEY"):
        monkeypatch.delenv(name, raising=False)
    return home / ".config" / "commonmind"


@pytest.fixture(autouse=True)
def closed_clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A client that a test leaves open is closed: its socket would be a warning in a later test."""
    made: list[httpx.Client] = []
    begin = httpx.Client.__init__

    def remember(client: httpx.Client, *args: Any, **options: Any) -> None:
        begin(client, *args, **options)
        made.append(client)

    monkeypatch.setattr(httpx.Client, "__init__", remember)
    yield
    for client in made:
        client.close()


@pytest.fixture
def robot(world: World) -> Iterator[Callable[..., Client]]:
    """Make a client with the key of a robot, in the transaction of the test."""
    signals = request_started, request_finished
    for signal in signals:
        # It would end the test's transaction, as django.test.Client says too.
        signal.disconnect(close_old_connections)

    def make(name: str, **options: object) -> Client:
        transport = httpx.WSGITransport(app=WSGIHandler(), raise_app_exceptions=True)
        key = world.here.keys[name]
        return Client("http://localhost", key, transport=transport, **options)

    yield make
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture(scope="session")
def address(django_db_setup: None) -> Iterator[str]:
    """Where the product runs, with what is committed."""
    with serving_site() as url:
        yield url


@pytest.fixture
def stranger(tmp_path: Path) -> Shell:
    """The command where nobody has signed in."""
    return Shell(tmp_path)


@pytest.fixture
def shell(lasting_world: World, address: str, tmp_path: Path) -> Shell:
    """The command with the key of the robot bolt, as a file has it: with blanks and a line end."""
    key = lasting_world.here.keys["bolt"]
    return Shell(tmp_path, COMMONMIND_URL=address, COMMONMIND_KEY=f"  {key}\r\n")
