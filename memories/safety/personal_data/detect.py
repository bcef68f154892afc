"""The light detector of personal data, by rules and lists, which is always on. Pure.

It reads the whole text, in linear time.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace

from memories.language.gazetteers.brands import BRANDS
from memories.safety.findings import Finding, Kind, Personal
from memories.safety.personal_data.addresses import street_addresses
from memories.safety.personal_data.api_keys import api_keys
from memories.safety.personal_data.contacts import addresses_of_machines, emails, phones
from memories.safety.personal_data.informal.anchors import heads_of
from memories.safety.personal_data.informal.identity_numbers import identity_numbers
from memories.safety.personal_data.informal.private_facts import private_facts
from memories.safety.personal_data.informal.said_passwords import said_passwords
from memories.safety.personal_data.informal.small_names import small_names
from memories.safety.personal_data.informal.spelt_numbers import spelt_numbers
from memories.safety.personal_data.known import KnownNames
from memories.safety.personal_data.known_terms import known_names, terms_of, words
from memories.safety.personal_data.numbers import cards, ibans, social_security
from memories.safety.personal_data.organisations import organisations
from memories.safety.personal_data.people import people
from memories.safety.personal_data.words import capitals
from memories.safety.plain_text import PlainText, readings

_DIGIT, _WORD = re.compile(r"\d"), re.compile(r"[^\W_]+")
# An outer finding wins: a person within an e-mail address is the address.
_RANKS: dict[Kind, int] = {
    kind: rank
    for rank, kind in enumerate(
        (
            Personal.API_KEY,
            Personal.EMAIL,
            Personal.IBAN,
            Personal.CARD,
            Personal.SSN,
            Personal.IP,
            Personal.PHONE,
            Personal.BRAND_ADDRESS,
            Personal.ADDRESS,
            Personal.ORGANISATION,
            Personal.PERSON,
            Personal.PRIVATE,
        )
    )
}
# The least digits of a number, and what finds it.
_NUMBERS = ((7, phones), (9, social_security), (13, cards))
# The most characters between a brand and the address of its shop.
_NEAR = 60
_BRANDS = terms_of(BRANDS)


def find_personal(
    text: PlainText, known: KnownNames, more: Iterable[Finding] = ()
) -> list[Finding]:
    """The personal data in a text, in order, with offsets in the original.

    No two findings of one kind overlap, and none is within another. sure=False: a person should
    check it. known: the names of the organisation. more: findings in `text.text` of another
    detector.
    """
    found = pointed_out(text, more)
    for seen in readings(text):
        found += pointed_out(seen, rules(seen.text, known))
    return _apart(found)


def pointed_out(text: PlainText, found: Iterable[Finding]) -> list[Finding]:
    """Findings in `text.text` with offsets in the original, none within another."""
    return [
        Finding(*text.span(one.start, one.end), one.kind, one.sure) for one in _apart(list(found))
    ]


def rules(text: str, known: KnownNames) -> list[Finding]:
    """The findings of all rules, unordered, with offsets in this text; they may overlap."""
    found = list(known_names(text, known))
    digits = len(_DIGIT.findall(text))
    found += [*emails(text), *api_keys(text), *said_passwords(text)]
    if digits or text.count(":") > 1:
        found += addresses_of_machines(text)
    if digits:
        found += ibans(text)
    for least, numbers in _NUMBERS:
        if digits >= least:
            found += numbers(text)
    capital = list(capitals(text))
    if capital:
        found += organisations(text)
    if digits and (addresses := _joined(list(street_addresses(text)))):
        found += _branded(text, addresses, found)
    found += people(text, capital)
    said = _WORD.findall(text.lower())
    heads = heads_of(said)
    found += [*small_names(text, heads), *spelt_numbers(text, said), *private_facts(text, heads)]
    if digits:
        found += identity_numbers(text, heads)
    return found


def _branded(text: str, addresses: list[Finding], found: list[Finding]) -> Iterator[Finding]:
    """Addresses; one shortly after a brand or a company is the address of that shop."""
    named = [(one.start, one.end) for one in found if one.kind is Personal.ORGANISATION]
    named += [span for span in _BRANDS.within(words(text)) if text[span[0]].isupper()]
    named.sort(key=lambda span: span[1])
    ends = [end for _, end in named]
    for one in addresses:
        before = bisect_left(ends, one.start + 1) - 1
        if before >= 0 and one.start - ends[before] <= _NEAR:
            between = text[ends[before] : one.start]
            if "\n" not in between and ". " not in between:
                start = named[before][0]
                yield Finding(start, one.end, Personal.BRAND_ADDRESS, one.sure)
                continue
        yield one


def _joined(found: list[Finding]) -> list[Finding]:
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


def _apart(found: list[Finding]) -> list[Finding]:
    """The findings with overlaps of one kind joined, without those within another."""
    kinds: dict[Kind, list[Finding]] = {}
    for one in found:
        kinds.setdefault(one.kind, []).append(one)
    joined = [one for some in kinds.values() for one in _joined(some)]
    kept: list[Finding] = []
    # Sorted by start, the longest first, so a nested finding is within the one that was kept last.
    for one in sorted(joined, key=lambda f: (f.start, -f.end, _RANKS[f.kind])):
        if kept and one.end <= kept[-1].end:
            if one.sure and not kept[-1].sure:
                kept[-1] = replace(kept[-1], sure=True)
            continue
        kept.append(one)
    return kept
