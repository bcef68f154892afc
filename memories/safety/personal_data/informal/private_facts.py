"""Private facts of a person: health, family, belief, pay, birth; in nine languages. Pure.

"The diabetes app" and "the union agreement" are work. A fact is private where the same sentence
says whose it is: "she", "my", a title, initials or a listed first name. It is never sure.
"""
# ruff: noqa: RUF001

import re
from collections.abc import Iterator

from memories.safety.personal_data.informal.anchors import Anchors, as_read
from memories.safety.personal_data.word_classes import FIRST_NAMES_ONLY
from memories.safety.required_checks import Finding, PersonalDataType

# Illnesses and states of health.
_ILL = (
    r"(?:(?:type (?:1|2|one|two) )?diabet\w{1,6}|depress(?:ion|ed|ive|ioni?|ioned|iva)|depressão"
    r"|depresión|depresj\w{1,3}|depresyon|burn-?out|cancer|krebs|cáncer|cancro|câncer|kanker|kanser"
    r"|tumou?r|tumore|leuk[aä]mi\w{1,2}|anxiety|angststörung|panic attacks|bipolar\w{0,4}|adhd|adhs"
    r"|autis\w{1,5}|epileps\w{1,4}|hiv|aids|hepatitis|ms|multiple sclerosis|asthma|migraines?"
    r"|alcoholi\w{1,3}|addiction|an eating disorder|anorexi\w{1,3}|ptsd|dementia|alzheimer\w{0,2}"
    r"|parkinson\w{0,2}|a miscarriage|a heart attack|a stroke|chemo\w{0,8}|covid)"
)
_HAS = (
    r"(?:has|have|had|got|gets|suffers? from|suffering from|struggles? with|struggling with"
    r"|treated for|recovering from|recovers from|fights?|fighting|battling|battles|living with"
    r"|lives with|because of|due to|with|mentions|shows|hat|leidet an|leidet unter|wegen|souffre"
    r" d[e']|a un|a une|atteinte? d[e']|tiene|padece|sufre|ha|soffre di|tem|sofre de|heeft"
    r"|lijdt aan|ma"
    r"|choruje na|cierpi na|na)"
)
_HEALTH = (
    r"diagnos(?:ed|tiziert|tiqué\w?|ticada|ticado|ticata|ticato|ed with|ticeerd)\b"
    r"|(?:was|is|has been|been) (?:hospitali[sz]ed|operated on|sectioned|in rehab|in therapy"
    r"|infertile|transgender|disabled)\b"
    r"|(?:is|was|be|been|got) (?:\w{1,10} )?pregnant\b|\bschwanger\b|\benceinte\b|\bembarazada\b"
    r"|\bincinta\b|\bgrávida\b|\bzwanger\b|\bw ciąży\b|\bhamile\b"
    r"|(?:(?:is|was|been|be|went|off) )(?:off )?(?:on )?(?:\w{1,10} )?(?:sick(?: leave| with)?"
    r"|ill with)"
    r"|\bkrankgeschrieben\b|\ben arrêt maladie\b|\bde baja\b|\bin malattia\b|\bde baixa\b"
    r"|\bin de ziektewet\b|\bna zwolnieniu lekarskim\b|\bna l4\b|\braporlu\b"
    rf"|\b{_HAS} (?:\w{{1,12}} ){{0,3}}?{_ILL}\b"
    r"|\b(?:therapist|psychiatrist|psychologist|psychotherapist|gynaecologist|oncologist|therapeut"
    r"|therapeutin|psychiater|psychiaterin|psy|psychologue|psychiatre|psicólog[oa]|psiquiatra"
    r"|terapeuta|psicologo|psicologa|psichiatra|psycholoog|psycholog|psychiatr\w?|terapeut\w{0,2}"
    r"|psikolog\w{0,3}|psikiyatr\w{0,3}|terapist\w{0,3})\b"
    r"|\b(?:blood (?:type|group|pressure|test)|blutgruppe|groupe sanguin|grupo sangu[ií]neo|gruppo"
    r" sanguigno|bloedgroep|grup[aęy] krwi|kan grubu)\b"
    r"|\b(?:patient(?:'s)? (?:file|record|number|id|history)|medical (?:file|record|history|report"
    r"|certificate)|health record|patientenakte|krankenakte|dossier médical|historia clínica"
    r"|historial médico|cartella clinica|ficha médica|prontuário|patiëntendossier|medisch dossier"
    r"|karta pacjenta|historia choroby|hasta dosyası)\b"
    r"|\b(?:antidepressants?|insulin|methadone|antidepressiva|antidépresseurs?|antidepresivos?)\b"
    r"|\b(?:is|are|ist|est|es|è|é|jest) (?:\w{1,10} )?(?:allergic to|hiv[ -]positive|an alcoholic"
    r"|allergisch|allergique|alérgic[oa]|allergic[oa]|uczulon\w)\b"
)
_FAMILY = (
    r"\b(?:getting|got|is|are|was|gets|been|a|his|her|their|my) (?:a |the )?(?:divorced?"
    r"|separated)\b"
    r"|\bfil(?:ed|ing) for divorce\b|\blets? (?:sich )?scheiden\b|\b(?:lässt"
    r"|lassen) sich scheiden\b"
    r"|\bgeschieden\b|\bin scheidung\b|\bdivorc(?:e|é|ée|ent)\b|\bse está divorciando\b"
    r"|\bdivorciad[oa]\b|\bsta divorziando\b|\bdivorziat[oa]\b|\bgaat scheiden\b|\brozwodzi się\b"
    r"|\bpo rozwodzie\b|\bboşan\w{2,8}\b"
    r"|\b(?:has|had|having) an affair\b|\bcustody (?:of|battle|over|hearing)\b|\bsorgerecht\b"
    r"|\bcheat(?:s|ed|ing) on\b|\bis adopted\b|\b(?:broke|split|breaking) up with\b"
    r"|\bdivorces?\b(?! rate| law| app)|\bdivor[czç]io\b|\bdivórcio\b"
    r"|\b(?:kids?|children|son|daughter|kinder|sohn|tochter|enfants?|fils|fille|hij[oa]s?"
    r"|figli[oa]?"
    r"|filh[oa]s?|kinderen|dzieci|syn|córka|çocu\w{1,6})\b[^.\n]{0,30}?\b(?:school|kindergarten"
    r"|nursery|daycare|primary|schule|kita|école|colegio|escuela|scuola|asilo|escola"
    r"|szko[łl]\w{1,2}"
    r"|przedszkol\w{1,2}|okul\w{0,4})\b"
    r"|\bis (?:gay|lesbian|bisexual|homosexual|trans|queer|single again)\b"
    r"|\bist (?:schwul|lesbisch|homosexuell)\b|\best (?:gay|lesbienne|homosexuelle?)\b"
    r"|\b(?:girlfriend|boyfriend|mistress|lover|ex-wife|ex-husband)\b"
)
_BELIEF = (
    r"\b(?:voted|votes|voting) (?:for|against) (?:the )?(?:greens?|labour|tor(?:y|ies)"
    r"|conservatives?"
    r"|liberals?|democrats?|republicans?|socialists?|communists?|left|right|far[- ]right|afd|spd"
    r"|cdu"
    r"|csu|fdp|trump|biden|brexit|leave|remain|populars?|podemos|vox)\b"
    r"|\b(?:wählt|hat) (?:\w{1,10} )?(?:grün|die grünen|afd|spd|cdu|die linke)\b"
    r"|\ba voté (?:pour )?\w{2,20}\b|\bvot[óo] (?:a|por|al|per|no|na|em)\b|\bha votato\b"
    r"|\bgłosował\w? na\b|\bstemde op\b|\boy verdi\b"
    r"|\b(?:is|was|became|joined|are|in|of) (?:an? |the )?(?:\w{1,12} )?(?:union(?: member| rep)?"
    r"|trade union|works council|communist party|labour party|green party)\b(?! agreement"
    r"| contract)"
    r"|\b(?:ist|est|es|è|é|jest) (?:in der gewerkschaft|gewerkschaftsmitglied|syndiqué\w?"
    r"|sindicalista|afiliad[oa]|iscritt[oa] al sindacato|sindicalizad[oa]|w związku zawodowym)\b"
    r"|\bis lid van (?:de|een) (?:vakbond|partij)\b|\bsendika üyesi\b"
    r"|\b(?:is|are|was|became|being|ist|est|es|è|é) (?:an? |a devout |a practi[cs]ing |very )?"
    r"(?:muslims?|jew(?:ish)?|catholics?|protestants?|christians?|hindus?|buddhists?|sikhs?"
    r"|atheists?|mormons?|jehovah's witness|muslimisch|jüdisch|katholisch|evangelisch|musulman\w?"
    r"|juive?|catholique|judí[oa]|católic[oa]|ebre[oa]|cattolic[oa]|musulman[oa]|ateu)\b"
    r"|\b(?:converted to (?:islam|judaism|catholicism|christianity))\b"
)
_SUM = (
    r"(?:[€$£] ?\d[\d.,' ]{0,12}\d?k?|\d[\d.,']{0,12} ?(?:k\b|tsd|euros?\b|eur\b|€|\$|£|usd\b|gbp\b"
    r"|chf\b|pln\b|zł|tl\b|lira\b|francs?\b|dollars?\b|pounds?\b|brutto\b|gross\b|a (?:year|month)"
    r"|per (?:year|month|annum)|im (?:monat|jahr)|par mois|al mes|al año|al mese|por mês))"
)
_PAY = (
    r"\b(?:salary|wages?|pay(?:check|slip)?|bonus|pension|earns?|earned|makes|is paid|gets paid"
    r"|gehalt|lohn|verdient|bekommt|salaire|gagne|touche|sueldo|salario|nómina|gana|cobra|stipendio"
    r"|guadagna|prende|salário|ordenado|ganha|salaris|loon|verdient|pensj\w{1,3}|zarabia"
    rf"|wynagrodzeni\w|maaşı?|kazanıyor|alıyor)\b[^\n!?;]{{0,40}}?{_SUM}"
    r"|\b(?:is|are|went|war|ist) (?:\w{1,10} )?(?:bankrupt|insolvent|in debt"
    r"|behind on (?:the )?rent"
    r"|verschuldet|endetté\w?|endeudad[oa]|indebitat[oa]|zadłużon\w)\b"
    r"|\b(?:has|had) (?:\w{1,10} )?(?:debts?|a criminal record|been (?:arrested|convicted"
    r"|in prison))\b"
    r"|\b(?:was|were|been|got) (?:\w{1,10} )?(?:arrested|convicted|sentenced|jailed|evicted)\b"
)
_FACT = re.compile(as_read("|".join((_HEALTH, _FAMILY, _BELIEF, _PAY))), re.IGNORECASE)
# The words of which each fact has one.
_OF_FACTS = Anchors(
    """
    diagn* hospi* opera* secti* rehab thera* infer* transgender trans disab*
    pregn* schwa* encei* embar* incin* grávi* zwang* ciąży hamile sick ill krank* maladie baja
    malattia baixa ziektewet lekarskim l4 raporlu diabe* depre* burnout burn cance* krebs cánce*
    cancro cânce* kanker kanser tumor tumour tumore leuke* leukä* anxiety angst* panic bipol* adhd
    adhs autis* epile* hiv aids hepat* ms sclerosis asthma migra* alcoh* addiction disorder anore*
    ptsd demen* alzhe* parki* miscarriage attack stroke chemo* covid psych* psy psicó* psiqu* psico*
    psich* psiko* psiki* terap* gynae* oncol* blood blutg* sangu* bloed* krwi kan patie*
    medical medisch médic* health clínica médico clinica pront* pacjenta choroby hasta antid*
    insulin methadone aller* alérg* uczul* divor* separ* schei* gesch* rozwo* boşan* affair custody
    sorge* cheats cheated cheating adopted broke split breaking gay lesbian lesbienne bisexual
    homos* queer single schwul lesbisch girlf* boyfr* mistress lover ex voted votes voting wählt
    voté votó votou voto votato głoso* stemde oy union council party gewer* syndi* sindi* afili*
    iscritto iscritta vakbond partij sendika związku musli* jew jews jewish catho* prote* chris*
    hindu hindus buddh* sikh sikhs athei* mormon mormons jehovah jüdisch katho* evang* musul* juif
    juive judío judía católico católica ebreo ebrea catto* ateu islam judaism salary wage wages pay
    paycheck payslip bonus pension earns earned makes paid gehalt lohn verdi* bekommt salaire gagne
    touche sueldo salar* nómina gana cobra stipe* guada* prende salário ordenado ganha loon pensj*
    zarab* wynag* maaş maaşı kazan* alıyor bankrupt insolvent debt debts behind versc* endet* endeu*
    indeb* zadłu* criminal arrested convicted prison sentenced jailed evicted kid kids
    children son daughter kinder sohn tochter enfant enfants fils fille hijo hija hijos hijas figlio
    figlia figli filho filha filhos filhas kinde* dzieci syn córka çocuk* divórcio
    """
)
# How far around such a word a fact is looked for.
_REACH = 70
# Whose it is.
_WHOSE = re.compile(
    as_read(
        r"\b(?:i|i'm|i've|my|me|he|she|his|her|hers|him|he's|she's|mr|mrs|ms|miss|dr|herrn?|frau"
        r"|mme|m"
        r"|señora?|sra?|signora?|sig|mevrouw|meneer|pani?|senhora?|ich|mein\w{0,2}|seine?\w?"
        r"|ihr\w{0,2}"
        r"|er|sie|je|j'ai|mon|ma|mes|il|elle|son|sa|mi|él|ella|su|mio|mia|lui|lei|suo|sua|meu"
        r"|minha|ele"
        r"|ela|seu|mijn|hij|zij|ze|zijn|haar|mój|moja|ona|jego|jej|benim|onun|wife|husband"
        r"|daughter"
        # "on" is "he" in Polish, and in English it begins "on Tuesday".
        r"|on(?= (?:ma|jest|był|choruje|cierpi|leczy|zarabia|głosował|bierze|pije)\b)"
        r"|(?<=our )(?:intern|colleague|boss|manager|neighbour)|colleague|neighbou?r)\b"
        r"|(?<![\w.])[A-Z]\. ?[A-Z]\.|(?<![\w.])[^\W\d_]\. [^\W\d_]{3,}"
    ),
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_SENTENCE = re.compile(
    r"(?<!\bdr)(?<!\bmr)(?<!\bmrs)(?<!\bms)(?<![ .][^\W\d_])[.!?](?=\s)|\n", re.IGNORECASE
)
_AROUND = 120
# The day of somebody's birth, or its place.
_MONTHS = (
    r"(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]|gen|mag|giu|lug|ago|set|ott"
    r"|dic"
    r"|ene|abr|fév|avr|juin|juil|août|déc|sty|lut|kwi|cze|lip|sie|wrz|paź|lis|gru|oca|şub|nis|haz"
    r"|tem"
    r"|ağu|eyl|eki|kas|ara)[^\W\d_]{0,9}"
)
_DAY = (
    rf"(?:\d{{1,4}}[-./]\d{{1,2}}[-./]\d{{2,4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|er|\.)? (?:of |de |di )?{_MONTHS}|{_MONTHS} \d{{1,2}}"
    rf"|(?:\w{{3,7}}[ -])?(?:first|second|third|\w{{3,9}}th) (?:of )?{_MONTHS}\b)"
)
_BIRTH = re.compile(
    as_read(
        r"(?:date of birth|birth ?date|birthday|dob|d\.o\.b\.|born(?: on)?|geboren am|geb\.(?: am)?"
        r"|geburtsdatum|geburtstag|née? le|date de naissance|anniversaire|nacid[oa] el|nació el"
        r"|fecha de nacimiento|cumpleaños|nat[oa] il|data di nascita|compleanno|nascid[oa](?: em"
        r"| a)?"
        r"|nasceu (?:em|a)|data de nascimento|geboren op|geboortedatum|urodzon[ya]|data urodzenia"
        r"|doğum tarihi|doğum günü)(?!\w)"
        rf"[^\n.!?\d]{{0,20}}?{_DAY}"
        r"|(?:place of birth|birthplace|geburtsort|lieu de naissance|lugar de nacimiento|luogo di"
        r" nascita|local de nascimento|geboorteplaats|miejsce urodzenia|doğum yeri)(?::| is| was"
        r"| ist"
        r"| est| es| è| é|,)? {0,2}(?!is\b|field\b|and\b|or\b|required\b)[^\W\d_]{3,30}"
    ),
    re.IGNORECASE,
)
_OF_BIRTHS = Anchors(
    """
    date birth birthdate birthday dob d born geboren geb gebur* né née anniversaire nacido nacida
    nació fecha cumpl* nato nata data compl* nascido nascida nasceu gebor* geboo* urodzony urodzona
    doğum place birthplace lieu lugar luogo local miejsce
    """
)


def private_facts(text: str, heads: frozenset[str]) -> Iterator[Finding]:
    """What a text tells about a person's health, family, belief, pay or birth.

    heads: heads_of the words of the text.
    """
    if _OF_FACTS.among(heads):
        yield from _facts(text)
    if _OF_BIRTHS.among(heads):
        for place in _OF_BIRTHS.places(text):
            if match := _BIRTH.match(text, place):
                yield Finding(*match.span(), PersonalDataType.PRIVATE, sure=False)


def _facts(text: str) -> Iterator[Finding]:
    reached = 0
    for place in _OF_FACTS.places(text):
        if place < reached:
            continue
        match = _FACT.search(text, max(reached, place - _REACH), place + _REACH)
        if match and _is_somebodys(text, match.start(), match.end()):
            reached = match.end()
            yield Finding(*match.span(), PersonalDataType.PRIVATE, sure=False)


def _is_somebodys(text: str, start: int, end: int) -> bool:
    """Whether the same sentence says whose fact it is."""
    before = text[max(0, start - _AROUND) : start]
    stops = [stop.end() for stop in _SENTENCE.finditer(before)]
    after = text[end : end + _AROUND]
    stop = _SENTENCE.search(after)
    sentence = (
        before[stops[-1] if stops else 0 :]
        + text[start:end]
        + after[: stop.start() if stop else None]
    )
    if _WHOSE.search(sentence):
        return True
    return not FIRST_NAMES_ONLY.isdisjoint(_WORD.findall(sentence.casefold()))
