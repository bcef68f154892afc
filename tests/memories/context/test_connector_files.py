"""Calendar and mailbox files: what is read of them, and what cannot hurt."""

import bz2
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memories.context.connectors import calendar_files, sandboxed_parser
from memories.context.connectors.calendar_files import MAX_BYTES, MAX_EVENTS, parse_calendar
from memories.context.connectors.mail_files import (
    MAX_MAIL_BYTES,
    MAX_MAILS,
    _is_mail_start,
    decode_text,
    parse_mails,
)
from memories.context.connectors.parse_result import (
    MAX_TEXT_CHARACTERS,
    ParseResult,
    UnreadableFileError,
)

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20


def calendar(*events: str) -> bytes:
    body = "".join(
        f"BEGIN:VEVENT\r\nUID:{number}@example\r\n{event}\r\nEND:VEVENT\r\n"
        for number, event in enumerate(events)
    )
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{body}END:VCALENDAR\r\n".encode()


def event(start: str, title: str = "Review", *more: str) -> str:
    return "\r\n".join([f"DTSTART{start}", f"SUMMARY:{title}", *more])


def read(*events: str, zone: str = "UTC") -> ParseResult:
    return parse_calendar(calendar(*events), now=NOW, zone=ZoneInfo(zone))


def mail(
    number: int, *, date: str = "Mon, 02 Mar 2026 10:00:00 +0000", body: str = "Hello."
) -> str:
    return (
        f"From a@example Mon Mar  2 10:00:00 2026\nFrom: Ana <ana@example.org>\n"
        f"Subject: Number {number}\nDate: {date}\n\n{body}\n\n"
    )


def box(tmp_path: Path, text: str | bytes) -> ParseResult:
    path = tmp_path / "mail.mbox"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return parse_mails(path, now=NOW)


def test_an_event_has_its_times_title_place_and_person() -> None:
    (found,) = read(
        event(":20260303T090000Z", "Review of Falcon", "DTEND:20260303T100000Z",
              "LOCATION:Room 4", "ORGANIZER;CN=Ana:mailto:ana@example.org")
    ).entries  # fmt: skip
    assert found.at == datetime(2026, 3, 3, 9, tzinfo=UTC)
    assert found.until == datetime(2026, 3, 3, 10, tzinfo=UTC)
    assert (found.title, found.place, found.person) == ("Review of Falcon", "Room 4", "Ana")
    assert not found.all_day


def test_times_without_a_zone_and_whole_days_are_the_members() -> None:
    naive, day = read(
        event(":20260303T090000"), event(";VALUE=DATE:20260304"), zone="America/New_York"
    ).entries
    assert naive.at == datetime(2026, 3, 3, 14, tzinfo=UTC)
    assert day.at == datetime(2026, 3, 4, 5, tzinfo=UTC)
    assert day.all_day
    (elsewhere,) = read(event(";TZID=Europe/Berlin:20260303T090000")).entries
    assert elsewhere.at == datetime(2026, 3, 3, 8, tzinfo=UTC)


def test_recurring_events_come_day_by_day_for_a_year() -> None:
    found = read(event(":20200101T090000Z", "Stand-up", "RRULE:FREQ=DAILY")).entries
    assert 366 <= len(found) <= 368
    assert found[0].at >= NOW - timedelta(days=1)
    weekly = read(
        event(":20260302T090000Z", "Weekly", "RRULE:FREQ=WEEKLY;COUNT=3",
              "EXDATE:20260309T090000Z")
    ).entries  # fmt: skip
    assert [one.at.day for one in weekly] == [2, 16]


def test_cancelled_and_past_events_stay_out() -> None:
    found = read(
        event(":20260303T090000Z", "Off", "STATUS:CANCELLED"),
        event(":20250303T090000Z", "Long ago"),
        event(":20280303T090000Z", "Far off"),
        event(":20260303T090000Z", "On"),
    )
    assert [one.title for one in found.entries] == ["On"]
    assert found.problems == []


