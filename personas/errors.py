"""What can go wrong with personas and blocks."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memories.safety.check_text import Verdict


class MissingAssociationError(Exception):
    """A profile cannot be written before the member has a confirmed persona."""

    def __init__(self) -> None:
        super().__init__(
            "No persona is known of this member yet. Call POST /personas/associations first. "
            "Nothing was stored."
        )


class BlockOutdatedError(Exception):
    """The block has changed since the version that was read.

    text, version: of the block as it is now. diff: from that to the text that was sent, word by
    word, as [{op, text}] with op same, del or ins.
    """

    def __init__(self, text: str, version: int, diff: list[dict[str, str]]) -> None:
        super().__init__("The block has changed since you read it. Nothing was stored.")
        self.more = {"current": {"text": text, "version": version}, "diff": diff}


class BlockTooLongError(Exception):
    """The text would be longer than the block allows; limit, length: in characters."""

    def __init__(self, label: str, limit: int, length: int) -> None:
        super().__init__(
            f"{label} holds at most {limit:,} characters; this would be {length:,}. Shorten it, or "
            "send on_overflow: consolidate. Nothing was stored."
        )
        self.limit, self.length = limit, length


class PersonalDataError(Exception):
    """The gate found personal data, or text that instructs a model, in a block that may not hold
    it.

    verdict: what it found, as kinds and positions. kinds: those that the writer may know. Only
    those who keep the organisation's list of names learn that a name is on it.
    """

    def __init__(self, verdict: "Verdict", kinds: "Mapping[str, int]") -> None:
        found = ", ".join(kinds) or "something that it does not name"
        super().__init__(
            f"This block holds nothing personal, and the gate found: {found}. Leave it out, or "
            "send on_personal_data: sanitise. Nothing was stored."
        )
        self.verdict, self.kinds = verdict, kinds


class BlockReadOnlyError(Exception):
    """The caller may not write this block."""
