"""Passwords, codes and pins in a sentence: "the password for the printer is bluebird". Pure."""
# ruff: noqa: RUF001

import re
from collections.abc import Iterator

from memories.language.gazetteers.stopwords import STOPWORDS
from memories.safety.personal_data.informal.spelt_numbers import NUMBER_WORDS
from memories.safety.personal_data.word_classes import word_class
from memories.safety.prefilter import PrefilteredPattern
from memories.safety.required_checks import Finding, PersonalDataType

# A password in a sentence: "the password for the printer is bluebird".
_NAMED = (
    r"(?:(?:secret|security|safety|magic) (?:word|phrase|answer)|safe ?word|geheimwort|losungswort"
    r"|codewort|mot secret|palabra secreta|parola segreta|palavra secreta|geheim woord"
    r"|tajne s[łl]owo"
    r"|gizli kelime|pass ?word|passcode|pass ?phrase|passwd|pwd|pin(?: code| number)?|log-?in code"
    r"|(?:door|gate|alarm|safe|entry|access|lock|unlock|wi-?fi|wlan|key) ?-?(?:code|combination"
    r"|key)"
    r"|combination|kennwort|passwort|geheimzahl|türcode|mot de passe|code d'accès|contraseña"
    r"|clave|senha|palavra-passe|password|parola d'ordine|codice|wachtwoord|toegangscode|has[łl]o"
    r"|kod pin"
    r"|şifre\w{0,3}|parola\w{0,3})"
)
_IS = (
    r"(?:\s{0,2}[:=]\s{0,2}|\s(?:is|was|remains|reads|ist|lautet|war|est|es|è|era|é"
    r"|jest|to|olarak)(?:\s(?:now|still|changed to|set to|just|always|simply|jetzt|maintenant"
    r"|ahora|ora|agora|nu|teraz))?\s{1,2}|\s(?=\d{4,8}\b))"
)
_TOLD = PrefilteredPattern(
    re.compile(
        rf"(?<![$\w]){_NAMED}\b(?:\s(?:for|of|to|on|at|in|für|am|vom|von|der|des|du|de|pour|para"
        rf"|del|di|per"
        rf"|van|voor|do|dla|için)\b(?:\s[\w'-]{{1,30}}){{1,4}}?)?{_IS}"
        r"([\"'`]?)([^\s\"'`]{3,64})[\"'`]?",
        re.IGNORECASE,
    ),
    (
        *(
            "secret word",
            "secret phrase",
            "secret answer",
            "security",
            "safe",
            "magic",
            "losung",
            "mot s",
        ),
        *(
            "palabra",
            "geheim woord",
            "tajne",
            "gizli",
            "pass",
            "pwd",
            "pin",
            "code",
            "combination",
            "key",
            "wort",
            "mot de",
            "contraseña",
        ),
        *("clave", "senha", "palavra", "parola", "codice", "zahl", "has", "kod", "ifre", "woord"),
    ),
)
# "use bluebird as the password", "log in as anna with bluebird7".
_GIVEN = PrefilteredPattern(
    re.compile(
        r"\b(?:use|using|with|enter|type|take|nimm"
        r"|mit)\s[\"'`]?([^\s\"'`]{4,64})[\"'`]?\sas\s(?:the|your|a"
        r"|our|its|my)?\s?(?:\w{1,20}\s)?(?:password|passcode|pin|passphrase)\b"
        r"|\b(?:log|sign)(?:s|ged|ging|ned|ing)?[ -]?(?:in|on) (?:as|with) [\w.@-]{2,40}"
        r" (?:and|with|/|plus) (?:the )?"
        r"(?:password |pass |pw )?[\"'`]?([^\s\"'`]{4,64})",
        re.IGNORECASE,
    ),
    ("as ", "log", "sign"),
)
# A name and a password: "guest / Sunflower!24", "root:Fjord_22". The name stands alone.
_PAIR = PrefilteredPattern(
    re.compile(r"(?<![^\s(\"'`,;])([a-z][a-z0-9_.-]{1,30})(?: / |[/:])[\"'`]?([^\s\"'`/]{6,64})"),
    ("/", ":"),
)
# What a pair is for: one of these words stands before it.
_ACCOUNT = re.compile(
    r"\b(?:log-?ins?|log-?on|sign-?in|wi-?fi|wlan|users?|usernames?|accounts?|credentials|router"
    r"|s?ftp|ssh|vpn|database|camera|portal|network|zugang|benutzer|konto|netzwerk|compte|accès"
    r"|utilisateur|usuario|cuenta|acceso|utente|accesso|conta|acesso|gebruiker|toegang|sieć"
    r"|użytkownik|kullanıcı|hesap)\b",
    re.IGNORECASE,
)
_ACCOUNT_CHARACTERS = 60
# A password right behind its name: "secret Xk9-parrot-12", "key is Lobster*2025".
_BEHIND = PrefilteredPattern(
    re.compile(
        rf"(?<![$\w])(?:{_NAMED}|secret|key)\b(?:{_IS}|\s{{1,2}})[\"'`]?([^\s\"'`]{{6,64}})",
        re.IGNORECASE,
    ),
    ("secret", *_TOLD.signs),
)
_PASSPHRASE = PrefilteredPattern(re.compile(r"\bpass ?phrase:? ", re.IGNORECASE), ("phrase",))
_MARKS = frozenset("!#$%&*?+~^")
_PLACEHOLDERS = ("<", "[", "{", "$", "*", "http", "(", "/", "./", "~")
# What is said about passwords, in languages whose words no list has.
TELLING = frozenset(
    """
    falsch richtig abgelaufen gesperrt geheim nötig gespeichert hinterlegt geändert zurückgesetzt
    abgelehnt vergessen expiré obligatoire incorrect requis oublié modifié stocké changé perdu
    incorrecta obligatoria caducada guardada cambiada olvidada errata scaduta obbligatoria salvata
    cambiata incorreta expirada obrigatória guardada alterada esquecida verlopen verplicht onjuist
    gewijzigd vergeten opgeslagen błędne wymagane wygasło zmienione zapisane yanlış gerekli doldu
    değişti gizli vault hashed salted resettable alphanumeric reset rotated expired bent lost
    broken gone chosen set known sent kept given shown written taken hidden forgotten
    """.split()  # noqa: SIM905
)


