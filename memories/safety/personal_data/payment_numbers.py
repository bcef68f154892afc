"""Payment and identity numbers: cards and IBANs, by their checksum, and SSNs. Pure."""

import re
from collections.abc import Iterator
from itertools import accumulate

from memories.safety.required_checks import Finding, PersonalDataType

# Digits with up to two characters between them: a card may be written in groups, or digit by digit.
_DIGIT_RUN = re.compile(r"\d(?:[ .\-/_]{0,2}\d){12,}")
_CARD_LENGTHS = range(13, 20)
# Card issuers by the first digits, and the lengths of their numbers (ISO/IEC 7812).
_ISSUER_FORM = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"
    r"|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|3(?:0[0-5]|[689]\d)\d{13}"
    r"|(?:6011|64[4-9]\d|65\d\d|62\d\d|35\d\d|8\d{3})\d{12}|(?:5[06-8]|6\d)\d{11,17}"
)
_CARD_CUE = re.compile(
    r"\b(?:card|credit|debit|visa|master ?card|amex|maestro|karte|carte|tarjeta"
    r"|carta)",
    re.IGNORECASE,
)
_CUE_CHARACTERS = 60
# The words beside a number that say whose it is not: that of a part, an order, a ticket, a device.
_THING = (
    r"(?:(?:spare )?parts?|items?|articles?|products?|orders?|purchase orders?|tickets?|serials?"
    r"|invoices?|batch(?:es)?|lots?|models?|skus?|tracking|shipments?|parcels?|consignments?|assets?"
    r"|drawings?|deliver(?:y|ies)|job|work orders?|components?|catalogue?|stock|device|rma)"
)
_NUMBER_WORD = r"(?:n[or]s?\.?|numbers?|nums?\.?|ids?|codes?|keys?|#|№)"
_THINGS_NUMBER = (
    rf"(?:\b(?:{_THING}|case|reference|request|issue|project)[ -]?{_NUMBER_WORD}|\bs/n|\bp/n"
    r"|\b(?:teile|ersatzteil|artikel|bestell|auftrags|serien|ticket|rechnungs|chargen|sendungs"
    r"|geräte|lieferschein)-?(?:n(?:umme)?r)\.?"
    r"|\bn(?:uméro|[°º]) de (?:pièce|commande|série|ticket|facture|colis|lot|suivi)"
    r"|\bn(?:úmero|[°º]) de (?:pieza|pedido|serie|tique|factura|lote|artículo|seguimiento))"
)
# Between those words and the number: a verb, marks, and other numbers of the same list.
_BEFORE_NUMBER = (
    r"(?:[ \t]{0,2}(?:(?:of|for|on) (?:the|our|this) [a-z]{1,20}|is|are|was|ist"
    r"|est|es|of|with|und|and|or|et|y|[:=#\"'`(,/]|[\d.-]{5,25}))"
    r"{0,8}[ \t]{0,2}[\"'`(#]?$"
)
_AFTER_THING = re.compile(rf"\b{_THING}{_BEFORE_NUMBER}", re.IGNORECASE)
_AFTER_THINGS_NUMBER = re.compile(_THINGS_NUMBER + _BEFORE_NUMBER, re.IGNORECASE)
# The words that say that it is a person's all the same.
_PERSONS = re.compile(
    r"\b(?:ssn|social|soc\.|insurance|tax|card|credit|debit|visa|master ?card|amex|maestro|karte"
    r"|carte|tarjeta|carta|cvc|cvv|exp|expir\w+|valid|cardholder|holder|born|payment|paid|pays?)\b",
    re.IGNORECASE,
)


def _is_things_number(text: str, start: int, end: int) -> bool:
    """Whether the words beside a number say that it is that of a part, an order, a ticket or a
    device, and none of a person. A number in groups with blanks needs a word for a number as well,
    because orders are paid by card."""
    before = text[max(0, start - _CUE_CHARACTERS) : start]
    if _PERSONS.search(before) or _PERSONS.search(text[end : end + _CUE_CHARACTERS]):
        return False
    if _AFTER_THINGS_NUMBER.search(before):
        return True
    return " " not in text[start:end] and _AFTER_THING.search(before) is not None


# One in a thousand has the digits of a card or an IBAN.
_UUID = re.compile(
    r"(?<![\w-])[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?![\w-])",
    re.IGNORECASE | re.ASCII,
)
_UUID_CHARACTERS = 36


