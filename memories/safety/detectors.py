"""The detectors of the gates.

A detector takes the plain form of a text and returns findings. With the setting GATE_PRESIDIO the
one with a language model is used, which finds everything that the light one finds, and more.
"""

from collections.abc import Iterable

from django.conf import settings

from memories.safety.personal_data.known_names_type import KnownNames
from memories.safety.personal_data.light_detector import find_personal_data as light
from memories.safety.plain_text import PlainText
from memories.safety.prompt_injection.find_injections import find_injections
from memories.safety.prompt_injection.split_orders import may_be_part
from memories.safety.prompt_injection.split_orders import split_orders as in_halves
from memories.safety.required_checks import Finding


def detect_personal_data(text: PlainText, known: KnownNames) -> list[Finding]:
    """The personal data in a text. Raises whatever the detector raises, also if it is not
    installed."""
    if settings.GATE_PRESIDIO:
        # Imported here: it takes seconds to load, and is optional.
        from memories.safety import presidio

        return presidio.find_personal_data(text, known)
    return light(text, known)


def detect_prompt_injection(text: PlainText) -> list[Finding]:
    """The parts of a text that would steer a reading model. Raises whatever the detector raises."""
    return find_injections(text)


def may_be_half(text: str) -> bool:
    """Whether a text without findings may be half of an order."""
    return may_be_part(text)


def split_orders(text: str, others: Iterable[str]) -> list[Finding]:
    """The parts of a text that are an order together with another text of its writer."""
    return in_halves(text, others)
