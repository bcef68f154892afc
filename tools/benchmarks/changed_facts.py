"""Facts that change: whether the newer comes first and the older is marked, and what is marked
wrongly.

A story is an older and a newer text of one fact and a question about the present; a pair that looks
alike is two texts of which both hold. `changed_facts.json` has both; the rules were improved after
looking at them. All lie in one group, so that each is asked for among the others.
"""

import argparse
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
from django.utils import timezone

from memories.evaluation.report.tables import Table
from memories.indexing.embed_worker import embed_pending
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.language.comparison.changed_facts import is_replaced_by, is_same_matter
from memories.language.comparison.statements import read_statement
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.retrieval.search_types import FactState
from tools.benchmarks.datasets import ImportedDataset
from tools.benchmarks.quality import import_and_report
from tools.benchmarks.report import print_line
from tools.benchmarks.vectors import cached_vectors

FILE = Path(__file__).with_suffix(".json")
GROUP, LIMIT, QUICK = "stories", 10, 10
_BATCH = 100
_FIRST_LINE = orjson.dumps({"id": "0", "group": GROUP, "text": "Here we keep what we know."})
# The sets, and how their ids begin.
_SETS = {"facts of an assistant": "n", "chats and notes": "c"}
_NOT_TRUE_NOW = (FactState.OUTDATED, FactState.DISPUTED, FactState.SUPERSEDED)


def run(chosen: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], list[Table]]:
    """Percent of the stories whose newer text stands before the older one, whose older one is
    marked, and of the pairs of which one is marked."""
    told = orjson.loads(FILE.read_bytes())
    stories = told["stories"][: QUICK if chosen.quick else None]
    alike = told["lookalikes"][: QUICK if chosen.quick else None]
    drafts = [
        *(draft for one in stories for draft in _drafts(one["id"], one["older"], one["newer"])),
        *(draft for one in alike for draft in _drafts(one["id"], one["one"], one["other"])),
    ]
    with cached_vectors(folder) as encoder:
        # The line makes the group.
        place = import_and_report("changed facts", [_FIRST_LINE], encoder)
        for start in range(0, len(drafts), _BATCH):
            remember_many(place.actor, drafts[start : start + _BATCH], now=timezone.now())
        while embed_pending(place.organisation.id, now=timezone.now()):
            pass
        asked = {one["id"]: _ask(place, one["id"], one["question"]) for one in stories}
        looked = {one["id"]: _ask(place, one["id"], one["other"]["text"]) for one in alike}
    by_words = [_is_replaced(one["older"], one["newer"]) for one in stories]
    figures = {
        "stories": len(stories),
        **_figures_of(asked, looked),
        "old marked by the words alone": _percent(by_words),
        "pairs that look alike": len(alike),
        "one matter by the words": _percent([_is_one_matter(one) for one in stories]),
    }
    for name, begins in _SETS.items():
        parts = [{id_: one[id_] for id_ in one if id_[0] == begins} for one in (asked, looked)]
        figures |= {f"{name}: {what}": value for what, value in _figures_of(*parts).items()}
    print_line(f"  {figures}")
    rows = [[name, f"{value:g}"] for name, value in figures.items()]
    note = f"Asked in one group of {len(drafts)} memories, {LIMIT} answers; percent."
    return figures, [Table("Facts that change", ["what", "value"], rows, note)]


def _figures_of(
    asked: Mapping[str, dict[str, bool]], looked: Mapping[str, dict[str, bool]]
) -> dict[str, float]:
    """Percent of stories and of pairs, by their ids."""
    return {
        "current first": _percent([one["first"] for one in asked.values()]),
        "old marked": _percent([one["marked"] for one in asked.values()]),
        "false alarms": _percent([one["marked"] for one in looked.values()]),
    }


def _drafts(id_: str, *told: dict[str, Any]) -> list[Draft]:
    return [
        Draft(
            content=one["text"],
            group=GROUP,
            key=f"{id_}/{number}",
            speaker=one["speaker"] or "",
            occurred_at=datetime.fromisoformat(one["at"]),
        )
        for number, one in enumerate(told)
    ]


def _ask(place: ImportedDataset, id_: str, question: str) -> dict[str, bool]:
    """first: the newer text is served and nothing older stands before it; marked: the older one is
    marked, or is not served."""
    query = Query(text=question, limit=LIMIT, group=GROUP, counts=False)
    hits = recall(place.actor, query, now=timezone.now(), load=fetch_answer_rows).hits
    served = {row.key: (number, hit) for number, (hit, row) in enumerate(hits)}
    older, newer = served.get(f"{id_}/0"), served.get(f"{id_}/1")
    return {
        "first": newer is not None and (older is None or newer[0] < older[0]),
        "marked": older is not None and older[1].state in _NOT_TRUE_NOW,
    }


def _is_replaced(older: dict[str, Any], newer: dict[str, Any]) -> bool:
    before, after = read_statement(older["text"]), read_statement(newer["text"])
    return bool(before and after and is_replaced_by(before, after))


def _is_one_matter(story: dict[str, Any]) -> bool:
    before, after = read_statement(story["older"]["text"]), read_statement(story["newer"]["text"])
    return bool(before and after and is_same_matter(before, after))


def _percent(values: list[bool]) -> float:
    return round(100 * sum(values) / len(values), 1) if values else 0.0
