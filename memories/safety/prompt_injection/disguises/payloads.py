"""Encoded parts of a text: base85, base64, base32, hex, percent, escapes, numbers, Morse. Pure.

The caller decides whether a payload is an order; a hash, a key or a picture decodes to no words.
Each character belongs to at most one payload, and a payload is shorter than its code, so decoding
twice is still linear.
"""

import base64
import binascii
import html
import quopri
import re
from collections.abc import Callable, Iterator
from string import ascii_lowercase
from urllib.parse import unquote_to_bytes

# A shorter payload cannot be an order.
_SHORTEST = 12

# Possessive matches without backtracking, so that a text is read once.
_CODES: dict[str, re.Pattern[str]] = {
    "numbers": re.compile(
        r"(?<![\w.])(?:(?:0?[89]|1[03]|3[2-9]|[4-9]\d|1[01]\d|12[0-6])(?:\s{0,2},\s{0,2}|\s)){11,}+"
        r"\d{0,3}"
    ),
    "octal": re.compile(r"(?<!\w)(?:[01][0-7]{2}(?:\s{0,2},\s{0,2}|\s)){11,}+[0-7]{0,3}"),
    "bits": re.compile(r"(?<!\w)(?:[01]{8}[\s,]{0,2}+){12,}+"),
    # Its look behind comes second, since a search skips to the first set of characters.
    "hex": re.compile(
        r"[0-9a-fA-F](?<![^\W_g-zG-Z][0-9a-fA-F])(?:(?<=0)[xX][0-9a-fA-F]{2}|[0-9a-fA-F])"
        r"(?:\s|:|-|,\s?|\s?0[xX])?+(?:[0-9a-fA-F]{2}(?:\s|:|-|,\s?|\s?0[xX])?+){11,}+"
    ),
    "escaped": re.compile(
        r"(?:\\x[0-9a-f]{2}|\\u00[0-9a-f]{2}|\\u\{[0-9a-f]{2}\}){6,}+", re.IGNORECASE
    ),
    "percent": re.compile(
        r"(?<![\w.+~!*-])[\w.+~!*-]{0,200}+(?:%[0-9a-f]{2}[\w.+~!*-]{0,60}+){3,}+", re.IGNORECASE
    ),
    "entities": re.compile(r"(?:&#x?[0-9a-f]{2,4};){6,}+", re.IGNORECASE),
    # Of five signs the first one shows that the four bytes begin with a letter or a blank. RFC
    # 1924, ASCII85 and ZeroMQ have alphabets of their own.
    "base85": re.compile(r"(?<![^\s\"'`(:])(?:[A-Za-e][!#-&(-+\--;<-Z^-~]{4}){3,}+[!#-Z^-~]{0,4}"),
    "ascii85": re.compile(r"(?:<~|(?<![^\s\"'`(:]))(?:[+-I][!-u]{4}){3,}+[!-u]{0,4}(?:~>)?"),
    "zeromq85": re.compile(
        r"(?<![^\s\"'`(:])(?:[a-zA-E][!#-&(-+\--;<-Z^-~\[\]]{4}){3,}+[!#-~]{0,4}"
    ),
    "morse": re.compile(r"(?<![.\-\w])(?:[.\-]{1,6}[ /|]{1,3}){15,}+[.\-]{0,6}"),
    "quoted": re.compile(r"(?:=[2-7][0-9A-F]){6,}+"),
    "base32": re.compile(r"(?<![\w+/])[A-Z2-7]{24,}+={0,6}"),
    "base64": re.compile(r"(?<![\w+/-])[A-Za-z0-9+/_-]{16,}+(?:\r?\n[A-Za-z0-9+/_-]{4,}+)*+={0,2}"),
}
# The least digits of a code. In hexadecimal each letter of ASCII has one ("a" is 61), and so has
# the first of the two bytes of any other Latin letter.
_DIGITS_OF = {"numbers": 12, "octal": 33, "bits": 96, "hex": 6}
_SIGNS = {"escaped": "\\", "percent": "%", "entities": "&#", "quoted": "="}
# The least dots and dashes of an order in Morse.
_LEAST_MORSE = 30
# The least characters of a part without blanks.
_PARTS = {"base64": 16, "base32": 24, "base85": 15, "ascii85": 15, "zeromq85": 15}
_DIGIT, _DIGITS = re.compile(r"\d"), re.compile(r"\d+")
_HEX = re.compile(r"[0-9a-f]{2}", re.IGNORECASE)
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/]")


