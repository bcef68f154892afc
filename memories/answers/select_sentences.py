"""Which sentences of the recalled memories answer a question. Pure, linear.

score = the memory's score
      + .04 x the share of the question's weight that the sentence's words have
      + .02 x how much it says besides, from 0 to 1
      + .02 if the question asks when and the sentence names a time
      + .02 if the question asks how many and the sentence has a number

A word weighs the more, the fewer of the recalled memories have it. A question answers only where
nothing else does. Chosen on LoCoMo (docs/adr/0036-answers.md). The words of the rules are English;
of other languages words and order alone count.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log
from uuid import UUID

from memories.language.comparison.text_comparison import normalise_text
from memories.language.excerpts import stem
from memories.language.propositions import iter_sentence_spans
from memories.language.query_cues import ends_with_question_mark, has_time_word, is_when_question
from memories.language.terms import extract_terms
from memories.language.text_limits import MAX_CHARACTERS_PER_TEXT, WorkBudget
from memories.retrieval.answering.confidence import is_irrelevant
from memories.retrieval.search_types import FactState, Hit

MAX_SENTENCES = 2
# The second sentence is shown if its score is at most so much below that of the first.
MAX_SCORE_GAP = 0.16
SHARE_WEIGHT, NEWS_WEIGHT, TIME_WEIGHT, NUMBER_WEIGHT = 0.04, 0.02, 0.02, 0.02
# So many words besides those of the question are as much as a sentence can say.
MANY_WORDS = 6
# A longer sentence is divided, and of a longer question the beginning is read.
MAX_SENTENCE_CHARACTERS, MAX_QUESTION_CHARACTERS = 500, 2_000
# Of all the memories of one answer.
MAX_CHARACTERS_READ, MAX_SENTENCES_READ = 60_000, 1_000

_ASKS_NUMBER = re.compile(r"\bhow (?:many|much|long|old|often|far|big)\b", re.IGNORECASE)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|couple|several|once|twice)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCandidate:
    """A recalled memory whose sentences may answer. score: by which the candidates are ordered.
    successor: the memory that says or is decided to say otherwise, if there is one."""

    hit: Hit
    text: str
    score: float
    speaker: str = ""
    successor: UUID | None = None

    @property
    def is_past(self) -> bool:
        """Whether it holds no more, or not yet."""
        return self.hit.state is FactState.OUTDATED or not self.hit.holds


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSpan:
    """A sentence in its memory: from `start` to before `end`, in characters of the whole text."""

    memory: UUID
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class _Sentence:
    span: AnswerSpan
    text: str

    @property
    def asks(self) -> bool:
        return ends_with_question_mark(self.text)

    def is_covered_by(self, other: "_Sentence") -> bool:
        """Whether the other one is of the same memory, or says the same."""
        if self.span.memory == other.span.memory:
            return True
        return normalise_text(self.text) == normalise_text(other.text)

    def disputes(self, other: "_Sentence", undecided: Mapping[UUID, UUID | None]) -> bool:
        """Whether nobody has decided which of their memories holds. undecided: by memory the other
        one."""
        here, there = self.span.memory, other.span.memory
        return undecided[here] == there or undecided[there] == here


def select_sentences(question: str, candidates: Sequence[AnswerCandidate]) -> list[AnswerSpan]:
    """At most two sentences of different memories that answer, best first; none where no memory
    is about the question.

    candidates: best first. What does not hold any more answers only if its successor is not among
    them, and of two of which nobody has decided which holds only the better one.
    """
    known = {one.hit.id for one in candidates}
    usable = [
        one
        for one in candidates
        if not is_irrelevant(one.hit) and not (one.is_past and one.successor in known)
    ]
    found = list(_score_sentences(question[:MAX_QUESTION_CHARACTERS], usable))
    found = [one for one in found if not one.asks] or found
    found.sort(key=lambda one: -one.span.score)
    undecided = {one.hit.id: one.hit.undecided for one in usable}
    chosen: list[_Sentence] = []
    for one in found:
        if chosen and chosen[0].span.score - one.span.score > MAX_SCORE_GAP:
            break
        if not any(one.is_covered_by(other) or one.disputes(other, undecided) for other in chosen):
            chosen.append(one)
        if len(chosen) == MAX_SENTENCES:
            break
    return [one.span for one in chosen]


def list_disagreeing(candidates: Sequence[AnswerCandidate], shown: set[UUID]) -> list[UUID]:
    """The ids of those that are not shown and say otherwise than one that is, in their order."""
    against = {one.hit.id: {one.successor, one.hit.undecided} for one in candidates}
    said = set().union(*(against[id_] for id_ in shown if id_ in against))
    return [
        id_
        for id_, others in against.items()
        if id_ not in shown and (id_ in said or not others.isdisjoint(shown))
    ]


def find_supporting_span(text: str, memory: UUID, sentence: str) -> AnswerSpan:
    """The sentence of a memory that shares most words with another sentence; the first of equal
    ones."""
    wanted = _stems(sentence)
    best = AnswerSpan(memory=memory, start=0, end=len(text), score=-1.0)
    for start, end in islice(iter_answer_spans(text), MAX_SENTENCES_READ):
        shared = float(len(wanted & _stems(text[start:end])))
        if shared > best.score:
            best = AnswerSpan(memory=memory, start=start, end=end, score=shared)
    return best


def iter_answer_spans(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of the beginning of a text; a long one in parts that end at a blank if they
    can."""
    for first, end in iter_sentence_spans(text[:MAX_CHARACTERS_PER_TEXT]):
        start = first
        while end - start > MAX_SENTENCE_CHARACTERS:
            limit = start + MAX_SENTENCE_CHARACTERS
            blank = text.rfind(" ", start + 1, limit)
            cut = blank if blank > 0 else limit
            yield start, cut
            start = cut + (blank > 0)
        if start < end:
            yield start, end


