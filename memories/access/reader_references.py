"""The readers that a caller names, as references."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReaderReferences:
    """References (ids, external ids, platform:id) of who else may read."""

    members: tuple[str, ...] = ()
    robots: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.members or self.robots or self.groups or self.teams)
