"""Signals that a speaker knows about something. Pure, English.

A question or a complaint shows no knowledge. A statement shows knowledge of its concepts, and an
answer also of those of the question. Somebody who has just asked about something, and says more
about it to those who help, is still asking.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from uuid import UUID

from memories.knowledge_graph.credited_experts import Credit
from memories.knowledge_graph.topic_terms import is_topic_term
from memories.language.gazetteers.verb_bases import BASE_VERBS, SKILLED_PASTS, STATE_VERBS
from memories.language.terms import Term, extract_concepts, strip_addressee, term_key
from memories.language.text_limits import MAX_CHARACTERS_TO_CLASSIFY
from memories.language.verbs import find_verb

# How far back an unquoted question may be to count as answered, in turns and in time.
LOOKBACK_TURNS, LOOKBACK_TIME = 60, timedelta(minutes=15)
# An answer that quotes no question needs this many concepts, and counts half.
MIN_ANSWER_CONCEPTS = 2
# A turn with fewer words is a greeting, a thank-you or an aside, unless it answers a quoted
# question.
MIN_WORDS = 3
# One question often has several lines.
MAX_QUESTION_LINES = 3
MAX_CONCEPTS = 24
# An answer shows knowledge of at most this many subjects of its question.
MAX_QUESTION_TOPICS = 3

_QUESTION_MARK = re.compile(r"\?(?=\s|$|[\"')!?])|\?\s*$")
# The opening of a line can match in one way only; with two the matching time would explode.
_SEPARATOR = r"(?:[^\w@]|@(?![\w.\-]))"
_QUESTION_OPENING = re.compile(
    rf"^{_SEPARATOR}*+(?:(?:[^\s:,@]{{1,40}}[:,]|@[\w.\-]+|hi|hello|hey|so|and|but|ok|okay|guys|all"
    rf"|please|also|then|or){_SEPARATOR}+)*+"
    r"(?:(?:how|what|where|why|who|which)(?:'?s|'?re| \w+)? "
    r"(?:is|are|was|do|does|did|can|could|should|would|to|i|you|we|the|it|a)\b"
    r"|when (?:do|does|did|is|are|will|can|should)\b"
    r"|how (?:do|can|should|would|come|to|much|many)\b"
    r"|(?:any(?:one|body)|some(?:one|body)) (?:\w+ ){0,2}?"
    r"(?:know|have|has|use|uses|using|here|got|tried|help|tell|explain|familiar|experience)"
    r"|(?:is|are|does|do|did|can|could|would|will|has|have|should) (?:i|you|u|there|it|any\w*"
    r"|some\w*|this|that|the|we)\b)",
    re.IGNORECASE,
)
# Requests in the first person, or plain calls for help.
_HELP_REQUEST = re.compile(
    r"\b(?:does any(?:one|body)|do any of you|any(?:one|body) (?:know|have|here|else|can|able)"
    r"|can (?:some|any)(?:one|body)|could (?:some|any)(?:one|body)|(?:need|want|looking for|please)"
    r" (?:some |a little |your |any )?(?:help|assistance|advice)|help me"
    r"|is there (?:a|an|any|some)\b"
    r"|any ideas?|any suggestions?|what(?:'s| is| are) the best|i(?:'m| am) (?:looking for|trying"
    r"|having|getting|unable|stuck|new to|wondering|confused|lost|not sure)|i was wondering"
    r"|i wonder|wondering (?:if|how|whether)|i (?:don'?t|do not) (?:know|understand|get|have|see)"
    r"|can i\b|no (?:idea|clue) (?:how|what|why)|not sure (?:how|what|why|if)"
    r"|i(?:'d| would) (?:like|love) to|i (?:want|need|wish|tried|try|get|got|keep getting)\b"
    r"|how (?:do|can|could|should) (?:i|we|you|one)|trying to|having (?:trouble|problems?|issues?)"
    r"|(?:my|i have (?:a|an|some)|have a|got a) (?:\w+ ){0,3}?(?:problem|issue|question|trouble)"
    r"|(?:n'?t|not) (?:\w+ )?(?:support|recogni[sz]e|detect|find|see|let|allow|like|work)"
    r" (?:with |for |on |in )?(?:my|me)"
    r"|i (?:can'?t|cannot|couldn'?t|am unable)|gives? me (?:an?|this) error)",
    re.IGNORECASE,
)
# Complaints that something does not work; in an answer they may be part of the explanation.
_COMPLAINT = re.compile(
    r"\b(?:(?:can'?t|cannot|couldn'?t|could not|unable to) (?:seem to )?"
    r"(?:get|make|find|install|see"
    r"|open|use|run|start|connect|mount|access|boot|log|figure|play|load|print|work)"
    r"|(?:does|do|did|is|are|was|will|won|would|has)(?:n'?t| not) (?:seem to )?(?:work|start|load"
    r"|boot|run|show|play|print|connect|respond|recogni[sz]e|detect|mount|open|find|see|help|let)"
    r"|won'?t \w+|it says|keeps? (?:saying|crash\w+|giving|asking|telling)|fail(?:s|ed|ing)?\b"
    r"|(?:is|are|was)(?:n'?t| not) (?:\w+ )?(?:supported|working|recogni[sz]ed|detected|found)"
    r"|i (?:\w+ )?(?:hear|see|get) no|stopped working|not working|is broken|error message)",
    re.IGNORECASE,
)


_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
# Somebody speaks of themselves; this shows knowledge only if it says what they do or decided.
_FIRST_PERSON = re.compile(
    r"\b(?:i(?:['’](?:m|ve|d|ll))?|im|ive|my|me|mine|myself)\b", re.IGNORECASE
)
_SELF_STATEMENT = re.compile(
    r"\bi(?:['’]ve| have)? ((?:[a-z'’-]{1,30}[ ,]{0,2}){1,6})", re.IGNORECASE
)
_OWN_ROLE = re.compile(
    r"\b(?:i am|i['’]m|im|i was) (?:the|an?|our|responsible for|in charge of) |\bmy (?:advice"
    r"|recommendation|decision|job is|field is|speciality|specialty|expertise)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:not|never|no|hardly|barely|rarely|dunno|\w{2,9}n['’]?t)\b")
# "I work on it", "I know about it": of these the word after the verb decides.
_DOING_WITH = re.compile(
    r"\bi(?:['’]ve| have)?(?: \w+){0,2}? (?:know|decided|work(?:ed)? (?:on|with|as|for|at)"
    r"|set up|take care of|look after)\b",
    re.IGNORECASE,
)
# Advice, or a statement of how something is.
_ADVICE = re.compile(
    r"\b(?:use|try|run|install|reinstall|remove|edit|open|check|change|add|apt(?:-get|itude)?|sudo"
    r"|click|enable|disable|type|see|read|look at|go to|restart|reboot|set|put|make sure|mount"
    r"|download|compile|configure|because|instead|only|is|are|was|were|has|have|does|needs?|means?"
    r"|supports?|works?|you(?:['’]ll| will| can| could| should| need| have| must| may| might| want)"
    r"|(?:it|that|there)['’]s|they['’]re)\b",
    re.IGNORECASE,
)


def is_question(text: str) -> bool:
    """Whether the text is a question."""
    text = text[:MAX_CHARACTERS_TO_CLASSIFY]
    return bool(_QUESTION_MARK.search(text) or _QUESTION_OPENING.search(text))


def is_help_request(text: str) -> bool:
    """Whether the text is a question or a request for help."""
    return _is_help_request(text[:MAX_CHARACTERS_TO_CLASSIFY])


def is_help_seeking(text: str) -> bool:
    """Whether the text is a question, a request or a complaint."""
    return _is_help_seeking(text[:MAX_CHARACTERS_TO_CLASSIFY])


# Stored turns are cut to the length that the rules read.
@lru_cache(maxsize=4_096)
def _is_help_request(text: str) -> bool:
    return is_question(text) or bool(_HELP_REQUEST.search(text))


@lru_cache(maxsize=4_096)
def _is_help_seeking(text: str) -> bool:
    return _is_help_request(text) or bool(_COMPLAINT.search(text))


# Programs in chats; no person of the chat wrote their words.
_BOT_NAME = re.compile(
    r"^(?:.*[a-z0-9])?Bot\d*$|^.*[_\-.]bot\d*$|^(?:u?bott?[ou]?|ubugtu)\d*$|^(?:gerrit|jenkins|github|gitlab)\b"
    r"|^\w*(?:bugs|builds)$"
)


def is_bot_name(name: str) -> bool:
    """Whether a speaker's name is that of a program."""
    return bool(_BOT_NAME.match(name.strip()))


