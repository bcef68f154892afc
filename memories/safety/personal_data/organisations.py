"""Clients, companies and institutions that a text names: by their form, by what is said of"
" them. Pure."""

import re
from collections.abc import Iterator

from memories.safety.findings import Finding, Personal
from memories.safety.personal_data.words import NOT_ONLY_NAME, Kind, kind_of

_CAP = r"[^\W\d_a-zß-öø-ÿ][\w&'’.-]{0,40}"
_NAME = rf"{_CAP}(?:(?: | & | and | und | et | y |, ){_CAP}){{0,4}}?"
_LEGAL = (
    r"(?:Inc|INC|Ltd|LTD|LLC|L\.L\.C|LLP|L\.P|LP|PLC|plc|Plc|Corp|CORP|Corporation|Incorporated"
    r"|Limited|GmbH|gGmbH|mbH|AG|KG|KGaA|OHG|UG|e\.V|SE"
    r"|S\.A|SA|SAS|SASU|SARL|S\.à r\.l|EURL|S\.p\.A|SpA|S\.r\.l|Srl|SRL|S\.L|SL|B\.V|BV|N\.V|NV"
    r"|Oy|Oyj|AB|A/S|ApS|ASA|AS|Pty|Sdn Bhd|Co|Cie|Ltda|S\.C"
    r"|Sp\. z o\.o|s\.r\.o|a\.s|d\.o\.o|d\.d|A\.Ş|Ltd\. Şti|S\. de R\.L|S\. ?R\.L|S\.Coop|C\.V"
    r"|S\.A\.U|S\.L\.U|SPA|Kft|Zrt|Bhd|Pvt)"
)
_WITH_LEGAL = re.compile(
    rf"(?<![\w.-]){_NAME},? {_LEGAL}\b\.?(?:,? {_LEGAL}\b\.?)?"
    r"(?: & (?:Co|Cie)\b\.?(?: KG(?:aA)?)?)?"
)
_SONS = re.compile(
    rf"(?<![\w.-]){_CAP}(?: {_CAP})?(?: & | and |, | und | et | y | e )(?:{_CAP} (?:& |and |y |e"
    rf" ))?(?:[Ss]ons|[Bb]rothers|[Dd]aughters|Co|Söhne|Fils|Partners?|Associates|Asociados"
    rf"|Hijos|Hermanos|[Ff]igli|Associés|Zonen|Sønner|Söner|Partner)\b"
)
_FIRM = re.compile(rf"(?<![\w.-])({_CAP}), ({_CAP}),? (?:and|&|und|et|y|e) ({_CAP})")
_PAIR = re.compile(rf"(?<![\w.-])({_CAP}) (?:&|and) ({_CAP})")
# What calls itself so is one, if what stands before is a name and not an ordinary word.
_SOFT = re.compile(
    rf"(?<![\w.-])((?:{_CAP} ){{1,4}}?)(Group|Holdings?|Industries|Enterprises|Ventures|Capital"
    rf"|Consulting|Solutions|Technologies|Systems|Laboratories"
    r"|Labs|Software|Partners|Associates|Logistics|Pharmaceuticals?|Pharma|Insurance|Airlines"
    r"|Airways|Motors|Foods|Brands|Realty|Properties|Advisors"
    r"|Media|Studios?|Pictures|Records|Entertainment|Communications|Networks?|Energy|Petroleum"
    r"|Steel|Bank|Bancorp|Financial|Securities|Investments?"
    r"|University|College|Academy|Institute|Hospital|Clinic|Medical Cent(?:er|re)|High School"
    r"|School|Church|Foundation|Museum|Library|Hotel|Hotels|Resort"
    r"|Restaurant|Bakery|Pharmacy|Stores?|Supermarkets?|Company|Versicherung|Versicherungen"
    r"|Krankenhaus|Klinikum|Sparkasse|Volksbank|Universität"
    r"|Hochschule|Verlag|Werke|Gruppe|Stiftung|Universidad|Hospital|Banco|Banca|Banque"
    r"|Université|Università|Ospedale)\b"
)
_INSTITUTION = re.compile(
    rf"\b(?:University|Bank|College|Institute|Museum|Hospital|Church|Ministry|Department|City"
    rf"|County|State) of (?:the )?{_CAP}(?: {_CAP}){{0,2}}"
    rf"|\b(?:Universität|Universidad|Université|Università|Universiteit|Universidade|Hôpital"
    rf"|Clínica|Klinikum|Banco|Banca|Banque|Sparkasse|Volksbank|St\.|Saint|Lycée|Colegio"
    rf"|Stichting|Grupo|Groupe|Gruppo|Fundación|Fondation)"
    rf" (?:de |di |do |von |du )?{_CAP}(?: {_CAP})?(?: (?:Hospital|Church|School|College))?"
)
_TOLD = re.compile(
    r"\b(?i:(?:works?|worked|working|employed|job|intern(?:ed|ing)?|consults?|interviewed"
    r"|started|hired) (?:at|for|by|with)"
    r"|(?:CEO|CFO|CTO|COO|founder|head of [a-z]{1,20}|director|owner|manager|employees?|chairman"
    r"|president|VP|partner|spokes(?:wo)?man) (?:of|at)"
    r"|(?:our|the|my|a|their|new|key|for|of|with|from)?,? ?(?:client|customer|competitor"
    r"|supplier|vendor|account|franchisee|employer|firm|company|startup)"
    r"(?: (?:is|was|called|named))?,?"
    r"|(?:arbeitet|angestellt|beschäftigt) (?:bei|für)|(?:unser|unsere|der|die|vom|beim)"
    r" (?:Kunde|Kunden|Firma|Mandant|Mieter|Arbeitgeber)"
    r"|travaille (?:chez|pour)|notre client|trabaja (?:en|para)|nuestro cliente|lavora (?:per"
    r"|presso|alla)|nostro cliente|werkt bij)"
    rf" ((?:{_CAP})(?:(?: | & ){_CAP}){{0,3}})"
)
# Words before a legal form that begin a sentence and not a name.
_LEADING = frozenset(
    "the a an our my his her their your this that at for from with by and or in of to".split()  # noqa: SIM905
)


