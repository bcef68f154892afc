"""A server that assistants find at http://testserver."""

from typing import Any

import pytest

from tests.robots.oauth.assistants import serve_metadata
from tests.world import Tenant, World


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """The metadata of an assistant lies where its id says."""
    settings.PUBLIC_URL = "http://testserver"
    serve_metadata(monkeypatch)


@pytest.fixture
def here(world: World) -> Tenant:
    return world.here
