"""Personal data as people write it in a hurry, or to be read by people alone."""

import base64

import pytest

from memories.safety.personal_data.known_names_type import KnownNames
from memories.safety.personal_data.light_detector import find_personal_data
from memories.safety.plain_text import to_plain_text
from memories.safety.required_checks import mask_findings

NOBODY = KnownNames()


def without(text: str) -> str:
    """The text with what was found replaced by its kind."""
    return mask_findings(text, find_personal_data(to_plain_text(text), NOBODY))


@pytest.mark.conformance("P17")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # Names in lower case.
        ("please ask anna weber about the lift", "please ask [person] about the lift"),
        ("the invoice goes to peter schmidt today", "the invoice goes to [person] today"),
        ("tell maria that it is free", "tell [person] that it is free"),
        ("anna's birthday is in may", "[person]'s birthday is in may"),
        ("spoke to zahida nazaryan", "spoke to [person]"),
        # Initials.
        ("A. W. called about the lease.", "[person] called about the lease."),
        ("The report to J.K. is late.", "The report to [person] is late."),
        ("signed by j. weber", "signed by [person]"),
        ("Weber, A. has the key.", "[person] has the key."),
        # Addresses for people to read.
        ("anna dot weber at example dot org", "[email]"),
        ("anna (at) example (dot) com", "[email]"),
        ("a.weber at-sign example period com", "[email]"),
        ("anna ät beispiel punkt de", "[email]"),
        ("paul arobase exemple point fr", "[email]"),
        ("juan arroba ejemplo punto es", "[email]"),
        ("anna chiocciola esempio punto it", "[email]"),
        ("anna małpa przyklad kropka pl", "[email]"),
        ("please email anna.weber at example.org", "please email [email]"),
        ("anna&#64;example.org has it", "[email] has it"),
        ("anna%40example.org has it", "[email] has it"),
        ("anna\\u0040example.org has it", "[email] has it"),
        # Numbers in words.
        ("call oh one seven six five five five one two three", "call [phone]"),
        ("my number: double five, three one nine, eight two", "my number: [phone]"),
        ("null eins sieben sechs fünf fünf eins zwei", "[phone]"),
        ("zéro six douze".replace("douze", "un deux deux quatre cinq un"), "[phone]"),
        ("zero cinque uno due due tre quattro", "[phone]"),
        ("zero pięć jeden dwa dwa trzy cztery", "[phone]"),
        ("forty two, seventeen, thirty three, ninety", "[phone]"),
        ("four one one one, one one one one, one one one one, one one one one", "[card]"),
        ("the pin is four seven one two", "the pin is [api_key]"),
        # Passwords in a sentence.
        ("the password for the printer is bluebird", "the password for the printer is [api_key]"),
        ("The wifi password is Sunflower-Street.", "The wifi password is [api_key]."),
        ("his pin is 4711, I think", "his pin is [api_key], I think"),
        ("the door code is 2580", "the door code is [api_key]"),
        ("use hunter22 as the password", "use [api_key] as the password"),
        ("log in as admin with Tiger!2024", "log in as admin with [api_key]"),
        ('the passphrase is "correct horse"', 'the passphrase is "[api_key] horse"'),
        ("das Passwort lautet Zauberwald9", "das Passwort lautet [api_key]"),
        ("le mot de passe est Soleil99", "le mot de passe est [api_key]"),
        ("la contraseña es gatito123", "la contraseña es [api_key]"),
        ("la password del router è gattonero5", "la password del router è [api_key]"),
        ("a senha é solzinho7", "a senha é [api_key]"),
        ("het wachtwoord is fietsbel12", "het wachtwoord is [api_key]"),
        ("hasło to zielonylas7", "hasło to [api_key]"),
        # A name and a password, or a password right behind its name.
        ("the wifi takes guest / Summer!77x", "the wifi takes guest / [api_key]"),
        ("ftp account: upload:Fjord_2022", "ftp account: upload:[api_key]"),
        ("sign in as deploy with Marble$4410", "sign in as deploy with [api_key]"),
        ("backup secret Xk9-parrot-12", "backup secret [api_key]"),
        ("the network key is Oyster*25", "the network key is [api_key]"),
        ("passphrase correct horse battery staple", "passphrase [api_key]"),
    ],
)  # fmt: skip
def test_it_is_found_however_it_is_written(text: str, shown: str) -> None:
    assert without(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "the rose garden may close in june", "will the lift mark the floor",
        # No account stands beside the pair.
        "The ratio is fs / 2*(n-1) of it.",
        "jenkins builds the branch, ansible rolls it out", "alexa skills are out of scope",
        "see docs/anna/readme and run --name web", "the ruby script and the julia notebook agree",
        "The U.S. team and the U.K. team said so.", "It is 9 a.m. in L.A. and noon in D.C.",
        "E.g. this one. I.e. that one.", "look at example.org for the figures",
        "meet at the point on the map", "write to the log at example.org/x",
        "Count one two three four five six seven.", "seven seven seven seven seven seven seven",
        "one or two of the three or four halls", "Three of five, two of nine, one of eight.",
        "the password is required on every login", "The password is stored in the vault.",
        "your password is wrong", "the password was changed by IT last week",
        "The pin is bent, order a new one.", "error code is 4711 again", "the code is reviewed",
        "das Passwort ist falsch", "le mot de passe est obligatoire",
        "la contraseña es obligatoria", "the alarm code is with reception",
        "use the form as the password reset page says", "log in as an admin with care",
        "The combination of both is better.", "password: <yours>", "the pin is {{pin}}",
        "the login / logout events of 2026", "users see and/or Version2!", "key OPS-1234 is open",
        "the account opens https://x.example/a?b=C3!d", "accounts 12/2025-13/2026 are closed",
        "the password page of 2025", "the network runs tcp/ipv6-only",
    ],
)  # fmt: skip
def test_ordinary_sentences_pass(text: str) -> None:
    assert without(text) == text


def test_what_was_found_in_another_reading_is_masked_in_the_original() -> None:
    text = "Ann\u200ba: anna&#x40;example&period;org."
    assert without(text).endswith(": [email].")


def test_a_code_is_no_name() -> None:
    code = base64.b64encode(b"nothing to see here").decode()
    assert without(f"ref {code}") == f"ref {code}"
