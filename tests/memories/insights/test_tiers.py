"""The figures of the tiers, against the same computed from rows in Python."""

import random
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest

from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember
from memories.insights import tier_figures
from memories.insights.tier_figures import (
    MAX_LATEST,
    MIN_PROMOTIONS,
    TierFigures,
    TierMoveCounts,
    TierMoveEntry,
    get_tier_figures,
    get_tier_figures_and_moves,
)
from memories.lifecycle.decay import compute_strength
from memories.lifecycle.forget import forget_memory
from memories.lifecycle.tiers import tier_capacities
from memories.retrieval.models import Recall
from memories.store.models.memory import Memory
from memories.store.models.use import Transition, Use
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.audiences import Audience
from orgs.models.base import new_id
from orgs.principals import resolve_principal
from tests.memories.lifecycle.oracles import strength_class
from tests.world import NOW, Tenant, World

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
AFTER = NOW + 60 * DAY
ORDER = ["fast", "medium", "slow", "glacial"]
ROOM = {"fast": 1000, "medium": 500, "slow": 200, "glacial": 100}
KINDS: list[dict[str, Any]] = [
    {},
    {"group": "launch"},
    {"visibility": "internal"},
    {"category": "reminder"},
    {"category": "preference", "group": "launch"},
]


def everything(here: Tenant) -> Any:
    """A scope that reads and writes all of the organisation."""
    with organisation_scope(here.id):
        audiences = tuple(Audience.objects.values_list("id", flat=True))
    return scope(Scope(organisation=here.id, audiences=audiences))


def moved(here: Tenant, id_: UUID, ups: list[tuple[bool, datetime]], **use: Any) -> None:
    """Moves of one memory, medium to fast or back, and how it is used."""
    with everything(here):
        memory = Memory.objects.get(id=id_)
        part = {
            "organisation_id": here.id,
            "memory": memory,
            "audience_id": memory.audience_id,
            "kind": memory.kind,
        }
        past = {"tier": "medium", **use}
        Use.objects.filter(memory=memory).update(**past) or Use.objects.create(**part, **past)
        for up, at in ups:
            way = ("medium", "fast") if up else ("fast", "medium")
            Transition.objects.create(
                **part,
                from_tier=way[0],
                to_tier=way[1],
                reason="accesses" if up else "idle",
                surprise=0,
                moved_at=at,
            )


def asked(here: Tenant, name: str, answered: str, at: datetime) -> None:
    """A question of a member, with hits whatever they are worth; "" is a context."""
    principal = resolve_principal(here.person(name))
    with everything(here):
        Recall.objects.create(
            organisation_id=here.id,
            audience_id=principal.own_audience,
            member=here.members[name],
            strategy="hybrid",
            hits=[{"memory": str(new_id()), "score": 0.5}],
            answered=answered,
            took_ms=1,
            created_at=at,
        )


def random_world(here: Tenant, lot: random.Random) -> None:
    aria, ids = here.robot("aria"), []
    for n in range(70):
        fields = lot.choice(KINDS) | {"importance": lot.choice([0.2, 0.5, 0.9, 1.0])}
        fields["tier"] = lot.choice(ORDER)
        if n % 9 == 0:
            fields["expires_at"] = AFTER - HOUR
        ids.append(remember(aria, Draft(content=f"Thing {n}.", **fields), now=NOW).id)
    for n in range(12):
        mine = Draft(content=f"Mina's {n}.", visibility="private", importance=1.0)
        ids.append(remember(here.person("mina"), mine, now=NOW).id)
    for id_ in ids:
        ups = [
            (
                lot.random() < 0.5,
                AFTER - lot.choice([HOUR / 2, 5 * HOUR, n * DAY, 40 * DAY]) - n * HOUR / 60,
            )
            for n in range(2, 2 + lot.randrange(4))
        ]
        moved(
            here,
            id_,
            ups,
            tier=lot.choice(ORDER),
            access_count=lot.choice([0, 1, 8, 64]),
            last_accessed_at=AFTER - lot.choice([0, 1, 9, 30, 50]) * DAY,
            updates=lot.choice([0, 0, 2]),
            surprise=lot.choice([0.125, 0.5]),
        )
    for id_ in ids[1:70:8]:
        forget_memory(aria, id_, now=AFTER)


