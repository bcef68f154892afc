"""Does anybody get what the data set's own lists do not give them?

The rule is read from the file, by itself: a line is for whom its list names, for its speaker, for
everyone where the list says so, and for the people of a group that the list names. Those are the
group's speakers, and whom its lines list where they do not name the group.
"""

import argparse
import time
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

import orjson
from django.utils import timezone

from memories.indexing.organisation_indexes import enable_projection
from memories.ingestion.file_import.import_people import EVERYONE, PLATFORM
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.retrieval.strategies.registry import DEFAULT_STRATEGY, STRATEGIES
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.memberships import ExternalIdentity
from orgs.principals import Actor
from tools.benchmarks.database import vacuum_tables
from tools.benchmarks.datasets import ImportedDataset, import_dataset, read_dataset
from tools.benchmarks.report import Table, print_line
from tools.benchmarks.vectors import cached_vectors

# Of the strategy that `auto` takes, and of each other one.
ASKERS, OTHER_ASKERS = 50, 4
QUICK_ASKERS = 2
DEPTH, SEED = 20, 7

Result = tuple[dict[str, Any], list[Table]]
Readable = dict[str, set[str]]


def run(chosen: argparse.Namespace, folder: Path) -> Result:
    """Every question by seeded people, as themselves or through a robot, on every strategy."""
    dataset = read_dataset(chosen.dataset)
    rows = [orjson.loads(line) for line in dataset.lines]
    with cached_vectors(folder):
        place = import_dataset(f"{dataset.name} leaks", dataset.lines)
    vacuum_tables()
    members = member_ids(place)
    names = sorted(members)
    readable = readable_lines(rows, set(names))
    rng = Random(SEED)  # noqa: S311 - the same people each time
    askers = QUICK_ASKERS if chosen.quick else ASKERS
    questions = [(q, rng.sample(names, min(askers, len(names)))) for q in dataset.questions]
    enable_projection(place.organisation.id, "partitions")
    found = {}
    for strategy in STRATEGIES:
        started = time.perf_counter()
        counted = {"asked": 0, "served": 0, "refused": 0, "leaks": 0}
        for question, people in questions:
            asking = people if strategy == DEFAULT_STRATEGY else people[:OTHER_ASKERS]
            for number, name in enumerate(asking):
                actor, whom = build_askers(place, name, members[name], question.group)[number % 2]
                served = recalled_keys(actor, question.text, strategy, whom)
                counted["asked"] += 1
                counted["refused"] += served is None
                counted["served"] += len(served or ())
                counted["leaks"] += len(set(served or ()) - readable[name])
        found[strategy] = counted
        print_line(f"  {strategy}: {counted} in {time.perf_counter() - started:.0f} s")
    return {"memories": place.report.imported, "strategies": found}, [table(found, askers)]


def readable_lines(rows: list[dict[str, Any]], names: set[str]) -> Readable:
    """The ids of the lines that each of the names may read, by the lists alone."""
    groups = {row["group"] for row in rows if row.get("group")}
    seated: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        group, listed = row.get("group"), row.get("audience")
        if group and row.get("speaker"):
            seated[group].add(row["speaker"])
        if group and listed and group not in listed:
            seated[group] |= set(listed) - groups - {EVERYONE}
    found: Readable = {name: set() for name in names}
    for row in rows:
        listed = row.get("audience", [row.get("group") or EVERYONE])
        readers = names if EVERYONE in listed else {*listed, row.get("speaker")} & names
        for group in groups.intersection(listed):
            readers = readers | seated[group]
        for name in readers & names:
            found[name].add(str(row["id"]))
    return found


def member_ids(place: ImportedDataset) -> dict[str, Any]:
    with organisation_scope(place.organisation.id):
        rows = ExternalIdentity.objects.filter(
            organisation_id=place.organisation.id, platform=PLATFORM
        )
        return dict(rows.values_list("identifier", "member_id"))


def build_askers(
    place: ImportedDataset, name: str, member: Any, group: str | None
) -> list[tuple[Actor, Any]]:
    """As the person, of everything; and a robot for the person in the question's group."""
    person = Actor(organisation_id=place.organisation.id, member_id=member)
    return [(person, {}), (place.actor, {"group": group, "member": f"{PLATFORM}:{name}"})]


def recalled_keys(actor: Actor, text: str, strategy: str, whom: Any) -> list[str] | None:
    """The keys that were served, or None where the asker is not of the group."""
    query = Query(text=text, limit=DEPTH, strategy=strategy, counts=False, **whom)
    try:
        answer = recall(actor, query, now=timezone.now(), load=fetch_answer_rows)
    except NotFoundError:
        return None
    return [row.key for _, row in answer.hits]


def table(found: dict[str, dict[str, int]], askers: int) -> Table:
    rows = [[name, *(f"{value:,}" for value in v.values())] for name, v in found.items()]
    note = (
        f"Asked: every question by {askers} seeded people (at most {OTHER_ASKERS} where it is not "
        "the strategy that auto takes), half of them as themselves, half through a robot in the "
        f"question's group; refused: they are not of it. Served: of {DEPTH} a question."
    )
    return Table("Leaks", ["strategy", "asked", "served", "refused", "leaks"], rows, note)