@dataclass(frozen=True, slots=True)
class DialogueTurn:
    """A memory as these rules see it.

    speaker: the node of its speaker, None without one. addressed: the nodes of those to whom it
    speaks. reply_to: the memory to which it is marked as a reply. machine: a program said it.
    credit: whom the text says to know; credited: their node, None if it is not sure who they are.
    """

    id: UUID
    audience: UUID
    text: str
    concepts: tuple[Term, ...]
    speaker: UUID | None = None
    addressed: tuple[UUID, ...] = ()
    conversation: str | None = None
    at: datetime | None = None
    reply_to: UUID | None = None
    machine: bool = False
    credit: Credit | None = None
    credited: UUID | None = None


@dataclass(slots=True)
class RecentTurns:
    """The recent turns of one conversation in one audience, newest last."""

    turns: list[DialogueTurn] = field(default_factory=list)

    def add(self, turn: DialogueTurn) -> None:
        """Add a turn; turns that are too old are dropped."""
        self.turns.append(turn)
        if len(self.turns) > 2 * LOOKBACK_TURNS:
            del self.turns[:-LOOKBACK_TURNS]

    def by(self, speaker: UUID, now: DialogueTurn) -> list[DialogueTurn]:
        """The recent turns of a speaker before `now`, newest first."""
        near = self.turns[-LOOKBACK_TURNS:]
        return [t for t in reversed(near) if t.speaker == speaker and _is_within_lookback(t, now)]


