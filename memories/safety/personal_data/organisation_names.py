"""Clients, companies and institutions that a text names: by their form and their context. Pure."""

import re
from collections.abc import Iterator

from memories.safety.personal_data.word_classes import NOT_ONLY_NAME, WordClass, word_class
from memories.safety.prefilter import PrefilteredPattern, fold_words
from memories.safety.required_checks import Finding, PersonalDataType

_CAPITALISED = r"[^\W\d_a-zß-öø-ÿ][\w&'’.-]{0,40}"
_NAME = rf"{_CAPITALISED}(?:(?: | & | and | und | et | y |, ){_CAPITALISED}){{0,4}}?"
# The same, if a full stop after it ends the sentence.
_WORD = r"[^\W\d_a-zß-öø-ÿ](?:[\w&'’.-]{0,40}\w)?"
_LEGAL = (
    r"(?:Inc|INC|Ltd|LTD|LLC|L\.L\.C|LLP|L\.P|LP|PLC|plc|Plc|Corp|CORP|Corporation|Incorporated"
    r"|Limited|GmbH|gGmbH|mbH|AG|KG|KGaA|OHG|UG|e\.V|SE"
    r"|S\.A|SA|SAS|SASU|SARL|S\.à r\.l|EURL|S\.p\.A|SpA|S\.r\.l|Srl|SRL|S\.L|SL|B\.V|BV|N\.V|NV"
    r"|Oy|Oyj|AB|A/S|ApS|ASA|AS|Pty|Sdn Bhd|Co|Cie|Ltda|S\.C"
    r"|Sp\. z o\.o|s\.r\.o|a\.s|d\.o\.o|d\.d|A\.Ş|Ltd\. Şti|S\. de R\.L|S\. ?R\.L|S\.Coop|C\.V"
    r"|S\.A\.U|S\.L\.U|SPA|Kft|Zrt|Bhd|Pvt)"
)
_WITH_LEGAL_FORM = re.compile(
    rf"(?<![\w.-]){_NAME},? {_LEGAL}\b\.?(?:,? {_LEGAL}\b\.?)?"
    r"(?: & (?:Co|Cie)\b\.?(?: KG(?:aA)?)?)?"
)
_FAMILY_FIRM = PrefilteredPattern(
    re.compile(
        rf"(?<![\w.-]){_CAPITALISED}(?: {_CAPITALISED})?(?: & | and |, | und | et | y | e "
        rf")(?:{_CAPITALISED}"
        rf" (?:& |and |y |e ))?(?:[Ss]ons|[Bb]rothers|[Dd]aughters|Co|Söhne|Fils|Partners?"
        rf"|Associates|Asociados|Hijos|Hermanos|[Ff]igli|Associés|Zonen|Sønner|Söner|Partner)\b"
    ),
    words=(
        "sons brothers daughters co söhne fils partners partner associates asociados "
        "hijos hermanos figli associés zonen sønner söner"
    ),
)
_THREE_NAMES_FIRM = PrefilteredPattern(
    re.compile(
        rf"(?<![\w.-])({_CAPITALISED}), ({_CAPITALISED}),? (?:and|&|und|et|y|e) ({_CAPITALISED})"
    ),
    signs=("&",),
    words="and und et y e",
)
_TWO_NAMES_FIRM = PrefilteredPattern(
    re.compile(rf"(?<![\w.-])({_CAPITALISED}) (?:&|and) ({_CAPITALISED})"),
    signs=("&",),
    words="and",
)
# Words that make an organisation of a name before them, if that is no ordinary word.
_NAME_WITH_TYPE = re.compile(
    rf"(?<![\w.-])((?:{_CAPITALISED} "
    rf"){{1,4}}?)(Group|Holdings?|Industries|Enterprises|Ventures|Capital"
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
_INSTITUTION = PrefilteredPattern(
    re.compile(
        rf"\b(?:University|Bank|College|Institute|Museum|Hospital|Church|Ministry|Department|City"
        rf"|County|State) of (?:the )?{_CAPITALISED}(?: {_CAPITALISED}){{0,2}}"
        rf"|\b(?:Universität|Universidad|Université|Università|Universiteit|Universidade|Hôpital"
        rf"|Clínica|Klinikum|Banco|Banca|Banque|Sparkasse|Volksbank|St\.|Saint|Lycée|Colegio"
        rf"|Stichting|Grupo|Groupe|Gruppo|Fundación|Fondation)"
        rf" (?:de |di |do |von |du )?{_CAPITALISED}(?: {_CAPITALISED})?(?: "
        rf"(?:Hospital|Church|School|College))?"
    ),
    words=(
        "university bank college institute museum hospital church ministry department "
        "city county state universität universidad université università universiteit "
        "universidade hôpital clínica klinikum banco banca banque sparkasse volksbank st "
        "saint lycée colegio stichting grupo groupe gruppo fundación fondation"
    ),
)
_AFTER_EMPLOYMENT_WORDS = PrefilteredPattern(
    re.compile(
        r"\b(?i:(?:works?|worked|working|employed|job|intern(?:ed|ing)?|consults?|interviewed"
        r"|started|hired) (?:at|for|by|with)"
        r"|(?:CEO|CFO|CTO|COO|founder|head of [a-z]{1,20}|director|owner|manager|employees?"
        r"|chairman|president|VP|partner|spokes(?:wo)?man) (?:of|at)"
        r"|(?:client|customer|competitor|supplier|vendor|account|franchisee|employer|firm|company|startup)"
        r"(?: (?:is|was|called|named))?,?"
        r"|(?:arbeitet|angestellt|beschäftigt) (?:bei|für)|(?:unser|unsere|der|die|vom|beim)"
        r" (?:Kunde|Kunden|Firma|Mandant|Mieter|Arbeitgeber)"
        r"|travaille (?:chez|pour)|notre client|trabaja (?:en|para)|nuestro cliente|lavora (?:per"
        r"|presso|alla)|nostro cliente|werkt bij"
        r"|(?:contract|deal|agreement|partnership|internship|career|position|offer|invoice|order"
        r"|account|shares|stock|offices?|headquarters|staff)"
        r" (?:at|with|from|of|by|in)|joined|acquired|founded|sued|bought by|merged with"
        r"|headquartered at|subscribed to|invested in|owned by|hired by)"
        rf" ((?:{_WORD})(?:(?: | & ){_WORD}){{0,3}})"
    ),
    words=(
        "works work worked working employed job intern interned interning consult "
        "consults interviewed started hired ceo cfo cto coo founder head director owner "
        "manager employee employees chairman president vp partner spokesman spokeswoman "
        "client customer competitor supplier vendor account franchisee employer firm "
        "company startup arbeitet angestellt beschäftigt kunde kunden firma mandant "
        "mieter arbeitgeber travaille trabaja cliente lavora werkt contract deal "
        "agreement partnership internship career position offer invoice order shares "
        "stock office offices headquarters staff joined acquired founded sued bought "
        "merged headquartered subscribed invested owned"
    ),
)
_BEFORE_COMPANY_VERBS = PrefilteredPattern(
    re.compile(
        rf"(?<![\w.-])({_WORD}(?: {_WORD}){{0,2}}?)(?:'s)? (?:announced|acquired|launched"
        rf"|reported (?:a |its )|employs|employees|shares|stock|headquarters|CEO|CFO"
        r"|offices|customers|went bankrupt|hired|laid off|sells|was founded|merged|closed its"
        r"|opened its|franchise)\b"
    ),
    words=(
        "announced acquired launched reported employs employees shares stock headquarters "
        "ceo cfo offices customers bankrupt hired laid sells founded merged closed opened "
        "franchise"
    ),
)
# Words before a legal form that begin a sentence and are no name.
_LEADING_WORDS = frozenset(
    "the a an our my his her their your this that at for from with by and or in of to".split()  # noqa: SIM905
)


def find_organisations(text: str) -> Iterator[Finding]:
    """Companies with a legal form, surely; others if a name is before the cue."""
    said = fold_words(text)
    for match in _WITH_LEGAL_FORM.finditer(text):
        start = _name_start(text, match.start(), match.end())
        if start is not None:
            end = match.end() - (text[match.end() - 1] in ",;")
            yield Finding(start, end, PersonalDataType.ORGANISATION)
    for match in _FAMILY_FIRM.found(text, said):
        yield Finding(match.start(), match.end(), PersonalDataType.ORGANISATION)
    for start, end in (*_find_by_form(text, said), *_find_by_context(text, said)):
        yield Finding(start, end, PersonalDataType.ORGANISATION, sure=False)


def _find_by_form(text: str, said: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Last names in a row, and names with group, bank, university and the like."""
    for pattern in (_THREE_NAMES_FIRM, _TWO_NAMES_FIRM):
        for match in pattern.found(text, said):
            if all(_is_last_name(name) for name in match.groups()):
                yield match.span()
    for match in _NAME_WITH_TYPE.finditer(text):
        start = _name_start(text, match.start(), match.start(2))
        if start is not None and _has_distinctive_word(text[start : match.start(2)]):
            yield start, match.end()
    for match in _INSTITUTION.found(text, said):
        yield match.span()


def _find_by_context(text: str, said: frozenset[str]) -> Iterator[tuple[int, int]]:
    for match in _BEFORE_COMPANY_VERBS.found(text, said):
        if all(word_class(word.strip(".,'")) == WordClass.UNKNOWN for word in match[1].split(" ")):
            yield match.span(1)
    for match in _AFTER_EMPLOYMENT_WORDS.found(text, said):
        first = word_class(match[1].split(" ")[0].strip(".,'-")) & (NOT_ONLY_NAME | WordClass.FIRST)
        if first != WordClass.FIRST and _has_distinctive_word(match[1]):
            yield match.start(1), _trimmed_end(text, match.end(1))


def _trimmed_end(text: str, end: int) -> int:
    """The end of a name, without a punctuation mark and a genitive 's."""
    while text[end - 1] in ".'-&,":
        end -= 1
    return end - 2 if text[end - 2 : end] in ("'s", "’s") else end


def _name_start(text: str, start: int, end: int) -> int | None:
    """The start of the name after words such as "The"; None if nothing is left."""
    at = start
    for word in text[start:end].split(" ")[:5]:
        if word.casefold().strip(".,") not in _LEADING_WORDS:
            break
        at += len(word) + 1
    return at if at < end - 3 else None


def _is_last_name(word: str) -> bool:
    return bool(word_class(word.strip(".,'")) & WordClass.LAST)


def _has_distinctive_word(name: str) -> bool:
    """Whether a word of the name is neither an ordinary word nor a place."""
    for part in name.replace("&", " ").split():
        word = part.strip(".,'’-").removesuffix("'s").removesuffix("’s")
        kind = word_class(word)
        if word and not kind & NOT_ONLY_NAME and not word.isdecimal():
            return True
    return False
