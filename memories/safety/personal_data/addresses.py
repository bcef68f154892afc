"""Postal addresses: streets with a number, post boxes, post codes. Pure.

A street without a number is no address: "high street shops" identifies nobody.
"""

import re
from collections.abc import Iterator

from memories.language.gazetteers.places import PLACES
from memories.language.gazetteers.stopwords import STOPWORDS
from memories.safety.personal_data.word_classes import WordClass, word_class
from memories.safety.prefilter import PrefilteredPattern, fold_words
from memories.safety.required_checks import Finding, PersonalDataType

_CAPITALISED = r"[^\W\d_a-zß-öø-ÿ][\w'.-]{0,30}"
# English words for a street: those that always mean one, and those that are also other words or
# names.
_STREET = (
    r"(?:street|avenue|road|boulevard|lane|terrace|highway|parkway|crescent|turnpike|freeway"
    r"|expressway|motorway|esplanade"
    r"|ave|rd|blvd|hwy|pkwy|cres|bvd|str)"
)
_STREETS = (
    r"(?:[Ss]treets?|STREET|[Aa]venue|AVENUE|[Rr]oads?|ROAD|[Bb]oulevard|[Ll]ane|Terrace|Highway"
    r"|Parkway|Crescent|Turnpike"
    r"|Freeway|Expressway|Esplanade|St|ST|Ave|AVE|Av|Rd|RD|Blvd|BLVD|Ln|LN|Hwy|Pkwy|Cres|Drive"
    r"|DRIVE|Dr|DR|Court|Ct|CT"
    r"|Place|Pl|PL|Square|Squares|Sq|Way|WAY|Circle|Cir|Trail|Trl|Close|Mews|Row|Walk|Walks"
    r"|Alley|Loop|Plaza|Plz|Pike|Run"
    r"|Ridge|Ridges|Point|Points|Crossing|Crossroad|Gardens?|Grove|Groves|Hills?|View|Views|Path"
    r"|Pass|Passage|Park|Parks"
    r"|Heights|Hollow|Harbors?|Island|Islands|Isle|Junctions?|Key|Keys|Knolls?|Lakes?|Landing"
    r"|Lights?|Loaf|Locks?|Lodge"
    r"|Manors?|Meadows?|Mills?|Mission|Mountains?|Neck|Orchard|Oval|Overpass|Pines?|Plains?"
    r"|Ports?|Prairie|Radial|Ramp"
    r"|Ranch|Rapids?|Rest|River|Roads|Route|Rue|Shoals?|Shores?|Skyway|Springs?|Spurs?|Station"
    r"|Stravenue|Stream|Summit"
    r"|Throughway|Trace|Track|Trafficway|Tunnel|Underpass|Unions?|Valleys?|Via|Viaduct|Village"
    r"|Villages|Ville|Vista|Well|Wells"
    r"|Bayou|Beach|Bend|Bluffs?|Bottom|Branch|Bridge|Brooks?|Burgs?|Bypass|Camp|Canyon|Cape"
    r"|Causeway|Centers?|Circles|Cliffs?"
    r"|Club|Common|Corners?|Course|Courts|Coves?|Creek|Crest|Curve|Dale|Dam|Divide|Drives"
    r"|Estates?|Extensions?|Falls?|Ferry"
    r"|Fields?|Flats?|Fords?|Forest|Forges?|Forks?|Fort|Glens?|Greens?|Haven|Inlet|Wharf|Quay"
    r"|Wynd|Vale|Rise|Yard|Mall)"
)
_DIRECTION = (
    r"(?:(?:[NSEW]|NE|NW|SE|SW|North|South|East|West|Northeast|Northwest|Southeast|Southwest)\.? )?"
)
_UNIT = (
    r"(?:,? (?:#|(?:[Aa]pt|[Ss]uite|[Ss]te|[Uu]nit|[Ff]lat|[Aa]partment|[Rr]oom|[Ff]loor"
    r"|[Bb]uilding)\b\.?) ?[\w-]{1,6})?"
)
_STATE = (
    r"(?:A[LKZR]|C[AOT]|D[CE]|FL|GA|HI|I[DLNA]|K[SY]|LA|M[EDAINSOT]|N[EVHJMYCD]|O[HKR]|PA|PR|RI"
    r"|S[CD]|T[NX]|UT|V[TAI]|W[AVIY])"
)
_CITY = rf"(?:{_CAPITALISED}(?:[ -]{_CAPITALISED}){{0,3}})"
_CITY_AND_CODE = (
    rf"(?:,?\s{{1,2}}{_CITY},?\s(?:{_STATE},? )?"
    r"(?:\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})\b)?"
)
_NUMBER = r"(?<![\w.,/$€£:#+-])\d{1,6}[A-Za-z]?(?:[-/]\d{1,5}[A-Za-z]?)?"
_ENGLISH = re.compile(
    rf"{_NUMBER},? {_DIRECTION}(?:(?:{_CAPITALISED}|\d{{1,3}}(?:st|nd|rd|th))"
    rf" ){{1,4}}?{_STREETS}\b\.?(?: (?:[NSEW]|NE|NW|SE|SW)\b)?"
    rf"{_UNIT}{_CITY_AND_CODE}"
    rf"|{_NUMBER},? {_DIRECTION}(?:Broadway|Avenue (?:of the )?{_CAPITALISED}|The "
    rf"{_CAPITALISED}|(?:County "
    rf"|State )?(?:Route|Highway|Hwy) \d{{1,4}})\b{_UNIT}{_CITY_AND_CODE}"
)
_LOWERCASE_ENGLISH = re.compile(
    rf"{_NUMBER} (?:[nsew] )?((?:[^\W\d_][\w'-]{{1,20}}|\d{{1,3}}(?:st|nd|rd|th))"
    rf" (?:[^\W\d_][\w'-]{{1,20}} )?)"
    rf"(?:{_STREET}|st|dr|ct|ln|drive|court|place|square|way|close)\b",
    re.IGNORECASE,
)
# A number before these words is a count, not a house number.
_COUNT_WORDS = frozenset(
    """
more other new people users stores shops way minutes hours days weeks miles km feet per percent
years year times minute hour day week mile different major lanes lane of visits yard point last
""".split()  # noqa: SIM905
)
_GERMAN = re.compile(
    rf"(?<![\w-])(?:{_CAPITALISED}[ "
    rf"-]){{0,3}}?(?:[^\W\d_a-zß-öø-ÿ][\w-]{{1,30}}(?:straße|strasse|str\."
    rf"|str|weg|platz|allee|gasse|ring|damm|ufer|steig"
    r"|chaussee|promenade|markt|graben|straat|laan|plein|kade|gracht|singel|dijk|steeg|dreef|hof"
    r"|stieg|wall|berg|vej|gade|gata|gatan|vägen|veien"
    r"|katu|polku|kuja|tie|utca|gade|stræde|backen|stigen|plads)|[^\W\d_a-z][\w-]{1,30}"
    r" (?:[Ss]traße|[Ss]trasse|[Ss]tr\.|[Ww]eg|[Pp]latz|[Aa]llee|[Gg]asse|[Rr]ing|[Dd]amm"
    r"|[Uu]fer|[Uu]tca|út|tér|[Gg]ata|[Uu]lica|[Nn]abrežje|[Ww]eg))"
    r",? (?:[Nn]r\.? ?)?\d{1,4} ?[a-zA-Z]?(?:[-/]\d{1,4}[a-z]?)?(?![\w:%]|[.,]\d)"
    rf"(?:,?\s{{1,2}}(?:[A-Z]{{1,2}}-)?\d{{4,5}}(?: [A-Z]{{2}})? {_CITY})?"
)
_ROMANCE_PREPOSITIONS = (
    r"(?:(?:de la|de las|de los|del|de|des|du|da|do|dos|das|di|della|dei|degli|delle|d'|de l'|l'|la"
    r"|le|les|los|las|aux?|san|santa|st) ?){0,2}"
)
_ROMANCE = re.compile(
    r"(?<![\w.,/-])(?:"
    rf"\d{{1,4}}(?: ?(?:bis|ter|quater))?,? (?:[Rr]ue|[Aa]venue|[Aa]v\.|[Bb]oulevard|[Bb]d\.?"
    rf"|[Pp]lace|[Cc]hemin|[Aa]llée|[Ii]mpasse|[Qq]uai|[Cc]ours"
    rf"|[Rr]oute|[Ss]quare|[Pp]assage|[Ff]aubourg) {_ROMANCE_PREPOSITIONS}{_CAPITALISED}(?:[ "
    rf"-](?:{_ROMANCE_PREPOSITIONS}{_CAPITALISED})){{0,3}}"
    rf"|(?:[Cc]alle|C/|[Aa]venida|[Aa]vda\.?|[Aa]v\.|[Pp]laza|[Pp]aseo|[Cc]arrera|[Cc]amino"
    rf"|[Rr]onda|[Tt]ravesía|[Ll]argo|[Pp]iazza|[Pp]iazzale|[Vv]ia|[Vv]iale"
    rf"|[Cc]orso|[Vv]icolo|[Ss]trada|[Rr]ua|[Tt]ravessa|[Pp]raça|[Uu]l\.|[Uu]lica|[Aa]l\."
    rf"|[Aa]leja|[Uu]litsa|[Bb]ulevardul|[Ss]trada|[Cc]uesta|[Pp]asaje|[Gg]lorieta|[Aa]lameda"
    rf"|[Cc]ontrada|[Bb]orgo|[Cc]anale|[Rr]otonda) ?{_ROMANCE_PREPOSITIONS}{_CAPITALISED}(?: "
    rf"(?:{_ROMANCE_PREPOSITIONS}{_CAPITALISED})){{0,3}}"
    r",? {0,2}(?:[Nn][ºo°.]{1,2} ?|núm\.? ?)?\d{1,4}(?![\w%:]|[.,]\d)(?: ?[A-Za-z]\b)?"
    rf")(?:,?\s{{1,2}}\d{{4,5}}(?:-\d{{3}})? {_CITY})?"
)
_PO_BOX = re.compile(
    r"\b(?:P\.? ?O\.? ?[Bb]ox|Post Office Box|PO BOX|Postfach|Postbus|Apartado(?: de"
    r" [Cc]orreos)?|Casella [Pp]ostale|B\.?P\.|Box Office Box"
    r"|PSC|Unit|USNS|USS|USNV|USCGC)"
    r" {1,2}(?:[^\W\d_a-z]\w{1,20},? )?\d[\d ]{0,7}\d?(?:,? (?:[Bb]ox \d{1,6}|(?:FPO|APO|DPO)(?:"
    r" A[AEP])?(?: \d{5}(?:-\d{4})?)?)){0,2}"
)
_UNSURE_BOX = re.compile(r"Unit|PSC|US")
_US_ZIP = re.compile(rf"(?<![\w-]){_CITY},? {_STATE},? \d{{5}}(?:-\d{{4}})?(?!\w)")
# Any street name followed by a number, a post code and a city.
_ANY_STREET = re.compile(
    rf"(?<![\w.-]){_CAPITALISED}(?: {_CAPITALISED}){{0,3}},? \d{{1,4}}"
    rf" ?[A-Za-z]?,?\s{{1,2}}(?:[A-Z]{{1,2}}-)?\d{{4,6}}(?: [A-Z]{{2}}| \d\d)?,? {_CITY}"
)
# Any street name after words about a place to go or to live.
_AFTER_LOCATION_WORDS = PrefilteredPattern(
    re.compile(
        r"\b(?i:address(?: is| was|:)?|liv(?:es?|ed|ing) (?:at|in|on)|locat(?:ed|ion is) (?:at|in"
        r"|on)|moved to|moving to"
        r"|residence|reside[sd]?(?: at| in)?|deliver(?:ed|y)?(?: it)? (?:to|at)"
        r"|ship(?:ped)?(?: it)? to|sen[dt](?: it)? to|mail(?:ed)? (?:it )?to"
        r"|stay(?:s|ed|ing)? at|visit(?: us at)?|based (?:at|in)|house (?:at|on|in)|apartment (?:at"
        r"|on|in)|office (?:at|on|in)|shop (?:at|on|in)"
        r"|store (?:at|on|in)|restaurant (?:at|on|in)|directions to|way to|find us at|come to|meet"
        r" (?:me |us )?at|pick (?:me |it )?up at|wohnt|wohne"
        r"|adresse(?: ist)?|anschrift|habite|direcci[oó]n|vive en|indirizzo|abita (?:in|a)|woont(?:"
        r" op| aan)?|adres)[,:]?\s{1,2}"
        rf"((?:\d{{1,5}}[A-Za-z]?(?:[-/]\d{{1,4}})?,? )?{_CAPITALISED}(?: (?:de |la |del |van "
        rf"|von |der |di"
        rf" )?{_CAPITALISED}){{0,3}}(?:,? \d{{1,4}}[A-Za-z]?(?![\w:%]|[.,]\d))?)"
    ),
    words=(
        "address live lives lived living located location moved moving residence reside resides"
        " resided deliver delivered delivery ship shipped send sent mail mailed stay stays stayed"
        " staying visit based house apartment office shop store restaurant directions way find"
        " come meet pick wohnt wohne adresse anschrift habite direccion dirección vive indirizzo"
        " abita woont adres"
    ),
)
_YEAR = re.compile(r"(?:19|20)\d\d$")
_UK_AREAS = (
    "AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY"
    " E EC EH EN EX FK FY G GL"
    " GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML"
    " N NE NG NN NP NR NW OL OX PA"
    " PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS"
    " TW UB W WA WC WD WF WN WR WS WV YO ZE"
)
_UK_CODE = re.compile(
    rf"(?<![\w-])(?:{'|'.join(_UK_AREAS.split())})\d[A-Z\d]? \d[ABD-HJLNP-UW-Z]{{2}}(?![\w-])"
)
_CONTINENT_CODE = re.compile(
    rf"(?<![\w.,-])(?:(?:[A-Z]{{1,2}}-)?\d{{4,5}}|\d{{4}} [A-Z]{{2}}|\d\d-\d{{3}}) ({_CAPITALISED})"
)
_COUNTRY_MARK = re.compile(r"[A-Z]{1,2}-\d|\d{4} [A-Z]{2} |\d\d-\d{3} ")


