"""Which sentences state a fact, about what, and what has one value at a time. Pure, English.

A turn of a conversation states a fact if it says something lasting of a topic, or if it says in the
present tense what somebody is, has or does. What is asked, planned, guessed or only of the day is
none. A memory that was written down as a fact needs no such sign.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from memories.language.comparison.changed_facts import says_change
from memories.language.comparison.statements import MAX_CHARACTERS, Sentence
from memories.language.query_cues import ends_with_question_mark

# A sentence with fewer or more words is no fact of a profile.
MIN_WORDS, MAX_WORDS = 3, 45
# What weighs more comes first where not everything fits: what was written down as a fact, what a
# turn says of a topic, and what it says in the present tense or happened once.
NOTED_WEIGHT, TOLD_WEIGHT, LIGHT_WEIGHT = 3, 2, 1


class ProfileTopic(StrEnum):
    """What a fact is about, in the order of a profile."""

    HOME = "home"
    WORK = "work"
    FAMILY = "family"
    HEALTH = "health"
    LIKES = "likes"
    SKILLS = "skills"
    HABITS = "habits"
    BELONGINGS = "belongings"
    CONTACT = "contact"
    PLANS = "plans"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class FactReading:
    """What a sentence states. weight: see NOTED_WEIGHT. single: the name of what has one value at a
    time for one person, such as where they live; empty for all else. changed: whether it says that
    something is new or over."""

    topic: ProfileTopic
    weight: int
    single: str
    changed: bool


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


_RELATIVES = (
    r"(?:wife|husband|partner|spouse|sons?|daughters?|child|children|kids?|mother|father|mum|mom"
    r"|dad|sisters?|brothers?|parents?|fianc\w+|girlfriend|boyfriend|grand\w+|nephews?|nieces?"
    r"|aunt|uncle|cousins?|twins?|boys|girls|baby|newborn|youngest|eldest|in-laws|old man|dogs?"
    r"|cats?|pupp(?:y|ies)|kittens?|parrot|rabbits?|pets?)"
)
_THINGS = (
    r"(?:cars?|bikes?|bicycle|motorbike|moped|scooter|van|boat|camper|caravan|phone|laptop|tablet"
    r"|camera|guitar|piano|violin|garden|allotment|cottage|cabin|monitor|keyboard|headset|printer"
    r"|telescope|drone|console|watch|kayak|tent|truck|pickup|e-bike|i?pad|i?phone)"
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_RIDE = r"(?:\S+ )?(?:bus|train|tram|metro|ferry|subway|tube)"
# What a clause says of each topic, in the order in which they are tried.
_TOPICS = {
    ProfileTopic.CONTACT: _any_of(
        r"\b(?:numbers?|e-?mails?|handle|extension|username|mobile|cell|invoices)\b"
        r".{0,40}(?:\d{2}|@)",
        r"\breach(?:able|ed)? (?:\w+ ){0,3}(?:on|at|by|via|through)\b",
        r"\b(?:call|message|text|e-?mail|write to|ping) (?:me|her|him|them) (?:on|at|via)\b",
        r"\bfastest (?:on|by|via)\b|\bcontacted (?:on|at|by|via)\b|\S@\w[\w.-]*\.\w"
        r"|\b(?!20\d\d-)\d[\d -]{7,}\d\b",
    ),
    ProfileTopic.HEALTH: _any_of(
        r"\ballerg|\bvegetarian|\bvegan|\bpescatarian|\bgluten|\blactose|\bhalal\b|\bkosher\b",
        r"\bdiabet|\basthma|\bc(?:o?e)liac|\bintoleran|\bpregnan|\binsulin|\bmigraine",
        r"\b(?:not|no longer|never|stopped|quit|gave up|only)(?: \w+)? (?:eat|drink|smok)",
        r"\b(?:stopped|quit|gave up|given up|off|without) (?:\w+ )?(?:meat|fish|dairy|alcohol"
        r"|caffeine|coffee|sugar|smoking|drinking|cigarettes|gluten)\b",
        r"\b(?:started|back to) (?:having|eating|drinking)\b|\beats? (?:no|only|meat|fish"
        r"|everything)\b|\bdrinks? (?:no|only)\b",
        r"\b(?:medication|medicines?|tablets?|inhaler|epipen|blood pressure|glasses|surgery"
        r"|hearing aids?|wheelchair|physio|therap(?:y|ist))\b",
        r"\b(?:an[ae]+mic|blind|deaf|claustrophob|phobi|dyslex|epilep|arthritis|eczema|hay fever"
        r"|vertigo"
        r"|insomnia|adhd|autis|diagnosis)",
        r"\bbad (?:knee|back|shoulder|hip)\b|\b(?:doctor's|on) (?:orders|a diet)\b",
    ),
    ProfileTopic.FAMILY: _any_of(
        rf"(?:\b(?:my|our|her|his|their|twin)"
        rf"|(?<= )'s) (?:[\w-]+ ){{0,2}}{_RELATIVES}\b.{{0,60}}\b(?:is|are|has|have|named"
        rf"|called|lives?|works?|turn(?:s|ed)"
        r"|studies|goes|started|starts|born|plays?|runs|keeps)\b",
        rf"\b(?:has|have|had|got|adopted|is|am|called|named|my|'s)\b.{{0,40}}\b{_RELATIVES}\b",
        r"\b(?:married|divorced|engaged|widowed|expecting|newly single)\b",
    ),
    ProfileTopic.HABITS: _any_of(
        r"\b(?:always|usually|normally|rarely|weekly|daily|nightly|commutes?|commuting)\b",
        r"\bnever (?!mind|again|said|knew|thought|had)\w+",
        r"\b(?:every|each|most) (?:single )?(?:days?|mornings?|evenings?|nights?|weeks?|months?"
        rf"|year|other|second|weekday|weekend|summer|winter|lunch|{_DAY}s?)\b",
        rf"\b(?:{_DAY}s|mornings|evenings|weekends)\b|\b(?:once|twice|times) a \w+",
        rf"\b(?:takes?|taking|catch(?:es)?|rides?) the {_RIDE}\b",
        r"\b(?:gets?|wakes?) up at\b|\btrain(?:s|ing) for\b|\bworks? out\b|\bgoes? to bed\b",
        r"\b(?:cycles?|cycling|walks?|walking|drives?|bikes?|biking) (?:in )?to (?:work"
        r"|the office)",
        r"\bkeeps? (?:early|late|odd) hours\b",
    ),
    ProfileTopic.LIKES: _any_of(
        r"\bprefers?\b|\bfavou?rites?\b|\bdislikes?\b|\bfan of\b"
        r"|\bcan ?not (?:stand|bear|abide|be doing with)\b|\bgo-to\b",
        r"\bbig on\b|\b(?:mad|nuts) about\b|\bcheer \w+ up\b|\b(?:big|huge) \w* ?(?:fan|head)\b",
        r"\bobsessed with\b|\bcrazy about\b|\bswears? by\b|\bkeen on\b"
        r"|\bsupports? (?!the|you|that|this|it)\w",
        r"\b(?:as far as \w+ (?:\w+ )?is concerned|wish list)\b",
        r"\b(?:likes|loves|hates|enjoys|adores)\b(?! (?:it|that|this|these|those|you|your|the idea"
        r"|the way|how|when|to see|him|her)\b)",
        r"\b(?:i|we|they|not|really|who) (?:like|love|hate|enjoy|adore)\b(?! (?:it|that|this|these"
        r"|those|you|your|the idea|the way|how|when|to see|him|her)\b)",
        r"\b(?:takes?|drinks?) (?:\w+ )?(?:tea|coffee|espresso|matcha)\b",
        r"\bwants? (?:short|long|no|only|all|everything|to be)\b|\bover (?:a |an )?\w+ any day\b",
    ),
    ProfileTopic.SKILLS: _any_of(
        r"\bspeaks? (?!to|with|about|at|up|for)\w|\bfluent\b|\bcertified\b|\bqualified\b"
        r"|\bnative\b",
        r"\bspeciali[sz]|\bexpert (?:in|on|at|for)\b|\b(?:good with|good at) \w+|\blicen[cs]e\b",
        r"\bknows? (?:how|a lot|all|every|her|his)\b|\bdegree in\b|\bphd\b|\bmaster's\b",
        r"\bplays? (?:the \w|piano|guitar|violin|drums|cello|flute|chess|bass|trumpet|sax)",
        r"\b(?:[abc][12] level|officially [abc][12])\b|\b(?:for|of) (?:[\w-]+ )?years\b"
        r"|\byears of\b",
        r"\blearn(?:s|ing) \w+|\btaught \w+self\b|\btrained (?:as|in)\b|\bsign language\b",
        r"\bcan (?:do|speak|play|drive|weld|code|read|fix|sign|cook|sail|translate|sew|knit)\b",
    ),
    ProfileTopic.HOME: _any_of(
        r"\blives?\b|\bliving (?:in|at|with|near|on|by)\b|\bgrew up\b|\bborn (?:in|and)\b",
        r"\bmove[ds]? (?:in|to|into|back|out|from)\b|\brelocat|\bbased (?:in|at|out)\b",
        r"\b(?:am|is|are|comes?|hails?) (?:originally )?from\b|\brents?\b|\brenting\b"
        r"|\bsettled in\b",
        r"\b(?:am|is) in [\w ]{2,20} now\b",
        r"(?:\b(?:an?|the|my|our|her|his|new)|(?<= )'s) (?:[\w-]+ )?(?:flat|house|apartment)\b",
        r"\b(?:address|flatmates?|roommates?|postcode|new place)\b",
        r"\b\d+\w? \w+ (?:street|road|avenue|lane|drive|close|square|stra(?:ss|ß)e)\b",
    ),
    ProfileTopic.WORK: _any_of(
        r"\bworks\b|\b(?:i|we|who|still|not|also) work\b|\bworking (?:at|for|as|on|from|in"
        r"|with)\b|\bworked (?:at|for|as)\b|\bjobs?\b",
        r"\bjoined\b|\breports? to\b|\bfreelanc|\bhired\b|\bpromoted\b|\bretired\b|\bresigned\b",
        r"\bself-employed\b|\bstud(?:y|ies|ying) (?!the|this|that)|\bintern(?:s|ship|ing)?\b",
        r"\b(?:leads?|leading|runs?|running|manages?|managing|heads?|chairs?|coordinates?|coaches"
        r"|supervises?|mentors?|maintains?) (?:the|a|our|all|their|\w+ (?:team|for))\b",
        r"\bteach(?:es|ing)?\b|\b(?:responsible for|in charge of|looks after|takes care of"
        r"|on call)",
        r"\b(?:manager|boss|mentor|supervisor|team lead|employer|job title|role|shifts?|probation"
        r"|contract|salary|apprentice|trainee|deputy|director|head of|first day|chef)\b",
        r"\bmoved (?:\w+ )?(?:to|across|over) .{0,60}\b(?:team|department|desk)\b",
        r"\b(?:is|am) (?:now |only )?(?:an?|the) (?:[\w-]+ ){0,2}(?:nurse|chef|associate|partner"
        r"|assistant"
        r"|clerk|cook|\w+(?:nist|tist|list|ician|medic|eer|ser|der|cher|ger|per|tor|sor|cher"
        r"|yer))\b",
    ),
    ProfileTopic.BELONGINGS: _any_of(
        r"\b(?:owns?|drives?|driving|rides?|riding|bought|sold|uses?|using|has|have|got|switched"
        rf"|replaced|lost|broke|finally)\b.{{0,40}}\b{_THINGS}\b",
        rf"\b(?:drives?|rides?|owns?) (?:an?|two|three|\w+een|\w+ven) \w"
        rf"|\b{_THINGS}\b.{{0,30}}\bis (?:mine\b|\w+ ?\w* 's)",
    ),
    ProfileTopic.PLANS: _any_of(
        r"\b(?:parental|maternity|paternity|sick|study) leave\b|\bgetting married\b|\bsabbatical\b",
        r"\bsetting up (?:her|his|my|\w+ \w+ 's) own\b|\b(?:walking|moving|starting|leaving"
        r"|retiring|emigrating|flying) (?:to|in|on|at|from|for|next)\b",
        r"\bretires?\b|\bheart set on\b|\bstarts? (?:on|in|at|as|her|his|my|a)\b|\bdue in\b"
        r"|\bsigned up for\b|\bbooked\b",
        r"\b(?:saving|plans?|planning|wants?|hoping|plotting|decided) (?:up )?(?:to|for"
        r"|against)\b|\boff to\b(?!.{0,60}\b(?:meeting|lunch|bed|work)\b)",
    ),
    ProfileTopic.OTHER: _any_of(
        r"\b(?:is|am) (?:now |currently |also )?(?:an?|the|our) (?!\w+est\b)(?!bit|little|lot|mess"
        r"|wreck|few|one|good|great|bad|big|same|genius|way|problem|reason|only|best|worst|legend"
        r"|hero|star|joke|shame|nightmare|thing)\w+",
    ),
}
# Of these a person has one value at a time, whatever words say it.
_SINGLES = {
    "home": _any_of(
        r"\b(?:lives?|living) (?:now )?(?:in|at|on|near|by)\b|\brelocated to (?!the\b)"
        r"|\bbased in\b",
        r"\blives? with\b.{0,60} in\b|\baddress is\b|\brents?\b.{0,60} in\b|\blodg(?:es|ing)\b"
        r"|\b(?:am|is) (?:now )?in [\w ]{2,20} now\b|\bnew (?:place|flat|house)\b",
        r"\bmoved (?:back )?(?:in)?to (?!the\b)(?!.{0,60}\b(?:team|desk|floor|role|project"
        r"|shift)\b)",
    ),
    "employer": _any_of(
        r"\bworks? (?:now )?(?:at|for)\b|\bnew job at\b|\bhired by\b",
        r"\bjoined\b(?!.{0,60}\b(?:club|gym|choir|team|call|meeting|band|group|channel|class"
        r"|league)\b)",
    ),
    "team": _any_of(
        r"\b(?:works?|is|am) (?:now )?(?:on|in|with) the \w+ (?:team|department|squad)\b",
        r"\bmoved (?:\w+ )?(?:to|across|over) .{0,60}\b(?:team|department|squad)\b",
    ),
    "role": _any_of(r"\bworks? (?:now )?as\b|\bpromoted to\b|\bjob title\b|\brole is\b"),
    "manager": _any_of(
        r"\breports? to\b|\b(?:manager|boss|supervisor|team lead) (?:now )?is\b",
        r"\bis (?:now )?[\w 's]{0,40}(?:manager|boss|supervisor)\b",
    ),
    "number": _any_of(
        r"\b(?:number|mobile|cell|phone)\b.{0,40}\d{3}|\d{3}.{0,30}\b(?:number|mobile|cell|phone)\b"
    ),
    "email": _any_of(r"\S@\w[\w.-]*\.\w"),
    "diet": _any_of(
        r"\b(?:vegetarian|vegan|pescatarian|omnivore)\b|\beats? (?:meat|fish|everything)\b",
        r"\b(?:not|no longer|stopped|quit|gave up)(?: \w+)? (?:eat\w* )?(?:meat|fish|dairy)\b",
    ),
    "relationship": _any_of(r"\b(?:single|engaged|married|divorced|separated|widowed)\b"),
    "commute": _any_of(
        r"\bcommut",
        r"\b(?:cycles?|cycling|bikes?|walks?|walking|drives?|driving) (?:in )?to (?:work"
        r"|the office)",
        rf"\b(?:takes?|taking|on|by) the {_RIDE}\b(?: to (?:work|the office))?",
        r"\bcomes? in (?:by|on)\b",
    ),
    "car": _any_of(r"\bdrives? (?:an?|the|my|her|his)\b(?! to\b)"),
}
_HAS_BRAND = re.compile(
    r"\b(?:have|has|own|owns|drive|drives|use|uses|ride|rides) (?:an?|the|my|her"
    r"|his) (?:\w+ )?[A-Z]\w"
)
_FAVOURITE = re.compile(r"\bfavou?rite (\w+)")
# Of the others a newer value disputes the older one, for there may be two.
_SURELY_SINGLE = ("home", "manager", "number", "diet", "relationship", "commute")
_CLAUSE_END = re.compile(
    r"[,;()]|(?<=[?!])\s|\s[–—-]\s|\b(?:so|but|because|although|though|since|while|who|which)\b"
    r"|\band (?=(?:i|we|he|she|they|it)\b)",
    re.IGNORECASE,
)
# A present tense that looks like a past one.
_HAS_GOT = re.compile(r"(?:\b(?:has|have)|(?<=\w)['’](?:s|ve)) got\b", re.IGNORECASE)
# What holds for the moment alone.
_OF_THE_DAY = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|right now|at the moment|later|soon|in a (?:minute|sec"
    r"|second|bit|moment)|this (?:morning|afternoon|evening|week|time)|just|on (?:the|my|her|his)"
    r" (?:phone|way)|in an? (?:meeting|call)|lunch|running late|back (?:at|in)|sorry|tired|hungry"
    r"|wondering|thinks?|thinking|guess|hopes?|sure|glad|happy to|afraid|ready|bored|looking"
    r"|trying|going|getting|waiting|saying|agrees?|will|sees?|heard|hears?|means?|needs?|wants?)\b"
)
# Who is, has or does something, in the present tense.
_PRESENT = re.compile(
    r"\b(?:is|am|are|has|have|does|do|can|\w{2,}[a-z]s)\b (?!\W)|\b(?:i|we|they) [a-z]+\b|'s got\b"
)
_FOR_YEARS = re.compile(r"\b(?:for|of) (?:[\w-]+ )?years\b|\byears of\b")
# What was said of these in the past tense mostly holds.
_LONG_TRUE = (ProfileTopic.HOME, ProfileTopic.LIKES)
# That something is new or over, besides `says_change`.
_NEWS = re.compile(
    r"\b(?:now|these days|nowadays|from now on|as of|any longer|at last|finally|new|first day"
    r"|dropped|(?:come|came|gone|went) (?:right )?off|pulled out|gave up|given up|began|begun"
    r"|started|starting|starts|got the keys|divorced|got married|passed|signed up"
    r"|transfer(?:red)?|took (?:the|a|over)"
    r"|broke up|split up|finished|done with|back on|off the)\b"
)


def read_fact(
    sentence: Sentence, *, noted: bool, subject: re.Pattern[str] | None = None
) -> FactReading | None:
    """What a sentence states; None if it states no fact.

    noted: whether it was written down as a fact, and is no turn of a conversation. subject: what
    the clause of a turn must name that has no topic; None if anything will do.
    """
    if len(sentence.text) > MAX_CHARACTERS:
        return None
    sentence = Sentence(_HAS_GOT.sub(" has", sentence.text))
    words = sentence.plain.split()
    if not MIN_WORDS <= len(words) <= MAX_WORDS:
        return None
    single = _find_single(sentence.plain)
    changed = says_change(sentence) or _NEWS.search(sentence.plain) is not None
    for clause in _clauses(sentence):
        topic = _find_topic(clause)
        if topic is ProfileTopic.OTHER and not (noted or _names(subject, clause)):
            continue
        if topic is not None and (noted or _is_lasting(clause, topic, changed=changed)):
            return FactReading(topic, NOTED_WEIGHT if noted else TOLD_WEIGHT, single, changed)
    if noted:
        past = sentence.past and not changed
        return FactReading(
            ProfileTopic.OTHER, LIGHT_WEIGHT if past else NOTED_WEIGHT, single, changed
        )
    general = any(_names(subject, one) and _holds_in_general(one) for one in _clauses(sentence))
    if general or (changed and _names(subject, sentence)):
        return FactReading(ProfileTopic.OTHER, LIGHT_WEIGHT, single, changed)
    return None


def _names(subject: re.Pattern[str] | None, clause: Sentence) -> bool:
    return subject is None or subject.search(clause.text) is not None


def is_surely_single(name: str) -> bool:
    """Whether a newer value of this name ends the older one, and does not only dispute it."""
    return name in _SURELY_SINGLE or name.startswith("favourite")


def _clauses(sentence: Sentence) -> list[Sentence]:
    """The clauses of a sentence, without the one that asks."""
    parts = [part for part in _CLAUSE_END.split(sentence.text) if part.strip()]
    return [Sentence(part) for part in parts if not ends_with_question_mark(part)]


def _is_lasting(clause: Sentence, topic: ProfileTopic, *, changed: bool) -> bool:
    """Whether a clause of a turn says what holds, and not what is wished or was once."""
    if topic in (ProfileTopic.CONTACT, ProfileTopic.PLANS):
        return True
    certain = clause.certain or topic is ProfileTopic.HEALTH
    if not certain or (_OF_THE_DAY.search(clause.plain) and not changed):
        return False
    stays = " can " in clause.plain or _FOR_YEARS.search(clause.plain)
    return not clause.past or bool(stays) or changed or topic in _LONG_TRUE


def _holds_in_general(clause: Sentence) -> bool:
    """Whether a clause of a turn says in the present tense what somebody is, has or does."""
    if len(clause.plain.split()) < MIN_WORDS or not clause.certain or clause.opinion:
        return False
    if clause.past or _OF_THE_DAY.search(clause.plain):
        return False
    return bool(_PRESENT.search(clause.plain))


def _find_topic(clause: Sentence) -> ProfileTopic | None:
    # Nothing of a text is cached: an erasure would have to find it.
    plain = clause.plain
    found = next((topic for topic, pattern in _TOPICS.items() if pattern.search(plain)), None)
    if found in (None, ProfileTopic.OTHER) and _HAS_BRAND.search(clause.text):
        return ProfileTopic.BELONGINGS
    return found


def _find_single(plain: str) -> str:
    favourite = _FAVOURITE.search(plain)
    if favourite:
        return f"favourite {favourite[1]}"
    return next((name for name, pattern in _SINGLES.items() if pattern.search(plain)), "")
