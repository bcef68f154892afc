"""A worker takes messages again after the broker hung while one was acknowledged."""

import logging
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from kombu import Connection, Consumer, Producer, Queue

from config.celery import app
from config.embedded.servers.valkey import Valkey
from tests.config.embedded.conftest import delete_outside_folders

QUEUE = Queue("hints")


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    server = Valkey(tmp_path / "data")
    server.start()
    yield server
    server.stop()
    delete_outside_folders(tmp_path / "data")


def test_the_service_uses_it() -> None:
    transport = type(app.connection_for_read().transport)
    assert f"{transport.__module__}:{transport.__name__}" == settings.CELERY_BROKER_TRANSPORT


def receive_after_hang(server: Valkey, transport: str) -> list[str]:
    """What a consumer gets that takes one message at a time, and whose first acknowledgement the
    broker does not answer."""
    taken: list[Any] = []
    options = {"socket_timeout": 0.3}
    with Connection(server.url, transport=transport, transport_options=options) as connection:
        producer = Producer(connection)
        for text in ("first", "second"):
            producer.publish(text, routing_key=QUEUE.name, declare=[QUEUE])
        consumer = Consumer(connection, [QUEUE], on_message=taken.append, prefetch_count=1)
        with consumer:
            connection.drain_events(timeout=10)
            assert len(taken) == 1
            process = server.process
            assert process is not None
            os.kill(process.pid, signal.SIGSTOP)
            try:
                taken[0].ack_log_error(logging.getLogger("test"), connection.connection_errors)
            finally:
                os.kill(process.pid, signal.SIGCONT)
            with suppress(TimeoutError):
                connection.drain_events(timeout=3)
    return [message.decode() for message in taken]


def test_a_message_is_taken_after_the_broker_hung(valkey: Valkey) -> None:
    assert receive_after_hang(valkey, settings.CELERY_BROKER_TRANSPORT) == ["first", "second"]