def _is_in_uuid(text: str, start: int, end: int) -> bool:
    """Whether a number is a part of an id (RFC 9562)."""
    from_, to = max(0, start - _UUID_CHARACTERS - 1), end + _UUID_CHARACTERS + 1
    near = text[from_:to]
    return any(
        match.start() <= start - from_ and end - from_ <= match.end()
        for match in _UUID.finditer(near)
    )


def is_luhn_valid(digits: str) -> bool:
    """Whether the last digit checks the others (ISO/IEC 7812-1): of the digits from the right each
    second one counts double, 9 less where that has two digits; the sum divides by ten."""
    doubled = digits[-2::-2]
    total = sum(map(int, digits[-1::-2])) + sum(_luhn_double(int(one)) for one in doubled)
    return bool(digits) and total % 10 == 0


def _luhn_double(digit: int) -> int:
    return 2 * digit - 9 if digit > 4 else 2 * digit


def find_cards(text: str) -> Iterator[Finding]:
    """Numbers of payment cards: 13 to 19 digits with their checksum.

    Sure with the prefix of an issuer; other prefixes count only after a word for a card.
    """
    for run in _DIGIT_RUN.finditer(text):
        if _is_decimal_fraction(text, run.start(), run.end()):
            continue
        yield from _find_cards_in_run(text, run.start(), run.end())


def _is_decimal_fraction(text: str, start: int, end: int) -> bool:
    """Whether a run is a decimal fraction between 0 and 1, without a word for a card before it."""
    share = text.startswith("0.", start) and text[start + 2 : end].isdecimal()
    return share and not _CARD_CUE.search(text[max(0, start - _CUE_CHARACTERS) : start])


def _find_cards_in_run(text: str, start: int, end: int) -> Iterator[Finding]:
    """Cards in one run of digits, from the left; the parts of a run are tried at its groups."""
    places = [at for at in range(start, end) if text[at].isdecimal()]
    digits = [int(text[at]) for at in places]
    number = "".join(map(str, digits))
    # Sums of even and odd places, so that each part is checked in one step.
    plain, doubled = _prefix_sums(digits)
    first = 0
    while first <= len(places) - _CARD_LENGTHS[0]:
        length = _card_length_at(text, places, first, plain, doubled, number)
        if length is None:
            first += 1
            continue
        last = places[first + length - 1]
        issued = bool(_ISSUER_FORM.fullmatch(number, first, first + length))
        cue = _CARD_CUE.search(text[max(0, places[first] - _CUE_CHARACTERS) : places[first]])
        span = places[first], last + 1
        if cue or (issued and not _is_things_number(text, *span) and not _is_in_uuid(text, *span)):
            yield Finding(places[first], last + 1, PersonalDataType.CARD, sure=issued)
        first += length


def _prefix_sums(
    digits: list[int],
) -> tuple[tuple[list[int], list[int]], tuple[list[int], list[int]]]:
    """For each parity of place: sums from the left of the digits, and of the digits doubled."""
    plain, doubled = [], []
    for parity in (0, 1):
        own = [d if at % 2 == parity else 0 for at, d in enumerate(digits)]
        twice = [_luhn_double(d) if at % 2 == parity else 0 for at, d in enumerate(digits)]
        plain.append(list(accumulate(own, initial=0)))
        doubled.append(list(accumulate(twice, initial=0)))
    return (plain[0], plain[1]), (doubled[0], doubled[1])


def _card_length_at(
    text: str,
    places: list[int],
    first: int,
    plain: tuple[list[int], list[int]],
    doubled: tuple[list[int], list[int]],
    number: str,
) -> int | None:
    """The number of digits of a card that begins here: the longest with an issuer, else one in
    groups; None if there is none."""
    if first and places[first] == places[first - 1] + 1:
        return None  # within a group
    best = None
    for length in _CARD_LENGTHS:
        last = first + length - 1
        if last >= len(places):
            break
        if last + 1 < len(places) and places[last + 1] == places[last] + 1:
            continue  # a group goes on
        own, other = plain[last % 2], doubled[1 - last % 2]
        total = own[last + 1] - own[first] + other[last + 1] - other[first]
        if total % 10 or number[first] in "01" or len(set(number[first : last + 1])) == 1:
            continue
        issued = _ISSUER_FORM.fullmatch(number, first, last + 1)
        solid = places[last] - places[first] == length - 1
        if issued or (best is None and (solid or length >= 15)):
            best = length
    return best


