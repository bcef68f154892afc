"""Whether two texts are of one matter, and whether the later replaces the earlier. Pure.

The later one replaces the earlier one if it says that something changed ("moved to Paris", "no
longer", "is cancelled"), or if it gives another value where there can be one only ("the code is
4410", "the code is 4471"). Plans, doubts, opinions, questions, exceptions of a rule and what
happened once replace nothing. Measured on stories of change (docs/benchmarks.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from memories.language.comparison.statement_words import StatementWords, stems
from memories.language.comparison.statements import (
    MAX_CHARACTERS,
    WORD,
    Sentence,
    Statement,
    Word,
    in_one_language,
)

# The share of the shorter text's content words that two texts on one matter have in common; and
# where the later one says that something changed.
MIN_SHARED_RATIO, MIN_SHARED_OF_CHANGE = 0.6, 0.4

_GENERIC_LABELS = stems(
    "minutes note notes decision agreed update action todo task item question answer idea reminder "
    "quote summary log status report message list"
)
_LABEL = "equals"


@dataclass(frozen=True, slots=True)
class _Changed:
    """What both sentences say at one place of their frame, and the place in the older one."""

    old: tuple[Word, ...]
    new: tuple[Word, ...]
    at: int

    @property
    def kinds(self) -> set[str]:
        """The kinds of values that both have: number, time, name. None where more is another than a
        value and one word beside it."""
        if any(sum(not one.kind for one in words) > 1 for words in (self.old, self.new)):
            return set()
        return {one.kind for one in self.old} & {one.kind for one in self.new} - {""}


def shares_most_words(one: Statement, other: Statement) -> bool:
    """Whether both share most content words of the shorter one, and both or none begin with who
    says it."""
    least = min(len(one.content), len(other.content))
    return one.own == other.own and len(one.content & other.content) >= MIN_SHARED_RATIO * least


def is_same_matter(one: Statement, other: Statement) -> bool:
    """Whether both share most content words of the shorter one, both or none are about who says it,
    and not each has a subject, a number or a name that the other lacks: door 7 is not door 11."""
    if (read := in_one_language(one, other)) is None:
        return False
    one, other = read
    if not shares_most_words(one, other):
        return False
    here, there = (
        {word.stem for word in each.sentences[0].words if word.kind in ("number", "name")}
        for each in (one, other)
    )
    differ = bool(here - there) and bool(there - here)
    return not differ and not _have_subjects(one.sentences[0], other.sentences[0])


def is_outdated_by(older: Statement, newer: Statement, *, one_voice: bool, turns: bool) -> bool:
    """`is_replaced_by` for two texts of which more is known.

    one_voice: the same person is known to say both; else what one says of oneself is nothing that
    the other changes. turns: one of them is a turn of a conversation, where what is said next is
    mostly no newer fact, so they must share more.
    """
    if older.own and not one_voice:
        return False
    return (not turns or shares_most_words(older, newer)) and is_replaced_by(older, newer)


def may_disagree(one: Statement, other: Statement) -> bool:
    """Whether none of them is an opinion, a plan or a doubt, and both speak of the same cases and
    of no two numbered things, so neither is an exception of the other."""
    if (read := in_one_language(one, other)) is None:
        return False
    one, other = read
    sentences = (*one.sentences, *other.sentences)
    if any(each.opinion or not each.certain for each in sentences):
        return False
    pairs = ((here, there) for here in one.sentences for there in other.sentences)
    if any(_have_different_numbers(here, there) for here, there in pairs):
        return False
    before, after = (frozenset[str]().union(*(s.scopes for s in e.sentences)) for e in (one, other))
    return before == after


def is_replaced_by(older: Statement, newer: Statement) -> bool:
    """Whether the newer text says that the older one does not hold any more."""
    if (read := in_one_language(older, newer)) is None:
        return False
    older, newer = read
    return any(_replaces(before, after) for before in older.sentences for after in newer.sentences)


def replaces_all(older: Statement, newer: Statement, *, name: str | None = None) -> bool:
    """Whether the older text is one sentence and the newer text says that it does not hold.

    name: if given, both sentences are about who says them, in the first person or by this name.
    """
    read = in_one_language(older, newer)
    if read is None or len(read[0].sentences) != 1:
        return False
    older, newer = read
    [before] = older.sentences
    stem = before.tables.stem
    names = None if name is None else frozenset(stem(word) for word in name.lower().split())
    return any(
        _replaces(before, after)
        and (names is None or (_is_of_speaker(before, names) and _is_of_speaker(after, names)))
        for after in newer.sentences
    )


def _is_of_speaker(sentence: Sentence, names: frozenset[str]) -> bool:
    return sentence.own or any(word.stem in names for word in sentence.words[:1])


def says_change(sentence: Sentence) -> bool:
    """Whether it has words that say that something changed."""
    return sentence.tables.change.search(sentence.plain) is not None


def _replaces(older: Sentence, newer: Sentence) -> bool:
    if max(len(older.text), len(newer.text)) > MAX_CHARACTERS:
        return False
    if older.own != newer.own or older.opinion or newer.opinion or not newer.certain:
        return False
    if _have_numbers_of_their_own(older, newer) or not newer.scopes <= older.scopes:
        return False
    if _says_change(older, newer):
        return True
    if newer.scopes != older.scopes or not older.certain:
        return False
    return _gives_other_state(older, newer) or (
        not (older.past or newer.past)
        and (
            _negates(older, newer)
            or _gives_other_value(older, newer)
            or _gives_other_time(older, newer)
        )
    )


def _have_numbers_of_their_own(older: Sentence, newer: Sentence) -> bool:
    """Whether they are about two numbered things: invoice 12 and invoice 13."""
    if older.tables.verb_final:
        begin = [each.words[:1] for each in (older, newer)]
        numbers = [one.stem for words in begin for one in words if one.kind == "number"]
        return len(set(numbers)) == 2
    here, there = (
        {one.stem for one in _before_verb(each) if one.kind == "number"} for each in (older, newer)
    )
    return bool(here and there) and here.isdisjoint(there)


def _before_verb(sentence: Sentence) -> Sequence[Word]:
    """The words of the subject. Without a verb that is known the first two: "store 4 sells"; none
    where a pronoun stood before them: "I have two"."""
    if sentence.verb is not None:
        return sentence.words[: sentence.verb]
    first = sentence.words[:1]
    return sentence.words[:2] if first and sentence.plain.startswith(first[0].word) else ()


def _have_different_numbers(one: Sentence, other: Sentence) -> bool:
    """Whether different numbers end their subjects: "door 7 opens", not "5,000 euros need"."""
    ends = [each.words[each.verb - 1] for each in (one, other) if each.verb]
    numbers = [word.stem for word in ends if word.kind == "number"]
    return len(numbers) == 2 and numbers[0] != numbers[1]


def _says_change(older: Sentence, newer: Sentence) -> bool:
    """Whether the newer one has a word of change that the older one has not, and they share
    enough."""
    tables = newer.tables
    change = tables.change
    if change.search(older.plain) or not (change.search(newer.plain) or _names_new(older, newer)):
        return False
    if _arrives_at(newer, older):
        return False
    if _cancels(newer, older):
        return True
    told = {tables.stem(word) for found in change.findall(newer.plain) for word in found.split()}
    said = newer.content - (told - older.content)
    shared, least = len(older.content & said), min(len(older.content), len(said))
    if not tables.renamed.isdisjoint(newer.content):
        return shared > 0 and any(one.stem in tables.named for one in older.words)
    return shared >= min(2, least) and shared >= MIN_SHARED_OF_CHANGE * least > 0


def _arrives_at(newer: Sentence, older: Sentence) -> bool:
    """Whether the older one says what holds since the change and not what held before: that she
    drives her own car now."""
    for found in newer.tables.arrived.finditer(newer.plain):
        before, since = (_content_of(found[part] or "", newer) for part in ("before", "since"))
        if since and since <= older.content and not (before & older.content) - since:
            return True
    return False


def _content_of(text: str, sentence: Sentence) -> set[str]:
    """The content words of a part of a sentence."""
    return {sentence.tables.stem(word) for word in WORD.findall(text)} & sentence.content


def _cancels(newer: Sentence, older: Sentence) -> bool:
    """Whether what the older one begins with, and says a time of, is cancelled."""
    tables = newer.tables
    found = tables.cancelled.search(newer.plain)
    if found is None:
        return False
    subject = _content_of(newer.plain[: found.start()], newer)
    at_a_time = any(one.kind == "time" for one in older.words)
    return (
        at_a_time
        and bool(subject)
        and subject <= older.content
        and (older.words[0].stem in subject)
    )


def _names_new(older: Sentence, newer: Sentence) -> bool:
    """Whether it calls something new that the older one speaks of: "a new room for the class"."""
    new, stem = newer.tables.new, newer.tables.stem
    return not new.search(older.plain) and any(
        stem(one[1]) in older.content for one in new.finditer(newer.plain)
    )


def _gives_other_state(older: Sentence, newer: Sentence) -> bool:
    """Whether both give different words of one kind of state to what they share."""
    before, after = _plain_words(older), _plain_words(newer)
    return any(
        (here := states & before)
        and (there := states & after)
        and not here & there
        and _shared_ratio(older, newer, without=states) >= MIN_SHARED_RATIO
        for states in newer.tables.states
    )


def _negates(older: Sentence, newer: Sentence) -> bool:
    """Whether the newer one says no to what the older one says."""
    negations = newer.tables.negations_in
    if negations(_plain_words(older)) or not negations(_plain_words(newer)):
        return False
    enough = _shared_ratio(older, newer) >= MIN_SHARED_RATIO
    return enough and len(older.content & newer.content) > 1 and not _have_subjects(older, newer)


def _gives_other_time(older: Sentence, newer: Sentence) -> bool:
    """Whether both say of one act, in whatever order, when or how much, and differ in that."""
    tables = older.tables
    acts = tables.single_valued - tables.be - tables.object_verbs - tables.counted
    shared = {one.stem for one in older.words} & {one.stem for one in newer.words}
    if acts.isdisjoint(shared) or len(older.content & newer.content) < 2:
        return False
    if _shared_ratio(older, newer) < MIN_SHARED_RATIO:
        return False
    if _subject(newer) - _values(newer) - {one.stem for one in older.words}:
        # It speaks of something else, or of a part.
        return False
    if _names(older) - _names(newer) and _names(newer) - _names(older):
        return False
    here, there = _values(older), _values(newer)
    return bool(here - there) and bool(there - here)


def _gives_other_value(older: Sentence, newer: Sentence) -> bool:
    """Whether both are one frame with different values of a kind at its end, or with another
    holder of one role."""
    here, there = older.words, newer.words
    names = ([one.stem for one in here], [one.stem for one in there])
    blocks = SequenceMatcher(None, *names, autojunk=False).get_opcodes()
    changed = [_Changed(here[a:b], there[c:d], a) for tag, a, b, c, d in blocks if tag == "replace"]
    same = [at for tag, a, b, _, _ in blocks if tag == "equal" for at in range(a, b)]
    if not changed:
        return _is_negation_alone(here, there, blocks, older.tables)
    verbs = [
        at for at in same if at < changed[0].at and here[at].stem in older.tables.single_valued
    ]
    topic = {here[at].stem for at in same if at not in verbs[-1:]} & older.content
    if not verbs and any(tag == "insert" and at <= changed[0].at for tag, at, *_ in blocks):
        return False
    if not verbs:
        return len(changed) == 1 and bool(topic) and _without_verb(older, newer, changed[0])
    if any(tag in ("insert", "delete") and at <= verbs[-1] for tag, at, *_ in blocks):
        # One of them speaks of something narrower.
        return False
    return bool(topic or older.own) and _is_one_value(older, verbs[-1], changed, topic, same)


def _without_verb(older: Sentence, newer: Sentence, changed: _Changed) -> bool:
    """Whether the change is another number or time, another value after a preposition or the name
    of what it is, or another holder of one role at the beginning."""
    if changed.at == 0:
        rest = " ".join(newer.plain.split()[len(changed.new) :])
        return bool(older.tables.role_after.search(rest))
    before = older.words[changed.at - 1]
    measured = all(one.kind in ("number", "time") for one in (*changed.old, *changed.new))
    tables = older.tables
    announced = before.word in tables.place_words | tables.other_prepositions
    # Before the end a number or a name says which thing is meant: "room 4 smells", "door 7 is".
    ends = changed.at + len(changed.old) == len(older.words)
    if measured:
        return announced
    named = ends and before.stem in tables.attributes | tables.named
    return named or (announced and len(older.content & newer.content) > 1)


def _is_one_value(
    older: Sentence, verb: int, changed: Sequence[_Changed], topic: set[str], same: Sequence[int]
) -> bool:
    """Whether what changed after the verb is something of which there is one at a time."""
    words, first, stem_of_verb = older.words, changed[0], older.words[verb].stem
    tables = older.tables
    measured = all(one.kinds & {"number", "time"} for one in changed)
    after = [words[at].stem for at in same if at > first.at]
    if words[verb].word == _LABEL:
        one_value = tables.single_valued.isdisjoint(after) and not topic <= _GENERIC_LABELS
    elif stem_of_verb in tables.counted:
        one_value = all("number" in one.kinds for one in changed)
    elif measured or len(changed) > 1:
        one_value = measured
    elif stem_of_verb in tables.be:
        one_value = _is_attribute(older, topic) or _names_or_places(older, verb, first)
    else:
        # Of "use Slack for chat" there is one for each purpose.
        purposes = {words[at].stem for at in same if at > verb} & topic
        one_value = bool(first.kinds or purposes) or stem_of_verb not in tables.object_verbs
    return one_value


def _names_or_places(older: Sentence, verb: int, changed: _Changed) -> bool:
    """Whether "is" gives a name or a place, and nothing between says that there may be several, as
    in "is fluent in"."""
    words, tables = older.words, older.tables
    beside = {one.word for one in words[verb + 1 : changed.at]}
    if beside - tables.place_words and not beside & tables.naming_words:
        return False
    starts = (changed.old[0].word, changed.new[0].word)
    return bool(changed.kinds) or (
        words[changed.at - 1].word in tables.place_words or tables.place_words.issuperset(starts)
    )


def _is_attribute(older: Sentence, topic: set[str]) -> bool:
    """Whether the subject has one value at a time: "my colour", "Ravi's job", "the status"."""
    if " is the " in older.plain and not any(one.kind == "name" for one in older.words):
        return True
    tables = older.tables
    return bool(tables.own_attribute.search(older.plain)) or not topic.isdisjoint(tables.attributes)


def _is_negation_alone(
    here: Sequence[Word],
    there: Sequence[Word],
    blocks: Sequence[tuple[str, int, int, int, int]],
    tables: StatementWords,
) -> bool:
    extra = {
        one.word
        for tag, a, b, c, d in blocks
        if tag != "equal"
        for one in (*here[a:b], *there[c:d])
    }
    return bool(extra) and extra <= tables.negations_in(extra)


def _have_subjects(older: Sentence, newer: Sentence) -> bool:
    """Whether each has a subject of its own: before its verb something that the other lacks."""
    here, there = ({word.stem for word in one.words} for one in (older, newer))
    return bool(_subject(older) - there) and bool(_subject(newer) - here)


def _subject(sentence: Sentence) -> set[str]:
    before = {one.stem for one in sentence.words[: sentence.verb]}
    return before - sentence.tables.negations if sentence.verb else before & sentence.content


def _names(sentence: Sentence) -> set[str]:
    return {one.stem for one in sentence.words if one.kind == "name"}


def _values(sentence: Sentence) -> set[str]:
    return {one.stem for one in sentence.words if one.kind in ("number", "time")}


def _plain_words(sentence: Sentence) -> set[str]:
    return {one.word for one in sentence.words}


def _shared_ratio(
    one: Sentence, other: Sentence, *, without: frozenset[str] = frozenset()
) -> float:
    """Of the content words of the shorter one, how many the other has, 0-1."""
    gone = {one.tables.stem(word) for word in without}
    here, there = one.content - gone, other.content - gone
    least = min(len(here), len(there))
    return len(here & there) / least if least else 0.0
