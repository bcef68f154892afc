"""What members have decided about themselves, as refusals."""

from memories.access.visibility import Visibility


class LearningPaused(Exception):
    """Whom it is about lets nothing be learnt about them at present."""

    def __init__(self) -> None:
        super().__init__("This member has paused learning. Nothing was stored.")


class SharingOff(Exception):
    """Whom it is about has opted out of sharing."""

    def __init__(self) -> None:
        super().__init__(
            "This member has opted out of sharing. Keep it private to them, or in the group where "
            "it was said. Nothing was stored."
        )


WIDE = (Visibility.ORGANISATION, Visibility.SHARED)
