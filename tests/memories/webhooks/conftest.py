"""A receiver on loopback, which the settings of these tests allow."""

from collections.abc import Iterator

import pytest
from django.test import override_settings

from tests.memories.webhooks.receiver import Receiver, receiving


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    allowed = override_settings(WEBHOOK_HTTP=True, WEBHOOK_PRIVATE_HOSTS=frozenset({"127.0.0.1"}))
    with allowed, receiving() as found:
        yield found