def _score_sentences(question: str, candidates: Sequence[AnswerCandidate]) -> Iterator[_Sentence]:
    asked = _stems(question) - _speakers(question, candidates)
    read, budget, left = [], WorkBudget(most=MAX_CHARACTERS_READ), MAX_SENTENCES_READ
    for one in candidates:
        if not budget.take(min(len(one.text), MAX_CHARACTERS_PER_TEXT)):
            break
        spans = list(islice(iter_answer_spans(one.text), left))
        left -= len(spans)
        read.append((one, spans, [_stems(one.text[start:end]) for start, end in spans]))
    texts = [frozenset[str]().union(*words) for _, _, words in read]
    # In order, because a sum of fractions depends on it.
    weights = {
        word: log(1 + len(texts) / (0.5 + sum(word in text for text in texts)))
        for word in sorted(asked)
    }
    most = sum(weights.values()) or 1.0
    asks_when, asks_number = is_when_question(question), bool(_ASKS_NUMBER.search(question))
    for one, spans, words in read:
        for (start, end), said in zip(spans, words, strict=True):
            sentence = one.text[start:end]
            share = sum(weight for word, weight in weights.items() if word in said) / most
            score = one.score + SHARE_WEIGHT * share
            score += NEWS_WEIGHT * min(len(said - asked), MANY_WORDS) / MANY_WORDS
            score += TIME_WEIGHT * (asks_when and has_time_word(sentence))
            score += NUMBER_WEIGHT * (asks_number and bool(_NUMBER.search(sentence)))
            span = AnswerSpan(memory=one.hit.id, start=start, end=end, score=score)
            yield _Sentence(span, sentence)


def _speakers(question: str, candidates: Sequence[AnswerCandidate]) -> frozenset[str]:
    """The words of the speakers' names: what somebody says seldom has their own name."""
    names = {one.speaker for one in candidates if one.speaker}
    return frozenset[str]().union(*(_stems(name) for name in names))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(term.key) for term in extract_terms(text))
