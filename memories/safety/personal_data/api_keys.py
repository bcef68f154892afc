"""Secrets of programs: keys with a known prefix, tokens, private keys, assigned values. Pure."""

import math
import re
from collections import Counter
from collections.abc import Iterator

from memories.safety.prefilter import PrefilteredPattern
from memories.safety.required_checks import Finding, PersonalDataType

# Prefixes of keys of known services, and our own (cmk_, cms_).
_KNOWN_PREFIX = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"cmk_[0-9a-f]{32}_[0-9a-f]{12}_[\w-]{16,}|cms_[0-9a-f]{32}_[\w-]{16,}"
    r"|sk-[\w-]{16,}|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}"
    r"|gh[opsur]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
    r"|(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}(?![0-9A-Za-z])|AIza[\w-]{30,}|ya29\.[\w-]{20,}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}|hf_[A-Za-z0-9]{20,}"
    r"|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}|SG\.[\w-]{16,64}\.[\w-]{16,}|key-[0-9a-f]{32}"
    r"|shp(?:at|ss|ca)_[0-9a-fA-F]{20,}|do[opr]_v1_[0-9a-f]{30,}|lin_api_\w{20,}|whsec_[\w+/=]{16,}"
    r"|AGE-SECRET-KEY-1[0-9A-Z]{20,}|AC[0-9a-f]{32}(?![0-9a-f])|\d{8,10}:[\w-]{35}(?![\w-])"
    r"|r8_[A-Za-z0-9]{20,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|tvly-[\w-]{16,}"
    r")"
)
# A signed token of three parts (RFC 7519).
_JWT = PrefilteredPattern(re.compile(r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"), ("eyJ",))
_PEM = "PRIVATE KEY"
_PEM_BEGIN = re.compile(r"-{3,10} ?BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)? ?-{3,10}")
_PEM_END = re.compile(r"-{3,10} ?END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)? ?-{3,10}")
_BEARER = PrefilteredPattern(re.compile(r"\b[Bb]earer ([\w.~+/=-]{16,})"), ("earer ",))
# A password inside a URL.
_WEB_LOGIN = PrefilteredPattern(re.compile(r"://[^\s/@:]{1,64}:([^\s/@]{3,128})@"), ("://",))
_ASSIGNMENT = PrefilteredPattern(
    re.compile(
        r"(?<![A-Za-z])(api[ _-]?key|access[ _-]?key|secret[ _-]?key|private[ _-]?key|client["
        r" _-]?secret"
        r"|secret|auth[ _-]?token|access[ _-]?token|token|credentials?|api|key|passwor[dt]|passwort"
        r"|passwd|pwd|pass ?phrase|contraseña|mot de passe)"
        r"(?: is| ist)?[\"']? {0,3}(?::=|=>|[:=]| ) {0,3}[\"'`]?([^\s\"'`,;<>]{6,})",
        re.IGNORECASE,
    ),
    ("key", "secret", "token", "credential", "api", "pass", "pwd", "contraseña", "mot de"),
)
_PASSWORD_NAMES = ("pass", "pwd", "contra", "mot de")
# Entropy in bits for each character: English words stay below 3, random letters and digits reach
# nearly 4 from 16 characters on.
_MIN_ENTROPY_BITS = 3.0
_MIN_KEY_CHARACTERS, _MIN_PASSWORD_CHARACTERS = 16, 6
# A part of the name of a machine: a word, a short number, or both ("prod2").
_MACHINE_PART = re.compile(r"(?=[a-z]{0,3}\d|[a-z]{1,3}$|[a-z]{0,4}[aeiouy])[a-z]{0,14}\d{0,3}")
_NAME_JOINT = re.compile(r"[-._]")
_MAX_NAME_CHARACTERS = 80


def find_api_keys(text: str) -> Iterator[Finding]:
    """Keys and tokens; a password is not sure."""
    for match in _KNOWN_PREFIX.finditer(text):
        if not _is_machine_name(match[0]):
            yield Finding(match.start(), match.end(), PersonalDataType.API_KEY)
    for match in _JWT.found(text):
        yield Finding(match.start(), match.end(), PersonalDataType.API_KEY)
    if _PEM in text:
        yield from _find_private_keys(text)
    for match in _BEARER.found(text):
        if _looks_random(match[1]):
            yield Finding(*match.span(1), PersonalDataType.API_KEY)
    for match in _WEB_LOGIN.found(text):
        yield Finding(*match.span(1), PersonalDataType.API_KEY)
    for match in _ASSIGNMENT.found(text):
        sure = _is_assigned_secret(match)
        if sure is not None:
            yield Finding(*match.span(2), PersonalDataType.API_KEY, sure)


def _find_private_keys(text: str) -> Iterator[Finding]:
    """Private keys between their marker lines; without an end marker to the end of the text."""
    at = 0
    while begin := _PEM_BEGIN.search(text, at):
        end = _PEM_END.search(text, begin.end())
        at = end.end() if end else len(text)
        yield Finding(begin.start(), at, PersonalDataType.API_KEY)


def _is_assigned_secret(match: re.Match[str]) -> bool | None:
    """Whether an assigned value is surely a secret; None if it is none."""
    name, value = match[1].casefold(), match[2]
    spaced = match[0][len(match[1]) : match.start(2) - match.start()].strip("\"'` ") in (
        "",
        "is",
        "ist",
    )
    if name.startswith(_PASSWORD_NAMES):
        mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
        return False if mixed and len(value) >= _MIN_PASSWORD_CHARACTERS else None
    if len(value) < _MIN_KEY_CHARACTERS or not _looks_random(value):
        return None
    # An interface is named; a key behind a sign or "is" is a key, whatever it looks like.
    named = name == "api" or match[0][len(name) : match.start(2) - match.start()].isspace()
    return None if named and _is_machine_name(value) else not spaced


def _is_machine_name(value: str) -> bool:
    """Whether a value is written like the name of a machine: words and short numbers, joined by
    dashes or dots ("gateway-eu-west-1-prod2"), most of them without a digit."""
    name = value.rstrip(".:)!?")
    if len(name) > _MAX_NAME_CHARACTERS:
        return False
    parts = _NAME_JOINT.split(name)
    words = [part for part in parts if part.isalpha()]
    return (
        all(part and _MACHINE_PART.fullmatch(part) for part in parts)
        and 2 * len(words) >= len(parts) > 1
        and any(len(word) >= 4 for word in words)
    )


def _looks_random(value: str) -> bool:
    """Whether a value looks random, not like a word or a path."""
    part = value[:64]
    if "/" in part and "." in part:
        return False
    if not (any(map(str.isdigit, part)) and any(map(str.isalpha, part))):
        return False
    total = len(part)
    bits = -sum(n / total * math.log2(n / total) for n in Counter(part).values())
    return bits >= _MIN_ENTROPY_BITS