def payloads(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, decoded text) for each encoded part that decodes to words."""
    for name in _likely(text):
        for code in _CODES[name].finditer(text):
            meant = _words(_DECODERS[name](code.group()))
            if meant:
                yield code.start(), code.start() + len(code.group().rstrip(" \t\r\n,:")), meant


def _likely(text: str) -> Iterator[str]:
    """The codes that a text may contain, by signs that are looked for quickly."""
    if digits := len(_DIGIT.findall(text)):
        yield from (name for name, least in _DIGITS_OF.items() if digits >= least)
    yield from (name for name, sign in _SIGNS.items() if sign in text)
    if text.count(".") + text.count("-") >= _LEAST_MORSE:
        yield "morse"
    longest = max(map(len, text.split()), default=0)
    yield from (name for name, least in _PARTS.items() if longest >= least)


def _words(decoded: bytes | None) -> str:
    """The text of decoded bytes; empty if they are no text."""
    if decoded is None or len(decoded) < _SHORTEST:
        return ""
    if not decoded[1::2].strip(b"\x00"):
        decoded = decoded[::2]  # UTF-16, as shells take it
    try:
        found = decoded.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return found if found.replace("\n", "").replace("\t", "").isprintable() else ""


def _numbers(code: str, base: int = 10) -> bytes | None:
    found = [int(number, base) for number in _DIGITS.findall(code)]
    return bytes(found) if max(found) < 256 else None


def _bits(code: str) -> bytes | None:
    joined = "".join(_DIGITS.findall(code))
    return bytes(int(joined[at : at + 8], 2) for at in range(0, len(joined) - 7, 8))


def _hexadecimal(code: str) -> bytes | None:
    return bytes(int(pair, 16) for pair in _HEX.findall(code.replace("0x", "").replace("0X", "")))


def _escaped(code: str) -> bytes | None:
    kept = code.replace("\\u00", " ").replace("\\U00", " ").replace("\\x", " ").replace("\\X", " ")
    return bytes(int(pair, 16) for pair in _HEX.findall(kept))


def _base32(code: str) -> bytes | None:
    kept = code.rstrip("=")
    try:
        return base64.b32decode(kept + "=" * (-len(kept) % 8))
    except (binascii.Error, ValueError):
        return None


def _base64(code: str) -> bytes | None:
    kept = _NOT_BASE64.sub("", code.replace("-", "+").replace("_", "/"))
    kept = kept[: len(kept) - 1] if len(kept) % 4 == 1 else kept
    try:
        return base64.b64decode(kept + "=" * (-len(kept) % 4))
    except (binascii.Error, ValueError):
        return None


def _base85(code: str) -> bytes | None:
    try:
        return base64.b85decode(code)
    except ValueError:
        return None


def _ascii85(code: str) -> bytes | None:
    bare = code.removeprefix("<~").removesuffix("~>")
    try:
        return base64.a85decode(bare)
    except ValueError:
        return None


def _zeromq85(code: str) -> bytes | None:
    return _base85(code.translate(_FROM_ZEROMQ))


def _morse(code: str) -> bytes | None:
    words = (word.split() for word in re.split(r"\s{0,2}[/|]\s{0,2}|\s{2,3}", code))
    return " ".join("".join(_MORSE.get(sign, "") for sign in word) for word in words).encode()


def _quoted(code: str) -> bytes | None:
    return quopri.decodestring(code)


_B85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_FROM_ZEROMQ = str.maketrans(_Z85, _B85)
_LETTERS_IN_MORSE = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .--"
    " -..- -.-- --.."
)
_MORSE = dict(zip(_LETTERS_IN_MORSE.split(), ascii_lowercase, strict=True))
_DECODERS: dict[str, Callable[[str], bytes | None]] = {
    "numbers": _numbers,
    "octal": lambda code: _numbers(code, 8),
    "bits": _bits,
    "hex": _hexadecimal,
    "escaped": _escaped,
    "percent": lambda code: unquote_to_bytes(code.replace("+", " ")),
    "entities": lambda code: html.unescape(code).encode(),
    "base85": _base85,
    "ascii85": _ascii85,
    "zeromq85": _zeromq85,
    "morse": _morse,
    "quoted": _quoted,
    "base32": _base32,
    "base64": _base64,
}
