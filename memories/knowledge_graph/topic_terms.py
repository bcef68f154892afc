"""Whether a term is a subject that somebody can know about. Pure, linear.

Verbs, adverbs, numbers and words of chat are no subjects. The form of a word decides much: its
ending, digits with a unit, capitals, dots and slashes; for the rest there are English lists. Words
of other scripts pass.
"""

import re
from collections.abc import Iterable

from memories.language.gazetteers.stopwords import CONTENTLESS_WORDS
from memories.language.gazetteers.verb_bases import ACTION_VERBS
from memories.language.terms import Term, is_quantity
from memories.language.verbs import ADVERBS, PARTICIPLES, PAST, is_past

_MEASURE = re.compile(
    r"(?<!\d)\d++(?:[x×*]\d++)++|(?<!\d)\d++(?:[.,]\d++)?+"
    r"(?:[kmgt]i?b?|[kmg]?hz|[kmg]bps|ms|s|mins?|h|hrs?|px|dpi|[kc]?m|kg|[wv]|%|x|th|st|nd|rd)",
    re.IGNORECASE,
)
_CHAT_WORDS = """
afk ahh alot argh asap atm bbl bbs bloody brb bro bs btw cheer coz cuz cya dammit darn dear duh eek
erm err fkn ftw fuck fucked fucking fwiw fyi gah gee gn gosh grr gtg ha hah haha heh hehe hell hmm
hooray hurray idk iirc imo irl jk kk kthx lmao lol meh mmm nah nm nn nop nvm offtopic oi omfg omg
ooh oop oops ouch ow phew piss pls plz pp ppl pst rofl rotfl shh shit soz tbh tfw thanx thnx thx
tmi ttyl tx tyvm ugh uh um wb whew whoa woah woohoo woops woot wow wtf wtg wth xd yah yall yaw yay
yea yeah yep yo yup
"""
# When something is says nothing of what it is about, and neither does a colour.
_CALENDAR_WORDS = """
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri
january february march april june july august september october november december
jan feb apr jun jul aug sep sept oct nov
weekday fortnight noon midday midnight afternoon summer autumn winter
"""
_COLOURS = """
beige black blonde blue brown gray green grey maroon pink purple turquoise violet white yellow
"""
# General nouns about which nobody is asked.
_VAGUE_WORDS = """
ability access account action advance advantage advice aim air alternative amount app approach
aspect attempt attention attitude base basis beginning behavior behaviour benefit blame body bottom
boy brain brother bunch button care catch center centre chance choice circumstance clue combination
comment comp comparison complaint concept concern conclusion condition confusion connection
consequence content contents context contrary convenience corner cost couple course creation credit
crowd culture danger date deal death decision degree desire detail dinner direction disadvantage
discussion distance effort element emergency emphasis energy entry error evening event evidence
example excuse existence explanation extent fault favor favour feedback feeling finger folk foot
force frustration future gap gentleman girl goal habit hair hint honor hope hurry impression
improvement increase intention interest kid knowledge lady language lap latter luck lunch majority
manner meantime memory mess method mindset mood morning mother motivation mouth mystery nature neck
nerd newbie newcomer noise nonsense noob nose nowhere object obstacle occasion offer opportunity
order ourself pain panic past patience pattern peace percent percentage perfection permission
perspective phase phrase pity pleasure position possibility post practice presence pressure
principle priority process prog program progress promise proof property purpose quality quantity
queue rant reach reality reference regret relation release remark repetition request research
resource respect response responsibility risk role round routine row sake scenario school sentence
series shape side sight sign silence sister situation skill sleep smile society software someday
source space speech speed spirit spite spot stage standard statement status stranger strength
stress struggle style success suggestion sum surprise symptom tab target task taste technique
tendency term theory thingy threat title tone tongue top trace tradition trick trust type unit use
value variety vibe video volume wall weakness weather weight while whole wife winner wonder worry
year yesterday
"""

