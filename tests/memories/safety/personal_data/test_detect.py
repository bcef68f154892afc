"""The light detector over sentences of our own: what it catches, lets pass, points out."""
# ruff: noqa: RUF001

from collections import Counter
from itertools import pairwise

import pytest

from memories.safety.personal_data.known_names_type import KnownNames
from memories.safety.personal_data.light_detector import find_personal_data
from memories.safety.plain_text import to_plain_text
from memories.safety.required_checks import Finding, PersonalDataType, mask_findings
from tests.memories.safety.personal_data.sentences import (
    Sentence,
    harmless_sentences,
    personal_sentences,
)

NOBODY = KnownNames()
CAUGHT, PASSING = personal_sentences(), harmless_sentences()


def found(text: str, known: KnownNames = NOBODY) -> list[tuple[str, str, bool]]:
    """(kind, words of the original, sure)."""
    return [(one.kind.value, text[one.start : one.end], one.sure) for one in spans(text, known)]


def spans(text: str, known: KnownNames = NOBODY) -> list[Finding]:
    return find_personal_data(to_plain_text(text), known)


def hit(sentence: Sentence) -> bool:
    """Whether each marked place is pointed out under its kind."""
    told = spans(sentence.text)
    return all(
        any(one.kind == sentence.kind and one.start < end and start < one.end for one in told)
        for start, end in sentence.spans
    )


@pytest.mark.conformance("P17")
def test_recall_and_precision_over_the_labelled_set() -> None:
    assert len(CAUGHT) >= 200
    assert len(PASSING) >= 100
    wanted, hits = Counter(s.kind for s in CAUGHT), Counter(s.kind for s in CAUGHT if hit(s))
    recall = {kind: hits[kind] / wanted[kind] for kind in wanted}
    right, wrong = Counter[str](), Counter[str]()
    for sentence in (*CAUGHT, *PASSING):
        for one in spans(sentence.text):
            marked = any(one.start < end and start < one.end for start, end in sentence.spans)
            (right if marked else wrong)[one.kind.value] += 1
    precision = {kind: right[kind] / (right[kind] + wrong[kind]) for kind in right}
    for kind in sorted(recall):
        print(f"{kind}: recall {recall[kind]:.3f}, precision {precision[kind]:.3f}, {wanted[kind]}")  # noqa: T201
    assert set(recall) == {kind.value for kind in PersonalDataType}
    assert min(recall.values()) >= 0.95
    assert min(precision.values()) >= 0.95
    stopped = [s.text for s in PASSING if spans(s.text)]
    assert stopped == []


def test_what_the_issue_names() -> None:
    assert found("QSR real estate users check cannibalisation after site selection") == []
    shop = found("asked about the Chick-fil-A at 123 Main St")
    assert shop == [("brand_address", "Chick-fil-A at 123 Main St", True)]
    assert found("ABC Corp worries about falling visits") == [("organisation", "ABC Corp", True)]
    assert found("The Chick-fil-A has more visits.") == []
    end = found("This is about our client Zonkify. The map is new.")
    assert end == [("organisation", "Zonkify", False)]


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("to ann@exam\u200bple.org now", "email", "ann@exam\u200bple.org"),
        ("to аnn@ехаmрlе.оrg now", "email", "аnn@ехаmрlе.оrg"),
        ("to ａｎｎ＠ｅｘａｍｐｌｅ．ｏｒｇ now", "email", "ａｎｎ＠ｅｘａｍｐｌｅ．ｏｒｇ"),
        ("pay ４１１１ 1111 1111 1111!", "card", "４１１１ 1111 1111 1111"),
        ("pay 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1!", "card", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"),
        ("pay 4111\u200b1111\u200b1111\u200b1111", "card", "4111\u200b1111\u200b1111\u200b1111"),
        ("IBAN D\u200bE89 3704 0044 0532 0130 00", "iban", "D\u200bE89 3704 0044 0532 0130 00"),
        ("for Аnnа Weber only", "person", "Аnnа Weber"),
        ("for An\u00adna We\u2060ber only", "person", "An\u00adna We\u2060ber"),
        ("at 12\u2003Oak\u00a0Street", "address", "12\u2003Oak\u00a0Street"),
    ],
)
def test_a_disguise_changes_nothing_and_the_span_is_the_originals(
    text: str, kind: str, words: str
) -> None:
    assert (kind, words, True) in found(text)


def test_findings_are_in_order_and_none_lies_within_another() -> None:
    text = "Anna Weber <ann@example.org> of ABC Corp at 12 Oak Street, Springfield, IL 62704: "
    told = spans(text * 3)
    assert told == sorted(told)
    assert all(one.end <= two.start for one, two in pairwise(told))
    line = "[person] <[email]> of [brand_address]: "
    assert mask_findings(text * 3, told) == line * 3


def test_what_is_sure_makes_what_covers_it_sure() -> None:
    """A shop without a legal form is not sure; with a client's name in it it is."""
    text = "Deal with Globex Solutions signed."
    assert found(text) == [("organisation", "Globex Solutions", False)]
    clients = KnownNames(clients=("Globex",))
    assert found(text, clients) == [("organisation", "Globex Solutions", True)]
    members = KnownNames(people=("Ann Globex",))
    assert found(text, members) == [("organisation", "Globex Solutions", True)]


def test_the_whole_of_a_long_text_is_read() -> None:
    text = "A lesson about maps. " * 47_000 + "Write to ann@example.org."
    assert found(text) == [("email", "ann@example.org", True)]
    assert found("") == []


def test_a_small_letter_of_another_alphabet_may_begin_an_address() -> None:
    place = "šmartinska 12, 10000 žalec"
    assert found(f"it is at {place}") == [("address", place, False)]
