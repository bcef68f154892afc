"""Whose words a text gives, and who says so: the one place that names a speaker.

Two facts are kept of a text: who wrote it down, and whose words it gives. Only a member is proven:
they wrote it themselves, or the writer had a recorded right to speak for them
(`memories.access.speakers`). Any other name is what its writer calls somebody. So a member stands
plain, and a mere name stands in quotation marks beside who wrote it, also if a member is called so.

The words for models are made here, those for pages in `memories.views.origin_presenter`.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from memories.language.rendering.model_text import ModelText, render_name
from memories.store.models.memory import Memory
from memories.store.speakers.document_source import document_label
from orgs.models.audiences import AudienceType
from orgs.models.memberships import Member
from robots.models.conversations import Message, MessageRole
from robots.models.robots import Robot
from robots.registry.personal_robot_privacy import HIDDEN_ROBOT_NAME
from robots.registry.robots import IMPORT, WEB

# What the product made of other texts, and who it is that brought a file.
WORKED_OUT, IMPORTED, AN_IMPORT = "worked out", "imported", "an import"
# Characters of the place in a document.
MAX_DOCUMENT_LABEL = 200
_ROBOT, _MEMBER = "robot ", "member "
_FEW_READERS = (AudienceType.MEMBER, AudienceType.EXPLICIT)
# Quotation marks inside a marked name.
_INSIDE = str.maketrans(dict.fromkeys('"“”„‟«»\uff02', "'"))


class AssertedBy(StrEnum):
    """Who says whose words a text gives: its own author, a robot, an import, another member, or
    the service itself."""

    SELF = "self"
    ROBOT = "robot"
    IMPORT = "import"
    MEMBER = "member"
    SERVICE = "service"


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """Who wrote a text down. member: who was signed in; robot: None if the reader may not know it
    (`personal_robot_privacy`); builtin: the name of a built-in robot."""

    member: Member | None = None
    robot: Robot | None = None
    builtin: str = ""

    @classmethod
    def of(cls, member: Member | None, robot: Robot | None) -> "Writer":
        """The writer of a row with a member and a robot, of which either may be empty."""
        return cls(member=member, robot=robot, builtin=robot.builtin or "" if robot else "")

    @property
    def is_service(self) -> bool:
        """Whether nobody wrote it: the product worked it out."""
        return self.member is None and self.builtin == WEB

    @property
    def model_text(self) -> ModelText:
        """The writer inside a sentence of a text for a model."""
        if self.member is not None:
            return _member_text(self.member)
        if self.builtin:
            return ModelText(AN_IMPORT if self.builtin == IMPORT else WORKED_OUT)
        if self.robot is None:
            return ModelText(HIDDEN_ROBOT_NAME.lower())
        return render_name(self.robot.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """Whose words a text gives. speaker: the proven member; name: else what the writer calls
    somebody; with neither the words are the writer's own. reworded_by: who gave it its present
    words in the place of the speaker. deposit_for: the member for whom a robot left it among what
    few read, without their words. document: where in which document these words stand."""

    writer: Writer
    speaker: Member | None = None
    name: str = ""
    reworded_by: Writer | None = None
    deposit_for: Member | None = None
    document: str = ""

    @property
    def person(self) -> Member | None:
        """The member whose words it gives, if that is proven: the speaker, or who wrote it."""
        if self.speaker is not None or self.name:
            return self.speaker
        return self.writer.member

    @property
    def asserted_by(self) -> AssertedBy:
        """Who says whose words it gives."""
        if self.writer.is_service:
            return AssertedBy.SERVICE
        if self.document:
            return AssertedBy.IMPORT
        if self.writer.member is not None:
            own = self.person is not None and self.person.id == self.writer.member.id
            return AssertedBy.SELF if own else AssertedBy.MEMBER
        if self.writer.builtin == IMPORT:
            return AssertedBy.IMPORT
        return AssertedBy.ROBOT if self.speaker or self.name else AssertedBy.SELF

    @property
    def model_text(self) -> ModelText:
        """Whose words it gives: `Mina`, `"Ada", said Aria`, `robot Aria`; with who reworded it."""
        who = self._who()
        if self.document:
            place = render_name(self.document, longest=MAX_DOCUMENT_LABEL)
            who = ModelText(f'"{place}", imported by {self.writer.model_text}')
        if self.reworded_by is not None:
            who = ModelText(f"{who}, reworded by {self.reworded_by.model_text}")
        return who

    @property
    def head(self) -> tuple[ModelText, ...]:
        """The parts of a head: whose words, and for whom they were left."""
        left = self.deposit_for
        return (self.model_text, *([ModelText(f"for {_member_text(left)}")] if left else []))

    @property
    def citation(self) -> dict[str, Any]:
        """The fields of a citation: who spoke, who wrote, and who says so."""
        return {
            "speaker": self.person.name if self.person else self.name,
            "speaker_member": _named(self.person),
            "author": {"member": _named(self.writer.member), "robot": _named(self._robot())},
            "asserted_by": self.asserted_by.value,
            "reworded_by": _rewording(self.reworded_by),
            "deposit_for": _named(self.deposit_for),
        }

    def _who(self) -> ModelText:
        if self.writer.is_service:
            return ModelText(WORKED_OUT)
        if self.person is not None:
            return _member_text(self.person)
        if self.name:
            return ModelText(f'"{render_name(self.name)}", said {self.writer.model_text}')
        if self.writer.builtin == IMPORT:
            return ModelText(IMPORTED)
        if self.writer.robot is None:
            return self.writer.model_text
        return ModelText(f"{_ROBOT}{render_name(self.writer.robot.name)}")

    def _robot(self) -> Robot | None:
        return None if self.writer.member or self.writer.is_service else self.writer.robot


def attribution_of(memory: Memory) -> Attribution:
    """Whose words a memory gives, as far as its reader may know. Needs `with_names`."""
    robot, rewording = memory.robot, memory.reworded_by_robot
    told = memory.told(robot)
    changed = memory.reworded_by_id or memory.reworded_by_robot_id
    return Attribution(
        writer=Writer(member=memory.author, robot=told, builtin=robot.builtin or ""),
        speaker=memory.speaker_member,
        name="" if memory.speaker_member_id else memory.speaker,
        reworded_by=Writer(member=memory.reworded_by, robot=memory.told(rewording))
        if changed
        else None,
        deposit_for=memory.member if _is_left_for_somebody(memory) else None,
        document=document_label(memory),
    )


def attribution_of_message(message: Message) -> Attribution:
    """Whose words a message gives. Needs its speaker, author and robot."""
    agent = message.role == MessageRole.AGENT and message.speaker_member_id is None
    own = agent and message.robot is not None and message.speaker in ("", message.robot.name)
    return Attribution(
        writer=Writer.of(message.author, message.robot),
        speaker=message.speaker_member,
        name="" if own or message.speaker_member_id else message.speaker,
    )


def marked_name(name: str) -> str:
    """A name that nobody here stands behind, for people; empty for no name. Quotation marks in it
    become plain ones, so that none ends the mark."""
    return f"“{name.translate(_INSIDE)}”" if name else ""


def with_marked_speaker(memory: Memory, text: str) -> str:
    """A text made from a memory by rule or by a model, in which a speaker who is a mere name is
    marked wherever the name stands."""
    name = "" if memory.speaker_member_id else memory.speaker.strip()
    if not name:
        return text
    return re.sub(rf"(?<![\w“]){re.escape(name)}(?![\w”])", lambda _: marked_name(name), text)


def bare_name(name: str) -> ModelText:
    """A name that nobody here stands behind, such as the sender of a mail, for a model."""
    return ModelText(f'"{render_name(name)}"')


def _is_left_for_somebody(memory: Memory) -> bool:
    """Whether a robot wrote it for a member, into what few read, and not as the member's words."""
    if memory.author_id is not None or memory.member_id is None or memory.robot.builtin:
        return False
    left = memory.deposited_by is not None or memory.audience.kind in _FEW_READERS
    return left and memory.speaker_member_id != memory.member_id


def _member_text(member: Member) -> ModelText:
    """A member's name; one that could be read as another kind of speaker is called a member's."""
    name = render_name(member.name)
    taken = (WORKED_OUT, IMPORTED, AN_IMPORT, HIDDEN_ROBOT_NAME.lower())
    odd = name.casefold().startswith((_ROBOT, _MEMBER)) or name.casefold() in taken
    return ModelText(f"{_MEMBER}{name}") if odd else name


def _named(thing: Member | Robot | None) -> dict[str, str] | None:
    if thing is None:
        return None
    return {"id": getattr(thing, "public_id", None) or str(thing.id), "name": thing.name}


def _rewording(writer: Writer | None) -> dict[str, str] | None:
    return None if writer is None else _named(writer.member or writer.robot)