def shown_to(here: Tenant, name: str) -> list[Memory]:
    """What a person reads, by what the memories themselves say."""
    readable = here.readable(here.person(name))
    with everything(here):
        rows = Memory.objects.filter(id__in=readable).select_related("use")
        return [
            row
            for row in rows
            if row.status == "active"
            and row.kind != "internal"
            and (row.expires_at is None or row.expires_at > AFTER)
        ]


def log_of(here: Tenant, rows: list[Memory]) -> list[Transition]:
    with everything(here):
        return list(Transition.objects.filter(memory__in=rows))


def rises(one: Transition) -> bool:
    return ORDER.index(one.to_tier) < ORDER.index(one.from_tier)


def counted(log: list[Transition], up: bool, span: timedelta) -> int:
    return sum(rises(one) is up and AFTER - span < one.moved_at <= AFTER for one in log)


def fell_back(log: list[Transition], id_: UUID) -> bool:
    own = [one for one in log if one.memory_id == id_]
    return any(
        rises(a) and not rises(b) and timedelta(0) < b.moved_at - a.moved_at <= 7 * DAY
        for a in own
        for b in own
    )


@pytest.fixture
def filled(world: World) -> Tenant:
    random_world(world.here, random.Random(30))  # noqa: S311
    return world.here


@pytest.mark.conformance("G30", "G32", "Z23")
def test_the_figures_are_those_of_the_readable_rows(filled: Tenant) -> None:
    for name in ("mina", "bob", "vera"):
        figures_of_what_is_read(filled, name)


def figures_of_what_is_read(filled: Tenant, name: str) -> None:
    rows = shown_to(filled, name)
    log = log_of(filled, rows)
    found = get_tier_figures(filled.person(name), now=AFTER)

    assert found.by_tier == Counter(row.use.tier for row in rows)
    assert found.total == len(rows) > 20
    held = Counter((row.audience_id, row.use.tier) for row in rows)
    for tier in ORDER:
        fullest = max((n for (_, t), n in held.items() if t == tier), default=0)
        assert found.fullest[tier] == pytest.approx(min(1, fullest / ROOM[tier]))
    assert found.by_strength == Counter(
        strength_class(
            compute_strength(
                importance=row.importance,
                category=row.category,
                accesses=row.use.access_count,
                last_access=row.use.last_accessed_at,
                now=AFTER,
            )
        )
        for row in rows
    )
    assert set(found.by_strength) == {"strong", "fading", "weak"}
    tenths = [
        compute_strength(
            importance=row.importance,
            category=row.category,
            accesses=row.use.access_count,
            last_access=row.use.last_accessed_at,
            now=AFTER,
        )
        for row in rows
    ]
    assert found.by_tenth == Counter(min(9, int(10 * one)) for one in tenths)
    told = [row.use.surprise for row in rows if row.use.updates]
    assert (found.reported, found.surprise) == (len(told), pytest.approx(sum(told) / len(told)))

    month = [one for one in log if one.moved_at > AFTER - 30 * DAY]
    risen = {one.memory_id for one in month if rises(one)}
    assert found.moves == TierMoveCounts(
        counted(log, True, HOUR),
        counted(log, False, HOUR),
        counted(log, True, DAY),
        counted(log, False, DAY),
        len(month),
        len(risen),
        sum(fell_back(month, id_) for id_ in risen),
    )
    assert found.moved == Counter((one.moved_at.date(), one.reason) for one in month)
    assert found.moves.up_last_hour
    assert found.moves.down_last_day > found.moves.down_last_hour


@pytest.mark.conformance("G30")
def test_the_newest_moves_are_those_that_the_asker_reads(filled: Tenant) -> None:
    seen: dict[str, list[TierMoveEntry]] = {}
    for name in ("mina", "bob"):
        rows = shown_to(filled, name)
        log = log_of(filled, rows)
        newest = sorted(log, key=lambda one: (one.moved_at, one.memory_id), reverse=True)
        _, moves = get_tier_figures_and_moves(filled.person(name), now=AFTER)
        assert [one.moved_at for one in moves] == [one.moved_at for one in newest[:MAX_LATEST]]
        assert {one.memory_id for one in moves} <= {row.id for row in rows}
        assert all(a.moved_at >= b.moved_at for a, b in pairwise(moves))
        seen[name] = list(moves)
    assert any(one.text.startswith("Mina's") for one in seen["mina"])
    assert not any(one.text.startswith("Mina's") for one in seen["bob"])