@pytest.mark.timed(20)
@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SECONDLY",
        "FREQ=MINUTELY;INTERVAL=1",
        "FREQ=HOURLY",
        "FREQ=DAILY;BYSECOND=" + ",".join(map(str, range(60))),
        "FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=1,2,3",
    ],
)
def test_what_recurs_within_a_day_is_left_out_and_told(rule: str) -> None:
    found = read(event(":20260302T090000Z", "Alarm", f"RRULE:{rule}"), event(":20260303T090000Z"))
    assert [one.title for one in found.entries] == ["Review"]
    assert found.problems == [
        "1 event left out: repeated more than once a day, or since before 1970."
    ]


@pytest.mark.timed(20)
def test_rules_that_never_end_do_not_hold_anybody_up() -> None:
    found = read(
        event(":00010101T090000Z", "Ancient", "RRULE:FREQ=DAILY"),
        event(":19700101T090000Z", "Never", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"),
        event(":20260303T090000Z"),
    )
    assert [one.title for one in found.entries] == ["Review"]
    assert any("1970" in problem for problem in found.problems)


def test_a_zone_that_the_file_itself_explains_counts() -> None:
    zone = (
        "BEGIN:VTIMEZONE\r\nTZID:Own Zone\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\n"
        "TZOFFSETFROM:+0300\r\nTZOFFSETTO:+0300\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
    )
    data = calendar(event(";TZID=Own Zone:20260303T090000")).replace(
        b"VERSION:2.0\r\n", b"VERSION:2.0\r\n" + zone.encode()
    )
    (found,) = parse_calendar(data, now=NOW).entries
    assert found.at == datetime(2026, 3, 3, 6, tzinfo=UTC)


@pytest.mark.slow
@pytest.mark.conformance("T30")
@pytest.mark.timed(5)
@pytest.mark.parametrize(
    ("events", "left_out"),
    [
        ([event(":20260303T090000Z", f"D{n}", "RRULE:FREQ=DAILY") for n in range(42_000)], True),
        ([event(":20200303T090000Z", f"P{n}") for n in range(45_000)], False),
        ([event(":20260303T090000Z", "Long", "X-A:b\r\n" * 550_000)], True),
        ([event(":20260303T090000Z", "Off", "EXDATE:20200101T100000Z\r\n" * 140_000)], True),
        ([event(":20260303T090000Z", "Far", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30")] * 300,
         True),
    ],
    ids=["daily", "past", "long", "exceptions", "never"],
)  # fmt: skip
def test_a_full_file_takes_five_seconds(events: list[str], *, left_out: bool) -> None:
    """4 MB of events took 20 seconds before one of them was looked at."""
    data = calendar(*events, event(":20260303T100000Z", "Kept"))
    data = data[:MAX_BYTES] if len(data) <= MAX_BYTES else data[: MAX_BYTES - 20]
    data += b"" if data.endswith(b"END:VCALENDAR\r\n") else b"\r\nEND:VCALENDAR\r\n"
    found = parse_calendar(data, now=NOW)
    assert any("could not be read" in problem for problem in found.problems) is left_out


def test_an_event_that_reaches_into_the_span_is_read_and_others_are_not_parsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed: list[bytes] = []
    from_ical = calendar_files.Calendar.from_ical

    def noted(data: bytes) -> Any:
        parsed.append(data)
        return from_ical(data)

    monkeypatch.setattr(calendar_files.Calendar, "from_ical", noted)
    found = read(
        event(";VALUE=DATE:20260201", "Long", "DTEND;VALUE=DATE:20260310"),
        event(":20260201T090000Z", "Lasts", "DURATION:P60D"),
        event(":20250303T090000Z", "Past", "DTEND:20250303T100000Z"),
        event(":20290303T090000Z", "Far off"),
        event(":20260228T230000", "Nearly past", "DTEND:20260301T230000"),
    )
    assert {one.title for one in found.entries} == {"Long", "Lasts", "Nearly past"}
    assert len(parsed) == 3


def test_too_many_events_keep_the_soonest() -> None:
    daily = [event(":20260302T090000Z", f"D{n}", "RRULE:FREQ=DAILY") for n in range(8)]
    found = read(*daily)
    assert len(found.entries) == MAX_EVENTS
    assert "later events left out." in found.problems[0]


@pytest.mark.parametrize("data", [b"", PICTURE, b"hello", b"{}", b"BEGIN:VCALENDAR\r\n"])
def test_what_is_no_calendar_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableFileError, match="no calendar"):
        parse_calendar(data, now=NOW)


def test_a_mail_has_its_sender_subject_and_beginning(tmp_path: Path) -> None:
    (found,) = box(tmp_path, mail(1, body="Hi,\nthe review is at nine.")).entries
    assert found.at == datetime(2026, 3, 2, 10, tzinfo=UTC)
    assert found.person == "Ana <ana@example.org>"
    assert (found.title, found.text) == ("Number 1", "Hi,\nthe review is at nine.")


def test_headers_in_other_letters_and_pages_of_html(tmp_path: Path) -> None:
    text = (
        "From a@example Mon Mar  2 10:00:00 2026\nFrom: =?utf-8?q?J=C3=B6rg?= <j@example.org>\n"
        "Subject: =?utf-8?b?R3LDvMOfZQ==?=\nDate: Mon, 02 Mar 2026 10:00:00 +0100\n"
        "Content-Type: text/html; charset=utf-8\n\n"
        "<style>p {}</style><p>Good <b>morning</b></p><script>alert(1)</script>\n\n"
    )
    (found,) = box(tmp_path, text).entries
    assert (found.person, found.title) == ("Jörg <j@example.org>", "Grüße")
    assert found.at == datetime(2026, 3, 2, 9, tzinfo=UTC)
    assert found.text.split("\n") == ["Good", "morning"]


def written(subject: bytes, body: bytes, kind: bytes = b"text/plain") -> bytes:
    """A mail in bytes of its own charset."""
    return (
        b"From a@example Mon Mar  2 10:00:00 2026\nFrom: Ana <ana@example.org>\nSubject: "
        + subject
        + b"\nDate: Mon, 02 Mar 2026 10:00:00 +0000\nContent-Type: "
        + kind
        + b"\n\n"
        + body
        + b"\n\n"
    )


@pytest.mark.parametrize(
    ("charset", "body", "text"),
    [
        ("; charset=iso-8859-1", b"It\x92s \x80 9 \x96 fair.", "It’s € 9 – fair."),
        ("; charset=us-ascii", b"It\x92s \x80 9.", "It’s € 9."),
        ("", b"Caf\xe9 in K\xf6ln", "Café in Köln"),
        ("", "Café".encode(), "Café"),
        ("; charset=utf-8", b"Caf\xe9", "Café"),
        ("; charset=iso-8859-1", "Café".encode(), "Café"),
        ("; charset=x-unknown", b"Gr\xfcn", "Grün"),
        ("; charset=hex", b"Gr\xfcn", "Grün"),
        ("; charset=punycode", b"Gr\xfcn", "Grün"),
        ("; charset=windows-1251", "Привет".encode("cp1251"), "Привет"),
        ("; charset=windows-874", "ประชุม".encode("cp874"), "ประชุม"),
        ("; charset=cp-1250", "źdźbło".encode("cp1250"), "źdźbło"),
        ("; charset=gb2312", "你好".encode("gb18030"), "你好"),
    ],
)
def test_bytes_are_read_in_the_charset_that_was_meant(
    tmp_path: Path, charset: str, body: bytes, text: str
) -> None:
    found = box(tmp_path, written(b"Hello", body, b"text/plain" + charset.encode()))
    assert ([one.text for one in found.entries], found.problems) == ([text], [])


def test_headers_of_no_charset_and_of_a_wrong_one(tmp_path: Path) -> None:
    titles = [b"Caf\xe9 \x80", "Café".encode(), b"=?iso-8859-1?q?it=92s?=", b"=?none?q?caf=E9?="]
    found = box(tmp_path, b"".join(written(title, b"x") for title in titles))
    assert {one.title for one in found.entries} == {"Café €", "Café", "it’s", "café"}


def test_letters_that_nobody_can_read_are_told(tmp_path: Path) -> None:
    found = box(tmp_path, written(b"Hello", b"a \x81 b"))
    assert found.entries[0].text == "a \ufffd b"
    assert found.problems == ["1 mail has unreadable letters."]


@pytest.mark.parametrize(
    "start",
    [
        "From a@example Mon Mar  2 10:00:00 2026", "From - Mon Mar 02 10:00:00 2026\r",
        "From 17@xxx Mon Mar 02 10:00:00 +0000 2026", "From MAILER-DAEMON", "From a@b",
    ],
)  # fmt: skip
def test_a_line_of_a_text_that_begins_with_from_begins_no_mail(tmp_path: Path, start: str) -> None:
    body = (
        "First.\nFrom tomorrow on the gate is closed.\n\nFrom Monday to May it is open.\n"
        ">From here on: nothing.\n>>From: there\nLast."
    )
    mails = [mail(n, body=body).partition("\n")[2] for n in (1, 2)]
    found = box(tmp_path, "".join(f"{start}\n{one}" for one in mails))
    assert ([one.title for one in found.entries], found.problems) == (["Number 2", "Number 1"], [])
    for one in found.entries:
        assert one.text == body.replace(">From here", "From here")


def test_a_mail_without_a_time_is_left_out_and_told(tmp_path: Path) -> None:
    found = box(tmp_path, mail(1, date="soon") + mail(2))
    assert [one.title for one in found.entries] == ["Number 2"]
    assert found.problems == ["1 mail could not be read."]


def test_the_newest_mails_are_kept(tmp_path: Path) -> None:
    text = "".join(
        mail(n, date=f"Sun, 01 Mar 2026 {n // 60 % 24:02}:{n % 60:02}:00 +0000")
        for n in range(MAX_MAILS + 5)
    )
    found = box(tmp_path, text)
    assert len(found.entries) == MAX_MAILS
    assert found.entries[-1].title == f"Number {MAX_MAILS + 4}"
    assert found.problems == ["5 older mails left out."]


@pytest.mark.timed(20)
def test_a_mail_of_fifty_megabytes_takes_a_moment(tmp_path: Path) -> None:
    found = box(tmp_path, mail(1, body="Long. " * 8_500_000))
    assert len(found.entries[0].text) <= MAX_TEXT_CHARACTERS < MAX_MAIL_BYTES


@pytest.mark.timed(20)
@pytest.mark.parametrize(
    "header",
    ["Subject: " + "=?utf-8?q?=" * 20_000, "Subject: " + "(" * 100_000, "From: " + "<" * 90_000],
)
def test_hostile_headers_take_no_longer(tmp_path: Path, header: str) -> None:
    box(tmp_path, mail(1).replace("Subject: Number 1", header))


@pytest.mark.parametrize("data", [b"", PICTURE, b"hello", b"from: me"])
def test_what_is_no_mailbox_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(UnreadableFileError, match="no mailbox"):
        box(tmp_path, data)


@pytest.mark.timed(20)
def test_several_rules_of_one_event_are_left_out() -> None:
    never = "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"
    found = read(event(":20260302T090000Z", "Long", *[never] * 30), event(":20260303T090000Z"))
    assert [one.title for one in found.entries] == ["Review"]


@pytest.mark.slow
def test_a_file_that_keeps_the_reader_busy_ends_with_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"
    path = tmp_path / "busy.ics"
    path.write_bytes(calendar(*[event(":20260302T090000Z", "Long", never)] * 3))
    monkeypatch.setattr(sandboxed_parser, "TIMEOUT_SECONDS", 2)
    with pytest.raises(UnreadableFileError, match="too long"):
        sandboxed_parser.parse_file("calendar", path, now=NOW, zone="UTC")
    path.write_bytes(calendar(event(":20260303T090000Z")))
    monkeypatch.setattr(sandboxed_parser, "TIMEOUT_SECONDS", 30)
    (found,) = sandboxed_parser.parse_file(
        "calendar", path, now=NOW, zone="America/New_York"
    ).entries
    assert found.at == datetime(2026, 3, 3, 9, tzinfo=UTC)


@pytest.mark.timed(20)
def test_a_box_of_beginnings_takes_little(tmp_path: Path) -> None:
    found = box(tmp_path, b"From \n" * 500_000)
    assert found.entries == []


@pytest.mark.parametrize(
    "date",
    [
        "Fri, 31 Dec 9999 23:00:00 -1400",
        "Mon, 09 Mar 2026 10:00:00 +0000",
        "Thu, 1 Jan 1960 1:00",
    ],
)
def test_mails_of_times_that_cannot_be_are_left_out(tmp_path: Path, date: str) -> None:
    found = box(tmp_path, mail(1, date=date) + mail(2))
    assert [one.title for one in found.entries] == ["Number 2"]


def test_a_mail_within_mails_within_mails_leaves_the_others(tmp_path: Path) -> None:
    deep = "".join(
        f'Content-Type: multipart/mixed; boundary="{n}"\n\n--{n}\n' for n in range(3_000)
    )
    found = box(tmp_path, mail(1).replace("\n\nHello.", "\n" + deep) + mail(2))
    assert "Number 2" in [one.title for one in found.entries]


def test_what_reads_a_file_has_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser that is made to run something finds no key and no address of a database."""
    monkeypatch.setenv("SECRET_KEY", "of the server")
    given: list[Any] = []
    run = subprocess.run

    def noted(*arguments: Any, **options: Any) -> Any:
        given.append(options["env"])
        return run(*arguments, **options)

    monkeypatch.setattr(sandboxed_parser.subprocess, "run", noted)
    path = tmp_path / "calendar.ics"
    path.write_bytes(b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n")
    sandboxed_parser.parse_file("calendar", path, now=NOW, zone="UTC")
    assert [sorted(env) for env in given] == [["PYTHONUTF8"]]


@pytest.mark.parametrize("name", ["bz2", "zlib", "hex", "unicode escape", "-punycode", "idna", ""])
def test_what_is_no_charset_unpacks_nothing(name: str) -> None:
    packed = bz2.compress(b"x" * 1_000_000)
    assert decode_text(packed, name) == decode_text(packed, None)
    assert decode_text(b"na\\u00efve", name) == "na\\u00efve"


@pytest.mark.parametrize(
    ("line", "begins"),
    [
        ("From a@example.org Mon Mar  2 10:00:00 2026", True),
        ("From Monday on we meet in March at 10:00", False),
        ("From " + "Mon Mon Mar Mar 1:0 " * 40, False),
    ],
)
def test_only_an_address_with_day_and_time_begins_a_mail(line: str, begins: bool) -> None:
    assert _is_mail_start(f"\n{line}\nSubject\n".encode(), begins=1) is begins


def test_a_title_or_a_name_has_one_line(tmp_path: Path) -> None:
    """A stranger writes them, and further lines would look like those that the service writes."""
    lines = r"Lunch\nOrganiser: Ada\nPlace: Rome"
    (found,) = read(event(":20260303T090000Z", lines, f"LOCATION:{lines}")).entries
    assert found.title == found.place == "Lunch Organiser: Ada Place: Rome"
    encoded = "=?utf-8?q?Hello=0AMail_from_Ada=E2=80=A8More?="
    letter = mail(1).replace("Number 1", encoded).replace("From: Ana", f"From: {encoded}")
    (found,) = box(tmp_path, letter).entries
    assert found.title == "Hello Mail from Ada More"
    assert found.person.startswith("Hello Mail from Ada More")