def find_street_addresses(text: str) -> Iterator[Finding]:
    """Addresses in the forms of several countries; only a post code with a city is not sure."""
    if text.isascii() and text.islower():
        yield from _find_without_capitals(text)
        return
    for pattern in (_ENGLISH, _GERMAN, _ROMANCE):
        for match in pattern.finditer(text):
            start = match.start() if pattern is not _GERMAN else _street_name_start(text, match)
            yield Finding(start, _trimmed_end(text, match), PersonalDataType.ADDRESS)
    for match in _PO_BOX.finditer(text):
        sure = not _UNSURE_BOX.match(match[0])
        if sure or "Box" in match[0] or "PO" in match[0]:
            yield Finding(match.start(), _trimmed_end(text, match), PersonalDataType.ADDRESS, sure)
    for start, end in (*_find_lowercase(text), *_find_unsure(text)):
        yield Finding(start, end, PersonalDataType.ADDRESS, sure=False)


def _find_without_capitals(text: str) -> Iterator[Finding]:
    """The addresses of a text in which the other forms have no name to begin with."""
    for match in _ENGLISH.finditer(text):
        yield Finding(match.start(), _trimmed_end(text, match), PersonalDataType.ADDRESS)
    for start, end in _find_lowercase(text):
        yield Finding(start, end, PersonalDataType.ADDRESS, sure=False)


