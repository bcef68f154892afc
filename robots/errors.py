"""What can go wrong between a robot and those it speaks for."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orgs.principals import Actor


class MissingScopeError(Exception):
    """The caller lacks the scope that this call needs."""

    def __init__(self, scope: str) -> None:
        super().__init__(
            f"This call needs the scope `{scope}`; ask an admin for a key that has it."
        )
        self.scope = scope


class KeyGroupsError(Exception):
    """The key is limited to groups, and the call would leave them."""

    def __init__(self, detail: str) -> None:
        super().__init__(f"This key is limited to groups. {detail}")


class InvalidKeyLimitError(ValueError):
    """A key cannot be limited like this. field: the field of the call that is wrong."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(f"{field}: {detail}")
        self.errors = [{"field": field, "detail": detail}]


class KeyAddressError(Exception):
    """The key opens nothing from the address of this call. actor: the robot of the key."""

    def __init__(self, actor: "Actor") -> None:
        super().__init__(
            "This key opens nothing from your address. Ask an admin of the organisation to add "
            "your network to the key."
        )
        self.actor = actor


class EnrolmentUsedUpError(Exception):
    """The enrolment key registered as many robots as it may."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"This enrolment key has registered {most} robots, which is all that it may. "
            "Ask an admin for another one."
        )


class ImpersonationError(Exception):
    """The caller claims to be somebody else, which it may not."""


class WrongCodeError(Exception):
    """The code is not the member's, or it has expired."""

    def __init__(self) -> None:
        super().__init__("This code is not theirs, or it is over. Nothing was linked.")


class TeamInUseError(Exception):
    """The team cannot be removed: it is the only reader of some memories."""


class TeamFullError(Exception):
    """The team has as many robots as a team may have."""


class NoSilentRobotError(Exception):
    """No active robot of the team is silent, so none is replaced."""

    def __init__(self) -> None:
        super().__init__(
            "The active robots of this team are heard from. Name a robot to make it active as well."
        )


class NoPassiveRobotError(Exception):
    """The team has no passive robot that could take over."""

    def __init__(self) -> None:
        super().__init__("No passive robot is in this team. Nothing was changed.")


class LastActiveRobotError(Exception):
    """The change would leave the team without an active robot."""

    def __init__(self) -> None:
        super().__init__("This is the last active robot of the team. Promote another one first.")
