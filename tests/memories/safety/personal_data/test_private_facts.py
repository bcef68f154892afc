"""Private facts, and numbers that stand for a person."""

import pytest

from memories.safety.personal_data.informal import identity_numbers as numbers
from memories.safety.personal_data.informal import private_facts as facts
from memories.safety.personal_data.informal.anchors import Anchors, heads_of
from memories.safety.personal_data.known_names_type import KnownNames
from memories.safety.personal_data.light_detector import find_personal_data
from memories.safety.plain_text import to_plain_text
from memories.safety.required_checks import mask_findings
from tests.memories.safety.personal_data.sentences import harmless_sentences, personal_sentences

FACTS = [
    "priya was diagnosed with asthma in may", "my therapist says i need a break",
    "mr okafor was arrested in june", "she is pregnant again", "he has been off sick since monday",
    "her blood type is a negative", "tomasz is getting divorced", "she voted for the greens",
    "he is a member of the communist party", "J.P. earns 84k",
    "seine Scheidung, sie ist geschieden",
    "Peter ist seit Montag krankgeschrieben", "gehalt von frau lindner: 61.400 euro",
    "ma femme est enceinte", "su marido tiene cáncer", "lei è incinta",
    "ela está grávida, meu deus",
    "zij is zwanger", "ona jest w ciąży", "onun kan grubu belli", "date of birth 1987-05-03",
    "born on the third of may", "geboren am 3. Mai", "née le 3 mai", "place of birth lodz",
]  # fmt: skip
NUMBERS = [
    "passport number of dimitri: 53 12 774401", "her tax id is 12 345 678 901",
    "mike's license plate is B-KL 4471", "his social security number is 078-05-1120",
    "Steuer-ID von Jonas: 65 929 970 489", "dni de carlos 12345678Z", "pesel 44051401359",
    "codice fiscale RSSMRA85T10A562S", "kenteken 4471-KLB", "tc kimlik no 12345678901",
]  # fmt: skip
WORK = [
    "The diabetes app sends a weekly report.", "The union agreement covers the night shift.",
    "Sick leave has to be reported before nine.", "Salary bands start at 42k.",
    "She leads the project on cancer care.", "The divorce rate is no part of the model.",
    "Date of birth is a required field.", "Passport renewals take twelve weeks.",
    "The tax number form of 2025 changed.", "our tax number is 44718",
    "The licence plate reader at gate 2 is broken.", "The company was born in 2004.",
    "She votes for the second option.", "The contract number is 2026-0113.",
    "Numéro de contrat 2026-0113-44", "Diese Regel gilt nur in Berlin.",
]  # fmt: skip
PASSWORDS = [
    ("the password is correct horse battery staple", "the password is [api_key]"),
    ("the wifi password at home is hunter-two-seven", "the wifi password at home is [api_key]"),
    ("my secret word is 'lighthouse'", "my secret word is '[api_key]'"),
    ("the password is twelve characters long at least", None),
    ("the password is shown once and never again", None),
    ("the password is up-to-date", None),
]


def kinds(text: str) -> set[str]:
    return {one.kind for one in find_personal_data(to_plain_text(text), KnownNames())}


@pytest.mark.conformance("P17")
@pytest.mark.parametrize("text", FACTS)
def test_a_fact_of_a_person_is_private(text: str) -> None:
    assert "private" in kinds(text)


@pytest.mark.parametrize("text", NUMBERS)
def test_a_number_behind_its_name_is_found(text: str) -> None:
    assert "ssn" in kinds(text)


@pytest.mark.parametrize("text", WORK)
def test_work_is_not_private(text: str) -> None:
    assert kinds(text) == set()


@pytest.mark.parametrize(("text", "shown"), PASSWORDS)
def test_a_password_of_several_words(text: str, shown: str | None) -> None:
    assert mask_findings(text, find_personal_data(to_plain_text(text), KnownNames())) == (
        shown or text
    )


def test_the_quick_look_leaves_nothing_out() -> None:
    """Each match of a slow pattern has a word for which it is tried."""
    texts = [
        *FACTS,
        *NUMBERS,
        *WORK,
        *(one.text for one in (*personal_sentences(), *harmless_sentences())),
    ]
    met = 0
    for text in texts:
        words = heads_of("".join(s if s.isalnum() else " " for s in text.lower()).split())
        for pattern, anchors in (
            (facts._FACT, facts._OF_FACTS),
            (facts._BIRTH, facts._OF_BIRTHS),
            (numbers._TOLD, numbers._OF_NUMBERS),
        ):
            for match in pattern.finditer(text):
                if match.start() and (text[match.start() - 1].isalnum()):
                    continue
                met += 1
                assert anchors.among(words), (text, match[0])
                assert any(True for _ in anchors.places(match[0])), (text, match[0])
    assert met >= len(FACTS) + len(NUMBERS)


def test_a_beginning_has_five_letters() -> None:
    with pytest.raises(ValueError, match="5 letters"):
        Anchors("dia*")
    assert list(Anchors("diagn*").places("a diagnosis")) == [2]
