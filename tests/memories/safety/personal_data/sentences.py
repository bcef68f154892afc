"""Sentences of our own with what is personal in them, and such as have nothing personal."""

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Sentence:
    """text: without marks. kind, spans: what a person marked in it; empty where it may pass."""

    text: str
    kind: str = ""
    spans: tuple[tuple[int, int], ...] = ()


def personal_sentences() -> list[Sentence]:
    return [_marked(line) for line in _lines("caught.txt")]


def harmless_sentences() -> list[Sentence]:
    return [Sentence(line) for line in _lines("passing.txt")]


def _lines(name: str) -> list[str]:
    return [line for line in (HERE / name).read_text(encoding="utf-8").split("\n") if line]


def _marked(line: str) -> Sentence:
    """A line: kind, tab, text with <marks> around what is personal."""
    kind, text = line.split("\t")
    parts, spans, at, begin = [], [], 0, 0
    for sign in text:
        if sign == "<":
            begin = at
        elif sign == ">":
            spans.append((begin, at))
        else:
            parts.append(sign)
            at += 1
    return Sentence("".join(parts), kind, tuple(spans))
