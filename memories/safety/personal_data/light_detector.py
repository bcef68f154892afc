"""The light detector of personal data, by rules and lists, which is always on. Pure.

It reads the whole text, in linear time.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace

from memories.language.gazetteers.brands import BRANDS
from memories.safety.personal_data.addresses import find_street_addresses
from memories.safety.personal_data.api_keys import find_api_keys
from memories.safety.personal_data.contacts import find_emails, find_ip_addresses, find_phones
from memories.safety.personal_data.informal.anchors import heads_of
from memories.safety.personal_data.informal.identity_numbers import identity_numbers
from memories.safety.personal_data.informal.private_facts import private_facts
from memories.safety.personal_data.informal.said_passwords import said_passwords
from memories.safety.personal_data.informal.small_names import small_names
from memories.safety.personal_data.informal.spelt_numbers import spelt_numbers
from memories.safety.personal_data.known_names_type import KnownNames
from memories.safety.personal_data.known_terms import (
    build_term_index,
    find_known_names,
    split_words,
)
from memories.safety.personal_data.organisation_names import find_organisations
from memories.safety.personal_data.payment_numbers import find_cards, find_ibans, find_ssns
from memories.safety.personal_data.person_names import find_people
from memories.safety.personal_data.word_classes import iter_capitalised
from memories.safety.plain_text import PlainText, readings
from memories.safety.required_checks import Finding, FindingType, PersonalDataType

_DIGIT, _WORD = re.compile(r"\d"), re.compile(r"[^\W_]+")
# An outer finding wins: a person within an e-mail address is the address.
_RANK_BY_TYPE: dict[FindingType, int] = {
    kind: rank
    for rank, kind in enumerate(
        (
            PersonalDataType.API_KEY,
            PersonalDataType.EMAIL,
            PersonalDataType.IBAN,
            PersonalDataType.CARD,
            PersonalDataType.SSN,
            PersonalDataType.IP,
            PersonalDataType.PHONE,
            PersonalDataType.BRAND_ADDRESS,
            PersonalDataType.ADDRESS,
            PersonalDataType.ORGANISATION,
            PersonalDataType.PERSON,
            PersonalDataType.PRIVATE,
        )
    )
}
# The least digits of a number, and what finds it.
_NUMBER_FINDERS = ((7, find_phones), (9, find_ssns), (13, find_cards))
# The most characters between a brand and the address of its shop.
_MAX_BRAND_DISTANCE = 60
_BRAND_TERMS = build_term_index(BRANDS)


def find_personal_data(
    text: PlainText, known: KnownNames, more: Iterable[Finding] = ()
) -> list[Finding]:
    """The personal data in a text, in order, with offsets in the original.

    No two findings of one kind overlap, and none is within another. sure=False: a person should
    check it. known: the names of the organisation. more: findings in `text.text` of another
    detector.
    """
    found = to_original_offsets(text, more)
    for seen in readings(text):
        found += to_original_offsets(seen, apply_rules(seen.text, known))
    return _drop_nested(found)


def to_original_offsets(text: PlainText, found: Iterable[Finding]) -> list[Finding]:
    """Findings in `text.text` with offsets in the original, none within another."""
    return [
        Finding(*text.span(one.start, one.end), one.kind, one.sure)
        for one in _drop_nested(list(found))
    ]


def apply_rules(text: str, known: KnownNames) -> list[Finding]:
    """The findings of all rules, unordered, with offsets in this text; they may overlap."""
    found = list(find_known_names(text, known))
    digits = len(_DIGIT.findall(text))
    found += [*find_emails(text), *find_api_keys(text), *said_passwords(text)]
    if digits or text.count(":") > 1:
        found += find_ip_addresses(text)
    if digits:
        found += find_ibans(text)
    for least, numbers in _NUMBER_FINDERS:
        if digits >= least:
            found += numbers(text)
    capital = list(iter_capitalised(text))
    if capital:
        found += find_organisations(text)
    if digits and (addresses := _merge_overlaps(list(find_street_addresses(text)))):
        found += _find_brand_addresses(text, addresses, found)
    found += find_people(text, capital)
    said = _WORD.findall(text.lower())
    heads = heads_of(said)
    found += [*small_names(text, heads), *spelt_numbers(text, said), *private_facts(text, heads)]
    if digits:
        found += identity_numbers(text, heads)
    return found


def _find_brand_addresses(
    text: str, addresses: list[Finding], found: list[Finding]
) -> Iterator[Finding]:
    """Addresses; one shortly after a brand or a company is the address of that shop."""
    named = [(one.start, one.end) for one in found if one.kind is PersonalDataType.ORGANISATION]
    named += [span for span in _BRAND_TERMS.within(split_words(text)) if text[span[0]].isupper()]
    named.sort(key=lambda span: span[1])
    ends = [end for _, end in named]
    for one in addresses:
        before = bisect_left(ends, one.start + 1) - 1
        if before >= 0 and one.start - ends[before] <= _MAX_BRAND_DISTANCE:
            between = text[ends[before] : one.start]
            if "\n" not in between and ". " not in between:
                start = named[before][0]
                yield Finding(start, one.end, PersonalDataType.BRAND_ADDRESS, one.sure)
                continue
        yield one


def _merge_overlaps(found: list[Finding]) -> list[Finding]:
    """Findings of one kind; those that overlap become one, sure where one of them was."""
    joined: list[Finding] = []
    for one in sorted(found):
        if joined and one.start < joined[-1].end:
            last = joined[-1]
            joined[-1] = Finding(
                last.start, max(last.end, one.end), last.kind, last.sure or one.sure
            )
        else:
            joined.append(one)
    return joined


def _drop_nested(found: list[Finding]) -> list[Finding]:
    """The findings with overlaps of one kind joined, without those within another."""
    kinds: dict[FindingType, list[Finding]] = {}
    for one in found:
        kinds.setdefault(one.kind, []).append(one)
    joined = [one for some in kinds.values() for one in _merge_overlaps(some)]
    kept: list[Finding] = []
    # Sorted by start, the longest first, so a nested finding is within the one that was kept last.
    for one in sorted(joined, key=lambda f: (f.start, -f.end, _RANK_BY_TYPE[f.kind])):
        if kept and one.end <= kept[-1].end:
            if one.sure and not kept[-1].sure:
                kept[-1] = replace(kept[-1], sure=True)
            continue
        kept.append(one)
    return kept
