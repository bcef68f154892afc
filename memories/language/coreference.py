"""Who "I", "you", "he", "she" and "they" are in a turn, by the turns before it. Pure, English."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import cached_property

from memories.language.mentions import Person, find_persons
from memories.language.propositions import iter_verbatim_spans
from memories.language.relative_dates import local_date, resolve_relative_dates
from memories.language.text_limits import MAX_CHARACTERS_PER_TURN
from memories.language.verbs import AUXILIARIES, MAX_WORDS_TO_VERB, find_verb, third_person

# How far back a mention of a person counts.
MAX_TURNS_BACK = 6
# At most this many pronouns of one turn are resolved; the others stay.
MAX_PRONOUNS = 100

_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|[\W\d_]+")
_FIRST_PERSON = re.compile(r"\b(?:I|i|me|my|mine|im|ive|Im|Ive|My|Me|Mine)\b")
SECOND_PERSON = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)
THIRD_PERSON = re.compile(r"\b(?:s?he|him|his|hers?|they)\b", re.IGNORECASE)
# The part before an apostrophe in these contractions.
_PRONOUN_WORDS = """
i im ive my mine me you your yours he she him his her hers they
"""
_PRONOUNS = frozenset(_PRONOUN_WORDS.split())
# Spaces at the beginning or end of a line, not across lines.
_CODE = re.compile(r"[{}=<>]|;[^\S\n]*+$|\bfor i in\b|^[^\S\n]*+[$#]", re.MULTILINE)
_SENTENCE_END = re.compile(r"[.:)]{1,20}(?:\s|$)")
_CONJUNCTIONS = frozenset(["and", "or", "nor"])
# After these "you" is a subject.
_BEFORE_SUBJECT_WORDS = """
if when whenever that because and but so as than since while what how why where who which think
hope guess know believe suppose say said heard see unless until though although whether once sure
glad
"""
_BEFORE_SUBJECT = frozenset(_BEFORE_SUBJECT_WORDS.split())
_ROMAN_NUMERAL_WORDS = """
war part phase type chapter volume act section level class stage
"""
_BEFORE_ROMAN_NUMERAL = frozenset(_ROMAN_NUMERAL_WORDS.split())
# After "her" these words show that it is no possessive.
_AFTER_OBJECT_WORDS = """
a about again an and any anyway are around as at because before but by do for from here how if in
into is it last later next no not now off on or out over please so soon some that the there this
to today tomorrow tonight too up via was what when where who why will with yesterday yet
"""
_AFTER_OBJECT = frozenset(_AFTER_OBJECT_WORDS.split())
# A person without a name; a later pronoun may mean them.
_UNNAMED_PERSON = re.compile(
    r"\b(?:[Ss]ome(?:one|body)|[Aa]ny(?:one|body)|[Ee]very(?:one|body)|[Ww]hoever|"
    r"(?:guy|man|men|woman|user|friend|dude|kid|boy|girl|person|people|boss|manager|colleague|"
    r"customer|client|teacher|doctor|developer|admin|dev|maintainer|author|artist|partner|husband|"
    r"wife|brother|sister|mother|father|mom|mum|dad|son|daughter|girlfriend|boyfriend|neighbour|"
    r"neighbor|student|driver|landlord|candidate)s?\b(?! [A-ZÀ-ÖØ-Þ]))"
)
_ADDRESSING = re.compile(r"@|@?[\w.|^`\[\]-]{1,200}+\s*+[:,]")
# Longer than the longest of these words, to find one across a chunk border.
_CHUNK_OVERLAP = 20
_NAME_PAIR = re.compile(r"^\W*([A-Z][\w-]+) and ([A-Z][\w-]+)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A turn: what was said, by whom, when, and to whom if known.

    speaker, addressed: names as they are shown. zone: the speaker's time zone, if known.
    """

    text: str
    speaker: str = ""
    at: datetime | None = None
    addressed: tuple[str, ...] = ()
    zone: tzinfo | None = None


def iter_spans(text: str) -> Iterator[tuple[str, bool]]:
    """The text in parts, each with whether it must not be changed."""
    last = 0
    for start, end in iter_verbatim_spans(text):
        yield text[last:start], False
        yield text[start:end], True
        last = end
    yield text[last:], False


