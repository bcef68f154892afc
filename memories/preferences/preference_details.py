"""The five kinds of preferences: their details, and the text of the memory. Pure.

The details are in the memory's metadata, which may be changed by hand. So they are validated again
when they are read.
"""

from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

PREFERENCE, ALERT, WRITING_STYLE, RESEARCH_FINDING, CUSTOM_INSTRUCTIONS = PREFERENCE_TYPES = (
    "preference",
    "alert",
    "writing_style",
    "research_finding",
    "custom_instructions",
)
MAX_SENDERS, MAX_NAME_CHARACTERS, MAX_TEXT_CHARACTERS = 100, 200, 2000
# The details of each kind, and which of them are required. A plain preference and
# custom instructions have only a text.
DETAILS: dict[str, dict[str, bool]] = {
    PREFERENCE: {"text": True},
    ALERT: {"vip_senders": False, "quiet_hours": False},
    WRITING_STYLE: {"recipient": True, "tone": False, "notes": False},
    RESEARCH_FINDING: {"topic": True, "finding": True, "source_url": False},
    CUSTOM_INSTRUCTIONS: {"text": True},
}
# A preference is in every context only above .8 (`PREFERENCE_ALWAYS_ABOVE`). Instructions are meant
# for every answer, so they are, and before all others.
DEFAULT_IMPORTANCE = {
    PREFERENCE: 0.7,
    ALERT: 0.5,
    WRITING_STYLE: 0.6,
    RESEARCH_FINDING: 0.6,
    CUSTOM_INSTRUCTIONS: 1.0,
}
_MAX_CHARACTERS = {
    "recipient": MAX_NAME_CHARACTERS,
    "tone": MAX_NAME_CHARACTERS,
    "topic": MAX_NAME_CHARACTERS,
}
_HOURS = ("from", "to", "zone")


class InvalidPreferenceError(ValueError):
    """The details do not fit the kind; the message says which."""


def normalise_details(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The details of a kind, normalised, without empty ones. Raises InvalidPreferenceError."""
    if kind not in DETAILS:
        raise InvalidPreferenceError(f"Unknown kind; one of {', '.join(PREFERENCE_TYPES)}.")
    allowed = DETAILS[kind]
    if other := sorted(name for name in given if name not in allowed):
        raise InvalidPreferenceError(
            f"A {kind} has no {', '.join(map(str, other[:5]))[:MAX_NAME_CHARACTERS]}."
        )
    made = {
        name: _normalise_detail(name, given[name])
        for name in allowed
        if given.get(name) is not None
    }
    made = {name: value for name, value in made.items() if value not in ("", [])}
    if missing := [name for name, needed in allowed.items() if needed and name not in made]:
        raise InvalidPreferenceError(f"A {kind} needs {', '.join(missing)}.")
    if len(made) < (2 if kind == WRITING_STYLE else 1):
        raise InvalidPreferenceError(f"A {kind} needs one of {', '.join(allowed)}.")
    return made


def render_content(kind: str, known: Mapping[str, Any]) -> str:
    """The text of the memory, from normalised details. Raises InvalidPreferenceError for an unknown
    kind."""
    match kind:
        case "preference" | "custom_instructions":
            return str(known.get("text", ""))
        case "alert":
            return ". ".join(_alert_parts(known)) + "."
        case "writing_style":
            parts = [known.get("tone", ""), known.get("notes", "")]
            said = "; ".join(str(part) for part in parts if part)
            return f"Writing style for {known.get('recipient', '')}: {said}"
        case "research_finding":
            source = known.get("source_url", "")
            said = f"Research finding on {known.get('topic', '')}: {known.get('finding', '')}"
            return f"{said} ({source})" if source else said
    raise InvalidPreferenceError(f"Unknown kind; one of {', '.join(PREFERENCE_TYPES)}.")


def preference_key(kind: str, known: Mapping[str, Any]) -> str | None:
    """The memory's key, which allows a member one alert preference, one text of custom
    instructions, and one writing style for each recipient; None for other kinds."""
    if kind in (ALERT, CUSTOM_INSTRUCTIONS):
        return f"preference:{kind}"
    if kind == WRITING_STYLE:
        return f"preference:{WRITING_STYLE}:{normalise_name(str(known.get('recipient', '')))}"[:300]
    return None


def normalise_name(name: str) -> str:
    """A recipient or sender in the form for comparing."""
    return " ".join(name[:MAX_NAME_CHARACTERS].split()).casefold()[:MAX_NAME_CHARACTERS]


def parse_minutes(clock: str) -> int:
    """The minutes since midnight of a time `HH:MM`. Raises InvalidPreferenceError."""
    hours, colon, after = clock.partition(":")
    digits = (
        len(hours) == len(after) == 2 and (hours + after).isascii() and (hours + after).isdigit()
    )
    if not colon or not digits or not (int(hours) < 24 and int(after) < 60):
        raise InvalidPreferenceError("A time of the day is written 07:30.")
    return int(hours) * 60 + int(after)


def _normalise_detail(name: str, value: Any) -> Any:
    if name == "vip_senders":
        return _normalise_senders(value)
    if name == "quiet_hours":
        return _normalise_quiet_hours(value)
    if not isinstance(value, str) or len(value) > _MAX_CHARACTERS.get(name, MAX_TEXT_CHARACTERS):
        raise InvalidPreferenceError(
            f"{name}: a text of at most {_MAX_CHARACTERS.get(name, MAX_TEXT_CHARACTERS)} "
            f"characters."
        )
    if name == "source_url" and value and not value.startswith(("http://", "https://")):
        raise InvalidPreferenceError("source_url: an address that begins with https:// or http://.")
    return value.strip()


def _normalise_senders(value: Any) -> list[str]:
    fits = isinstance(value, list) and len(value) <= MAX_SENDERS
    if not fits or not all(
        isinstance(one, str) and len(one) <= MAX_NAME_CHARACTERS for one in value
    ):
        raise InvalidPreferenceError(
            f"vip_senders: at most {MAX_SENDERS} texts of at most {MAX_NAME_CHARACTERS} characters."
        )
    kept = {normalise_name(one): " ".join(one.split()) for one in value}
    return [name for key, name in kept.items() if key]


def _normalise_quiet_hours(value: Any) -> dict[str, str]:
    """Normalised quiet hours: from, to (perhaps on the next day), and a zone if one is given.
    Raises InvalidPreferenceError."""
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise InvalidPreferenceError('quiet_hours: {"from": "22:00", "to": "07:00", "zone"?: ...}.')
    if other := [str(name)[:MAX_NAME_CHARACTERS] for name in value if name not in _HOURS]:
        raise InvalidPreferenceError(f"quiet_hours has no {other[0]}.")
    if parse_minutes(value.get("from", "")) == parse_minutes(value.get("to", "")):
        raise InvalidPreferenceError("quiet_hours: from and to are the same.")
    if "zone" in value:
        parse_zone(value["zone"])
    return dict(value)


def parse_zone(name: str) -> ZoneInfo:
    """The time zone of that name. Raises InvalidPreferenceError."""
    try:
        if len(name) <= 64:
            return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        pass
    raise InvalidPreferenceError("zone: a name such as Europe/Berlin.")


def _alert_parts(known: Mapping[str, Any]) -> list[str]:
    parts = []
    if senders := known.get("vip_senders"):
        parts.append(f"Alerts from these senders always: {', '.join(senders)}")
    if hours := known.get("quiet_hours"):
        zone = f" ({hours['zone']})" if "zone" in hours else ""
        parts.append(f"No alerts from {hours['from']} to {hours['to']}{zone}")
    return parts
