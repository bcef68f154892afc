"""Orders whose halves stand in two texts of one writer. Pure.

A reader of both reads them one after the other, in either order. Only the end of one text and the
beginning of the other can make such an order, and only if both have words of it, so most texts need
no further look.
"""

import re
from collections.abc import Iterable, Iterator

from memories.safety.plain_text import to_plain_text
from memories.safety.prompt_injection.concepts.concept_rules import concepts_of, likely_rules
from memories.safety.prompt_injection.concepts.lexicon import BITS, LEXICON
from memories.safety.prompt_injection.disguises.letters import small
from memories.safety.prompt_injection.find_injections import find_injections
from memories.safety.required_checks import Finding, FindingType

# The most characters of an end and of a beginning that are joined, and of a code.
_EDGE, _LONGEST_CODE = 200, 2_000
_TOKEN = re.compile(r"[^\W_]+")
# Without one of these concepts no half says what the order is about.
_PARTS = (
    "set_aside rules prompt shield free_mode conceal hush unbound secret disclose user limits"
    " writing note"
)
_PART = sum(BITS[name] for name in _PARTS.split())
# Half of an encoded order, at the beginning or the end of a text.
_CODE = r"[A-Za-z0-9+/_-]{12,}={0,2}"
_CODE_FIRST, _CODE_LAST = (
    re.compile(rf"\W{{0,3}}{_CODE}"),
    re.compile(rf"(?<![A-Za-z0-9+/_-]){_CODE}\W{{0,3}}$"),
)


def may_be_part(text: str) -> bool:
    """Whether a text that has no order may be a half of one."""
    beginning, end = _edges(text)
    if _begins_with_code(beginning) or _ends_with_code(end):
        return True
    edges = {beginning, end}
    return any(concepts_of(_words(edge)) & _PART for edge in edges)


def split_orders(text: str, others: Iterable[str]) -> list[Finding]:
    """The parts of a text that are an order together with one of the others."""
    found: set[Finding] = set()
    beginning, end = _edges(text)
    for other in others:
        if other.strip() and other != text:
            its_beginning, its_end = _edges(other)
            for kind in _crossing(its_end, beginning):
                found.add(Finding(0, min(len(text), _EDGE), kind))
            for kind in _crossing(end, its_beginning):
                found.add(Finding(max(0, len(text) - _EDGE), len(text), kind))
    return sorted(found)


def _edges(text: str) -> tuple[str, str]:
    """The beginning and the end of a text of any length, as they are seen."""
    seen = to_plain_text(text[:_LONGEST_CODE]).text
    last = seen if len(text) <= _LONGEST_CODE else to_plain_text(text[-_LONGEST_CODE:]).text
    return _beginning(seen), _end(last)


def _crossing(first: str, then: str) -> Iterator[FindingType]:
    """The kinds of orders that begin in the first text and end in the other."""
    one, two = _words(first), _words(then)
    if not one or not two:
        return
    gaps = []
    if likely_rules([*one, *two]):
        gaps.append(" ")
    cut = one[-1] + two[0]
    if LEXICON[cut] and likely_rules([*one[:-1], cut, *two[1:]]):
        gaps.append("")
    if _ends_with_code(first) and _begins_with_code(then):
        gaps.append("")
    for gap in dict.fromkeys(gaps):
        joined = f"{first.rstrip()}{gap}{then.lstrip()}"
        edge = len(first.rstrip())
        for finding in find_injections(to_plain_text(joined)):
            if finding.start < edge < finding.end:
                yield finding.kind


def _begins_with_code(text: str) -> bool:
    code = _CODE_FIRST.match(text[:_LONGEST_CODE])
    return code is not None and _is_coded(code[0])


def _ends_with_code(text: str) -> bool:
    code = _CODE_LAST.search(text[-_LONGEST_CODE:])
    return code is not None and _is_coded(code[0])


def _is_coded(code: str) -> bool:
    """Whether letters are mixed as no word mixes them: base64, hex."""
    digits = sum(map(str.isdigit, code))
    inner = sum(map(str.isupper, code[1:]))
    return digits >= 2 or (inner >= 2 and not code.isupper())


def _beginning(text: str) -> str:
    """The beginning of a text, with the whole of a code."""
    code = _CODE_FIRST.match(text)
    return text[: max(_EDGE, code.end() if code else 0)]


def _end(text: str) -> str:
    code = _CODE_LAST.search(text)
    length = max(_EDGE, len(code[0]) if code else 0)
    return text[-length:]


def _words(text: str) -> list[str]:
    return _TOKEN.findall(small(text))
