"""Numbers that stand for a person, by the word before them: passport, tax, plate. Pure.

Each is unsure: the same word may name a form or a field, so a number must follow it.
"""
# ruff: noqa: RUF001

import re
from collections.abc import Iterator

from memories.safety.personal_data.informal.anchors import Anchors, as_read
from memories.safety.personal_data.payment_numbers import is_never_issued
from memories.safety.required_checks import Finding, PersonalDataType

_NAMED = (
    r"(?:ssn|social (?:security|insurance)|national (?:insurance|id)|nino|passport|id card"
    r"|identity (?:card|number|document)|driv(?:er'?s|ing) licen[cs]e|licen[cs]e plate|number plate"
    r"|(?:car|vehicle) registration|tax (?:id|number|no|code|file number)|tin|insurance number"
    r"|(?:patient|member|policy|personnel) (?:file|number|no|id)|medical record|visa number"
    r"|steuer-?(?:id|nummer|identifikationsnummer)|sozialversicherungs?-?nummer|sv-nummer"
    r"|rentenversicherungsnummer|versichertennummer|personalausweis\w{0,8}|ausweis-?n(?:umme)?r"
    r"|reisepass\w{0,8}|führerschein\w{0,8}|kennzeichen|nummernschild|patientennummer"
    r"|numéro (?:de sécurité sociale|fiscal|de passeport)|sécurité sociale|passeport"
    r"|carte d'identité|permis de conduire|plaque d'immatriculation|immatriculation"
    r"|dni|nie|nif|pasaporte|número de (?:la )?seguridad social|seguridad social"
    r"|carn[eé] de conducir"
    r"|matrícula|codice fiscale|passaporto|carta d'identità|patente|targa|tessera sanitaria"
    r"|cpf|rg|nif|passaporte|bilhete de identidade|cartão de cidadão|carta de condução"
    r"|segurança social"
    r"|bsn|burgerservicenummer|paspoort\w{0,8}|rijbewijs\w{0,8}|kenteken|identiteitskaart"
    r"|pesel|paszport\w{0,3}|dow[óo]d\w{0,2} osobist\w{1,4}|dow[óo]d|prawo jazdy|rejestracj\w{1,3}"
    r"|numer rejestracyjny|nip"
    r"|tc kimlik(?: no| numarası)?|kimlik (?:no|numarası)|pasaport\w{0,3}|plaka\w{0,3}"
    r"|vergi (?:no|numarası)"
    r"|ehliyet\w{0,3})"
)
# A number of at least four digits, or a plate with three; in groups, with letters.
_NUMBER = (
    r"(?:[A-Z]{6}\d\d[A-Z]\d\d[A-Z]\d{3}[A-Z]\b|"
    r"[A-ZÄÖÜ]{1,3}[ -][A-Z]{1,3} ?\d{1,4}\b"
    r"|(?:[A-Z]{1,3}[ -]?)?\d[\dA-Z]*(?:[ .\-/]{1,2}\d[\dA-Z]*"
    r"|[ -][A-Z]{1,3}\b)*)"
)
_TOLD = re.compile(
    rf"{as_read(_NAMED)}(?![\w-])[^\n!?;\d]{{0,40}}?(?<![^\W])((?-i:{_NUMBER}))", re.IGNORECASE
)
# The words with which the names begin.
_OF_NUMBERS = Anchors(
    """
    ssn social national nino passport id identity drive* drivi* licence license number car
    vehicle tax tin insurance patient member policy personnel medical
    visa steuer steue* sozia* sv rente* versi*
    perso* auswe* reise* führe* kennz* numme* patie* numéro sécurité passeport carte permis plaque
    immat* dni nie nif pasaporte número seguridad carné carnet matrícula codice passaporto carta
    patente targa tessera cpf rg passaporte bilhete cartão segurança bsn burge* paspo* rijbe* kente*
    ident* pesel paszp* dowód dowod dowodu prawo rejes* numer nip tc
    kimlik pasap* plaka plakası vergi ehliy*
    """
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEAST = 4
_PLATE = re.compile(r"[A-ZÄÖÜ]{1,3}[ -][A-Z]{1,3} ?\d{1,4}", re.IGNORECASE)
# Numbers of companies, which are public.
_COMPANYS = re.compile(r"\b(?:our|the company'?s?|unsere|notre|nuestro|nostro)\s$", re.IGNORECASE)


def identity_numbers(text: str, heads: frozenset[str]) -> Iterator[Finding]:
    """The numbers of passports, identity cards, plates, taxes and insurances of people.

    heads: heads_of the words of the text.
    """
    if not _OF_NUMBERS.among(heads):
        return
    for place in _OF_NUMBERS.places(text):
        match = _TOLD.match(text, place)
        if match and _is_a_persons(text, match):
            yield Finding(*match.span(1), PersonalDataType.SSN, sure=False)


def _is_a_persons(text: str, match: re.Match[str]) -> bool:
    number = match[1]
    if _YEAR.fullmatch(number) or (match[0].lower().startswith("s") and is_never_issued(number)):
        return False
    if sum(map(str.isdigit, number)) < _LEAST and not _PLATE.fullmatch(number):
        return False
    return not _COMPANYS.search(text[max(0, match.start() - 20) : match.start()])
