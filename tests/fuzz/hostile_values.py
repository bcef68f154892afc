"""Values that have broken servers: for texts, numbers, dates, ids, JSON, forms and headers."""

from random import Random
from typing import Any
from urllib.parse import quote

from tests.isolation.api_surface import ABSENT

# Each is sent as it is in JSON and forms, and percent-encoded in addresses.
TEXTS = [
    "",
    " ",
    "\x00",
    "a\x00b",
    "\r\nX-Injected: yes",
    "\u202ename",
    "\u200b",
    "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
    "é" * 300,
    "x" * 5_000,
    "%",
    "%00",
    "_",
    "\\",
    "'",
    "' OR 1=1 --",
    '"',
    "<script>",
    "{{ 7 }}{% 7 %}",
    "../../etc/passwd",
    "null",
    "None",
    "undefined",
    "[]",
    "{}",
    "true",
    "-",
    "\t",
    "\x7f",
    "\x1b[0m",
    "\ufeff",
    "\ufffe",
    "\U0001d7d9",
    "٣",
    "Ⅷ",
    "group:",
    ":",
    "a:b:c",
    "platform:" + "x" * 500,
]
NUMBERS = ["0", "-1", "1", "1e9", "1e400", "NaN", "Infinity", "-0", "0x10", "1.5", "1_000", "+1"]
NUMBERS += ["2147483648", "9223372036854775808", "-9223372036854775809", "9" * 400, "9" * 5_000]
DATES = ["9999-12-31", "0001-01-01", "0000-00-00", "2026-02-30", "10000-01-01", "2026-1-1"]
DATES += ["9999-12-31T23:59:59.999999+00:00", "0001-01-01T00:00:00+23:59", "2026-01-01T00:00:00Z"]
DATES += ["9999-12-31T23:59:59-23:59", "2026-01-01T25:00:00", "-1-01-01", "2026-W01-1", "yesterday"]
IDS = [ABSENT, ABSENT.replace("-", ""), ABSENT.upper(), "{" + ABSENT + "}", "urn:uuid:" + ABSENT]
IDS += ["0" * 32, "f" * 32, "1", "0", "-1", "z" * 36]
CURSORS = ["made-up", "a:b:c", "YQ:1abc:xyz", "IjAi:1v2:AAAA", "=" * 20, "e30:1:1"]
# Percent escapes that are no UTF-8, and such that some decode twice.
ESCAPES = ["%ff", "%c0%80", "%ed%a0%80", "%f8%88%80%80%80", "%e2%82", "%", "%zz", "%2500", "%252e"]

JSON = [None, True, False, 0, -1, 1.5, 10**18, 2**63, -(2**63) - 1, 10**30, 1e308, "", "\x00"]
JSON += [[], {}, [[]], [{}], [None], {"": ""}, {"\x00": 1}, ["\x00"], {"a": {"b": {"c": {}}}}]
BROKEN = [
    b"",
    b"{",
    b"[" * 50_000,
    b'{"a":' * 20_000,
    b"nul",
    b"\xff\xfe{",
    b'{"content": "\\ud800"}',
    b'{"content": NaN}',
    b'{"a": 1, "a": 2}',
    b"1" * 10_000,
    b"\x00",
    b"\xef\xbb\xbf{}",
    b'"text"',
    b"[]",
    b"null",
]
CONTENT_TYPES = [
    "",
    "text/plain",
    "application/json; charset=utf-16",
    "application/json; charset=none-such",
    "multipart/form-data",
    "multipart/form-data; boundary=",
    "multipart/form-data; boundary=é",
    "application/x-www-form-urlencoded; charset=utf-7",
    "application/x-www-form-urlencoded; charset=none-such",
    "application/xml",
    "x",
    "/",
]
HEADERS = [
    ("HTTP_ACCEPT", "text/html;q=x"),
    ("HTTP_ACCEPT", "application/*"),
    ("HTTP_ACCEPT", ";;;"),
    ("HTTP_ACCEPT_LANGUAGE", "xx-" + "y" * 600),
    ("HTTP_ACCEPT_LANGUAGE", "\xff"),
    ("HTTP_IF_NONE_MATCH", 'W/"'),
    ("HTTP_IF_MODIFIED_SINCE", "Fri, 31 Dec 9999 99:99:99 GMT"),
    ("HTTP_RANGE", "bytes=9-1"),
    ("HTTP_HX_REQUEST", "true"),
    ("HTTP_HX_CURRENT_URL", "http://[::1"),
    ("HTTP_HX_TARGET", "\x00"),
    ("HTTP_REFERER", "http://[::1"),
    ("HTTP_HOST", "evil.example:99999"),
    ("HTTP_X_FORWARDED_FOR", "not-an-address, ,"),
    ("HTTP_X_FORWARDED_PROTO", "https,http"),
    ("HTTP_X_REQUEST_ID", "x" * 5_000),
    ("HTTP_X_CSRFTOKEN", "\xff"),
    ("HTTP_AUTHORIZATION", "Bearer"),
    ("HTTP_AUTHORIZATION", "Bearer cmk_" + "0" * 32 + "_x_y"),
    ("HTTP_AUTHORIZATION", "Basic ="),
    ("HTTP_COOKIE", "sessionid=\xff; csrftoken="),
    ("HTTP_COOKIE", "sessionid=" + "x" * 3_000),
    ("HTTP_COOKIE", "messages=broken:broken"),
    ("HTTP_USER_AGENT", "\xff" * 50),
    ("CONTENT_LENGTH", "-1"),
    ("CONTENT_LENGTH", "many"),
]


def hostile_text(rng: Random) -> str:
    """Any value that can stand for a text, number, date, id or cursor."""
    return rng.choice(rng.choice((TEXTS, NUMBERS, DATES, IDS, CURSORS)))


def hostile_url_part(rng: Random) -> str:
    """The same, written as a part of an address."""
    return rng.choice(ESCAPES) if rng.random() < 0.2 else quote(hostile_text(rng), safe="")


def hostile_json(rng: Random) -> Any:
    """A JSON value of any kind, sometimes deep or long."""
    chance = rng.random()
    if chance < 0.4:
        return hostile_text(rng)
    if chance < 0.9:
        return rng.choice(JSON)
    if chance < 0.95:
        deep: Any = {}
        for _ in range(200):
            deep = {"a": [deep]}
        return deep
    return [hostile_text(rng) for _ in range(rng.choice((3, 1_001)))]
