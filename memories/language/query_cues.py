"""Signals in the wording of a question or a memory. Pure.

English stands here; other languages are read with their vocabularies.
"""

import re
from collections.abc import Sequence

from memories.language.spoken_times.cue_words import asks_for_time, names_time, speaks_of_self
from memories.language.text_limits import MAX_CHARACTERS_PER_TEXT, MAX_CHARACTERS_TO_CLASSIFY

# In lexemes; a longer question says enough to be an answer itself.
SHORT_QUERY_LEXEMES = 12
MAX_NAME_WORDS = 3

_QUESTION = re.compile(r"\?\s*$")
_TIME_WORDS = frozenset(
    """
yesterday today tonight tomorrow ago last next week weeks weekend weekends month months year years
day days monday tuesday wednesday thursday friday saturday sunday january february march april may
june july august september october november december recently just since soon earlier summer winter
spring autumn christmas birthday am pm
""".split()  # noqa: SIM905
)
# What is no single word, and signs of it that are looked for first.
_TIME = re.compile(r"\b(?:this (?:morning|fall)|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)|o'clock)\b")
_TIME_SIGNS = ("this ", "o'clock", *"0123456789")
_ASKS_WHEN = re.compile(
    r"^\s*(?:when|what (?:time|date|day|month|year)|which (?:date|day|month|year)|how long"
    r"|in (?:which|what))\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself)\b", re.IGNORECASE)
_WORD = re.compile(r"[\w.@#-]+")
_WORD_CHARACTERS = re.compile(r"\w+")


def ends_with_question_mark(text: str) -> bool:
    """Whether the text ends with a question mark."""
    return bool(_QUESTION.search(text[-20:]))


def has_time_word(text: str, language: str | None = None) -> bool:
    """Whether the text has a word of time: a day, a month, a year, "ago", "last"...

    language: the ISO code of the text's language where it is known, here and below.
    """
    low = text[:MAX_CHARACTERS_PER_TEXT].lower()
    if not _TIME_WORDS.isdisjoint(_WORD_CHARACTERS.findall(low)):
        return True
    if any(sign in low for sign in _TIME_SIGNS) and _TIME.search(low):
        return True
    return names_time(low, language)


def is_when_question(question: str, language: str | None = None) -> bool:
    """Whether the question asks for a time."""
    return bool(_ASKS_WHEN.search(question)) or asks_for_time(question, language)


def is_about_self(question: str, language: str | None = None) -> bool:
    """Whether the asker speaks of themselves."""
    return bool(_FIRST_PERSON.search(question)) or speaks_of_self(question, language)


def possible_speaker_names(question: str, most: int = 60) -> list[str]:
    """Runs of one to three words in lower case, any of which may be a speaker's name."""
    words = [w.strip(".-") for w in _WORD.findall(question.lower())]
    words = [w for w in words if w][:most]
    runs = {
        " ".join(words[i : i + n])
        for n in range(1, MAX_NAME_WORDS + 1)
        for i in range(len(words) - n + 1)
    }
    return sorted(runs)


def query_forms(question: str, names: Sequence[str]) -> tuple[str, ...]:
    """The texts whose vectors are added to represent the question.

    Without names: the question itself. Else the question without the names, because names attract
    everything that those people said; and the question as the first of them would say it ("Ann:
    what is my job"), because memories are embedded as "speaker: text". names: in any letter case,
    longest first.
    """
    if not names:
        return (question,)
    # Names are removed only in the part of the question in which speakers are searched.
    question, rest = question[:MAX_CHARACTERS_TO_CLASSIFY], question[MAX_CHARACTERS_TO_CLASSIFY:]
    bare = question
    for name in names:
        bare = re.sub(rf"(?i)(?<!\w){re.escape(name)}(?:'s)?(?!\w)", " ", bare)
    speaker = rf"(?i)(?<!\w)({re.escape(names[0])})"
    spelt = re.search(rf"{speaker}(?!\w)", question)
    own = re.sub(rf"{speaker}'s(?!\w)", "my", question)
    own = re.sub(rf"{speaker}(?!\w)", "I", own)
    said = f"{spelt.group(1) if spelt else names[0]}: {_collapse_spaces(own)}"
    return (_collapse_spaces(bare + rest) or question, said + rest)


def _collapse_spaces(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