def organisations(text: str) -> Iterator[Finding]:
    """Companies with their legal form for sure; the others where a name stands before."""
    for match in _WITH_LEGAL.finditer(text):
        start = _without_leading(text, match.start(), match.end())
        if start is not None:
            yield Finding(
                start, match.end() - (text[match.end() - 1] in ",;"), Personal.ORGANISATION
            )
    for match in _SONS.finditer(text):
        yield Finding(match.start(), match.end(), Personal.ORGANISATION)
    for pattern in (_FIRM, _PAIR):
        for match in pattern.finditer(text):
            if all(_family_name(name) for name in match.groups()):
                yield Finding(match.start(), match.end(), Personal.ORGANISATION, sure=False)
    for match in _SOFT.finditer(text):
        start = _without_leading(text, match.start(), match.start(2))
        if start is not None and _names_something(text[start : match.start(2)]):
            yield Finding(start, match.end(), Personal.ORGANISATION, sure=False)
    for match in _INSTITUTION.finditer(text):
        yield Finding(match.start(), match.end(), Personal.ORGANISATION, sure=False)
    for match in _TOLD.finditer(text):
        first = kind_of(match[1].split(" ")[0].strip(".,'-")) & (NOT_ONLY_NAME | Kind.FIRST)
        if first != Kind.FIRST and _names_something(match[1]):
            yield Finding(
                match.start(1), _trimmed(text, match.end(1)), Personal.ORGANISATION, sure=False
            )


def _trimmed(text: str, end: int) -> int:
    """Without a mark at the end, nor the 's of an owner."""
    while text[end - 1] in ".'-&,":
        end -= 1
    return end - 2 if text[end - 2 : end] in ("'s", "’s") else end


def _without_leading(text: str, start: int, end: int) -> int | None:
    """Where the name begins behind words such as "The"; None where nothing of it is left."""
    at = start
    for word in text[start:end].split(" ")[:5]:
        if word.casefold().strip(".,") not in _LEADING:
            break
        at += len(word) + 1
    return at if at < end - 3 else None


def _family_name(word: str) -> bool:
    return bool(kind_of(word.strip(".,'")) & Kind.LAST)


def _names_something(name: str) -> bool:
    """Whether any word of it is no ordinary word and no place."""
    for part in name.replace("&", " ").split():
        word = part.strip(".,'’-").removesuffix("'s").removesuffix("’s")
        kind = kind_of(word)
        if word and not kind & NOT_ONLY_NAME and not word.isdecimal():
            return True
    return False
