"""The forms of English verbs that are needed to replace "I" or "you" by a name. Pure."""

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
can could will would shall should may might must cannot can't couldn't won't wouldn't shan't
shouldn't mightn't mustn't ain't gonna gotta wanna
"""
MODALS = frozenset(_MODALS_WORDS.split())
_IRREGULAR = {
    "am": "is", "are": "is", "have": "has", "do": "does", "were": "was", "don't": "doesn't",
    "haven't": "hasn't", "aren't": "isn't", "weren't": "wasn't", "dont": "doesn't",
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
# Words after a subject that are no verbs.
_NO_VERBS_WORDS = """
and or but too to in on at of for with as from by about if when that this the a an my your alone
myself yourself either neither both here there
"""
_NO_VERBS = frozenset(_NO_VERBS_WORDS.split())


def is_past(word: str) -> bool:
    """Whether a word in lower case is a past verb, by its form."""
    regular = len(word) > 3 and word.endswith("ed") and not word.endswith("eed")
    return word in PAST or (regular and word not in ("embed", "shed"))


def third_person(verb: str) -> str:
    """The third person of a verb: is, has, likes; a past form or a modal is unchanged."""
    word = verb.replace("’", "'").lower()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    has_ending = word.endswith("s") and not word.endswith(("ss", "us"))
    goes_on = word.endswith("ing") and word not in _ING_VERBS
    fixed = word in MODALS or word in _NO_VERBS or is_past(word)
    if fixed or has_ending or goes_on or not verb.isalpha():
        return verb
    if word.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"
