"""Contact data: e-mail addresses, phone numbers, IP addresses. Pure.

Offsets are in the given text. A rule reads a limited number of characters around a mark (an "@", a
run of digits), so the time is linear in the text.
"""

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from memories.safety.prefilter import PrefilteredPattern
from memories.safety.required_checks import Finding, PersonalDataType

# Of the part before the "@" (RFC 5321).
_MAX_LOCAL_PART_CHARACTERS = 64
_LOCAL_PART_CHARACTERS = frozenset("._%+-")
_DOMAIN = re.compile(r"(?:[^\W_][\w-]{0,62}\.){1,6}[^\W\d_]{2,24}(?![\w@])|\[[\d.:a-fA-F]{7,45}\]")
# Top-level domains; only these make an address of words with spaces between.
_TOP_LEVEL_DOMAIN = (
    r"(?:com|org|net|edu|gov|mil|int|info|biz|io|ai|dev|app|co|me|eu|de|at|ch|fr|es|it|nl|be|uk|ie"
    r"|pl|se|no|dk|fi|pt|cz|us|ca|au|nz|in|jp|cn|br|mx|ru|tr|gr|ro|hu|email|online|cloud|shop"
    r"|example|test)(?![\w-])"
)
_AT_WORDS = (
    r"(?:at|AT|At|ät|arobase|arrobase|arroba|chiocciola|apenstaartje|ma[łl]pa|at[ -]sign|at symbol"
    r"|klammeraffe)"
)
_DOT_WORDS = r"(?:dot|DOT|Dot|punkt|Punkt|point|punto|ponto|punt|kropka|nokta|period)"
_AT = rf"(?:\s?[(\[{{<]\s?(?:{_AT_WORDS}|@)\s?[)\]}}>]\s?| @ |@ ?|\s{_AT_WORDS}\s)"
_DOT = rf"(?:\s?[(\[{{<]\s?(?:{_DOT_WORDS}|\.)\s?[)\]}}>]\s?|\s{_DOT_WORDS}\s)"
# What joins the words of the part before the "@".
_JOIN = rf"(?:{_DOT}|\s(?:underscore|dash|hyphen|minus|tiret|guion|unterstrich|bindestrich)\s)"
# "ann at example dot org", "ann [at] example [dot] org", or mixed with the plain characters.
_SPELT_OUT_EMAIL = PrefilteredPattern(
    re.compile(
        rf"(?<![\w.+-])[\w.+-]{{1,64}}(?:{_JOIN}[\w.+-]{{1,64}}){{0,2}}{_AT}[\w-]{{1,63}}(?:(?:{_DOT}|\.)[\w-]{{1,63}}){{0,3}}?"
        rf"{_DOT}{_TOP_LEVEL_DOMAIN}"
        rf"|(?<![\w.+-])[\w.+-]{{1,64}}(?:\s?[(\[{{]\s?(?:at|AT|At)\s?[)\]}}]\s?| @ ?|@ )"
        rf"[\w-]{{1,63}}(?: ?\. ?[\w-]{{1,63}}){{0,3}}? ?\. ?{_TOP_LEVEL_DOMAIN}"
        rf"|(?<![\w.+-])[\w.+-]{{1,64}}@[\w-]{{1,63}}(?: \. ?| ?\. ){_TOP_LEVEL_DOMAIN}"
    ),
    (
        *("@", "(", "[", "{", "<", "dot", "Dot", "DOT", "unkt", "point", "punt", "ponto", "kropka"),
        *("nokta", "period"),
    ),
)
# "write to anna.weber at example.org": with a word for mail before it.
_TOLD_AT = PrefilteredPattern(
    re.compile(
        r"\b(?:e-?mail(?:ed|s)?|mail(?:ed|s)?|write|writes|wrote|reach(?:ed)?|contact(?:ed)?)\b"
        r"[^\n@.!?]{0,24}?\s(?!(?:me|him|her|us|them|it|you|someone|people|sent|is)\s)"
        rf"([\w.+-]{{2,64}} at [\w-]{{2,63}}(?:\.[\w-]{{1,63}}){{0,2}}\.{_TOP_LEVEL_DOMAIN})(?!/)",
        re.IGNORECASE,
    ),
    ("mail", "write", "wrote", "reach", "contact"),
)
# Names before an "@" that belong to services, not to people.
_SERVICE_NAMES = frozenset({"git", "hg", "svn"})