_ADJECTIVE_WORDS = """
abroad absent absolute according active actual afraid afterwards alas alien alike alive alone along
alternate angry annoying anonymous anyways apart artificial aside asleep automatic average awake
awful backward bare basic blank blind boring brand brief bright brilliant broken busy capable cheap
classic clever cold confident confused conscious consistent constant convenient crappy crazy
creative cruel curious current custom cute dark dead decent deep dense dirty distant double
downhill dry dual due dumb eager effective efficient elegant elsewhere empty enormous equal
equivalent essential eventual evil exclusive existing expensive experienced explicit external
extreme false familiar famous fancy final firm flat flexible foreign former forth forward frequent
fresh frustrated full generic gentle genuine global grand grateful great gross guilty halfway handy
harsh healthy heavy hence hidden honest hostile hot hungry ideal identical illegal immediate
implicit inactive incorrect individual indoors initial innocent insane instant intelligent intense
internal invalid invisible just key kool lame large lazy legal limited literal local logical loose
loud lovely lucky manual massive mature maximum mental mere minimal minimum minor modern modest
multiple mutual naive narrow native natural neat necessary negative neutral noisy nonexistent
numerous obscure obsolete odd official onward open opposite optimal optional ordinary outdated
overall overnight painful parallel partial particular patient permanent personal physical polite
poor popular positive possible potent powerful practical precise pretty primary prior private pro
proper proud public pure radical random rare raw redundant regular relative relevant reliable
remote responsible rich ridiculous rough rude sane satisfied scary secondary secret secure selfish
senior sensible sensitive sexy shallow sharp shiny shitty sick sideways significant sloppy smooth
soft solid sophisticated sour spare special specific stable stale static steady steep strict strong
stubborn subtle sudden sufficient suitable superior sweet tall temporary terrible thick thin tight
tiny tired total tough transparent tricky twice typical ugly ultimate unable unclear unique
universal unknown unlikely unstable unusual upon urgent usable useful useless vague valid vast
versus virtual visible vital vulnerable warm weak wet whereby wherein wicked wide wild willing wise
wonderful worse worst worth yearly
"""
_ADJECTIVES = frozenset(_ADJECTIVE_WORDS.split())
_NON_TOPIC_WORDS = (
    frozenset(f"{_CHAT_WORDS} {_CALENDAR_WORDS} {_COLOURS} {_VAGUE_WORDS}".split())
    | _ADJECTIVES
    | ADVERBS
    | PAST
    | PARTICIPLES
)
# What somebody does, however it is called; of nothing else is a form in "-ing" that of a verb.
_ACTION_WORDS = ACTION_VERBS | CONTENTLESS_WORDS
_NOUN_WORDS = """
accounting ally anomaly assembly bed belly bible bully butterfly cable constable crucible customer
disability download dryer embed family feed filing fly grocery hundred italy jelly launch learning
lily merge molly monopoly multiply opener parable planning polly print rally red reply seed share
shed sled speed supply surf table tally thread timetable trade turntable update upgrade upload
variable vegetable vote
"""
_NOUNS = frozenset(_NOUN_WORDS.split())
_ADJECTIVE_ENDINGS = (
    "ful",
    "less",
    "able",
    "ible",
    "ously",
    "ious",
    "eous",
    "ish",
    "ical",
    "ional",
)
# Their comparatives are words of their own.
_COMPARABLE_WORDS = """
big bright broad close cold dark early easy fast few full great happy hard heavy high large late
long low new nice old quick safe short simple slow small smart strange strong tall wide young
"""
_COMPARABLE = _ADJECTIVES | frozenset(_COMPARABLE_WORDS.split())
_REPEATED_LETTERS = re.compile(r"([a-z])\1\1")


def is_topic_term(term: Term) -> bool:
    """Whether a term is a subject."""
    key = term.key
    if is_quantity(term.name) or _MEASURE.fullmatch(term.name):
        return False
    if not key.isascii() or " " in key:
        return True
    if key in _NON_TOPIC_WORDS or key.casefold() in ACTION_VERBS - _NOUNS:
        return False
    if not key.isalpha():
        return True
    return key in _NOUNS or term.proper or not _has_non_noun_ending(key)


def _has_non_noun_ending(key: str) -> bool:
    """Whether the ending is that of an adverb, an adjective or a verb form."""
    if len(key) > 4 and key.endswith("ly"):
        return True
    if is_past(key) or (len(key) > 5 and key.endswith(_ADJECTIVE_ENDINGS)):
        return True
    # "hmmm" and "ohhh", but not "pppoeconf".
    if _REPEATED_LETTERS.search(key) and len(set(key)) <= 3:
        return True
    if key.endswith("ing"):
        return bool(_possible_stems(key[:-3]) & _ACTION_WORDS)
    if key.endswith(("er", "est")):
        stem = key[:-2] if key.endswith("er") else key[:-3]
        return bool(_possible_stems(stem) & _COMPARABLE)
    return False


def _possible_stems(rest: str) -> set[str]:
    """What a word may be without its ending: "check", "writ" and "write", "bigg" and "big", "earli"
    and "early"."""
    stems = {rest, f"{rest}e"}
    if rest[-2:-1] == rest[-1:]:
        stems.add(rest[:-1])
    if rest.endswith("i"):
        stems.add(f"{rest[:-1]}y")
    return stems


def has_topic_term(terms: Iterable[Term]) -> bool:
    """Whether one of the terms is a subject."""
    return any(is_topic_term(term) for term in terms)
