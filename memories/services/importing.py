"""Bring conversations in from JSON lines: groups, members from speakers, memories with keys.

A line is {id, text, group?, session?, seq?, speaker?, audience?, subject?, title?, timestamp?,
sensitive?, to?, reply_to?}. Its id becomes the memory's key, so that an import can be repeated
and resumed: what is there already is skipped. An audience list becomes an explicit audience;
an entry that is a group's external id is that group. Without a list the group reads.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from uuid import UUID

import orjson

from memories.models import Memory
from memories.policies.deduplication import content_hash
from memories.policies.importance import default_importance
from memories.policies.visibility import Place, Visibility, derive_kind
from memories.services import writing
from memories.services.drafts import MAX_CONTENT_BYTES
from memories.services.earlier import earlier_of
from memories.services.hints import hint_embedding
from orgs.models import AudienceKind, ExternalIdentity, Group, Organisation
from orgs.principals import Actor, Principal, resolve
from orgs.rls import organisation_scope
from orgs.services import (
    Reader,
    add_to_group,
    create_group,
    create_member,
    ensure_audience,
    ensure_explicit_audience,
    link_identity,
)
from robots.models import Robot
from robots.services import stamp_activity

CHUNK = 500
PLATFORM = "import"
EVERYONE = "org"
KNOWN = {
    "id", "text", "group", "session", "seq", "speaker", "audience", "subject", "title",
    "timestamp", "sensitive", "to", "reply_to", "type",
}  # fmt: skip
LONGEST = 300


class BadLine(ValueError):
    """Why a line is skipped."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line that makes sense."""

    number: int
    key: str
    text: str
    group: str | None
    session: str | None
    seq: int
    speaker: str
    audience: tuple[str, ...] | None
    subject: str | None
    topic: str
    at: datetime | None
    sensitive: bool
    extra: dict[str, Any]


@dataclass(slots=True)
class Report:
    """What an import did. skipped: [{line, reason}] of lines that could not be taken."""

    imported: int = 0
    already: int = 0
    skipped: list[dict[str, Any]] = field(default_factory=list)
    groups: int = 0
    members: int = 0


def parse(number: int, raw: bytes) -> Line:
    """Read one line. Raises BadLine with the reason."""
    try:
        row = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise BadLine(f"broken JSON: {error}") from error
    if not isinstance(row, dict):
        raise BadLine("not a JSON object")
    text = row.get("text")
    if not isinstance(text, str) or not text.strip():
        raise BadLine("no text")
    if len(text.encode()) > MAX_CONTENT_BYTES:
        raise BadLine(f"text over {MAX_CONTENT_BYTES} bytes")
    if b"\\u0000" in raw or b"\x00" in raw:
        raise BadLine("a NUL character")
    audience = row.get("audience")
    if audience is not None and not (
        isinstance(audience, list) and all(isinstance(a, str) and a for a in audience)
    ):
        raise BadLine("audience is not a list of names")
    return Line(
        number=number,
        key=_name(row, "id") or f"line-{number}",
        text=text,
        group=_name(row, "group"),
        session=_name(row, "session"),
        seq=_whole(row, "seq", number),
        speaker=_name(row, "speaker") or "",
        audience=tuple(dict.fromkeys(audience)) if audience is not None else None,
        subject=_name(row, "subject"),
        topic=(_name(row, "title") or "")[:LONGEST],
        at=_time(row.get("timestamp")),
        sensitive=row.get("sensitive") is True,
        extra={k: row[k] for k in ("to", "reply_to", "type") if isinstance(row.get(k), str)},
    )


def _name(row: dict[str, Any], field_name: str) -> str | None:
    value = row.get(field_name)
    if value is None or value == "":
        return None
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise BadLine(f"{field_name} is not a name")
    if len(str(value)) > LONGEST and field_name != "title":
        raise BadLine(f"{field_name} is longer than {LONGEST} characters")
    return str(value)