def find_emails(text: str) -> Iterator[Finding]:
    """E-mail addresses, also spelt with "at" and "dot"."""
    at = text.find("@")
    while at >= 0:
        start = _local_part_start(text, at)
        domain = _DOMAIN.match(text, at + 1)
        if domain and start < at and text[start:at].casefold() not in _SERVICE_NAMES:
            yield Finding(start, domain.end(), PersonalDataType.EMAIL)
            at = domain.end() - 1
        at = text.find("@", at + 1)
    for match in _SPELT_OUT_EMAIL.found(text):
        yield Finding(match.start(), match.end(), PersonalDataType.EMAIL)
    for match in _TOLD_AT.found(text):
        yield Finding(*match.span(1), PersonalDataType.EMAIL, sure=False)


def _local_part_start(text: str, at: int) -> int:
    """The start of the part before the "@"."""
    start = at
    least = max(0, at - _MAX_LOCAL_PART_CHARACTERS)
    while start > least and (
        text[start - 1].isalnum() or text[start - 1] in _LOCAL_PART_CHARACTERS
    ):
        start -= 1
    while start < at and not text[start].isalnum():
        start += 1
    return start


# Digits with at most two characters between them; shape and context decide whether it is a phone
# number.
_DIGITS = re.compile(
    r"(?<![\w.,+#$€£-])(?:\+ ?)?\(?\+?\d(?:[ ().\-/]{0,3}\d){6,17}(?![\d_%]|[^\W\dx]|x(?!\d))"
)
_PHONE_CUE = re.compile(
    r"(?:phone|call(?:ed|ing)?|tele?(?:fono|fon|foon)?|téléphone|teléfono|mobile?|cell|móvil|handy"
    r"|fax|whatsapp|text(?: me)?|sms|dial|ring|reach(?:ed)?|hotline|number|nummer|numéro|número"
    r"|contact|anruf\w{0,4}|rufen|portable)\b[^\n\d+]{0,30}$",
    re.IGNORECASE,
)
# Words before order numbers and the like, which are no phone numbers.
_OTHER_NUMBER_CUE = re.compile(
    r"(?:order|invoice|ticket|issue|bug|case|id|isbn|serial|version|account|ref(?:erence)?|no\.?|#"
    r"|error|code|port|pid|uid|gid)[ :.#]{0,3}$"
    # "The contract number is": the number of a thing.
    r"|(?:order|invoice|ticket|case|serial|contract|part|batch|article|item|file|project|customer"
    r"|shipment|tracking|policy|reference|licen[cs]e|version|room|lot|asset|purchase|delivery"
    r"|vertrags?|rechnungs?|bestell|auftrags?|kunden|artikel|serien)[ -]?(?:number|nummer|no\.?"
    r"|nr\.?)"
    r"(?: is| was| ist|:)?[ :]{0,3}$"
    r"|(?:numéro|número|numero|numer) (?:de |di |del |da )?(?:la )?(?:contrat|facture|commande"
    r"|série"
    r"|contrato|factura|pedido|serie|contratto|fattura|ordine|fatura|encomenda|umowy|faktury)"
    r"(?: est| es| è| é)?[ :]{0,3}$",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d\d))(?!\d)"
    r"|(?:19|20)\d\d ?[-/] ?(?:19|20)\d\d(?!\d)|\d{3}-\d\d-\d{4}(?![\d-])"
)
_IP_SHAPE = re.compile(r"\(?\d{1,3}(?:\.\d{1,3}){3}(?!\d|\.\d)")
_NORTH_AMERICA = re.compile(
    r"(?:\+?1[ .-]?|001[ .-]?)?"
    r"(?:\(\d{3}\)[ .-]?\d{3}[ .-]?\d{4}|\d{3}([.-])\d{3}\1\d{4}|[2-9]\d\d [2-9]\d\d[ -]\d{4}"
    r"|\d{3}-\d{3} \d{4})"
)
_LOCAL_NUMBER = re.compile(r"\(?\d{1,5}\)?(?:[ ./-]{1,2}\d{1,5}){1,4}|\d{7,12}")
# National numbers that begin with 0, in groups as in Europe.
_EUROPEAN_NATIONAL = re.compile(
    r"\(?0\d{1,5}\)?(?:[ ./-]{1,3}\d{2,9}){1,5}|\(0\d{1,5}\) ?\d{3,9}(?:[ /-]\d{2,6}){0,3}"
    r"|0[1-9]\d{8,10}"
    r"|\(?\d\d\)?[ /]\d{3,5}-\d{4}|\d\d/\d{3}[ -]\d{3,4}"
)
# Pairs of digits, as in Norway and Denmark; and mobile numbers of India, written in one.
_POSSIBLE_PHONE = re.compile(r"\d\d(?: \d\d){3,4}|[2-9]\d\d[2-9]\d{6}|[6-9]\d{9}")
# Digit by digit, as only phone numbers are written.
_DIGIT_BY_DIGIT = re.compile(r"\+?\d(?:[ .-]\d){8,14}")
_EXTENSION = re.compile(r" ?(?:x|ext\.?|extension|Durchwahl) ?\d{1,6}\b")
_CUE_CHARACTERS = 48