# A password of several words, up to the end of its sentence: "correct horse battery staple".
_SEVERAL = re.compile(
    r"[\"'`]?[^\W\d_]{2,20}(?:[ -][^\W\d_]{2,20}){2,7}[\"'`]?(?=\s{0,2}(?:[.,;!)\n]|$))"
)
_LEAST_WORDS = 4


def said_passwords(text: str) -> Iterator[Finding]:
    """The passwords that a text tells; a person should check each."""
    for match in _TOLD.found(text):
        several = _SEVERAL.match(text, match.start(2))
        if several and _is_passphrase(several[0]):
            yield Finding(*several.span(), PersonalDataType.API_KEY, sure=False)
        elif _is_secret(match[2], quoted=bool(match[1])):
            yield _finding(match, 2)
    for match in _GIVEN.found(text):
        group = 1 if match[1] else 2
        if _is_secret(match[group], quoted=False):
            yield _finding(match, group)
    for match in _PAIR.found(text):
        before = text[max(0, match.start() - _ACCOUNT_CHARACTERS) : match.end(1)]
        if _looks_made_up(match[2]) and _ACCOUNT.search(before):
            yield _finding(match, 2)
    for match in _BEHIND.found(text):
        if _looks_made_up(match[1]):
            yield _finding(match, 1)
    for match in _PASSPHRASE.found(text):
        several = _SEVERAL.match(text, match.end())
        if several and _is_passphrase(several[0]):
            yield Finding(*several.span(), PersonalDataType.API_KEY, sure=False)


def _looks_made_up(value: str) -> bool:
    """Whether a word has letters, a digit, and a sign that words do not have or a dash between
    small and capital letters."""
    bare = value.rstrip(".,;:)")
    if bare.startswith(_PLACEHOLDERS) or "=" in bare or "://" in bare:
        return False
    if not (any(map(str.isdigit, bare)) and any(map(str.isalpha, bare))):
        return False
    mixed = any(map(str.islower, bare)) and any(map(str.isupper, bare))
    return bool(_MARKS.intersection(bare[:-1])) or (mixed and bool(set("-_!").intersection(bare)))


def _finding(match: re.Match[str], group: int) -> Finding:
    start = match.start(group)
    return Finding(start, start + len(_bare(match[group])), PersonalDataType.API_KEY, sure=False)


def _bare(value: str) -> str:
    """A word without the marks that end its sentence."""
    return value.rstrip(".,;:!?)") or value


def _is_passphrase(value: str) -> bool:
    """Whether some words are a password: joined by dashes, or four or more that make no
    sentence."""
    words = value.casefold().replace("-", " ").split()
    joined = "-" in value and " " not in value
    if not joined and len(words) < _LEAST_WORDS:
        return False
    if joined:
        words = [word for word in words if word not in NUMBER_WORDS]
    return not any(
        word in STOPWORDS or word in TELLING or word in NUMBER_WORDS or word.endswith(("ly", "ed"))
        for word in words
    )


def _is_secret(value: str, *, quoted: bool) -> bool:
    """Whether a word is a password and tells nothing about one: not "required", "stored"."""
    bare = _bare(value)
    if bare.casefold() in NUMBER_WORDS:
        return False
    if bare.startswith(_PLACEHOLDERS):
        return False
    if quoted or any(not sign.isalpha() and sign not in "-'" for sign in bare):
        return any(map(str.isalnum, bare))
    mixed = any(map(str.isupper, bare[1:])) and not bare.isupper()
    stems = {
        bare.casefold().removesuffix(ending) for ending in ("", "d", "ed", "ing", "ped", "ted")
    }
    return mixed or not (stems & TELLING or any(word_class(stem) for stem in stems))
