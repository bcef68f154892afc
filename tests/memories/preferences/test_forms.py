"""The forms of a preference and the rule of alerts."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memories.preferences.alerts import decide_alert, quiet
from memories.preferences.preference_details import (
    InvalidPreferenceError,
    normalise_details,
    parse_minutes,
    preference_key,
    render_content,
)

NIGHT = {"from": "22:00", "to": "07:00"}


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("mood", {}),
        ("preference", {}),
        ("preference", {"text": "  "}),
        ("preference", {"text": "x", "tone": "dry"}),
        ("preference", {"text": "x" * 2001}),
        ("alert", {}),
        ("alert", {"vip_senders": []}),
        ("alert", {"vip_senders": "boss"}),
        ("alert", {"vip_senders": [1]}),
        ("alert", {"vip_senders": ["x"] * 101}),
        ("alert", {"quiet_hours": {"from": "22:00"}}),
        ("alert", {"quiet_hours": {"from": "22:00", "to": "22:00"}}),
        ("alert", {"quiet_hours": {"from": "24:00", "to": "07:00"}}),
        ("alert", {"quiet_hours": {"from": "2:00", "to": "07:00"}}),
        ("alert", {"quiet_hours": {"from": "22.00", "to": "07:00"}}),
        ("alert", {"quiet_hours": {"from": "²²:00", "to": "07:00"}}),
        ("alert", {"quiet_hours": {**NIGHT, "zone": "Nowhere/Else"}}),
        ("alert", {"quiet_hours": {**NIGHT, "zone": "../../etc/passwd"}}),
        ("alert", {"quiet_hours": {**NIGHT, "until": "x"}}),
        ("alert", {"quiet_hours": "night"}),
        ("writing_style", {"tone": "dry"}),
        ("writing_style", {"recipient": "Anna"}),
        ("writing_style", {"recipient": "x" * 201, "tone": "dry"}),
        ("research_finding", {"topic": "tides"}),
        ("research_finding", {"topic": "tides", "finding": "x", "source_url": "javascript:1"}),
    ],
)
def test_what_does_not_fit(kind: str, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidPreferenceError):
        normalise_details(kind, given)


def test_details_have_one_form() -> None:
    given = {"vip_senders": [" The  Boss ", "the boss", "", "anna@x.org"], "quiet_hours": NIGHT}
    known = normalise_details("alert", given)
    assert known == {"vip_senders": ["the boss", "anna@x.org"], "quiet_hours": NIGHT}
    assert normalise_details("alert", known) == known
    assert render_content("alert", known) == (
        "Alerts from these senders always: the boss, anna@x.org. No alerts from 22:00 to 07:00."
    )
    style = normalise_details(
        "writing_style", {"recipient": " Anna ", "tone": "dry", "notes": None}
    )
    assert style == {"recipient": "Anna", "tone": "dry"}
    assert preference_key("writing_style", style) == preference_key(
        "writing_style", {"recipient": "ANNA"}
    )
    assert preference_key("writing_style", style) != preference_key(
        "writing_style", {"recipient": "Ann"}
    )
    assert preference_key("preference", {"text": "x"}) is None


@pytest.mark.conformance("Z20")
@pytest.mark.parametrize(
    ("hours", "at", "is_quiet"),
    [
        (NIGHT, "21:59", False),
        (NIGHT, "22:00", True),
        (NIGHT, "23:59", True),
        (NIGHT, "00:00", True),
        (NIGHT, "06:59", True),
        (NIGHT, "07:00", False),
        ({"from": "12:00", "to": "13:00"}, "11:59", False),
        ({"from": "12:00", "to": "13:00"}, "12:30", True),
        ({"from": "12:00", "to": "13:00"}, "13:00", False),
        ({"from": "00:00", "to": "06:00"}, "23:59", False),
        ({"from": "22:00", "to": "00:00"}, "23:59", True),
        ({"from": "22:00", "to": "00:00"}, "00:00", False),
    ],
)
def test_quiet_hours_also_over_midnight(hours: dict[str, str], at: str, is_quiet: bool) -> None:
    assert quiet(hours, parse_minutes(at)) is is_quiet


@pytest.mark.conformance("Z20")
def test_vip_senders_come_through_and_zones_count() -> None:
    known = {"vip_senders": ["The Boss"], "quiet_hours": NIGHT}
    # 22:30 in Berlin, 21:30 in UTC.
    at = datetime(2026, 1, 5, 21, 30, tzinfo=UTC)
    berlin = ZoneInfo("Europe/Berlin")
    assert decide_alert(known, "the  boss", at, berlin) == (True, "vip_sender")
    assert decide_alert(known, "a newsletter", at, berlin) == (False, "quiet_hours")
    assert decide_alert(known, "", at, berlin) == (False, "quiet_hours")
    assert decide_alert(known, "a newsletter", at, UTC) == (True, "no_rule")
    named = {"quiet_hours": {**NIGHT, "zone": "Europe/Berlin"}}
    assert decide_alert(named, "x", at, UTC) == (False, "quiet_hours")
    assert decide_alert({}, "x", at, UTC) == (True, "no_rule")
    assert decide_alert(known, "x", datetime.max.replace(tzinfo=UTC), berlin) == (
        False,
        "quiet_hours",
    )


@pytest.mark.parametrize(
    ("hours", "minute", "still"),
    [
        ({"from": "09:00", "to": "10:00"}, 9 * 60, True),
        ({"from": "09:00", "to": "10:00"}, 10 * 60, False),
        (NIGHT, 22 * 60, True),
        (NIGHT, 7 * 60, False),
        (NIGHT, 7 * 60 - 1, True),
    ],
)
def test_quiet_hours_have_their_start_and_not_their_end(
    hours: dict[str, str], minute: int, *, still: bool
) -> None:
    assert quiet(hours, minute) is still
