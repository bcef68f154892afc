"""The language model of these tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fake_language_model import FakeModel
    from tests.world import Tenant, World


@pytest.fixture
def model(settings: Any) -> Iterator[FakeModel]:
    # Loaded here: the pure tests of this folder have no Django.
    from tests.fake_language_model import fake_model

    with fake_model(settings) as found:
        yield found


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    return lasting_world.here
