"""Does a recall know when nothing answers? Questions with and without an answer in what is there.

Without: those that the data set calls unanswerable, and questions of one group asked in another; of
these also with the names of the other group's speakers in the place of their own. Half of the
questions, chosen by the hash of their ids, gave the constants of `answering.confidence`; what is
reported is the other half, and everything of a set that gave none.
"""

import argparse
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from django.utils import timezone

from memories.evaluation.report.tables import Table
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.answering.confidence import (
    ANSWERED_VALUES,
    NO_BELOW,
    YES_FROM,
    is_irrelevant,
)
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from orgs.errors import NotFoundError
from tools.benchmarks.database import vacuum_tables
from tools.benchmarks.datasets import ImportedDataset, import_dataset, read_dataset
from tools.benchmarks.report import print_line
from tools.benchmarks.vectors import cached_vectors

# The set whose half gave the constants.
FITTED_TO = "locomo"
LIMIT, QUICK = 20, 40
ANSWERABLE = "answerable"
UNANSWERABLE, FOREIGN, RENAMED = "unanswerable", "of another group", "of another group, renamed"


@dataclass(frozen=True, slots=True)
class TestQuestion:
    """A question, in which group it is asked, and of which kind that makes it."""

    id: str
    text: str
    group: str
    kind: str
    evidence: frozenset[str]


def run(chosen: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], list[Table]]:
    lines = read_dataset(chosen.dataset).lines
    speakers = speakers_of(lines)
    questions = build_questions(chosen.dataset, speakers)
    if chosen.quick:
        questions = questions[:: max(1, len(questions) // QUICK)]
    if chosen.dataset.name == FITTED_TO:
        questions = [one for one in questions if is_held_out(one.id)]
    with cached_vectors(folder) as encoder:
        place = import_dataset(chosen.dataset.name, lines)
        encoder.save()
        vacuum_tables()
        found = [
            told for one in questions if (told := ask_question(place, one, speakers)) is not None
        ]
    return summarise_results(found), tables(chosen.dataset.name, found)


def is_held_out(id_: str) -> bool:
    """Whether the question is in the half that gave no constants."""
    return bool(hashlib.sha256(id_.encode()).digest()[0] & 1)


def speakers_of(lines: Sequence[bytes]) -> dict[str, list[str]]:
    """Group -> its speakers, in the order of their first words."""
    found: dict[str, dict[str, None]] = {}
    for row in map(orjson.loads, lines):
        if row.get("group") and row.get("speaker"):
            found.setdefault(row["group"], {})[row["speaker"]] = None
    return {group: list(names) for group, names in found.items()}


def build_questions(folder: Path, speakers: Mapping[str, Sequence[str]]) -> list[TestQuestion]:
    """Each question where it belongs, and each answerable one in one other group, both ways."""
    groups, found = list(speakers), list[TestQuestion]()
    for n, line in enumerate((folder / "queries.jsonl").read_bytes().splitlines()):
        row = orjson.loads(line)
        home, text = row.get("group"), row["question"]
        if home not in speakers:
            continue
        good = row.get("answerable", bool(row.get("evidence_ids")))
        evidence = frozenset(map(str, row.get("evidence_ids") or ()))
        kind = ANSWERABLE if good else UNANSWERABLE
        found.append(TestQuestion(str(row["id"]), text, home, kind, evidence))
        if good and len(groups) > 1:
            there = groups[(groups.index(home) + 1 + n % (len(groups) - 1)) % len(groups)]
            found.append(TestQuestion(str(row["id"]), text, there, FOREIGN, frozenset()))
            other = replace_names(text, speakers[home], speakers[there])
            if other != text:
                found.append(TestQuestion(str(row["id"]), other, there, RENAMED, frozenset()))
    return found


def replace_names(text: str, ours: Sequence[str], theirs: Sequence[str]) -> str:
    """The text with each of our names replaced by one of theirs."""
    names = {name.lower(): theirs[n % len(theirs)] for n, name in enumerate(ours)}
    pattern = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?i)\b(?:{pattern})\b", lambda found: names[found[0].lower()], text)


def ask_question(
    place: ImportedDataset, one: TestQuestion, speakers: Mapping[str, Sequence[str]]
) -> dict[str, Any] | None:
    """What was said of the answer; None where the asker is not in the group."""
    member = f"import:{speakers[one.group][0]}"
    query = Query(text=one.text, limit=LIMIT, counts=False, group=one.group, member=member)
    try:
        answer = recall(place.actor, query, now=timezone.now(), load=fetch_answer_rows)
    except NotFoundError:
        return None
    hits = [(row.key in one.evidence, is_irrelevant(hit)) for hit, row in answer.hits]
    return {
        "id": one.id,
        "kind": one.kind,
        "confidence": answer.confidence,
        "answered": answer.answered,
        "evidence": sum(right for right, _ in hits),
        "evidence_folded": sum(right and folded for right, folded in hits),
        "others": sum(not right for right, _ in hits),
        "others_folded": sum(folded and not right for right, folded in hits),
    }


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """How often one with an answer is surer than one without; equal ones count half."""
    if not positive or not negative:
        return None
    ordered = np.sort(np.asarray(negative))
    below = np.searchsorted(ordered, positive, side="left")
    not_above = np.searchsorted(ordered, positive, side="right")
    return float((below + not_above).mean() / 2 / len(ordered))


def summarise_results(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    good = _confidences(found, ANSWERABLE)
    kinds = {}
    for kind in (ANSWERABLE, UNANSWERABLE, FOREIGN, RENAMED):
        rows = [one for one in found if one["kind"] == kind]
        if rows:
            kinds[kind] = {
                "questions": len(rows),
                "auroc": auroc(good, _confidences(found, kind)) if kind != ANSWERABLE else None,
                **{
                    word: 100 * sum(one["answered"] == word for one in rows) / len(rows)
                    for word in ANSWERED_VALUES
                },
            }
    without = [one["confidence"] for one in found if one["kind"] in (UNANSWERABLE, FOREIGN)]
    rows = [one for one in found if one["kind"] == ANSWERABLE]
    return {
        "kinds": kinds,
        "auroc": auroc(good, without),
        "evidence_folded": _share(rows, "evidence"),
        "others_folded": _share(rows, "others"),
    }


def _confidences(found: Sequence[dict[str, Any]], kind: str) -> list[float]:
    return [one["confidence"] for one in found if one["kind"] == kind]


def _share(rows: Sequence[dict[str, Any]], what: str) -> float:
    """Percent of the hits that were folded."""
    return 100 * sum(one[f"{what}_folded"] for one in rows) / max(1, sum(one[what] for one in rows))


def tables(name: str, found: Sequence[dict[str, Any]]) -> list[Table]:
    told = summarise_results(found)
    rows = [
        [
            kind,
            one["questions"],
            "-" if one["auroc"] is None else f"{one['auroc']:.3f}",
            *(f"{one[word]:.1f}" for word in ANSWERED_VALUES),
        ]
        for kind, one in told["kinds"].items()
    ]
    whole = told["auroc"]
    note = (
        f"Percent of the questions; yes from {YES_FROM:g}, no below {NO_BELOW:g}. AUROC beside the "
        f"answerable ones, of all but the renamed {'-' if whole is None else f'{whole:.3f}'}. "
        f"Of the first {LIMIT} hits of answerable ones {told['evidence_folded']:.1f} % of the "
        f"evidence and {told['others_folded']:.1f} % of the rest are folded."
    )
    print_line(f"  {note}")
    return [Table(f"Abstention, {name}", ["questions", "n", "AUROC", *ANSWERED_VALUES], rows, note)]
