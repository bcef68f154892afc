"""Where the gates get their detectors from; the one place that names them.

A detector takes the plain form of a text and says what it found. With the setting GATE_PRESIDIO the
one with a model of language looks as well; it finds no less than the light one.
"""

from django.conf import settings

from memories.safety.findings import Finding
from memories.safety.personal_data.detect import find_personal as light
from memories.safety.personal_data.known import KnownNames
from memories.safety.plain_text import PlainText
from memories.safety.poisoning.detect import find_poison


def personal(text: PlainText, known: KnownNames) -> list[Finding]:
    """What is personal in a text. Raises whatever its detector raises, also where it is missing."""
    if settings.GATE_PRESIDIO:
        # It takes seconds to load, and is an extra.
        from memories.safety import presidio

        return presidio.find_personal(text, known)
    return light(text, known)


def poison(text: PlainText) -> list[Finding]:
    """What would steer a model that reads the text. Raises whatever its detector raises."""
    return find_poison(text)