def find_phones(text: str) -> Iterator[Finding]:
    """Phone numbers: with a country code, in forms of North America and Europe, or after a word for
    phone."""
    at = 0
    while found := _DIGITS.search(text, at):
        start, end = found.span()
        if day := _DATE.match(text, start) or _IP_SHAPE.match(text, start):
            at = day.end()
            continue
        before = text[max(0, start - _CUE_CHARACTERS) : start]
        if found[0][0] != "+" and _is_other_number(before):
            at = end
            continue
        sure = _classify_phone(found[0], before)
        if sure is None:
            # Another number may begin with the next group.
            at = _end_of_first_group(text, start, end)
            continue
        more = _EXTENSION.match(text, end)
        at = more.end() if more else end
        yield Finding(start, at, PersonalDataType.PHONE, sure)


def _is_other_number(before: str) -> bool:
    """Whether the words before a number name a thing (an order, a ticket) and no telephone."""
    # The words end in a letter or in "#". Most numbers in a long list fail here, at no price.
    if not (before.rstrip(" :.#")[-1:].isalpha() or before.rstrip(" :.").endswith("#")):
        return False
    thing = _OTHER_NUMBER_CUE.search(before)
    return thing is not None and not _PHONE_CUE.search(before[: thing.start()])


def _end_of_first_group(text: str, start: int, end: int) -> int:
    """The place after the first group of digits of a run."""
    at = start + 1
    while at < end and text[at].isdigit():
        at += 1
    return at


def _classify_phone(shape: str, before: str) -> bool | None:
    """Whether a run of digits is surely a phone number; None if it is none."""
    digits = sum(map(str.isdigit, shape))
    if not 7 <= digits <= 15:
        return None
    if shape.startswith(("+", "(+")) or (shape.startswith("00") and digits >= 10):
        return True if digits >= 8 else None
    if _NORTH_AMERICA.fullmatch(shape) or _EUROPEAN_NATIONAL.fullmatch(shape):
        return True if digits >= 8 else None
    if _DIGIT_BY_DIGIT.fullmatch(shape):
        return shape[0] == "0" or bool(_PHONE_CUE.search(before))
    if _LOCAL_NUMBER.fullmatch(shape) and _PHONE_CUE.search(before):
        return digits >= 9
    return False if _POSSIBLE_PHONE.fullmatch(shape) else None


_IPV4 = re.compile(r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w-]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])(?=[\da-fA-F]{0,4}:)[\da-fA-F:]{4,39}(?:\.\d{1,3}){0,3}(?![\w:])")
_VERSION = re.compile(r"(?:version|release|kernel|driver|firmware|v|ver)\.? ?$", re.IGNORECASE)


def find_ip_addresses(text: str) -> Iterator[Finding]:
    """IP addresses. Those of private networks are not sure; netmasks and loopback are left out."""
    for match in _IPV4.finditer(text) if text.count(".") >= 3 else ():
        try:
            address = IPv4Address(match[0])
        except AddressValueError:
            continue
        if address.is_loopback or address.is_unspecified or address.is_multicast:
            continue
        mask = match[0].startswith(("255.", "0."))
        if mask or _VERSION.search(text[max(0, match.start() - 12) : match.start()]):
            continue
        yield Finding(match.start(), match.end(), PersonalDataType.IP, sure=not address.is_private)
    for match in _IPV6.finditer(text) if text.count(":") >= 2 else ():
        if _is_ipv6(match[0]):
            yield Finding(match.start(), match.end(), PersonalDataType.IP)


def _is_ipv6(shape: str) -> bool:
    groups = [group for group in shape.split(":") if group]
    if len(groups) < 3 or not any(map(str.isdigit, shape)):
        return False
    try:
        return not IPv6Address(shape).is_loopback
    except AddressValueError:
        return False