# The length of an IBAN by country (SWIFT registry).
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22,
    "BI": 27, "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27,
    "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27,
    "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32,
    "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19,
    "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23, "PK": 24,
    "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24, "SC": 31,
    "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23,
    "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
}  # fmt: skip
_IBAN = re.compile(r"(?<![^\W_])[A-Za-z] ?[A-Za-z](?:[ -]?\d){2}(?=[ -]?[A-Za-z\d])")
_IBAN_CUE = re.compile(r"\biban\b[^\n]{0,20}$", re.IGNORECASE)


def is_iban_valid(iban: str) -> bool:
    """Whether the two digits behind the country check the rest (ISO 13616): the first four signs
    go to the end, a letter counts as 10 for A to 35 for Z, and the number leaves 1 over 97.

    iban: letters A to Z and digits without spaces.
    """
    turned = iban[4:] + iban[:4]
    return int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1


def find_ibans(text: str) -> Iterator[Finding]:
    """IBANs. With a wrong checksum only after the word IBAN, and not sure."""
    for match in _IBAN.finditer(text):
        country = "".join(sign for sign in match[0] if sign.isalpha()).upper()
        length = _IBAN_LENGTHS.get(country)
        found = _read_characters(text, match.start(), length) if length else None
        if found is None:
            continue
        signs, end = found
        if is_iban_valid(signs.upper()) and not _is_in_uuid(text, match.start(), end):
            yield Finding(match.start(), end, PersonalDataType.IBAN)
        elif _IBAN_CUE.search(text[max(0, match.start() - 30) : match.start()]):
            yield Finding(match.start(), end, PersonalDataType.IBAN, sure=False)


def _read_characters(text: str, start: int, length: int) -> tuple[str, int] | None:
    """(that many letters and digits, with at most one space or dash between two; their end), or
    None."""
    found: list[str] = []
    at = start
    while at < len(text) and len(found) < length:
        sign = text[at]
        if sign.isascii() and sign.isalnum():
            found.append(sign)
        elif sign not in " -" or not text[at - 1].isalnum():
            return None
        at += 1
    if len(found) < length or (at < len(text) and text[at].isalnum()):
        return None
    return "".join(found), at


_SSN = re.compile(r"(?<![\w-])(\d{3})([- .])(\d\d)\2(\d{4})(?![\w-]|\.\d)")
_SSN_UNSEPARATED = re.compile(r"(?<!\w)(\d{3})()(\d\d)(\d{4})(?!\w)")
_SSN_CUE = re.compile(r"\b(?:ssn|social(?: |-)security|soc\.? sec)[^\n\d]{0,40}$", re.IGNORECASE)
# Numbers printed in advertisements, which belong to nobody.
_ADVERTISED_SSNS = frozenset({"078051120", "219099999"})


def find_ssns(text: str) -> Iterator[Finding]:
    """Social security numbers of the United States, without those that are never issued."""
    for match in _SSN.finditer(text):
        if _is_issuable(match) and not _is_things_number(text, *match.span()):
            cue = match[2] == "-" or _SSN_CUE.search(
                text[max(0, match.start() - 60) : match.start()]
            )
            yield Finding(match.start(), match.end(), PersonalDataType.SSN, sure=bool(cue))
    for match in _SSN_UNSEPARATED.finditer(text):
        if _is_issuable(match) and _SSN_CUE.search(
            text[max(0, match.start() - 60) : match.start()]
        ):
            yield Finding(match.start(), match.end(), PersonalDataType.SSN)


def is_never_issued(number: str) -> bool:
    """Whether a number written like a social security number is of a kind that nobody has."""
    match = _SSN.fullmatch(number) or _SSN_UNSEPARATED.fullmatch(number)
    return match is not None and not _issued(match[1], match[3], match[4])


def _is_issuable(match: re.Match[str]) -> bool:
    """Whether a number can be somebody's: issued, and not printed in advertisements."""
    area, group, serial = match[1], match[3], match[4]
    return _issued(area, group, serial) and area + group + serial not in _ADVERTISED_SSNS


def _issued(area: str, group: str, serial: str) -> bool:
    """Whether a number can be issued: area 001 to 899 without 666, group 01 to 99, serial 0001 to
    9999 (Social Security Administration)."""
    return area not in ("000", "666") and area[0] != "9" and group != "00" and serial != "0000"
