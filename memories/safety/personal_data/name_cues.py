"""Cues that a word is a person's name: titles, and words before and after it. Pure."""

import re

from memories.safety.prefilter import PrefilteredPattern

# Titles that are sure cues.
TITLES = frozenset(
    """
mr mrs ms miss mx dr prof professor sir dame madam herr herrn frau fräulein m mme mlle monsieur
madame mademoiselle señor señora señorita sr sra srta don doña signor signora signorina sig dott
dottor dottore dhr mevr mevrouw meneer pan pani senhor senhora fru rev hon capt sgt lt col gen sen
gov
""".split()  # noqa: SIM905
)
# Titles that are also ordinary words: the next word must look like a name.
SHORT_TITLES = frozenset({"m", "don", "pan", "sig", "sr", "miss", "dame"})
OFFICE_TITLES = frozenset(
    """
president senator judge justice captain officer sergeant lieutenant colonel general minister
chancellor mayor governor bishop father sister brother rabbi imam pastor reverend aunt auntie uncle
grandma grandpa nurse detective attorney inspector lord lady king queen prince princess
""".split()  # noqa: SIM905
)
ALL_TITLES = TITLES | OFFICE_TITLES
# Words before a name that are sure cues.
_INTRODUCTION_PHRASES = """
my name is|my name's|name is|named|i am called|call me|ich heiße|mein name ist
je m'appelle|mon nom est|me llamo|mi nombre es|mi chiamo|il mio nome è|mijn naam is|ik heet
meu nome é|signed by|signed|account manager|applicant
"""
_RELATION_PHRASES = """
my his her our their your the a: wife husband son daughter brother sister mother father mum mom dad
 boss colleague coworker co-worker friend neighbour neighbor lawyer partner girlfriend boyfriend
 uncle aunt cousin nephew niece teacher patient tenant assistant landlord nurse fiancé fiancée
 roommate flatmate contact supervisor guide
meine meiner meinem meinen ihre ihrem seine seiner seinem seinen unsere unserem unser mein sein ihr:
 frau mann sohn tochter bruder schwester chef chefin kollege kollegin kollegen freund freundin
 nachbar nachbarin
mon ma son sa notre: femme mari fils fille frère sœur mère père collègue ami amie voisin voisine
mi su nuestro nuestra: esposa esposo marido hijo hija hermano hermana madre padre jefe jefa amigo
 amiga vecino vecina
mio mia suo sua: moglie marito figlio figlia fratello sorella madre padre collega amico amica
"""
# Words that may also be before other words.
_ADDRESS_PHRASES = """
dear|hi|hello|hey|liebe|lieber|cher|chère|querido|querida|caro|cara|beste|geachte|hola|ciao
bonjour|happy birthday|tell|told|ask|asked|remind|thank you|thanks|email|e-mail|ping|call|called
phone|text|ask for|regards|sincerely|yours|wishes|grüße|grüßen|cordialement|saludos|attn|attention
met with|spoke to|spoke with|talked to|meeting with|married|interview with|interviewed|report to
reports to|on behalf of|assigned to|according to|cc|c/o|emailed|phoned|texted|invited|hired
i'm|i am|this is|name
"""


def _split_phrases(lines: str) -> frozenset[str]:
    return frozenset(one for line in lines.split("\n") for one in line.split("|") if one)


def _combine_phrases(lines: str) -> frozenset[str]:
    """Each "my" combined with each "wife"; a line that begins with a space continues the one
    before."""
    pairs = (line.split(":") for line in lines.replace("\n ", " ").split("\n") if line)
    return frozenset(
        f"{my} {one}" for own, all_ in pairs for my in own.split() for one in all_.split()
    )


_SURE_PHRASES = _split_phrases(_INTRODUCTION_PHRASES) | _combine_phrases(_RELATION_PHRASES)
_UNSURE_PHRASES = _split_phrases(_ADDRESS_PHRASES)
_MAX_PHRASE_WORDS, _LOOKBACK_CHARACTERS = 4, 40
_AFTER_NAME = re.compile(
    r"(?:'s)? (?:said|says|told|lives?|lived|replied|complained|emailed|e-mailed|phoned|married"
    r"|and (?:his|her|i\b)|sagte|sagt|meinte|wohnt|a dit|habite|dijo|vive en|ha detto|abita"
    r"|(?:was|were) (?:born|founded)|announced|moved out|prefers?|passed away|resigned"
    r"|is (?:my|our|allergic|out of office|on (?:leave|holiday))"
    r"|(?:family|siblings|wife|husband|house|birthday|daughter|son|mother|father|salary|boss"
    r"|home address|phone|mobile|laptop)\b)"
    r"|, (?:CEO|CFO|CTO|COO|PhD|MD|Esq|Jr|Sr|aged|who lives|born)\b"
)
# Phrases of people who give their name, in any letter case.
INTRODUCTION = PrefilteredPattern(
    re.compile(
        r"\b(?:my name is|name's|ich heiße|mein name ist|je m'appelle|me llamo|mi chiamo"
        r"|mijn naam is|ik heet) ([^\W\d_]{2,30})(?: ([^\W\d_]{2,30}))?",
        re.IGNORECASE,
    ),
    ("name", "heiße", "appelle", "llamo", "chiamo", "naam", "heet"),
)


def is_announced_before(text: str, start: int) -> bool | None:
    """Whether the words before a place surely announce a name; None if they do not announce one."""
    said = text[max(0, start - _LOOKBACK_CHARACTERS) : start].rstrip(" ,:\n\r\t").casefold().split()
    for length in range(min(_MAX_PHRASE_WORDS, len(said)), 0, -1):
        phrase = " ".join(said[-length:])
        if phrase in _SURE_PHRASES:
            return True
        if phrase in _UNSURE_PHRASES:
            return False
    return None


def is_confirmed_after(text: str, end: int) -> bool:
    """Whether the words after a place show that a name may end there."""
    return _AFTER_NAME.match(text, end) is not None
