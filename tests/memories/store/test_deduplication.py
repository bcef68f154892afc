"""When two items are one memory."""

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from memories.store.deduplication import content_hash, find_repeat, is_repeat

MONDAY, TUESDAY = datetime(2026, 3, 2, tzinfo=UTC), datetime(2026, 3, 3, tzinfo=UTC)
SUBJECT, OTHER = uuid4(), uuid4()


@dataclass(frozen=True)
class Said:
    key: str | None = None
    conversation: str | None = None
    occurred_at: datetime | None = None


@pytest.mark.conformance("H10")
def test_the_hash_covers_text_speaker_and_subject() -> None:
    first = content_hash("We ship on Friday.", speaker="Mina", subject=SUBJECT)
    assert content_hash(" We ship on Friday. ", speaker="Mina", subject=SUBJECT) == first
    others = {
        content_hash("We ship on Monday.", speaker="Mina", subject=SUBJECT),
        content_hash("We ship on Friday.", speaker="Bob", subject=SUBJECT),
        content_hash("We ship on Friday.", speaker="Mina", subject=OTHER),
        content_hash("We ship on Friday.", speaker="Mina", subject=None),
        # The parts do not run into each other.
        content_hash("We ship on Friday.Mina", speaker="", subject=SUBJECT),
    }
    assert len(others) == 5
    assert first not in others


def test_two_spellings_of_one_letter_are_one_text() -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert composed != decomposed
    assert content_hash(composed, speaker="", subject=None) == content_hash(
        decomposed, speaker="", subject=None
    )


@pytest.mark.conformance("H10")
@pytest.mark.parametrize(
    ("item", "earlier", "same"),
    [
        (Said(), Said(), True),
        (Said(), Said("k", "c", MONDAY), True),
        (Said("k", "c", MONDAY), Said("k", "c", MONDAY), True),
        (Said("k"), Said(), False),
        (Said("k"), Said("other"), False),
        (Said(conversation="c"), Said(), False),
        (Said(conversation="c"), Said(conversation="d"), False),
        (Said(occurred_at=TUESDAY), Said(occurred_at=MONDAY), False),
        (Said(occurred_at=MONDAY), Said("k", None, MONDAY), True),
    ],
)
def test_another_key_time_or_conversation_sets_items_apart(
    item: Said, earlier: Said, same: bool
) -> None:
    assert is_repeat(item, earlier) is same
    assert find_repeat(item, [earlier]) == (earlier if same else None)
