"""What a language model's endpoint sends is read within bounds."""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from memories.llm import client
from memories.llm.client import ModelAnswerError


class Dripping:
    """An answer in parts; each takes a second to come."""

    def __init__(self, parts: Iterable[bytes], clock: list[float]) -> None:
        self.parts: Iterator[bytes] = iter(parts)
        self.clock = clock

    def read1(self, _: int) -> bytes:
        self.clock[0] += 1
        return next(self.parts, b"")


def read(answer: Dripping, ends: float | None = None) -> bytes:
    return b"".join(client._iter_limited(answer, ends))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[float]:
    settings.LLM_TIMEOUT = 5
    now = [100.0]
    monkeypatch.setattr(client.time, "monotonic", lambda: now[0])
    return now


def test_an_answer_may_drip_for_twice_the_silence_and_no_longer(clock: list[float]) -> None:
    """No silence is ever too long here, so the limit of silence alone would wait for ever."""
    assert read(Dripping([b"x"] * 10, clock)) == b"x" * 10
    with pytest.raises(ModelAnswerError, match="too slow"):
        read(Dripping([b"x"] * 11, clock))


def test_an_answer_is_read_no_further_than_its_longest(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "MAX_ANSWER_BYTES", 4)
    assert read(Dripping([b"xx", b"xx"], clock)) == b"xxxx"
    with pytest.raises(ModelAnswerError, match="too long"):
        read(Dripping([b"xx", b"xxx", b"never read"], clock))


def test_somebody_who_waits_waits_no_longer_than_they_say(clock: list[float]) -> None:
    assert read(Dripping([b"x"] * 3, clock), 104.0) == b"xxx"
    with pytest.raises(ModelAnswerError, match="too slow"):
        read(Dripping([b"x"] * 3, clock), 105.0)
