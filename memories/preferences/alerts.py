"""Whether a member wants an alert at a time. Pure."""

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any

from memories.preferences.forms import minutes, same_name, zone_of

VIP, QUIET, ALLOWED = REASONS = ("vip_sender", "quiet_hours", "no_rule")


def alert(known: Mapping[str, Any], sender: str, at: datetime, zone: tzinfo) -> tuple[bool, str]:
    """(whether to alert, which of REASONS) under the details of an alert preference.

    A VIP sender always alerts; others outside the quiet hours. zone: the owner's, for hours without
    a zone. Raises BadPreference for invalid hours.
    """
    if same_name(sender) and same_name(sender) in map(same_name, known.get("vip_senders", ())):
        return True, VIP
    hours = known.get("quiet_hours")
    if hours and quiet(hours, _local(at, zone_of(hours["zone"]) if "zone" in hours else zone)):
        return False, QUIET
    return True, ALLOWED


def quiet(hours: Mapping[str, str], minute: int) -> bool:
    """Whether a minute of the local day is within quiet hours, start included, end not.

    Hours that end before they begin go over midnight. Raises BadPreference for invalid hours.
    """
    begin, end = minutes(hours.get("from", "")), minutes(hours.get("to", ""))
    return begin <= minute < end if begin < end else minute >= begin or minute < end


def _local(at: datetime, zone: tzinfo) -> int:
    """The minute of the local day in a zone."""
    try:
        here = at.astimezone(zone)
    except OverflowError:
        here = at  # before or after every calendar
    return here.hour * 60 + here.minute
