"""Where the gates get their detectors from; the one place that names them.

A detector takes the plain form of a text and says what it found. A heavier one, which looks for
persons with a model of language, may be put beside the light one here; it must find no less.
"""

from memories.safety.findings import Finding
from memories.safety.personal_data.detect import find_personal as light
from memories.safety.personal_data.known import KnownNames
from memories.safety.plain_text import PlainText
from memories.safety.poisoning.detect import find_poison


def personal(text: PlainText, known: KnownNames) -> list[Finding]:
    """What is personal in a text. Raises whatever its detector raises."""
    return light(text, known)


def poison(text: PlainText) -> list[Finding]:
    """What would steer a model that reads the text. Raises whatever its detector raises."""
    return find_poison(text)
