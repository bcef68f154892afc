"""The Valkey launcher against real servers."""

import os
import signal
import time

import pytest
import redis

from config.embedded.servers.valkey import Valkey

# They start a server each; the server of the tests themselves was started by the same code.
pytestmark = pytest.mark.slow


def test_killed_server_keeps_what_was_written(valkey: Valkey) -> None:
    client = redis.Redis.from_url(valkey.url)
    client.set("kept", "42")
    time.sleep(1.2)  # appendfsync everysec
    assert valkey.process is not None
    os.kill(valkey.process.pid, signal.SIGKILL)
    valkey.process.wait(10)
    assert valkey.has_died()

    before = valkey.url
    assert valkey.start() == before
    assert redis.Redis.from_url(valkey.url).get("kept") == b"42"


def test_settings_and_password(valkey: Valkey) -> None:
    settings = redis.Redis.from_url(valkey.url).config_get()
    assert settings["bind"] == "127.0.0.1"
    assert settings["appendonly"] == "yes"
    assert settings["maxmemory-policy"] == "noeviction"
    with pytest.raises(redis.AuthenticationError):
        redis.Redis(port=valkey.port).ping()


def test_stop_is_orderly_and_repeatable(valkey: Valkey) -> None:
    process = valkey.process
    assert process is not None
    valkey.stop()
    valkey.stop()
    assert process.returncode == 0
    assert not valkey.is_ready()
    assert not valkey.has_died()
