"""A whole comparison: for each size a world is built, filled, asked, inserted into and judged.

The organisations stay until the last size is done, so that a later one does not reuse the space of
an earlier one before it is measured. Then they are removed, also after an error.
"""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.utils import timezone

from memories.embedding.encoder_loading import get_encoder
from memories.evaluation import table_sizes
from memories.evaluation.dataset.fill_organisation import FillResult, fill_organisation
from memories.evaluation.dataset.generator import MESSAGES_PER_GROUP, SyntheticData
from memories.evaluation.dataset.scenarios import (
    FORBIDDEN,
    EvaluationQuestion,
    build_questions,
    build_user_probes,
)
from memories.evaluation.dataset.synthetic_organisation import (
    SyntheticOrganisation,
    set_projections,
    temporary_organisation,
)
from memories.evaluation.measures.rank_architectures import (
    FORMULA,
    find_recommended,
    rank_architectures,
)
from memories.evaluation.measures.run_measurements import (
    BATCHES,
    LIMIT,
    WARM_UP,
    AskFunction,
    QuestionResult,
    ask_questions,
    ask_service,
    compute_measures,
    compute_measures_by_scenario,
    compute_random_recall,
    compute_recall_by_wording,
    count_leaks,
    measure_inserts,
)
from memories.evaluation.report.tables import describe_machine
from memories.retrieval.strategies.registry import STRATEGIES

# The five architectures, and which projections each needs beside the shared tables.
ARCHITECTURES: dict[str, tuple[str, ...]] = {
    "triple_tenant": (),
    "partitioned": ("partitions",),
    "graph": ("graph",),
    "privacy_scoped": (),
    "multi_level": (),
}
# Measured but not ranked: the search without an architecture.
REFERENCE_STRATEGY = "hybrid"
QUESTIONS_PER_SCENARIO = 40
ProgressCallback = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPlan:
    """What is compared. each: questions for each scenario, if the groups have so many; batches:
    timed inserts of a group's 500 messages for each architecture."""

    groups: Sequence[int]
    strategies: Sequence[str]
    seed: int = 1
    each: int = QUESTIONS_PER_SCENARIO
    batches: int = BATCHES


@dataclass(slots=True)
class Comparison:
    """The results: runs of the architectures and of the reference, and how they were made."""

    plan: ComparisonPlan
    made: dict[str, Any]
    runs: list[dict[str, Any]] = field(default_factory=list)
    references: list[dict[str, Any]] = field(default_factory=list)
    data: list[dict[str, Any]] = field(default_factory=list)
    leaks: list[dict[str, Any]] = field(default_factory=list)

    @property
    def leaked(self) -> bool:
        return any(run["leakage"] for run in [*self.runs, *self.references])

    def report(self) -> dict[str, Any]:
        """Everything as report.json has it."""
        ranking = rank_architectures(self.runs)
        cuts = self.data[0]["random_recall"] if self.data else {}
        return {
            "made": self.made,
            "data": self.data,
            "runs": self.runs,
            "references": self.references,
            "random_recall": {
                k: sum(one["random_recall"][k] for one in self.data) / len(self.data) for k in cuts
            },
            "formula": FORMULA,
            "ranking": ranking,
            "recommendation": find_recommended(ranking),
            "leaks": self.leaks,
        }


def list_architectures() -> list[str]:
    """The architectures that are built; one that stands in for another is not."""
    plain = STRATEGIES.get("triple_tenant")
    return [
        name
        for name in ARCHITECTURES
        if name in STRATEGIES and (name == "triple_tenant" or STRATEGIES[name] is not plain)
    ]


def compare_architectures(
    plan: ComparisonPlan,
    *,
    say: ProgressCallback = lambda text: None,
    ask: AskFunction = ask_service,
    keep_report: Callable[[Comparison], None] = lambda found: None,
) -> Comparison:
    """Measure every strategy of the plan at every size.

    keep_report: called with the results before the organisations are removed, because removing
    1,000 groups takes long.
    """
    started = time.perf_counter()
    found = Comparison(plan, _build_run_info(plan))
    with ExitStack() as stack:
        for groups in sorted(plan.groups):
            world = SyntheticData(
                seed=plan.seed, groups=groups, spare=(1 + plan.batches) * (1 + len(plan.strategies))
            )
            # Otherwise space that others have freed would be reclaimed while this organisation
            # grows.
            table_sizes.vacuum_tables()
            before = table_sizes.fetch_table_sizes()
            say(f"{groups:,} groups: {MESSAGES_PER_GROUP * groups:,} messages ...")
            place = stack.enter_context(temporary_organisation(world, now=timezone.now()))
            _measure_size(found, place, before, say, ask)
        found.made["seconds"] = round(time.perf_counter() - started)
        keep_report(found)
        say("removing what was made ...")
    return found