class PronounResolver:
    """Replaces pronouns and relative dates in one turn by names and dates."""

    def __init__(self, turn: Turn, before: Sequence[Turn], known: set[str]) -> None:
        self.turn = turn
        self.near = [
            t
            if len(t.text) <= MAX_CHARACTERS_PER_TURN
            else replace(t, text=t.text[:MAX_CHARACTERS_PER_TURN])
            for t in before[-MAX_TURNS_BACK:]
        ]
        self.around: dict[str, str] = {}
        self.asked = 0
        self.somebody, self.seen = False, 0
        self.known = known
        self.code = bool(_CODE.search(turn.text))
        self.me = turn.speaker
        self.you = turn.addressed[0] if len(set(turn.addressed)) == 1 else ""

    @cached_property
    def named(self) -> list[Person]:
        """The people whom the turn itself names."""
        return find_persons(self.turn.text, self.known)

    def resolved(self) -> str:
        """The turn's text with names and dates; unchanged if it is too long, or would become too
        long."""
        text = self.turn.text
        found = self._resolved() if len(text) <= MAX_CHARACTERS_PER_TURN else text
        return found if len(found) <= 3 * len(text) + 400 else text

    def _resolved(self) -> str:
        wanted = (
            (self.me and not self.code and _FIRST_PERSON.search(self.turn.text))
            or (self.you and SECOND_PERSON.search(self.turn.text))
            or THIRD_PERSON.search(self.turn.text)
        )
        parts = []
        at = 0
        for part, alone in iter_spans(self.turn.text):
            parts.append(part if alone or not part else self._part(part, at, bool(wanted)))
            at += len(part)
        return "".join(parts)

    def _part(self, part: str, at: int, pronouns: bool) -> str:
        if pronouns:
            part = self._pronouns(part, at)
        if self.turn.at is not None:
            part = resolve_relative_dates(part, local_date(self.turn.at, self.turn.zone))
        return part

    def _pronouns(self, part: str, at: int) -> str:
        pieces = _TOKEN.findall(part)
        for index, piece in enumerate(pieces):
            if piece[0].isalpha():
                word = piece.replace("’", "'")
                lower = word.lower()
                if lower.partition("'")[0] in _PRONOUNS:
                    pieces[index] = (
                        self._first(pieces, index, word)
                        or self._second(pieces, index, lower)
                        or self._third(pieces, index, lower, at)
                        or piece
                    )
            at += len(piece)
        return "".join(pieces)

    # --- I, you ---

    def _first(self, pieces: list[str], index: int, word: str) -> str:
        if not self.me or self.code:
            return ""
        lower = word.lower()
        if lower in ("my", "mine"):
            return f"{self.me}'s"
        if lower == "me":
            return self.me
        if lower == "i" and (
            _adjacent_word(pieces, index, -1) in _BEFORE_ROMAN_NUMERAL
            or _is_not_pronoun_i(pieces, index)
        ):
            return ""
        return self._subject(pieces, index, "i", lower, self.me)

    def _second(self, pieces: list[str], index: int, lower: str) -> str:
        if not self.you:
            return ""
        if lower in ("your", "yours"):
            return f"{self.you}'s"
        if lower == "you" and not self._leads(pieces, index):
            return self.you
        return self._subject(pieces, index, "you", lower, self.you)

    def _subject(self, pieces: list[str], index: int, who: str, lower: str, name: str) -> str:
        """The name with its verb, for "i'm" and for "i" next to a verb."""
        if lower in (f"{who}'m", "im" if who == "i" else "", "you're" if who == "you" else ""):
            return f"{name} is"
        if lower in (f"{who}'ve", "ive" if who == "i" else ""):
            return f"{name} has"
        if lower == f"{who}'ll":
            return f"{name} will"
        if lower == f"{who}'d":
            after = _adjacent_word(pieces, index, 1)
            had = after in ("better", "been") or after.endswith("ed")
            return f"{name} had" if had else f"{name} would"
        if lower != who:
            return ""
        before = _adjacent_word(pieces, index, -1)
        if before in AUXILIARIES and _is_single_space(pieces, index - 1):
            pieces[index - 2] = _match_case(pieces[index - 2], third_person(pieces[index - 2]))
        elif before not in _CONJUNCTIONS or not _joins_named_subject(pieces, index):
            self._conjugate(pieces, index)
        return name

    def _conjugate(self, pieces: list[str], index: int) -> None:
        """Give the verb after the subject at `index` its third person."""
        words: list[str] = []
        last = index
        while last + 2 < len(pieces) and _is_single_space(pieces, last + 1):
            last += 2
            words.append(pieces[last].replace("’", "'").lower())
            if len(words) >= MAX_WORDS_TO_VERB:
                break
        found = find_verb(words)
        if found is None:
            return
        verb = index + 2 * (found + 1)
        after = pieces[verb + 1] if verb + 1 < len(pieces) else ""
        if _SENTENCE_END.match(after) or not _is_not_pronoun_i(pieces, verb):
            pieces[verb] = third_person(pieces[verb])

    def _leads(self, pieces: list[str], index: int) -> bool:
        """Whether "you" is the subject of its sentence."""
        if index == 0 or not _is_single_space(pieces, index - 1):
            return index + 1 < len(pieces) and _is_single_space(pieces, index + 1)
        before = _adjacent_word(pieces, index, -1)
        return before in _BEFORE_SUBJECT or before in AUXILIARIES

    # --- he, she, they ---

    def _third(self, pieces: list[str], index: int, lower: str, at: int) -> str:
        base, _, ending = lower.partition("'")
        third = base in ("he", "she", "him", "his", "her", "hers", "they")
        if (
            not third
            or ending not in ("", "s", "ll", "d", "re", "ve")
            or _is_slash_pronoun(pieces, index)
        ):
            return ""
        if base == "they":
            return self._pair(pieces, index, ending)
        gender = "he" if base in ("he", "him", "his") else "she"
        person = self._spoken_of(gender, at)
        if not person:
            return ""
        if ending in ("ll", "d"):
            return f"{person} {'will' if ending == 'll' else 'would'}"
        if ending == "s":
            after = _adjacent_word(pieces, index, 1)
            return f"{person} {'has' if after in ('been', 'got', 'had') else 'is'}"
        possessive = base in ("his", "hers") or (
            base == "her"
            and index + 2 < len(pieces)
            and _is_single_space(pieces, index + 1)
            and pieces[index + 2].lower() not in _AFTER_OBJECT
        )
        return f"{person}'s" if possessive else person

    def _pair(self, pieces: list[str], index: int, ending: str) -> str:
        """The two people for "they" at the start, after a turn that began with two people and named
        nobody else."""
        if index or not self.two or ending in ("s", "d"):
            return ""
        verb = {"re": " are", "ve": " have", "ll": " will"}.get(ending, "")
        return f"{self.two}{verb}"

    @cached_property
    def two(self) -> str:
        """The two people with whom the previous turn began, if it named nobody else; else empty."""
        last = self.near[-1].text if self.near else ""
        pair = _NAME_PAIR.match(last)
        if not pair or len(find_persons(last, self.known)) != 2:
            return ""
        return f"{pair[1]} and {pair[2]}"

    def _spoken_of(self, gender: str, at: int) -> str:
        """The name of the only person whom a pronoun at this place can mean; empty if there is none
        or several."""
        self.asked += 1
        if self.asked > MAX_PRONOUNS:
            return ""
        apart = self._participant_names()
        earlier = [p for p in self.named if p.at < at and p.name.casefold() not in apart]
        if any(p.may_be(gender) for p in earlier):
            return ""  # the sentence itself says who
        if self._somebody_before(at):
            return ""
        if gender not in self.around:
            self.around[gender] = self._told_of(gender, apart)
        return self.around[gender]

    def _somebody_before(self, at: int) -> bool:
        """Whether the turn mentions a person without a name before this place.

        Call with ascending places; text that was read is not read again.
        """
        if not self.somebody:
            found = _UNNAMED_PERSON.search(self.turn.text, max(0, self.seen - _CHUNK_OVERLAP), at)
            # At the end of the chunk, the next word, which may be its name, is not read yet.
            self.somebody = found is not None and found.end() + 1 < at
            self.seen = found.start() if found else at
            return found is not None
        return True

    def _participant_names(self) -> set[str]:
        """The names of the speaker and of those addressed."""
        return {self.me.casefold(), *(a.casefold() for a in self.turn.addressed)} - {""}

    def _told_of(self, gender: str, apart: set[str]) -> str:
        """The name of the only person whom earlier turns mention; empty if there is none or
        several."""
        spoken: dict[str, Person] = {}
        rivals: set[str] = set()
        told_by = ""
        for turn in reversed(self.near):
            if _UNNAMED_PERSON.search(turn.text):
                return ""
            for person in find_persons(turn.text, self.known):
                if not person.may_be(gender) or person.name.casefold() in apart:
                    continue
                if _ADDRESSING.match(turn.text, person.at):
                    rivals.add(person.first)  # spoken to, not spoken of
                else:
                    spoken.setdefault(person.first, person)
                    told_by = told_by or turn.speaker
        # Another recent speaker may be meant as well.
        for turn in self.near:
            if turn.speaker.strip() and turn.speaker != told_by:
                other = Person(turn.speaker, 0)
                if other.may_be(gender) and turn.speaker.casefold() not in apart:
                    rivals.add(other.first)
        if len(spoken) != 1 or rivals - set(spoken):
            return ""
        return next(iter(spoken.values())).name


