"""The forms of English verbs that are needed to replace "I" or "you" by a name. Pure."""

import re
from collections.abc import Sequence

from memories.language.gazetteers.verb_bases import BASE_VERBS

_PAST_WORDS = """
was were had did went said saw took came got made knew thought told found gave left felt kept began
brought wrote sat stood lost paid met ran ate drank sent built fell spent grew won taught caught
bought sold heard held understood drove broke spoke slept wore chose forgot drew threw flew hid rode
rose sang swam woke became led meant dealt lent fed fought hung shook shot slid stole stuck struck
swore tore blew bit froze been gone done seen taken written given
put cut let read hit set shut hurt quit cost bet
"""
PAST = frozenset(_PAST_WORDS.split())
_PARTICIPLES_WORDS = """
arisen awoken beaten befallen begun bent bereft bidden bitten bled blown born borne bred broken
burnt chosen clung crept dreamt driven drunk dug eaten fallen fled flown flung forbidden foreseen
forgiven forgotten frozen gotten grown hewn hidden knelt known laid leant leapt learnt lit mislaid
misled mistaken misunderstood mown outgrown overcome overdone overridden overseen overtaken proven
rebuilt redone rethought rewritten ridden risen rung sawn sewn shaken shaven shod shown shrunk slain
slung smelt sown spat spilt spoilt spoken sprung spun stolen strewn stung stunk sung
sunk swollen sworn swum swung thrown torn undergone understood undone unwound upheld withdrawn
withheld wept woken worn woven wrung
"""
# Of verbs whose participle is no form of PAST; those in PAST are not named again.
PARTICIPLES = frozenset(_PARTICIPLES_WORDS.split())
_MODALS_WORDS = """
can could will would shall should may might must ought cannot can't couldn't won't wouldn't shan't
shouldn't mightn't mustn't ain't gonna gotta wanna
"""
MODALS = frozenset(_MODALS_WORDS.split())
_IRREGULAR = {
    "am": "is", "are": "is", "have": "has", "do": "does", "were": "was", "don't": "doesn't",
    "haven't": "hasn't", "aren't": "isn't", "weren't": "wasn't", "dont": "doesn't",
    "havent": "hasn't", "arent": "isn't", "werent": "wasn't", "dunno": "doesn't know",
}  # fmt: skip
_AUXILIARIES_WORDS = """
was did had didn't hadn't wasn't
"""
AUXILIARIES = MODALS | frozenset(_IRREGULAR) | frozenset(_AUXILIARIES_WORDS.split())
_ADVERBS_WORDS = """
also always already even ever finally first generally hardly just kinda mostly never not now often
once only quite rarely rather really recently seldom simply sometimes sorta soon still then too
usually well actually personally currently
"""
ADVERBS = frozenset(_ADVERBS_WORDS.split())
_ING_VERBS = frozenset(["bring", "cling", "fling", "ping", "ring", "sing", "spring", "swing"])
# Adverbs without the ending "-ly", and what counts or compares, between a subject and its verb.
_BEFORE_VERB_WORDS = """
afterwards again almost altogether anyhow anymore anyway beforehand best certain deep early fast
hard quick so third well elsewhere else enough ere ever evermore everywhere farther forever forth
forthwith furthermore hence henceforth hereby however indeed initially instead later least less
lest like likewise longer maybe meanwhile more moreover most much nay nearer nevertheless next
nonetheless nowadays nowhere otherwise out outright overall perhaps please pretty quicker somehow
someday somewhat somewhere sooner straight then thereafter thereby therefore though thrice thus
today together tomorrow tonight twice very whatever whenever worse yesterday yet all any both each
every few half many no none several some such one two three four five ten hundred thousand first
second last myself yourself alone either neither here there sure sorry right okay ok yeah yep yes
uh um eh oh er hmm ah
"""
_BEFORE_VERB = (ADVERBS | frozenset(_BEFORE_VERB_WORDS.split())) - {"like", "out", "please"}
# Adverbs that are also verbs: adverbs if a verb follows.
_VERB_OR_ADVERB_WORDS = """
back better clean clear double dry free further last long near right second slow triple welcome
"""
_VERB_OR_ADVERB = frozenset(_VERB_OR_ADVERB_WORDS.split())
# Words that begin a phrase between a subject and its verb: "I at times like", "I every day run".
_PHRASE_START_WORDS = """
at about above across after against along around as before behind below beneath beside between
beyond by despite during for from in inside into of off on onto over per since through throughout to
toward towards under until up upon via with within without
a an the this that these those my your his her its our their every each any some no
"""
_PHRASE_START = frozenset(_PHRASE_START_WORDS.split())
# After these words a subject has no verb of its own, or none that a rule finds.
_CLAUSE_BORDER_WORDS = """
and or but nor than if when while because who whom whose which what where why how
i me you he him she it we us they them mine yours hers ours theirs be being
"""
_CLAUSE_BORDER = frozenset(_CLAUSE_BORDER_WORDS.split())
_ADVERB_PHRASES = tuple(
    tuple(phrase.split())
    for phrase in (
        "kind of", "sort of", "now and then",
        "now and again", "time and again", "over and over", "once and for all", "right away",
        "straight away", "right now", "by and large", "first and foremost", "back then",
        "seldom if ever", "rarely if ever", "if anything", "if possible", "from now on",
    )
)  # fmt: skip
_NO_VERBS = (_PHRASE_START | _CLAUSE_BORDER | _BEFORE_VERB) - BASE_VERBS - _VERB_OR_ADVERB
# "ply", "reply": verbs, although they end like an adverb.
_VERBS_IN_LY = BASE_VERBS | frozenset(
    "ally belly bully comply dally jelly ply rally reapply resupply sally sully tally".split()  # noqa: SIM905
)
# A rare verb is known by its ending.
_VERB_ENDINGS = ("ize", "ise", "ify", "yze", "yse")
_PREFIX = re.compile(r"(?:mis|over|under|re|un|out|fore|pre|up)(?=\w{3})")
_EED_VERBS = frozenset(
    "bleed breed exceed feed heed indeed need proceed reed reseed seed speed succeed weed".split()  # noqa: SIM905
)
# How far after its subject a verb is looked for, in words.
MAX_WORDS_TO_VERB = 7
# "couldnt", "wasnt".
_BARE_NEGATION = re.compile(r"(?:could|would|should|did|does|has|had|was|is|ca|wo|ai|might|must)nt")


