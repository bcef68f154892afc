"""Other languages: hit@5 of facts in eight languages, asked in their own language and in English.

`languages.json` has for each language ten facts, each with a question in that language and one in
English, and forty other texts. Each language is a group of one organisation, and is asked there. A
ninth group has forty English texts and no fact: questions in English are also asked among all
texts, because models prefer texts in the language of the question.
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
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from tools.benchmarks.datasets import ImportedDataset
from tools.benchmarks.quality import import_and_report
from tools.benchmarks.report import print_line
from tools.benchmarks.vectors import cached_vectors

FILE = Path(__file__).with_suffix(".json")
LIMIT, QUICK = 5, 2
# Column -> (the field of a fact with the question, the strategy, whether its group is named).
QUESTIONS: Mapping[str, tuple[str, str, bool]] = {
    "own language": ("question", "auto", True),
    "in English": ("english", "auto", True),
    "words alone": ("question", "keyword", True),
    "meaning alone": ("question", "vector", True),
    "in English, meaning alone": ("english", "vector", True),
    "own language, among all": ("question", "auto", False),
    "in English, among all": ("english", "auto", False),
}
DISTRACTORS = "English"
Languages = Mapping[str, Mapping[str, Any]]


def run(chosen: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], list[Table]]:
    """Percent of the facts that stand among the first five, by language and kind of question."""
    languages: Languages = orjson.loads(FILE.read_bytes())
    if chosen.quick:
        languages = dict([*list(languages.items())[:QUICK], (DISTRACTORS, languages[DISTRACTORS])])
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
            if content["facts"]
        }
        print_line(f"  encoder {encoder.name}")
    figures["all"] = {
        column: sum(one[column] for one in figures.values()) / len(figures) for column in QUESTIONS
    }
    for name, found in figures.items():
        print_line(f"  {name}: " + ", ".join(f"{value:g}" for value in found.values()))
    rows = [[name, *(f"{value:.1f}" for value in one.values())] for name, one in figures.items()]
    note = f"hit@{LIMIT}, percent of ten facts a language among fifty texts, or among the texts of "
    note += f"all languages and {DISTRACTORS} ones; encoder {encoder.name}."
    return figures, [Table("Other languages", ["language", *QUESTIONS], rows, note)]


def build_drafts(name: str, content: Mapping[str, Any]) -> list[Draft]:
    """Each fact after four others, so that no two facts are neighbours."""
    others = list(content["others"])
    step = len(others) // max(1, len(content["facts"]))
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
    in_group: bool,
) -> float:
    found = 0
    for number, fact in enumerate(facts):
        query = Query(
            text=fact[field],
            limit=LIMIT,
            group=name if in_group else None,
            strategy=strategy,
            counts=False,
        )
        hits = recall(place.actor, query, now=timezone.now(), load=fetch_answer_rows).hits
        found += any(row.key == _key(name, number) for _, row in hits)
    return 100 * found / len(facts)