@pytest.mark.conformance("G30")
def test_what_is_hidden_changes_no_figure(world: World) -> None:
    here = world.here
    open_ = here.remember(here.robot("aria"), "Lunch is at noon.").id
    moved(here, open_, [(True, AFTER - HOUR / 2)])
    before = get_tier_figures_and_moves(here.person("bob"), now=AFTER)
    for fields in ({"visibility": "private"}, {"group": "design"}):
        for n in range(3):
            id_ = here.remember(here.person("mina"), f"Hidden {n}.", **fields).id
            moved(here, id_, [(n > 0, AFTER - HOUR / 2)], updates=3, surprise=0.9)
    note = here.remember(here.robot("aria"), "A note.", visibility="internal").id
    moved(here, note, [(True, AFTER - HOUR / 2)])
    asked(here, "mina", "yes", AFTER - HOUR)
    assert get_tier_figures_and_moves(here.person("bob"), now=AFTER) == before
    mina = get_tier_figures(here.person("mina"), now=AFTER)
    assert (mina.total, mina.moves.up_last_hour, mina.moves.down_last_hour) == (7, 5, 2)


@pytest.mark.conformance("G30")
def test_recalls_are_the_askers_own_and_none_is_zero(world: World) -> None:
    here = world.here
    empty = get_tier_figures(here.person("bob"), now=AFTER)
    assert empty == TierFigures(room=tier_capacities("standard"), fullest=dict.fromkeys(ORDER, 0.0))
    assert (empty.recalls.hit_rate, empty.surprise, empty.moves.effectiveness) == (0, 0, 0)
    for answered, days in (("yes", 1), ("no", 2), ("yes", 29), ("unsure", 3), ("", 1), ("no", 31)):
        asked(here, "bob", answered, AFTER - days * DAY)
    asked(here, "mina", "no", AFTER - DAY)
    bob, mina = (get_tier_figures(here.person(name), now=AFTER).recalls for name in ("bob", "mina"))
    assert (bob.asked, bob.answered, bob.hit_rate) == (4, 2, 0.5)
    assert (mina.asked, mina.hit_rate) == (1, 0.0)


def test_beyond_the_bound_the_newest_count(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    here = world.here
    monkeypatch.setattr(tier_figures, "MAX_COUNTED", 3)
    for n in range(3):
        here.remember(here.robot("aria"), f"Thing {n}.", tier="fast" if n == 0 else "slow")
    found = get_tier_figures(here.person("bob"), now=AFTER)
    assert (found.capped, found.by_tier) == (False, {"fast": 1, "slow": 2})
    here.remember(here.robot("aria"), "The newest.", tier="glacial")
    found = get_tier_figures(here.person("bob"), now=AFTER)
    assert (found.capped, found.by_tier) == (True, {"slow": 2, "glacial": 1})


@pytest.mark.conformance("G31")
@pytest.mark.parametrize(
    ("risen", "fell", "share", "advice"),
    [
        (0, 0, 0.0, ""),
        (10, 7, 0.3, "too_easy"),
        (10, 6, 0.4, ""),
        (10, 2, 0.8, ""),
        (10, 1, 0.9, "could_be_easier"),
        (9, 9, 0.0, ""),  # too few to say anything
    ],
)
def test_how_many_rises_lasted_and_what_follows(
    risen: int, fell: int, share: float, advice: str
) -> None:
    moves = TierMoveCounts(month=60, risen=risen, fell_back=fell)
    assert moves.effectiveness == pytest.approx(share)
    assert (moves.advice, moves.velocity, MIN_PROMOTIONS) == (advice, 2.0, 10)


@pytest.mark.conformance("G31")
def test_a_rise_lasted_unless_it_sinks_within_a_week(world: World) -> None:
    here = world.here
    pasts: list[Callable[[datetime], list[tuple[bool, datetime]]]] = [
        lambda at: [(True, at)],
        lambda at: [(True, at), (False, at + 7 * DAY)],
        lambda at: [(True, at), (False, at + 7 * DAY + HOUR)],
        lambda at: [(False, at - DAY), (True, at)],
        lambda at: [(True, at), (True, at + 2 * DAY), (False, at + 8 * DAY)],
    ]
    for n, past in enumerate(pasts):
        id_ = here.remember(here.robot("aria"), f"Thing {n}.").id
        moved(here, id_, past(AFTER - 20 * DAY))
    found = get_tier_figures(here.person("bob"), now=AFTER).moves
    assert (found.risen, found.fell_back, found.effectiveness) == (5, 2, pytest.approx(0.6))
