"""What holds now: of memories on one matter the newest comes first, and what it replaces is marked.

Only the order of an answer and the marks in it change; nothing is deleted. A newer memory passes an
older one if it has at least its standing: nobody who is only named passes a member, and what a few
read passes nothing that everyone reads. Marks follow the words (`comparison.changed_facts`). What
was said to hold no more, or not yet, passes nothing that holds, and is passed by it. Pure.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from memories.language.comparison.changed_facts import (
    is_outdated_by,
    is_same_matter,
)
from memories.language.comparison.statements import Statement, read_statement
from memories.retrieval.search_types import ComparedText, Hit, Replacement, SearchRequest

# How many hits are compared with each other.
MAX_COMPARED = 40
# Before two texts are read, they must share this much of the longer words of the shorter one; two
# turns of conversations more, since they are many and long.
_SHORT_WORD, _MIN_SHARED_OF_FACTS, _MIN_SHARED_OF_TURNS = 3, 0.3, 0.4
_PUNCTUATION = str.maketrans(dict.fromkeys(".,:;!?()\"'“”", " "))
# Strategies of one arm, whose caller wants exactly its order.
_PLAIN_STRATEGIES = ("keyword", "vector")


class _Pair(NamedTuple):
    """Two hits on one matter, by their places. passes: whether the newer one has the standing to
    come first; replaced: whether its words say that the older one does not hold."""

    older: int
    newer: int
    passes: bool
    replaced: bool


def current_first(question: SearchRequest, hits: Sequence[Hit]) -> list[Hit]:
    """The hits with the newest of one matter first, in the places that they have, and with marks.

    A hit takes over the score and the relevance of its place. For questions with a time, and for
    callers who ask for one arm, another profile or another fusion, the order stays.
    """
    compared = list(hits[:MAX_COMPARED])
    pairs = list(_related_pairs(compared, question.as_of.timestamp()))
    if not pairs:
        return list(hits)
    compared = _with_marks(compared, pairs)
    if _may_reorder(question):
        compared = _reordered(compared, [pair for pair in pairs if pair.passes])
    return [*compared, *hits[MAX_COMPARED:]]


def mark_changes(hits: Sequence[Hit], now: datetime) -> list[Hit]:
    """The hits in their order, each with the newest other one that says otherwise. All are compared
    with each other."""
    return _with_marks(list(hits), list(_related_pairs(hits, now.timestamp())))


def has_standing(newer: Hit, older: Hit) -> bool:
    """Whether the newer one may say that the older one does not hold any more."""
    if newer.said is None or older.said is None:
        return False
    return newer.said.proven >= older.said.proven and (newer.shared or not older.shared)


def _may_reorder(question: SearchRequest) -> bool:
    plain = question.strategy in _PLAIN_STRATEGIES and not question.automatic
    as_found = question.profile == "balanced" and question.fusion == "minmax"
    return as_found and not plain and not question.filters.ranges


def _related_pairs(hits: Sequence[Hit], now: float) -> Iterator[_Pair]:
    """The pairs of hits on one matter that were said at different times, neither after now: what is
    dated later does not hold yet. Where one of two holds, that one is the newer."""
    told = [(place, hit.said) for place, hit in enumerate(hits) if hit.said and hit.said.at <= now]
    words = {place: _longer_words(said.text) for place, said in told}
    read: dict[int, Statement | None] = {}
    for at, (first, one) in enumerate(told):
        for second, other in told[at + 1 :]:
            facts = _are_facts(hits[first], hits[second])
            holds = hits[first].holds, hits[second].holds
            if one.at == other.at and holds[0] == holds[1]:
                continue
            if not _shares_words(words[first], words[second], facts=facts):
                continue
            for place, said in ((first, one), (second, other)):
                if place not in read:
                    read[place] = read_statement(said.text)
            order = (holds[0], one.at) < (holds[1], other.at)
            older, newer = (first, second) if order else (second, first)
            if pair := _compare(hits, read, older, newer):
                yield pair


def _longer_words(text: str) -> frozenset[str]:
    words = text.lower().translate(_PUNCTUATION).split()
    return frozenset(word for word in words if len(word) > _SHORT_WORD or word[0].isdigit())


def _shares_words(here: frozenset[str], there: frozenset[str], *, facts: bool) -> bool:
    shared, least = len(here & there), min(len(here), len(there))
    share = _MIN_SHARED_OF_FACTS if facts else _MIN_SHARED_OF_TURNS
    return shared >= max(1, min(2, least - 1)) and shared >= share * least


def _compare(
    hits: Sequence[Hit], read: Mapping[int, Statement | None], older: int, newer: int
) -> _Pair | None:
    """The two as a pair, or None if they do not speak of one matter."""
    before, after = read[older], read[newer]
    past, now = hits[older].said, hits[newer].said
    if before is None or after is None or past is None or now is None:
        return None
    if past.subject and now.subject and past.subject != now.subject:
        return None
    one_voice = _is_one_voice(past, now)
    if before.own and not one_voice:
        # What "I" say is nothing that somebody else can change.
        return None
    facts = _are_facts(hits[older], hits[newer])
    stands = has_standing(hits[newer], hits[older])
    if hits[older].holds != hits[newer].holds:
        # What does not hold is marked for what was said of it. Which one changes the other depends
        # on which was said later.
        told = any(
            is_outdated_by(*pair, one_voice=one_voice, turns=not facts)
            for pair in ((before, after), (after, before))
        )
        alike = told or (facts and is_same_matter(before, after))
        return _Pair(older, newer, passes=stands, replaced=False) if alike else None
    replaced = is_outdated_by(before, after, one_voice=one_voice, turns=not facts)
    if not replaced and not (facts and is_same_matter(before, after)):
        return None
    return _Pair(older, newer, passes=stands, replaced=replaced)


def _is_one_voice(one: ComparedText, other: ComparedText) -> bool:
    """Whether the same person is known to say both, or to be whom both are about. Two robots that
    name nobody are not one."""
    same_speaker = one.speaker == other.speaker
    return same_speaker and bool(one.speaker or (one.subject and one.subject == other.subject))


def _are_facts(one: Hit, other: Hit) -> bool:
    """Whether neither is a turn of a conversation."""
    return not one.turn and not other.turn


def _with_marks(hits: list[Hit], pairs: Sequence[_Pair]) -> list[Hit]:
    marked = list(hits)
    for pair in pairs:
        newer = hits[pair.newer]
        if not pair.replaced or newer.said is None:
            continue
        known = marked[pair.older].replaced
        if known is None or (pair.passes, newer.said.at) > (known.settled, known.at):
            told = Replacement(newer.id, newer.said.at, pair.passes)
            marked[pair.older] = replace(marked[pair.older], replaced=told)
        if pair.passes:
            marked[pair.newer] = replace(marked[pair.newer], current=True)
    return marked


def _reordered(hits: list[Hit], pairs: Sequence[_Pair]) -> list[Hit]:
    """Each group of one matter in the places that it has: always the first in order of which no
    newer one is left."""
    ahead: dict[int, set[int]] = {}
    group = list(range(len(hits)))
    for pair in pairs:
        ahead.setdefault(pair.older, set()).add(pair.newer)
        one, other = sorted((_root(group, pair.older), _root(group, pair.newer)))
        group[other] = one
    members: dict[int, list[int]] = {}
    for pair in pairs:
        for place in (pair.older, pair.newer):
            members.setdefault(_root(group, place), [])
            if place not in members[_root(group, place)]:
                members[_root(group, place)].append(place)
    ordered = list(hits)
    for places in members.values():
        places.sort()
        left = list(places)
        for place in places:
            first = next(one for one in left if ahead.get(one, set()).isdisjoint(left))
            left.remove(first)
            here = hits[place]
            ordered[place] = replace(hits[first], score=here.score, relevance=here.relevance)
    return ordered


def _root(group: list[int], place: int) -> int:
    while group[place] != place:
        place = group[place]
    return place