def format_command(plan: ComparisonPlan) -> str:
    """The command that repeats this comparison."""
    sizes_ = ",".join(map(str, sorted(plan.groups)))
    words = f"manage.py compare_architectures --groups {sizes_} --seed {plan.seed}"
    if set(plan.strategies) != set(ARCHITECTURES):
        words += f" --strategies {','.join(plan.strategies)}"
    return words if plan.each == QUESTIONS_PER_SCENARIO else f"{words} --questions {plan.each}"


def _build_run_info(plan: ComparisonPlan) -> dict[str, Any]:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        [server] = cursor.fetchone()
    return {
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": format_command(plan),
        "seconds": 0,
        "seed": plan.seed,
        "encoder": get_encoder().name,
        "postgresql": server,
        "load_at_start": round(os.getloadavg()[0], 2),
        "warm_up_questions": WARM_UP,
        "limit": LIMIT,
        **describe_machine(),
    }


def _measure_size(
    found: Comparison,
    place: SyntheticOrganisation,
    before: dict[str, int],
    say: ProgressCallback,
    ask: AskFunction,
) -> None:
    plan, world = found.plan, place.world
    needs = {name: ARCHITECTURES.get(name, ()) for name in (*plan.strategies, REFERENCE_STRATEGY)}
    set_projections(place, sorted({one for some in needs.values() for one in some}))
    filled = fill_organisation(place, now=timezone.now(), say=say)
    say(
        f"  remembered at {filled.memories / filled.seconds:,.0f}/s, {filled.distinct_texts:,} "
        f"texts encoded at {filled.encoded_per_s:,.0f}/s, stored at {filled.stored_per_s:,.0f}/s"
    )
    table_sizes.vacuum_tables()
    after = table_sizes.fetch_table_sizes()
    asked = build_questions(world, each=plan.each)
    started = time.perf_counter()
    outcomes = ask_questions(place, asked, list(needs), ask)
    probes = build_user_probes(world)
    # The times of these are not reported: each user asks in the words of one text.
    probed = ask_questions(place, probes, list(needs), ask)
    say(
        f"  {len(asked)} questions and {len(probes)} of all users by {len(needs)} "
        f"in {time.perf_counter() - started:.0f} s"
    )
    inserted = measure_inserts(place, needs, batches=plan.batches, now=timezone.now())
    found.data.append(_data_report(world, asked, filled) | {"user_probes": len(probes)})
    for strategy, projections in needs.items():
        run = {
            "strategy": strategy,
            "groups": world.groups,
            "projections": list(projections),
            **inserted[strategy],
            **compute_measures(outcomes[strategy]),
            **compute_recall_by_wording(outcomes[strategy]),
            "leakage": count_leaks([*outcomes[strategy], *probed[strategy]]),
            "bytes_per_memory": round(
                table_sizes.bytes_per_memory(before, after, filled.memories, projections)
            ),
            "scenarios": compute_measures_by_scenario(outcomes[strategy]),
        }
        (found.references if strategy == REFERENCE_STRATEGY else found.runs).append(run)
        found.leaks += _list_leaks(strategy, world.groups, [*outcomes[strategy], *probed[strategy]])


def _data_report(
    world: SyntheticData, asked: Sequence[EvaluationQuestion], filled: FillResult
) -> dict[str, Any]:
    told = [one for one in asked if one.scenario != FORBIDDEN]
    return {
        "groups": world.groups,
        "messages": filled.memories,
        "members": len({member for seats in world.seats[: world.groups] for member in seats}),
        "sha256": world.digest(),
        "questions": len(told),
        "paraphrased": sum(one.paraphrased for one in told),
        "probes": len(asked) - len(told),
        "readable": sum(one.readable for one in told) / len(told),
        "random_recall": compute_random_recall(asked),
        "distinct_texts": filled.distinct_texts,
        "fill_rows_per_s": filled.memories / filled.seconds,
        "encoded_per_s": filled.encoded_per_s,
        "vectors_per_s": filled.stored_per_s,
    }


def _list_leaks(
    strategy: str, groups: int, outcomes: Sequence[QuestionResult]
) -> list[dict[str, Any]]:
    return [
        {
            "strategy": strategy,
            "groups": groups,
            "question": one.asked.text,
            "way": one.asked.way,
            "forbidden": one.forbidden,
        }
        for one in outcomes
        if one.forbidden
    ]
