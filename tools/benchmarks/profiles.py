"""Profiles: how many of the facts about ten people stand in theirs, and how many that are not true
any more stand there unmarked.

In each set of `profiles.json` ten people have ten facts each, of which four replace an older one.
They are planted in 5,000 messages of one group. The rules were improved after looking at all sets;
docs/benchmarks.md says what each gave before that.
"""

import argparse
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
from django.utils import timezone

from memories.evaluation.report.tables import Table
from memories.indexing.embed_worker import embed_pending
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.profiles.build_profile import ProfileFact, build_profile
from memories.retrieval.search_types import FactState
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.organisations.groups import add_to_group
from orgs.principals import resolve_principal
from robots.people.directory import get_visible_group
from robots.people.members_without_account import create_member_without_account
from tools.benchmarks.datasets import ImportedDataset
from tools.benchmarks.quality import import_and_report
from tools.benchmarks.report import print_line
from tools.benchmarks.vectors import cached_vectors

FILE = Path(__file__).with_suffix(".json")
GROUP, MESSAGES, QUICK, MAX_TOKENS, SEED = "friends", 5_000, 300, 1_000, 7
START, PERIOD_DAYS = datetime(2026, 1, 1, tzinfo=UTC), 220
_BATCH = 100
_FIRST_LINE = orjson.dumps({"id": "0", "group": GROUP, "text": "Here we keep what we know."})


def run(chosen: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], list[Table]]:
    """Of each set the facts that stand in the profiles, the older ones that stand there unmarked,
    and the lines that are no fact, in percent of all lines."""
    rows, figures = [], {}
    for name, told in orjson.loads(FILE.read_bytes()).items():
        found = _measure(name, told, QUICK if chosen.quick else MESSAGES, folder)
        print_line(f"  profiles, {name} set: {found}")
        figures[name] = found
        rows.append([name, *(f"{value:g}" for value in found.values())])
    note = f"100 facts about 10 people in {MESSAGES:,} messages; {MAX_TOKENS:,} tokens a profile."
    heads = ["set", "facts in them", "older unmarked", "lines without a fact, %", "tokens", "ms"]
    return figures, [Table("Profiles", heads, rows, note)]


def _measure(name: str, told: dict[str, Any], messages: int, folder: Path) -> dict[str, float]:
    with cached_vectors(folder) as encoder:
        place = import_and_report(f"profiles {name}", [_FIRST_LINE], encoder)
        people = _add_people(place, told)
        drafts = sorted(_drafts(told, people, messages), key=lambda one: str(one.occurred_at))
        for start in range(0, len(drafts), _BATCH):
            remember_many(place.actor, drafts[start : start + _BATCH], now=timezone.now())
        while embed_pending(place.organisation.id, now=timezone.now()):
            pass
        encoder.save()
    present = unmarked = lines = chatter = tokens = 0
    spent = []
    for person in told["people"]:
        started = timezone.now()
        principal = resolve_principal(place.actor)
        with principal.scope():
            found = build_profile(
                principal, people[person["name"]], max_tokens=MAX_TOKENS, now=timezone.now()
            )
        spent.append((timezone.now() - started).total_seconds() * 1000)
        tokens += found.tokens
        by_key = {fact.memory.key: fact for fact in found.facts}
        lines += len(found.facts)
        chatter += sum(one.startswith("chatter/") for one in map(str, by_key))
        for number, fact in enumerate(person["facts"]):
            stands = by_key.get(f"{person['name']}/{number}")
            present += stands is not None and _has_words(stands, fact["key"])
            older = by_key.get(f"{person['name']}/{number}/older")
            unmarked += older is not None and older.state is FactState.CURRENT
    return {
        "facts in them": present,
        "older unmarked": unmarked,
        "lines without a fact": round(100 * chatter / max(1, lines), 1),
        "tokens": round(tokens / len(told["people"])),
        "ms": round(sorted(spent)[len(spent) // 2], 1),
    }


def _has_words(fact: ProfileFact, words: list[str]) -> bool:
    return all(word.lower() in fact.text.lower() for word in words)


def _add_people(place: ImportedDataset, told: dict[str, Any]) -> dict[str, Member]:
    group = get_visible_group(place.actor, GROUP)
    people = {}
    for number, person in enumerate(told["people"]):
        data = {"name": person["name"], "identity": f"chat:{number}"}
        people[person["name"]] = create_member_without_account(place.actor, data, timezone.now())
    with organisation_scope(place.organisation.id):
        ids = [member.id for member in people.values()]
        add_to_group(organisation_id=place.organisation.id, group_id=group.id, member_ids=ids)
    return people


def _drafts(told: dict[str, Any], people: dict[str, Member], messages: int) -> Iterator[Draft]:
    """The facts, each older one before its newer one, and chatter up to the number of messages."""
    drawn = random.Random(SEED)  # noqa: S311 - test data
    planted = 0
    for person in told["people"]:
        for number, fact in enumerate(person["facts"]):
            at = START + timedelta(days=drawn.uniform(100, 200))
            key = f"{person['name']}/{number}"
            yield _draft(drawn, people, person["name"], fact, at, key)
            planted += 1
            if fact["older"]:
                before = at - timedelta(days=drawn.uniform(5, 90))
                yield _draft(drawn, people, person["name"], fact["older"], before, f"{key}/older")
                planted += 1
    for number in range(messages - planted):
        text = " ".join(drawn.sample(told["filler"], drawn.choice((1, 2))))
        name = drawn.choice([*people])
        at = START + timedelta(days=drawn.uniform(0, PERIOD_DAYS))
        said = {"told": "self", "text": text}
        yield _draft(drawn, people, name, said, at, f"chatter/{number}")


def _draft(
    drawn: random.Random,
    people: dict[str, Member],
    name: str,
    said: dict[str, Any],
    at: datetime,
    key: str,
) -> Draft:
    """What a person said of themselves, another said of them, or a robot noted."""
    who: dict[str, Any] = {"type": "conversation", "speaker": str(people[name].id)}
    if said["told"] == "other":
        other = drawn.choice([one for one in people if one != name])
        who["speaker"] = str(people[other].id)
    elif said["told"] == "note":
        who = {"member": str(people[name].id), "visibility": "group"}
    return Draft(content=said["text"], group=GROUP, key=key, occurred_at=at, **who)
