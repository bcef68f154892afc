"""When a base backup is due, what is deleted, and what a moment needs: rules without a clock."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from config.archive.catalogue import (
    FULL,
    INCREMENTAL,
    BaseBackup,
    Series,
    SeriesState,
    choose_base,
    choose_series,
    find_chain,
    parse_base,
    parse_lsn,
    parse_moment,
    segment_label,
    segment_number,
)
from config.archive.errors import ArchiveError
from config.archive.schedule import (
    choose_due_backup,
    first_needed_segment,
    list_needed_bases,
    retention_reference,
)

START = datetime(2026, 11, 1, 12, tzinfo=UTC)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
SIZE = 16 << 20
DAILY = {"base_every": DAY, "full_every": 7 * DAY}


def base(number: int, kind: str = FULL, parent: str = "", at: datetime | None = None) -> BaseBackup:
    """Number n is of day n and needs the segments from 10n on; it ends after an hour."""
    begun = at or START + number * DAY
    return BaseBackup(
        id=f"b{number}", kind=kind, parent=parent, system_id="1", timeline=1,
        start_lsn=10 * number * SIZE + 40, end_lsn=10 * number * SIZE + 100, segment_bytes=SIZE,
        begun_at=begun, ended_at=begun + HOUR, server="18.6", release="1", size=9,
    )  # fmt: skip


def daily(days: int) -> list[BaseBackup]:
    """As the schedule makes them: a full one each week, else what came since the day before."""
    made: list[BaseBackup] = []
    for day in range(days):
        kind = choose_due_backup(made, START + day * DAY, **DAILY)
        assert kind, f"one is due on day {day}"
        made.append(base(day, kind, made[-1].id if kind == INCREMENTAL else ""))
    return made


def series(bases: list[BaseBackup], segments: range, until: datetime) -> Series:
    names = {segment_label(n, 1, SIZE): 1 for n in segments}
    return Series("20261101T120000Z-abcdef", tuple(bases), names, (), SeriesState(until, 0))


def test_a_full_one_each_week_and_the_rest_between() -> None:
    kinds = [one.kind for one in daily(16)]
    assert kinds == [FULL, *[INCREMENTAL] * 6, FULL, *[INCREMENTAL] * 6, FULL, INCREMENTAL]
    assert choose_due_backup(daily(3), START + 2 * DAY + 23 * HOUR, **DAILY) is None


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
def test_a_clock_that_jumps_an_hour_makes_and_deletes_nothing(jump: timedelta) -> None:
    made = daily(30)
    now = made[-1].ended_at + 30 * timedelta(minutes=1)
    assert choose_due_backup(made, now + jump, **DAILY) is None
    references = [retention_reference(made, at, DAY) for at in (now, now + jump)]
    kept = [list_needed_bases(made, made, reference, 14 * DAY) for reference in references]
    assert kept[0] == kept[1]


def test_a_backup_of_a_clock_far_ahead_neither_stops_the_next_nor_deletes() -> None:
    made = [*daily(30), base(30, at=START + 400 * DAY)]
    now = START + 31 * DAY
    assert choose_due_backup(made, now, **DAILY) == FULL
    ahead = made[-1].ended_at
    assert retention_reference(made, ahead, DAY) == made[-2].ended_at + 2 * DAY
    needed = list_needed_bases(made, made, retention_reference(made, ahead, DAY), 14 * DAY)
    assert made[18] in needed, "the window is still that of the true clock"


def test_a_chain_whose_begin_is_missing_is_begun_anew() -> None:
    made = daily(5)[1:]
    assert choose_due_backup(made, made[-1].ended_at, **DAILY) == FULL


@pytest.mark.parametrize("seed", range(20))
def test_every_moment_of_the_window_can_be_restored_after_deleting(seed: int) -> None:
    """And nothing is kept that none of them needs."""
    draw = random.Random(seed)  # noqa: S311
    days, keep = draw.randint(1, 40), timedelta(days=draw.randint(1, 20))
    made = daily(days)
    reference = retention_reference(made, made[-1].ended_at + HOUR, DAY)
    needed = list_needed_bases(made, made, reference, keep)
    first = first_needed_segment(made, reference, keep)
    left = series(needed, range(first, 10 * days + 5), reference)
    begin = max(reference - keep, made[0].ended_at)
    used: set[str] = set()
    moment = begin
    while moment <= reference:
        found = choose_base(choose_series([left], moment), moment)
        chain = find_chain(left.bases, found)
        assert chain
        assert found == [one for one in made if one.ended_at <= moment][-1]
        used |= {one.id for one in chain}
        moment += HOUR
    assert {one.id for one in needed} == used


def test_nothing_is_deleted_while_no_new_backups_are_made() -> None:
    made = daily(20)
    late = retention_reference(made, made[-1].ended_at + 500 * DAY, DAY)
    assert late == made[-1].ended_at
    assert retention_reference([], START, DAY) == datetime.min.replace(tzinfo=UTC)


def test_a_moment_outside_is_refused_with_what_can_be_restored() -> None:
    whole = series(daily(3), range(40), START + 3 * DAY)
    for moment in (START, START + 3 * DAY + timedelta(seconds=1)):
        with pytest.raises(ArchiveError) as raised:
            choose_series([whole], moment)
        said = str(raised.value)
        assert f"{moment:%Y-%m-%d %H:%M:%S} UTC cannot be restored" in said
        assert "from 2026-11-01 13:00:00 UTC to 2026-11-04 12:00:00 UTC" in said
    assert choose_series([whole], START + DAY) is whole
    with pytest.raises(ArchiveError, match="no base backup"):
        choose_series([], START)


def test_a_base_behind_which_the_log_is_missing_counts_for_nothing() -> None:
    made = [base(0), base(1), base(2)]
    gap = [n for n in range(40) if n != 10]
    found = Series("s", tuple(made), {segment_label(n, 1, SIZE): 1 for n in gap}, (), None)
    assert found.usable_bases() == [made[0], made[2]]
    assert found.last_whole_segment(made[0]) == 9
    assert found.range is None, "nobody knows up to when"


def test_the_newest_series_that_has_the_moment_is_taken() -> None:
    old = series(daily(10), range(110), START + 10 * DAY)
    new = series([base(9, at=START + 9 * DAY)], range(90, 130), START + 12 * DAY)
    assert choose_series([old, new], None) is new
    assert choose_series([old, new], START + 9 * DAY + 2 * HOUR) is new
    assert choose_series([old, new], START + 8 * DAY) is old


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-11-27 14:00", 14),
        (" 2026-11-27T14:00:00 ", 14),
        ("2026-11-27 14:00 UTC", 14),
        ("2026-11-27 14:00+01:00", 13),
        ("2026-11-27T14:00:00Z", 14),
    ],
)
def test_a_moment_without_a_zone_is_in_utc(text: str, hour: int) -> None:
    assert parse_moment(text) == datetime(2026, 11, 27, hour, tzinfo=UTC)


@pytest.mark.parametrize("text", ["yesterday", "", "27.11.2026", "2026-13-01", "1" * 5_000])
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(ArchiveError, match="is no moment"):
        parse_moment(text)


def test_names_of_segments_and_positions() -> None:
    assert segment_label(255, 1, SIZE) == "0000000100000000000000FF"
    assert segment_label(256, 2, SIZE) == "000000020000000100000000"
    assert segment_number("000000020000000100000000", SIZE) == 256
    assert parse_lsn("1/3000028") == (1 << 32) + 0x3000028


def test_a_description_is_read_as_it_was_written() -> None:
    made = base(3, INCREMENTAL, "b2")
    assert parse_base(made.to_json()) == made
    for content in (b"", b"[]", b"{}", b'{"begun_at": "x", "ended_at": "y"}'):
        with pytest.raises(ArchiveError, match="damaged"):
            parse_base(content)
