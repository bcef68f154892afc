"""The facts among sentences of memories, each once, with what is newer. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from memories.language.comparison.statement_words import stem
from memories.language.comparison.statements import Sentence
from memories.language.comparison.text_comparison import normalise_text
from memories.language.gazetteers.stopwords import STOPWORDS
from memories.language.propositions import iter_sentences, strip_markup
from memories.profiles.fact_rules import TOLD_WEIGHT, ProfileTopic, is_surely_single, read_fact
from memories.retrieval.ranking.current_facts import has_standing, mark_changes
from memories.retrieval.search_types import ComparedText, Hit, Replacement

# How many facts a profile looks at; how many of these are compared with each other by their words,
# each with so many sentences, for that takes the most time; and up to how many characters a memory
# is one fact.
MAX_FACTS, MAX_COMPARED, MAX_COMPARED_SENTENCES, SHORT_CHARACTERS = 150, 40, 2, 240
# Words by which a turn of a conversation speaks of its whole group.
_WE = re.compile(r"\b(?:we|our|us|everyone|everybody|the team|the group)\b")
_WORD = re.compile(r"\w+")
# Words by which a turn speaks of its speaker's home and family.
_WE_OWN = re.compile(
    r"\bwe (?:live|moved|got the keys)\b|\bwe['’]re (?:at|the|moving)\b"
    r"|\bour (?:flat|house|home|place|son|daughter|kids|boys|girls|dog|cat|new)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"(?:she|he|they|her|his|their)\b", re.IGNORECASE)
# A sentence that begins so is about somebody else than who says it.
_ANOTHER = re.compile(
    r"(?:you|your|he|she|they|his|her|their|who|it|that|this|there)\b|\w{1,30} (?:is|has|was)\b",
    re.IGNORECASE,
)
# Of these topics what is new may end what was; of the others both facts must share a word that few
# facts of the profile have.
_ONE_MATTER = (ProfileTopic.HOME, ProfileTopic.WORK, ProfileTopic.CONTACT, ProfileTopic.PLANS)
_RARE = 3
# All facts of a profile are about one subject, whose number does not matter.
_SUBJECT = 0.0


class ProfileRow(NamedTuple):
    """A memory that may have facts. at: when it was said, in seconds since 1970; speaker, proven:
    see `candidate_features`; noted: whether it is no turn of a conversation; shared: whether
    everyone in the organisation reads it; said_by: the member whose words it gives, if proven."""

    id: UUID
    text: str
    at: float
    speaker: float
    proven: float
    noted: bool
    shared: bool
    member_id: UUID | None
    said_by: UUID | None

    @property
    def is_short(self) -> bool:
        """Whether it is one fact as a whole."""
        return len(self.text) <= SHORT_CHARACTERS


@dataclass(frozen=True, slots=True)
class FactCandidate:
    """A text that states a fact: a short memory whole, or a sentence of a long one. compared: what
    is compared with others; topic, weight, changed: see `FactReading`; singles: what it gives that
    has one value at a time."""

    row: ProfileRow
    text: str
    compared: str
    topic: ProfileTopic
    weight: int
    singles: frozenset[str]
    changed: bool


def read_member_facts(
    rows: Iterable[ProfileRow], member_id: UUID, names: Sequence[str]
) -> Iterator[FactCandidate]:
    """The facts about a member: what has one of the names, which mean nobody else, what the member
    says of themselves, and what was noted about them. Compared with the first of the names."""
    words = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    named = re.compile(rf"(?<!\w)(?:{words})(?!\w)" if names else r"(?!)", re.IGNORECASE)
    named_or_own = re.compile(rf"{named.pattern}|\b(?:I|my|me)\b", re.IGNORECASE)
    for row in rows:
        sentences, own = _split(row), row.said_by == member_id
        about = row.noted and row.member_id == member_id
        meant = sentences if about else _about_member(sentences, named, own=own)
        for one in _read_facts(row, meant, named_or_own if own else named):
            if own and one.weight < TOLD_WEIGHT and not row.noted:
                # What people say of themselves in the present tense is mostly of the moment.
                continue
            yield replace(one, compared=named.sub(lambda _: names[0], one.compared))


def _about_member(sentences: Sequence[str], named: re.Pattern[str], *, own: bool) -> list[str]:
    """The sentences about a member: with the name, of the member about themselves, or after such a
    one with a pronoun. Beside one about themselves also what gives a value, such as a number."""
    about = [
        bool(named.search(one) or (own and (Sentence(one).own or _WE_OWN.search(one))))
        for one in sentences
    ]
    if not any(about):
        return []
    found = []
    for place, one in enumerate(sentences):
        follows = place > 0 and about[place - 1] and _PRONOUN.match(one)
        if about[place] or follows or (own and _gives_value(one)):
            about[place] = about[place] or bool(follows)
            found.append(one)
    return found


def _gives_value(sentence: str) -> bool:
    """Whether it gives something that has one value, and does not begin with somebody else."""
    if _ANOTHER.match(sentence):
        return False
    reading = read_fact(Sentence(sentence), noted=False)
    return reading is not None and bool(reading.single)


def read_group_facts(rows: Iterable[ProfileRow]) -> Iterator[FactCandidate]:
    """The facts about a group: what was noted, and what its people say about all of it."""
    for row in rows:
        sentences = _split(row)
        yield from _read_facts(
            row, sentences if row.noted else [one for one in sentences if _WE.search(one.lower())]
        )


def read_topic_facts(rows: Iterable[ProfileRow], topic: str) -> Iterator[FactCandidate]:
    """The facts that have a word of the topic."""
    wanted = content_stems(topic)
    for row in rows:
        yield from _read_facts(row, [one for one in _split(row) if wanted & content_stems(one)])


def content_stems(text: str) -> set[str]:
    """The stems of the words that say something."""
    return {stem(word) for word in _WORD.findall(text.lower()) if word not in STOPWORDS}


def compare_facts(
    candidates: Iterable[FactCandidate], now: datetime
) -> list[tuple[FactCandidate, Hit]]:
    """Each fact once, with a hit that says what is newer: what weighs most first, then the newest.

    Of the same words the best proven one is taken, and then the newest. What says otherwise follows
    from the words of two facts (`current_facts`), and of what has one value at a time the newest
    holds. An older fact on a matter of which a newer one says that something changed is disputed.
    """
    found = _without_repeats(candidates)[:MAX_FACTS]
    hits = [
        Hit(
            id=one.row.id,
            relevance=0.0,
            said=ComparedText(one.compared, one.row.at, _SUBJECT, one.row.speaker, one.row.proven),
            readers=0.0,
            shared=one.row.shared,
        )
        for one in found
    ]
    compared = mark_changes(hits[:MAX_COMPARED], now)
    marked = _only_of_one_topic(found, [*compared, *hits[MAX_COMPARED:]])
    for older, newer, settled in _further_changes(found, now):
        known = marked[older].replaced
        settles = settled and has_standing(hits[newer], hits[older])
        if known is None or (settles and not known.settled):
            told = Replacement(hits[newer].id, found[newer].row.at, settles)
            marked[older] = replace(marked[older], replaced=told)
    return list(zip(found, marked, strict=True))


def _only_of_one_topic(found: Sequence[FactCandidate], hits: Sequence[Hit]) -> list[Hit]:
    """The hits, of which each is only disputed by what says little of its topic."""
    topics = {(one.row.id, one.topic) for one in found if one.weight >= TOLD_WEIGHT}
    marked = []
    for one, hit in zip(found, hits, strict=True):
        newer = hit.replaced
        if newer is not None and newer.settled and (newer.by, one.topic) not in topics:
            newer = newer._replace(settled=False)
        marked.append(replace(hit, replaced=newer))
    return marked


def _further_changes(
    found: Sequence[FactCandidate], now: datetime
) -> Iterator[tuple[int, int, bool]]:
    """(an older fact, the newest one that says otherwise, whether that settles it), by places."""
    order = sorted(
        (place for place, one in enumerate(found) if one.row.at <= now.timestamp()),
        key=lambda place: found[place].row.at,
        reverse=True,
    )
    newest: dict[str, int] = {}
    news: list[int] = []
    stems = [content_stems(one.compared) for one in found]
    common = Counter(stem_ for each in stems for stem_ in each)
    for place in order:
        one = found[place]
        for name in one.singles:
            if (first := newest.setdefault(name, place)) != place and _is_older(one, found[first]):
                yield place, first, is_surely_single(name)
        for newer in news:
            matter = one.topic in _ONE_MATTER and one.topic is found[newer].topic
            words = any(common[each] <= _RARE for each in stems[place] & stems[newer])
            if _is_older(one, found[newer]) and (matter or words):
                yield place, newer, False
                break
        if one.changed:
            news.append(place)


def _is_older(one: FactCandidate, other: FactCandidate) -> bool:
    return one.row.at < other.row.at


def _split(row: ProfileRow) -> list[str]:
    return [strip_markup(one) for one in iter_sentences(row.text)]


def _read_facts(
    row: ProfileRow, sentences: Sequence[str], subject: re.Pattern[str] | None = None
) -> Iterator[FactCandidate]:
    """The facts among some sentences of a memory: of a short one they are one fact. subject: see
    `read_fact`."""
    read = [
        (one, reading)
        for one in sentences
        if (reading := read_fact(Sentence(one), noted=row.noted, subject=subject)) is not None
    ]
    parts = [read] if row.is_short else [[one] for one in read]
    for part in filter(None, parts):
        best = max((reading for _, reading in part), key=lambda reading: reading.weight)
        said = " ".join(one for one, _ in part)
        yield FactCandidate(
            row,
            " ".join(row.text.split()) if row.is_short else said,
            " ".join(one for one, _ in part[:MAX_COMPARED_SENTENCES]),
            best.topic,
            best.weight,
            frozenset(reading.single for _, reading in part if reading.single),
            any(reading.changed for _, reading in part),
        )


def _without_repeats(candidates: Iterable[FactCandidate]) -> list[FactCandidate]:
    best: dict[str, FactCandidate] = {}
    for one in candidates:
        wording = normalise_text(one.compared).rstrip(".! ")
        known = best.get(wording)
        if known is None or (one.row.proven, one.row.at) > (known.row.proven, known.row.at):
            best[wording] = one
    return sorted(best.values(), key=lambda one: (-one.weight, -one.row.at, one.text))
