"""Tiers, the reasons of moves and how long a memory lasts, in words."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext

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
from orgs.languages.page_text import format_decimal, lazy_text
from orgs.views.time_formats import short_day

TIER_LABELS = {
    "fast": lazy_text("Fast"),
    "medium": lazy_text("Medium"),
    "slow": lazy_text("Slow"),
    "glacial": lazy_text("Glacial"),
}
_TIER_ORDER = [rule.tier for rule in TIER_RULES]
_IDLE_LABELS = {
    60: lazy_text("a minute"),
    3600: lazy_text("an hour"),
    86_400: lazy_text("a day"),
    604_800: lazy_text("a week"),
}
_REASON_LABELS = {
    "accesses": lazy_text(
        "was used %(promoting_accesses)s times", promoting_accesses=PROMOTING_ACCESSES
    ),
    "successes": lazy_text(
        "helped %(promoting_successes)s times", promoting_successes=PROMOTING_SUCCESSES
    ),
    "surprise": lazy_text("surprised: it helped more than expected, {surprise:.0f} of 100"),
    "stable": lazy_text(
        "surprises little after %(reports)s reports, {surprise:.0f} of 100", reports=STABLE_UPDATES
    ),
    "asked": lazy_text("somebody asked for it"),
    "red_line": lazy_text("is protected"),
    "restored": lazy_text("a snapshot was restored"),
}


# The same of many moves.
REASON_NAMES = {
    "accesses": lazy_text("Used often"),
    "successes": lazy_text("Helped often"),
    "surprise": lazy_text("Helped more than expected"),
    "stable": lazy_text("Surprises little"),
    "asked": lazy_text("Somebody asked for it"),
    "red_line": lazy_text("Is protected"),
    "restored": lazy_text("A snapshot was restored"),
    "idle": lazy_text("Not used for long"),
    "faded": lazy_text("Faded"),
}


def reason_sentence(name: str, from_tier: str, surprise: float) -> str:
    """Why a memory left a tier, as the rest of a sentence about it. surprise: 0-1."""
    rule = get_tier_rule(from_tier)
    if name == "idle":
        hours = rule.idle_limit / SECONDS_PER_HOUR
        return gettext("was not used for %(time)s") % {
            "time": _IDLE_LABELS.get(rule.idle_limit)
            or gettext("%(hours)s hours") % {"hours": format_decimal(hours, "g")}
        }
    if name == "faded":
        return (
            gettext("faded below %(least_importance)s")
            % {"least_importance": format_decimal(rule.least_importance, "g")}
        ).replace("0.", ".")
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
        "half_life": gettext("%(days)s days") % {"days": format_decimal(days, ".0f")}
        if days >= 1.5
        else gettext("a day"),
        "tenth_at": found.tenth_at,
        "faded": found.tenth_at <= now,
        "curve": _strength_chart(found, now),
        "reports": found.reports,
        "success": f"{found.success * 100:.0f} %",
        "surprise": gettext("%(surprise)s of 100")
        % {"surprise": format_decimal(found.surprise * 100, ".0f")},
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
    today = (
        gettext("about %(value)s %% today, ") % {"value": values[passed - 1]["value"]}
        if passed > 1
        else ""
    )
    return {
        "kind": "line",
        "title": gettext("How it fades"),
        "sentence": gettext(
            "If nobody uses it: %(value)s %% on %(label)s, %(today)s%(value2)s %% on %(label2)s."
        )
        % {
            "value": values[0]["value"],
            "label": values[0]["label"],
            "today": today,
            "value2": values[-1]["value"],
            "label2": values[-1]["label"],
        },
        "unit": gettext("strong"),
        "meaning": gettext(
            "Higher comes up sooner in an answer; it says nothing of whether it is true."
        ),
        "first_column": gettext("Day"),
        "max": 100,
        "values": values,
    }