def _adjacent_word(pieces: list[str], index: int, step: int) -> str:
    """The word before or after, in lower case, if only a space lies between."""
    other, between = index + 2 * step, index + step
    if not (0 <= other < len(pieces) and _is_single_space(pieces, between)):
        return ""
    return pieces[other].replace("’", "'").lower()


def _is_single_space(pieces: list[str], between: int) -> bool:
    return 0 <= between < len(pieces) and pieces[between] == " "


def _is_slash_pronoun(pieces: list[str], index: int) -> bool:
    """Whether a word is a part of "he/she" or "(s)he"."""
    before = pieces[index - 1] if index else ""
    after = pieces[index + 1] if index + 1 < len(pieces) else ""
    return "/" in before + after or before.endswith(")")


def _is_not_pronoun_i(pieces: list[str], index: int) -> bool:
    """Whether a word is the "i" of "i.e.", "i386" or "-i", or of a list."""
    after = pieces[index + 1][0] if index + 1 < len(pieces) else ""
    before = pieces[index - 1][-1] if index else ""
    if after.isdigit() or before.isdigit():
        return True
    return after in tuple(".):/-_") or before in tuple("-/_.")


def _joins_named_subject(pieces: list[str], index: int) -> bool:
    """Whether "and I" joins a subject before it: Bob and I."""
    return index >= 4 and _is_single_space(pieces, index - 3) and pieces[index - 4][0].isupper()


def _match_case(old: str, new: str) -> str:
    return new.capitalize() if old[0].isupper() else new
