"""Who knows what, for people to judge: topics drawn by lot, the first people, what shows it.

memories.jsonl: {id, group, seq, speaker, text, type, timestamp?, to?, reply_to?}. The rules read
every turn as the graph does, and people come in the order of its search by words; there is no
database. The topics are drawn from those that at least LEAST people have shown to know. What was
drawn goes into the file experts.md beside the report, which nobody keeps: it quotes the dataset.
"""

import argparse
import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import orjson

from memories.evaluation.report.tables import Table
from memories.knowledge_graph.expertise_signals import (
    DialogueTurn,
    RecentTurns,
    compute_signals,
    is_bot_name,
)
from memories.language.terms import extract_concepts
from memories.retrieval.experts.evidence_sentences import select_evidence_sentence
from memories.retrieval.experts.rank_experts import is_topic
from tools.benchmarks.datasets import read_memory_lines
from tools.benchmarks.report import print_line

SEED, TOPICS, PEOPLE, QUOTES, LEAST = 20261124, 20, 5, 2, 10
QUICK = 5_000
SPACE = UUID(int=0)


@dataclass(slots=True)
class ExpertiseEvidence:
    """What the turns show: by concept and speaker the ids, and the words behind each."""

    shows: dict[str, dict[str, list[UUID]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    names: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    texts: dict[UUID, str] = field(default_factory=dict)


def run(chosen: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], list[Table]]:
    content = read_memory_lines(chosen.dataset)
    lines = [orjson.loads(line) for line in content.splitlines()]
    known = read_evidence(lines[: QUICK if chosen.quick else None])
    drawn = sample_topics(known)
    written = folder / "experts.md"
    written.write_text("".join(render_topic(known, key) for key in drawn), encoding="utf-8")
    print_line(f"{len(drawn)} topics drawn; read {written} and judge each line.")
    rows = [
        [known.names[key].most_common(1)[0][0], len(known.shows[key]), len(rank_people(known, key))]
        for key in drawn
    ]
    figures = {"topics": len(drawn), "people": sum(row[2] for row in rows), "seed": SEED}
    table = Table("Topics drawn by lot", ["topic", "people who show it", "judged"], rows, "")
    return figures, [table]


def read_evidence(lines: list[dict[str, Any]]) -> ExpertiseEvidence:
    """Read every turn by the rules of the graph."""
    known, heard = ExpertiseEvidence(), defaultdict(RecentTurns)
    turns: dict[UUID, DialogueTurn] = {}
    for line in lines:
        if line.get("type", "msg") != "msg":
            continue
        turn = _turn(line)
        quoted = {turn.reply_to: turns[turn.reply_to]} if turn.reply_to in turns else {}
        found = compute_signals(turn, heard[line["group"]], quoted)
        for term in [*found.own, *(term for term, _ in found.lent)]:
            known.shows[term.key][line["speaker"]].append(turn.id)
            known.names[term.key][term.name.lower()] += 1
        known.texts[turn.id] = turn.text
        turns[turn.id] = turn
        heard[line["group"]].add(turn)
    return known


def _turn(line: dict[str, Any]) -> DialogueTurn:
    at = line.get("timestamp")
    to, answered = _as_list(line.get("to")), _as_list(line.get("reply_to"))
    return DialogueTurn(
        id=uuid5(SPACE, line["id"]),
        audience=SPACE,
        text=line["text"][:2_000],
        concepts=tuple(extract_concepts(line["text"])),
        speaker=uuid5(SPACE, line["speaker"].casefold()),
        addressed=tuple(uuid5(SPACE, name.casefold()) for name in to),
        conversation=line["group"],
        at=datetime.fromisoformat(at) if at else None,
        reply_to=uuid5(SPACE, answered[0]) if answered else None,
        machine=is_bot_name(line["speaker"]),
    )


def _as_list(value: str | list[str] | None) -> list[str]:
    if not value:
        return []
    return value if isinstance(value, list) else [value]


def sample_topics(known: ExpertiseEvidence) -> list[str]:
    """Topics by lot, from what enough people have shown to know and a page would offer."""
    offered = sorted(
        key
        for key, people in known.shows.items()
        if len(people) >= LEAST and is_topic(known.names[key].most_common(1)[0][0])
    )
    return random.Random(SEED).sample(offered, min(TOPICS, len(offered)))  # noqa: S311


def rank_people(known: ExpertiseEvidence, key: str) -> list[tuple[str, list[UUID]]]:
    """The first people: those with the most observations."""
    people = known.shows[key].items()
    return sorted(people, key=lambda one: (-len(one[1]), one[0]))[:PEOPLE]


def render_topic(known: ExpertiseEvidence, key: str) -> str:
    """One topic as it is read."""
    rows = [f"\n## {known.names[key].most_common(1)[0][0]}\n"]
    for name, ids in rank_people(known, key):
        rows.append(f"- {name} ({len(ids)})\n")
        for id_ in _sort_evidence(known, key, ids)[:QUOTES]:
            rows.append(f"    - {select_evidence_sentence(known.texts[id_], key)[:200]}\n")
    return "".join(rows)


def _sort_evidence(known: ExpertiseEvidence, key: str, ids: list[UUID]) -> list[UUID]:
    """As the search has it: what says the topic itself, the latest first."""
    has = {id_: key in {term.key for term in extract_concepts(known.texts[id_])} for id_ in ids}
    latest = list(reversed(ids))
    return sorted(latest, key=lambda id_: not has[id_])
