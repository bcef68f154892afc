"""What can go wrong between a robot and those it speaks for."""


class MissingScope(Exception):
    """The caller lacks the scope that this call needs."""

    def __init__(self, scope: str) -> None:
        super().__init__(
            f"This call needs the scope `{scope}`; ask an admin for a key that has it."
        )
        self.scope = scope


class IdentityClaim(Exception):
    """The caller says it is somebody else."""


class WrongProof(Exception):
    """The code is not, or no longer, the member's own."""

    def __init__(self) -> None:
        super().__init__("This code is not theirs, or it is over. Nothing was linked.")
