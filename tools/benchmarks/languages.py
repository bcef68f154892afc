"""Other languages: hit@5 of facts in eight languages, asked in their own language and in English.

`languages.json` has for each language ten facts, each with a question in that language and one in
English, and forty other texts. Each language is a group of one organisation, and is asked there.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from django.utils import timezone

from memories.evaluation.report.tables import Table
from memories.indexing.embed_worker import embed_pending
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.recall import Query, recall
from tools.benchmarks.datasets import ImportedDataset
from tools.benchmarks.quality import import_and_report
from tools.benchmarks.report import print_line
from tools.benchmarks.vectors import cached_vectors

FILE = Path(__file__).with_suffix(".json")
LIMIT, QUICK = 5, 2
# Column -> (the field of a fact with the question, the strategy).
QUESTIONS: Mapping[str, tuple[str, str]] = {
    "own language": ("question", "auto"),
    "in English": ("english", "auto"),
    "words alone": ("question", "keyword"),
    "meaning alone": ("question", "vector"),
    "in English, meaning alone": ("english", "vector"),
}
Languages = Mapping[str, Mapping[str, Any]]


def run(chosen: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], list[Table]]:
    """Percent of the facts that stand among the first five, by language and kind of question."""
    languages: Languages = orjson.loads(FILE.read_bytes())
    if chosen.quick:
        languages = dict(list(languages.items())[:QUICK])
    with cached_vectors(folder) as encoder:
        # The lines make the groups.
        lines = [
            orjson.dumps({"id": name, "group": name, "text": f"{name}: what we know."})
            for name in languages
        ]
        place = import_and_report("languages", lines, encoder)
        for name, content in languages.items():
            remember_many(place.actor, build_drafts(name, content), now=timezone.now())
        while embed_pending(place.organisation.id, now=timezone.now()):
            pass
        figures = {
            name: {
                column: _percent_found(place, name, content["facts"], *how)
                for column, how in QUESTIONS.items()
            }
            for name, content in languages.items()
        }
        print_line(f"  encoder {encoder.name}")
    figures["all"] = {
        column: sum(one[column] for one in figures.values()) / len(languages)
        for column in QUESTIONS
    }
    for name, found in figures.items():
        print_line(f"  {name}: " + ", ".join(f"{key} {value:g}" for key, value in found.items()))
    rows = [[name, *(f"{value:.1f}" for value in one.values())] for name, one in figures.items()]
    note = f"hit@{LIMIT}, percent of ten facts a language among fifty texts; encoder {encoder.name}"
    return figures, [Table("Other languages", ["language", *QUESTIONS], rows, note)]


def build_drafts(name: str, content: Mapping[str, Any]) -> list[Draft]:
    """Each fact after four others, so that no two facts are neighbours."""
    others = list(content["others"])
    step = len(others) // len(content["facts"])
    drafts = []
    for number, fact in enumerate(content["facts"]):
        drafts += [Draft(content=text, group=name) for text in others[:step]]
        drafts.append(Draft(content=fact["text"], group=name, key=_key(name, number)))
        del others[:step]
    return drafts + [Draft(content=text, group=name) for text in others]


def _key(name: str, number: int) -> str:
    return f"{name}/{number}"


def _percent_found(
    place: ImportedDataset,
    name: str,
    facts: Sequence[Mapping[str, str]],
    field: str,
    strategy: str,
) -> float:
    found = 0
    for number, fact in enumerate(facts):
        query = Query(text=fact[field], limit=LIMIT, group=name, strategy=strategy, counts=False)
        hits = recall(place.actor, query, now=timezone.now(), load=fetch_answer_rows).hits
        found += any(row.key == _key(name, number) for _, row in hits)
    return 100 * found / len(facts)
