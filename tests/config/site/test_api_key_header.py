"""`X-API-Key` at the mem0 door is a key for whoever shares out threads and room, too (N10)."""

import pytest

from config.site.api_key_header import show_api_key
from config.transport.callers import Callers
from orgs.limits import rate_limits
from tests.world import World

pytestmark = pytest.mark.conformance("N10")


def whom(path: str, *headers: tuple[bytes, bytes]) -> tuple[str, bool]:
    scope = {"path": path, "headers": list(headers), "client": ("192.0.2.7", 1)}
    show_api_key(scope)
    return Callers().identify(scope)


def test_it_counts_for_its_organisation(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    # Tests before may have shown the same key in this process.
    monkeypatch.setattr(rate_limits, "_recent_keys", rate_limits.RecentKeys())
    key = world.here.keys["bolt"]
    stranger = ("address:192.0.2.7", False)
    shown = (b"x-api-key", key.encode())
    assert whom("/mem0/memories", shown) == stranger, "it was not right before"
    assert world.here.api("bolt").get("/api/v1/me").status_code == 200
    ours = (f"organisation:{world.here.id.hex}", True)
    assert whom("/mem0/memories", (b"authorization", f"Token {key}".encode())) == ours
    assert whom("/mem0/memories", shown) == ours
    assert whom("/api/v1/me", shown) == stranger, "nowhere else"
    assert whom("/mem0/memories", shown, (b"authorization", b"Token cmk_other")) == stranger