def _is_within_lookback(earlier: DialogueTurn, later: DialogueTurn) -> bool:
    if earlier.at is None or later.at is None:
        return True
    return abs(later.at - earlier.at) <= LOOKBACK_TIME


@dataclass(frozen=True, slots=True)
class TurnSignals:
    """The signals of a turn: concepts that its speaker knows about, and what it answers.

    own: concepts of its own words. lent: (concept, the memory of the question) from answered
    questions. answers: the answered memories; inferred: whether they were concluded, not marked.
    credits: the concepts of which the turn says that somebody else knows about them, each with the
    memory of the question or None.
    """

    own: tuple[Term, ...] = ()
    lent: tuple[tuple[Term, UUID], ...] = ()
    answers: tuple[UUID, ...] = ()
    inferred: bool = False
    credits: tuple[tuple[Term, UUID | None], ...] = ()


def compute_signals(
    turn: DialogueTurn, heard: RecentTurns, quoted: Mapping[UUID, DialogueTurn]
) -> TurnSignals:
    """The signals of one turn. heard: the recent turns before it. quoted: turns that are replied
    to, by id; only of the same audience."""
    if turn.speaker is None:
        return TurnSignals()
    answered, inferred = _find_answered_turns(turn, heard, quoted)
    lines = [one for one in answered if not inferred or is_help_seeking(one.text)]
    answers = tuple(one.id for one in lines)
    to_somebody = bool(answered or turn.addressed)
    commands = turn.machine or turn.text.lstrip().startswith(("!", "eval:"))
    if commands or (is_help_request(turn.text) if to_somebody else is_help_seeking(turn.text)):
        return TurnSignals(answers=answers, inferred=inferred)
    unsure = {
        term.key
        for earlier in heard.by(turn.speaker, turn)
        if is_help_seeking(earlier.text)
        for term in earlier.concepts
    }
    if turn.credit is not None:
        return _credit_somebody(turn, turn.credit, answered, TurnSignals((), (), answers, inferred))
    if not has_substance(turn, answers=bool(lines), quoted=bool(lines) and not inferred):
        return TurnSignals(answers=answers, inferred=inferred)
    about = [term for term in turn.concepts if is_topic_term(term)]
    own = [term for term in about if term.key not in unsure][:MAX_CONCEPTS]
    lent: dict[str, tuple[Term, UUID]] = {}
    if _says_enough_for_answer(turn) or (turn.concepts and not inferred):
        known = {term.key for term in own}
        for question in answered:
            for term in _question_topics(question):
                if term.key not in known and term.key not in unsure:
                    lent.setdefault(term.key, (term, question.id))
    return TurnSignals(tuple(own), tuple(lent.values())[:MAX_CONCEPTS], answers, inferred)