def _find_lowercase(text: str) -> Iterator[tuple[int, int]]:
    for match in _LOWERCASE_ENGLISH.finditer(text):
        names = match[1].casefold().split()
        if not any(name in STOPWORDS or name in _COUNT_WORDS for name in names):
            yield match.start(), match.end()


def _find_unsure(text: str) -> Iterator[tuple[int, int]]:
    for match in _AFTER_LOCATION_WORDS.found(text, fold_words(text)):
        if _is_numbered_street(match[1].split(" ")):
            yield match.start(1), _trimmed_end(text, match)
    for match in _ANY_STREET.finditer(text):
        yield _street_name_start(text, match), _trimmed_end(text, match)
    for pattern in (_US_ZIP, _UK_CODE):
        for match in pattern.finditer(text):
            yield match.start(), _trimmed_end(text, match)
    for match in _CONTINENT_CODE.finditer(text):
        if match[1].casefold() in PLACES or _COUNTRY_MARK.match(match[0]):
            yield match.start(), _trimmed_end(text, match)


def _is_numbered_street(words: list[str]) -> bool:
    """Whether the words are a street and a number: "Nørremarken 12", not "Berlin 2024"."""
    bare = [word.strip(".,'") for word in words]
    numbered = bare[0][:1].isdigit() or bare[-1][:1].isdigit()
    ordinary = (
        word_class(word) & (WordClass.ORDINARY | WordClass.PLACE) for word in bare if word.isalpha()
    )
    return numbered and not any(ordinary) and not _YEAR.match(bare[-1])


def _trimmed_end(text: str, match: re.Match[str]) -> int:
    """The end of a match, without a full stop that ends the sentence."""
    return match.start() + len(text[match.start() : match.end()].rstrip(".,;' "))


def _street_name_start(text: str, match: re.Match[str]) -> int:
    """The start of the street name, after words that begin the sentence: Die Filiale Musterstraße
    12."""
    at, words = match.start(), match[0].split(" ")
    while len(words) > 2 and word_class(words[0]) & WordClass.ORDINARY:
        at += len(words.pop(0)) + 1
    return at
