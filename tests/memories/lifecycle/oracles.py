"""Oracles: the rules of tiers, surprise and strength again, for one memory, in plain Python.

The product decides them in SQL (`memories/lifecycle/tier_moves.py`,
`memories/retrieval/feedback.py`) and in the figures of tiers. Tests compare those with these.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memories.lifecycle.decay import STRONG_FROM, WEAK_BELOW
from memories.lifecycle.surprise import DEFAULT_USEFULNESS, LEARNING_RATE
from memories.lifecycle.tiers import (
    COOL_DOWN,
    PROMOTING_ACCESSES,
    PROMOTING_SUCCESSES,
    SECONDS_PER_HOUR,
    STABLE_UPDATES,
    TierRule,
    faster_tier,
    get_tier_rule,
    slower_tier,
)

Reason = Literal["accesses", "successes", "surprise", "idle", "faded", "stable"]


@dataclass(frozen=True, slots=True)
class TierFacts:
    """The facts of a memory for `find_due_move`.

    importance and surprise in 0-1; times with a time zone. moved_at: its last move, None if it
    never moved. last_used_at: its last access, else its creation. since_...: counted since it came
    to its tier. accesses: in all. updates: how often its surprise was updated.
    """

    tier: str
    importance: float
    tier_since: datetime
    moved_at: datetime | None
    last_used_at: datetime
    since_accesses: int
    since_successes: int
    since_feedback: int
    updates: int
    surprise: float
    red_line: bool
    accesses: int = 0


@dataclass(frozen=True, slots=True)
class DueTierMove:
    """A move by one tier, with its reason."""

    from_tier: str
    to_tier: str
    reason: Reason


def compute_decayed_importance(importance: float, age_hours: float, half_life: float) -> float:
    """What is left of an importance (0-1) after `age_hours`; half of it after `half_life` hours.

    A negative age, from a clock that went back, counts as 0. half_life is above 0.
    """
    return float(importance * 0.5 ** (max(0.0, age_hours) / half_life))


def find_due_move(standing: TierFacts, now: datetime) -> DueTierMove | None:
    """The move that is due for a memory, or None. Promotion comes before demotion.

    A protected memory does not move. After a move a memory stays for COOL_DOWN; a move in the
    future, from a clock that went back, counts as one of now. `now` has a time zone. Raises
    ValueError for an unknown tier.
    """
    rule = get_tier_rule(standing.tier)
    if standing.red_line:
        return None
    if standing.moved_at is not None and now - standing.moved_at < COOL_DOWN:
        return None
    up, down = faster_tier(rule.tier), slower_tier(rule.tier)
    if up and (reason := _promotion_reason(standing, rule)):
        return DueTierMove(rule.tier, up, reason)
    if rule.tier in ("slow", "glacial") and _is_in_use(standing, now):
        return DueTierMove("glacial", "slow", "accesses") if rule.tier == "glacial" else None
    if down and (reason := _demotion_reason(standing, rule, now)):
        return DueTierMove(rule.tier, down, reason)
    return None


def _is_in_use(standing: TierFacts, now: datetime) -> bool:
    lately = timedelta(seconds=get_tier_rule("slow").idle_limit)
    return standing.accesses >= PROMOTING_ACCESSES and now - standing.last_used_at <= lately


def _promotion_reason(standing: TierFacts, rule: TierRule) -> Reason | None:
    if standing.since_accesses >= PROMOTING_ACCESSES:
        return "accesses"
    if standing.since_successes >= PROMOTING_SUCCESSES:
        return "successes"
    limit = rule.promoting_surprise
    if limit is not None and standing.since_feedback >= 1 and standing.surprise >= limit:
        return "surprise"
    return None


def _demotion_reason(standing: TierFacts, rule: TierRule, now: datetime) -> Reason | None:
    if now - standing.last_used_at > timedelta(seconds=rule.idle_limit):
        return "idle"
    hours = (now - standing.tier_since).total_seconds() / SECONDS_PER_HOUR
    left = compute_decayed_importance(standing.importance, hours, rule.half_life)
    if left < rule.least_importance:
        return "faded"
    # In this form because 1 - .7 is a little more than .3 in binary.
    calm = rule.stable_above is not None and standing.surprise < 1 - rule.stable_above
    return "stable" if calm and standing.updates >= STABLE_UPDATES else None


def compute_surprise(old: float, usefulness: float | None, served: float | None) -> float:
    """The surprise in 0-1 after one more report.

    old: the former surprise, 0 at first. usefulness: as reported. served: the relevance with which
    the memory was served. All in 0-1, None if unknown.
    """
    useful = DEFAULT_USEFULNESS if usefulness is None else usefulness
    expected = DEFAULT_USEFULNESS if served is None else served
    return LEARNING_RATE * max(0.0, useful - expected) + (1 - LEARNING_RATE) * old


def strength_class(strength: float) -> Literal["strong", "fading", "weak"]:
    """The class of a strength (0-1): strong from .7, weak below .3, fading between them."""
    if strength >= STRONG_FROM:
        return "strong"
    return "weak" if strength < WEAK_BELOW else "fading"
