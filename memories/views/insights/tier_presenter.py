"""Tiers, the reasons of moves and how long a memory lasts, in words."""

from datetime import datetime
from typing import Any

from memories.browsing.memory_versions import TierHistory, TierMove
from memories.insights.tier_figures import TierMoveEntry
from memories.lifecycle.tiers import (
    PROMOTING_ACCESSES,
    PROMOTING_SUCCESSES,
    SECONDS_PER_HOUR,
    STABLE_UPDATES,
    TIER_RULES,
    get_tier_rule,
)
from orgs.views.time_formats import short_day

TIER_LABELS = {"fast": "Fast", "medium": "Medium", "slow": "Slow", "glacial": "Glacial"}
_TIER_ORDER = [rule.tier for rule in TIER_RULES]
_IDLE_LABELS = {60: "a minute", 3600: "an hour", 86_400: "a day", 604_800: "a week"}
_REASON_LABELS = {
    "accesses": f"was used {PROMOTING_ACCESSES} times",
    "successes": f"helped {PROMOTING_SUCCESSES} times",
    "surprise": "surprised: it helped more than expected, {surprise:.0f} of 100",
    "stable": f"surprises little after {STABLE_UPDATES} reports, {{surprise:.0f}} of 100",
    "asked": "somebody asked for it",
    "red_line": "is protected",
    "restored": "a snapshot was restored",
}


def reason_sentence(name: str, from_tier: str, surprise: float) -> str:
    """Why a memory left a tier, as the rest of a sentence about it. surprise: 0-1."""
    rule = get_tier_rule(from_tier)
    if name == "idle":
        hours = rule.idle_limit / SECONDS_PER_HOUR
        return f"was not used for {_IDLE_LABELS.get(rule.idle_limit) or f'{hours:g} hours'}"
    if name == "faded":
        return f"faded below {rule.least_importance:g}".replace("0.", ".")
    return _REASON_LABELS.get(name, name).format(surprise=100 * surprise)


def move_row(move: TierMove | TierMoveEntry) -> dict[str, Any]:
    """One move; `up` towards the fast tier."""
    return {
        "from": TIER_LABELS[move.from_tier],
        "to": TIER_LABELS[move.to_tier],
        "up": _TIER_ORDER.index(move.to_tier) < _TIER_ORDER.index(move.from_tier),
        "why": reason_sentence(move.reason, move.from_tier, move.surprise),
        "at": move.moved_at,
    }


def tier_history_context(found: TierHistory, now: datetime) -> dict[str, Any]:
    """For memories/memory/detail.html."""
    days = found.half_life
    return {
        "tier": TIER_LABELS[found.tier],
        "since": found.since,
        "half_life": f"{days:.0f} days" if days >= 1.5 else "a day",
        "tenth_at": found.tenth_at,
        "faded": found.tenth_at <= now,
        "curve": _strength_chart(found, now),
        "reports": found.reports,
        "success": f"{found.success * 100:.0f} %",
        "surprise": f"{found.surprise * 100:.0f} of 100",
        "moves": [move_row(one) for one in found.moves],
    }


def _strength_chart(found: TierHistory, now: datetime) -> dict[str, Any]:
    """How it fades, for components/chart.html."""
    values = [
        {
            "label": short_day(at, year=True),
            "value": round(100 * strength),
            "text": f"{100 * strength:.0f} %",
        }
        for at, strength in found.curve
    ]
    passed = sum(at <= now for at, _ in found.curve)
    today = f"about {values[passed - 1]['value']} % today, " if passed > 1 else ""
    return {
        "kind": "line",
        "title": "How it fades",
        "sentence": f"If nobody uses it: {values[0]['value']} % on {values[0]['label']}, {today}"
        f"{values[-1]['value']} % on {values[-1]['label']}.",
        "unit": "strong",
        "meaning": "Higher comes up sooner in an answer; it says nothing of whether it is true.",
        "first_column": "Day",
        "max": 100,
        "values": values,
    }