def _whole(row: dict[str, Any], field_name: str, otherwise: int) -> int:
    value = row.get(field_name, otherwise)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > 2**62:
        raise BadLine(f"{field_name} is not a whole number")
    return value


def _time(value: Any) -> datetime | None:
    if value in (None, ""):
        return None
    try:
        at = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise BadLine("timestamp is not ISO 8601") from error
    return at if at.tzinfo else at.replace(tzinfo=UTC)


class Importer:
    """Carries one file into one organisation, chunk by chunk, each in its own transaction."""

    def __init__(
        self, organisation: Organisation, robot: Robot, now: datetime, speaker_scope: str
    ) -> None:
        self.organisation, self.robot, self.now = organisation, robot, now
        self.by_group = speaker_scope == "group"
        self.report = Report()
        self._groups: dict[str, UUID] = {}
        self._members: dict[str, UUID] = {}
        self._audiences: dict[object, UUID] = {}
        self._seated: set[tuple[UUID, UUID]] = set()
        with organisation_scope(organisation.id):
            rows = Group.objects.filter(organisation_id=organisation.id)
            self._groups |= dict(rows.values_list("external_id", "id"))
            known = ExternalIdentity.objects.filter(
                organisation_id=organisation.id, platform=PLATFORM
            )
            self._members |= dict(known.values_list("identifier", "member_id"))

    def run(self, lines: Iterable[bytes], tick: Callable[[int], None] = lambda n: None) -> Report:
        """Import every line; `tick` hears how many lines are done."""
        numbered = enumerate(lines, start=1)
        for chunk in _chunks(numbered):
            good: list[Line] = []
            for number, raw in chunk:
                if not raw.strip():
                    continue
                try:
                    good.append(parse(number, raw))
                except BadLine as error:
                    self.report.skipped.append({"line": number, "reason": str(error)})
            if good:
                self._import(good)
            tick(len(chunk))
        return self.report

    def _import(self, lines: Sequence[Line]) -> None:
        actor = Actor(organisation_id=self.organisation.id, robot_id=self.robot.id)
        with organisation_scope(self.organisation.id):
            # Everybody first: a list may name a group or a speaker of a later line.
            for line in lines:
                self._seat(line)
            principal = resolve(actor)
            rows = [self._memory(line, principal) for line in lines]
            deposits = tuple({row.audience_id for row in rows} - principal.audiences)
            with principal.scope(deposit=deposits):
                fresh = self._unknown(rows, principal)
                writing.insert(fresh, language=self.organisation.language, now=self.now)
                stamp_activity(
                    organisation_id=self.organisation.id, robot_id=self.robot.id, now=self.now
                )
                hint_embedding(self.organisation.id)
        self.report.imported += len(fresh)

    def _unknown(self, rows: Sequence[Memory], principal: Principal) -> list[Memory]:
        """Without those whose key or whole content is there already, or stands twice here."""
        earlier = earlier_of(rows, self.robot.id, principal.audiences)
        fresh = []
        for row in rows:
            digest = bytes(row.content_hash)
            same = [
                e
                for e in earlier.by_hash(row.audience_id, digest)
                if (e.key, e.conversation, e.occurred_at)
                == (row.key, row.conversation, row.occurred_at)
            ]
            keyed = earlier.by_key(row.audience_id, row.key)
            if keyed is not None and keyed.content_hash != digest:
                self.report.skipped.append(
                    {
                        "line": row.position_in_file,  # type: ignore[attr-defined]
                        "reason": "the id names another text already",
                    }
                )
            elif keyed is not None or same:
                self.report.already += 1
            else:
                earlier.add(row)
                fresh.append(row)
        return fresh

    # --- who and where ---

    def _group(self, external_id: str) -> UUID:
        if external_id not in self._groups:
            group = create_group(
                organisation_id=self.organisation.id, external_id=external_id, now=self.now
            )
            self._groups[external_id] = group.id
            self.report.groups += 1
        return self._groups[external_id]

    def _member(self, name: str, group: str | None) -> UUID:
        identifier = f"{group}/{name}" if self.by_group and group else name
        if identifier not in self._members:
            member, _ = create_member(
                organisation_id=self.organisation.id, name=name[:200], now=self.now
            )
            link_identity(
                organisation_id=self.organisation.id,
                platform=PLATFORM,
                identifier=identifier,
                member_id=member.id,
            )
            self._members[identifier] = member.id
            self.report.members += 1
        return self._members[identifier]

    def _seat(self, line: Line) -> None:
        """Speaker and people of the list are members; of the group, where they spoke in it."""
        group_id = None
        if line.group and line.group != EVERYONE:
            group_id = self._group(line.group)
        joining = [self._member(line.speaker, line.group)] if line.speaker else []
        for name in line.audience or ():
            if name not in self._groups and name != EVERYONE:
                joining.append(self._member(name, line.group))
        if line.subject:
            self._member(line.subject, line.group)
        if group_id:
            new = [m for m in joining if (group_id, m) not in self._seated]
            if new:
                add_to_group(
                    organisation_id=self.organisation.id, group_id=group_id, member_ids=new
                )
                self._seated |= {(group_id, m) for m in new}

    def _audience(self, line: Line, group_id: UUID | None) -> tuple[UUID, Visibility]:
        names = line.audience
        if names is not None and EVERYONE in names:
            return self._named(AudienceKind.ORGANISATION, "", None), Visibility.ORGANISATION
        if names is None:
            if group_id is None:
                return self._named(AudienceKind.ORGANISATION, "", None), Visibility.ORGANISATION
            return self._named(AudienceKind.GROUP, str(group_id), group_id), Visibility.GROUP
        readers: set[Reader] = set()
        for name in names:
            if name in self._groups:
                readers.add(("group", self._groups[name]))
            else:
                readers.add(("member", self._member(name, line.group)))
        place = (frozenset(readers), group_id)
        if place not in self._audiences:
            self._audiences[place] = ensure_explicit_audience(
                self.organisation.id, readers, group_id
            )
        return self._audiences[place], Visibility.PROTECTED

    def _named(self, kind: str, key: str, group_id: UUID | None) -> UUID:
        if (kind, key) not in self._audiences:
            self._audiences[(kind, key)] = ensure_audience(
                self.organisation.id, kind, key, group_id
            )
        return self._audiences[(kind, key)]

    def _memory(self, line: Line, principal: Principal) -> Memory:
        group_id = self._groups.get(line.group) if line.group else None
        audience_id, visibility = self._audience(line, group_id)
        subject = self._member(line.subject, line.group) if line.subject else None
        place = Place(visibility, group_id is not None, subject is not None, listeners=False)
        row = Memory(
            organisation_id=self.organisation.id,
            audience_id=audience_id,
            kind=derive_kind(place),
            type="conversation",
            content=line.text,
            content_hash=content_hash(line.text, speaker=line.speaker, subject=subject),
            key=line.key,
            topic=line.topic,
            source={"import": line.key, **line.extra},
            robot_id=self.robot.id,
            group_id=group_id,
            member_id=subject,
            speaker=line.speaker,
            speaker_member_id=self._member(line.speaker, line.group) if line.speaker else None,
            conversation=_conversation(line),
            position=line.seq,
            deposited_by=None if audience_id in principal.audiences else self.robot.id,
            importance=default_importance(type="conversation"),
            sensitive=line.sensitive,
            occurred_at=line.at,
            created_at=self.now,
            updated_at=self.now,
        )
        row.position_in_file = line.number  # type: ignore[attr-defined]
        return row


def _conversation(line: Line) -> str | None:
    """Turns follow each other inside a session, or inside the group where there is none."""
    if line.session:
        return f"{line.group}/{line.session}"[:LONGEST] if line.group else line.session
    return line.group


def _chunks(lines: Iterator[tuple[int, bytes]]) -> Iterator[list[tuple[int, bytes]]]:
    while chunk := list(islice(lines, CHUNK)):
        yield chunk
