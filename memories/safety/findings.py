"""Findings of a gate in a text, and the text without them. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class PersonalDataType(StrEnum):
    """The kinds of personal data."""

    PERSON = "person"
    ADDRESS = "address"
    BRAND_ADDRESS = "brand_address"
    ORGANISATION = "organisation"
    EMAIL = "email"
    PHONE = "phone"
    CARD = "card"
    IBAN = "iban"
    IP = "ip"
    SSN = "ssn"
    API_KEY = "api_key"
    PRIVATE = "private"


class InjectionType(StrEnum):
    """The kinds of text that would steer a reading model."""

    ORDER = "order_to_model"
    ROLE = "role_claim"
    TOOL_CALL = "tool_call"
    EXFILTRATION = "exfiltration"
    HIDDEN = "hidden_unicode"
    ENCODED = "encoded_payload"
    AUTHORITY = "false_authority"
    DELAYED = "delayed_trigger"


FindingType = PersonalDataType | InjectionType

# Secrets: any reader could use one at once, whoever it is about.
SECRET_TYPES = frozenset(
    {PersonalDataType.CARD, PersonalDataType.IBAN, PersonalDataType.SSN, PersonalDataType.API_KEY}
)


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """start, end: offsets in the original text, in characters. sure: False if a person should check
    it, because the words could mean something else."""

    start: int
    end: int
    kind: FindingType
    sure: bool = True


def mask_findings(text: str, findings: Iterable[Finding]) -> str:
    """The text with each finding replaced by its kind in brackets, as in `[email]`.

    Findings that overlap become one, named by the one that begins first, then the longer.
    """
    parts: list[str] = []
    last = 0
    for start, end, kind in _merge_overlaps(findings):
        parts += [text[last:start], f"[{kind}]"]
        last = end
    return "".join([*parts, text[last:]])


def _merge_overlaps(findings: Iterable[Finding]) -> Sequence[tuple[int, int, FindingType]]:
    """Spans that do not overlap, in the order of the text."""
    found: list[tuple[int, int, FindingType]] = []
    for one in sorted(findings, key=lambda f: (f.start, -f.end, f.kind)):
        if found and one.start < found[-1][1]:
            start, end, kind = found[-1]
            found[-1] = (start, max(end, one.end), kind)
        else:
            found.append((one.start, one.end, one.kind))
    return found