def _credit_somebody(
    turn: DialogueTurn, credit: Credit, answered: Sequence[DialogueTurn], found: TurnSignals
) -> TurnSignals:
    """The signals of a turn that says of somebody else that they know: theirs are the concepts of
    what says so, and those of the answered question; the speaker's are those of the rest."""
    name = {term_key(word) for word in credit.name.split()}
    theirs = {term.key for term in extract_concepts(credit.said)}
    own = {term.key for term in extract_concepts(credit.rest)}
    about = [t for t in turn.concepts if is_topic_term(t) and not name & {*t.key.split()}]
    rest = tuple(t for t in about if t.key in own)[:MAX_CONCEPTS]
    lent: dict[str, tuple[Term, UUID | None]] = {
        t.key: (t, None) for t in about if t.key in theirs or (t.key not in own and not credit.rest)
    }
    for question in answered:
        for term in _question_topics(question):
            lent.setdefault(term.key, (term, question.id))
    known = tuple(lent.values())[:MAX_CONCEPTS] if turn.credited else ()
    return replace(found, own=rest, credits=known)


def _question_topics(question: DialogueTurn) -> list[Term]:
    """The subjects of a question, names before other words; empty for a statement."""
    if not is_help_seeking(question.text):
        return []
    about = [term for term in question.concepts if is_topic_term(term)]
    return sorted(about, key=lambda term: not term.proper)[:MAX_QUESTION_TOPICS]


def has_substance(turn: DialogueTurn, *, answers: bool, quoted: bool) -> bool:
    """Whether a turn has substance: an answer or a statement, no greeting and no aside.

    answers: it answers somebody; quoted: it is marked as a reply. An unmarked answer counts if it
    says how something is or what to do. A turn about its speaker counts if it says what they do or
    decided.
    """
    said = strip_addressee(turn.text[:MAX_CHARACTERS_TO_CLASSIFY])
    advises, does = bool(_ADVICE.search(said)), _tells_action(said)
    if _FIRST_PERSON.search(said) and not does and not (answers and advises):
        return False
    if quoted:
        return True
    # Texts in scripts without spaces have no words to count.
    words = len(_WORD.findall(said)) if said.isascii() else MIN_WORDS
    telling = len(turn.concepts) >= MIN_ANSWER_CONCEPTS
    if answers:
        return _says_enough_for_answer(turn) or (advises and words >= MIN_WORDS)
    return telling or words >= MIN_WORDS


def _tells_action(said: str) -> bool:
    """Whether somebody says what they do, did, decided or are: "I knit socks", "I am the nurse"."""
    if _OWN_ROLE.search(said) or _DOING_WITH.search(said):
        return True
    for match in _SELF_STATEMENT.finditer(said):
        words = _WORD.findall(match[1].lower())
        at = find_verb(words)
        if at is None or _NEGATION.search(" ".join(words[: at + 1])):
            continue
        verb = words[at]
        if verb in SKILLED_PASTS or (verb in BASE_VERBS and verb not in STATE_VERBS):
            return True
    return False


def _says_enough_for_answer(turn: DialogueTurn) -> bool:
    """Whether a turn says enough to be an answer: two concepts, or a name."""
    return len(turn.concepts) >= MIN_ANSWER_CONCEPTS or any(term.proper for term in turn.concepts)


def _find_answered_turns(
    turn: DialogueTurn, heard: RecentTurns, quoted: Mapping[UUID, DialogueTurn]
) -> tuple[Sequence[DialogueTurn], bool]:
    """(the turns that this one answers, newest first; whether they were concluded)."""
    if turn.reply_to is not None:
        one = quoted.get(turn.reply_to)
        # A speaker who continues after their own line answers nobody.
        itself = one is None or one.id == turn.id or one.speaker == turn.speaker
        return ([] if itself or one is None else [one]), False
    for person in turn.addressed:
        if person == turn.speaker:
            continue
        lines = heard.by(person, turn)[:MAX_QUESTION_LINES]
        if any(is_help_seeking(line.text) for line in lines):
            return lines, True
    return [], False
