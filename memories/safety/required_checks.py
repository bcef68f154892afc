"""Which writes the gates check, and for what. Pure.

Mostly the audience decides: texts for a profession are always checked, texts for one person never.
A person's words to their own colleagues are their choice; a robot's words for others are checked.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from orgs.cohort_types import COHORT_TYPES

# Findings of a gate in a text, and the text without them. Pure.


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


SHARED_AUDIENCE_TYPES = frozenset({"organisation", "group", "team", "explicit"})
ALL_PERSONAL_DATA = frozenset(PersonalDataType)


class PersonalDataPolicy(StrEnum):
    """When texts of robots are checked for personal data; a setting of the organisation.

    Texts for a persona, an industry or a role are always checked, and secrets are always searched
    in texts that others read.
    """

    ABOUT_SOMEBODY = "about_somebody"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """The facts of a text for the gates.

    audience: the kind. by_robot: whether the words are a robot's. about_somebody: whether it is
    about a member, or a robot acts for one. own_words: whether they are a member's own words to
    their group. alone: whether only its subject reads it, or only the personal robot that wrote it.
    strict: whether nothing personal is allowed, whoever reads it (a shared block, a profile).
    deposit: whether a robot leaves it for a member whom it does not serve, and who did not write
    it.
    """

    audience: str
    by_robot: bool
    about_somebody: bool = False
    own_words: bool = False
    alone: bool = False
    strict: bool = False
    deposit: bool = False


@dataclass(frozen=True, slots=True)
class RequiredChecks:
    """What to look for. personal: the kinds that are not allowed; poison: whether to look for
    poison."""

    personal: frozenset[PersonalDataType] = frozenset()
    poison: bool = False

    def __bool__(self) -> bool:
        return bool(self.personal) or self.poison


def required_checks(
    given: Submission, when: PersonalDataPolicy = PersonalDataPolicy.ABOUT_SOMEBODY
) -> RequiredChecks:
    """What the gates look for in a text."""
    return RequiredChecks(_required_personal_data(given, when), _requires_injection_check(given))


def _required_personal_data(
    given: Submission, when: PersonalDataPolicy
) -> frozenset[PersonalDataType]:
    if given.strict or given.audience in COHORT_TYPES:
        return ALL_PERSONAL_DATA
    if not given.by_robot or given.alone or given.audience not in SHARED_AUDIENCE_TYPES:
        return frozenset()
    if when is PersonalDataPolicy.ALWAYS or (given.about_somebody and not given.own_words):
        return ALL_PERSONAL_DATA
    return SECRET_TYPES


def _requires_injection_check(given: Submission) -> bool:
    """Whether to look for poison. A robot's own notes count as read by others, because it answers
    several members from them. A deposit is read by other robots of its member."""
    if not given.by_robot:
        return False
    if given.strict or given.deposit:
        return True
    return not given.alone and given.audience in SHARED_AUDIENCE_TYPES.union(
        COHORT_TYPES, {"robot"}
    )


def iter_strings(value: Any) -> Iterator[str]:
    """All texts in a JSON value, also the names of fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield str(name)
            yield from iter_strings(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from iter_strings(one)
