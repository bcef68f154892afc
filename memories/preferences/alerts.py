"""Whether a member wants an alert at a time. Pure."""

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any

from memories.preferences.preference_details import normalise_name, parse_minutes, parse_zone
from orgs.iso_times import to_zone

VIP, QUIET, ALLOWED = REASONS = ("vip_sender", "quiet_hours", "no_rule")


def decide_alert(
    known: Mapping[str, Any], sender: str, at: datetime, zone: tzinfo
) -> tuple[bool, str]:
    """(whether to alert, which of REASONS) under the details of an alert preference.

    A VIP sender always alerts; others outside the quiet hours. zone: the owner's, for hours without
    a zone. Raises InvalidPreferenceError for invalid hours.
    """
    if normalise_name(sender) and normalise_name(sender) in map(
        normalise_name, known.get("vip_senders", ())
    ):
        return True, VIP
    hours = known.get("quiet_hours")
    if hours and quiet(
        hours, _local_minute(at, parse_zone(hours["zone"]) if "zone" in hours else zone)
    ):
        return False, QUIET
    return True, ALLOWED


def quiet(hours: Mapping[str, str], minute: int) -> bool:
    """Whether a minute of the local day is within quiet hours, start included, end not.

    Hours that end before they begin go over midnight. Raises InvalidPreferenceError for invalid
    hours.
    """
    begin, end = parse_minutes(hours.get("from", "")), parse_minutes(hours.get("to", ""))
    return begin <= minute < end if begin < end else minute >= begin or minute < end


def _local_minute(at: datetime, zone: tzinfo) -> int:
    """The minute of the local day in a zone."""
    here = to_zone(at, zone)
    return here.hour * 60 + here.minute