def is_past(word: str) -> bool:
    """Whether a word in lower case is a past verb, by its form."""
    regular = len(word) > 3 and word.endswith("ed") and word not in _EED_VERBS
    if word in PAST or (regular and word not in ("embed", "shed")):
        return True
    base = _PREFIX.sub("", word, count=1)
    return base != word and (base in PAST or base in PARTICIPLES) and word not in BASE_VERBS


def is_adverb(word: str) -> bool:
    """Whether a word in lower case is an adverb by its form, or a word that counts or compares."""
    ends_so = len(word) > 3 and word.endswith("ly") and word not in _VERBS_IN_LY
    return ends_so or word in _BEFORE_VERB


def _is_verb_form(word: str) -> bool:
    stem = _PREFIX.sub("", word, count=1)
    return (
        word in BASE_VERBS
        or stem in BASE_VERBS
        or (len(word) > 5 and word.endswith(_VERB_ENDINGS))
        or word in _VERB_OR_ADVERB
        or word in AUXILIARIES
        or word in PARTICIPLES
        or is_past(word)
        or _BARE_NEGATION.fullmatch(word) is not None
    )


def find_verb(words: Sequence[str]) -> int | None:
    """The place of the verb among the words after a subject, or None if no rule is sure.

    words: in lower case, of which the first MAX_WORDS_TO_VERB count. Adverbs, also unknown ones if
    a verb follows them, and phrases such as "at times" or "no longer" may stand before the verb.
    """
    words = words[:MAX_WORDS_TO_VERB]
    at, in_phrase = 0, False
    while at < len(words):
        word = words[at]
        after = words[at + 1] if at + 1 < len(words) else ""
        phrase = next((p for p in _ADVERB_PHRASES if tuple(words[at : at + len(p)]) == p), None)
        if phrase:
            at += len(phrase)
            continue
        follows = after != "" and _is_verb_form(after)
        if word in _CLAUSE_BORDER:
            return None
        if word in _VERB_OR_ADVERB and follows:
            at += 1
        elif is_adverb(word) and word not in _VERB_OR_ADVERB:
            in_phrase = in_phrase or word in _PHRASE_START
            joined = after in ("and", "or", "but") and is_adverb("".join(words[at + 2 : at + 3]))
            at += 2 if joined else 1
        elif word in _PHRASE_START:
            # The word after it is a part of the phrase: "at work", "this morning".
            in_phrase = True
            at += 1 if after in _PHRASE_START or is_adverb(after) else 2
        elif _is_verb_form(word):
            return at
        elif in_phrase or follows:
            at += 1
        else:
            return None
    return None


def third_person(verb: str) -> str:
    """The third person of a verb: is, has, likes; a past form or a modal is unchanged."""
    word = verb.replace("’", "'").lower()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    has_ending = word.endswith("s") and not word.endswith(("ss", "us"))
    goes_on = word.endswith("ing") and word not in _ING_VERBS
    fixed = word in MODALS or word in _NO_VERBS or is_past(word)
    fixed = fixed or (word in PARTICIPLES and word not in BASE_VERBS)
    fixed = fixed or (is_adverb(word) and word not in _VERB_OR_ADVERB)
    fixed = fixed or _BARE_NEGATION.fullmatch(word) is not None
    if fixed or has_ending or goes_on or not verb.isalpha():
        return verb
    if word.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"
