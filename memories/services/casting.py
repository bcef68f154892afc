"""Whom an import names: groups, members and the audiences made of them, each once."""

from datetime import datetime
from uuid import UUID

from memories.policies.visibility import Visibility
from memories.services.lines import BadLine, Line
from orgs.models import AudienceKind, ExternalIdentity, Group, Member, Organisation
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

PLATFORM = "import"
EVERYONE = "org"
UNCONFIRMED = (
    "a robot says that a name here is somebody with an account, and no admin has confirmed it"
)


class Cast:
    """The people and places of one import; made as they come up, inside the caller's scope.

    groups: external ids that the file uses. In a list such a name is the group, wherever the
    group's own lines stand. read: the groups that whoever asked for it reads, None for who has a
    shell. Into no other group the file brings somebody who can sign in, and it tells of none.
    counted: groups that count as new already.
    """

    def __init__(
        self,
        organisation: Organisation,
        now: datetime,
        *,
        by_group: bool,
        groups: frozenset[str],
        read: frozenset[UUID] | None = None,
    ) -> None:
        self.organisation, self.now, self.by_group = organisation, now, by_group
        self.new_groups = self.new_members = 0
        self._named, self._read = groups, read
        self.counted: set[UUID] = set()
        self.groups: dict[str, UUID] = {}
        self._members: dict[str, UUID] = {}
        self._audiences: dict[object, UUID] = {}
        self._seated: set[tuple[UUID, UUID]] = set()
        with organisation_scope(organisation.id):
            rows = Group.objects.filter(organisation_id=organisation.id)
            self.groups |= dict(rows.values_list("external_id", "id"))
            known = ExternalIdentity.objects.filter(
                organisation_id=organisation.id, platform=PLATFORM
            )
            self._members |= dict(known.conferring().values_list("identifier", "member_id"))
            # A robot's word alone gives somebody who can sign in nothing to read.
            self._claimed = set(known.values_list("identifier", flat=True)) - set(self._members)

    def group(self, external_id: str) -> UUID:
        """The group of this external id, made if it is new."""
        if external_id not in self.groups:
            group = create_group(
                organisation_id=self.organisation.id, external_id=external_id, now=self.now
            )
            self.groups[external_id] = group.id
            self.new_groups += 1
            self.counted.add(group.id)
        found = self.groups[external_id]
        if self._closed(found) and found not in self.counted:
            # Whether it was there is not for the asker: it counts as if it were new.
            self.counted.add(found)
            self.new_groups += 1
        return found

    def _closed(self, group_id: UUID) -> bool:
        return self._read is not None and group_id not in self._read

    def member(self, name: str, group: str | None) -> UUID:
        """The member whom the file calls so: anywhere, or in this group alone."""
        identifier = self._identifier(name, group)
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
            self.new_members += 1
        return self._members[identifier]

    def check(self, line: Line) -> None:
        """Raises BadLine where it names somebody of whom it is not certain who that is."""
        people = (name for name in line.names if name != EVERYONE and not self._is_group(name))
        if any(self._identifier(name, line.group) in self._claimed for name in people):
            raise BadLine(UNCONFIRMED)

    def _identifier(self, name: str, group: str | None) -> str:
        return f"{group}/{name}" if self.by_group and group else name

    def _is_group(self, name: str) -> bool:
        return name in self.groups or name in self._named

    def seat(self, line: Line) -> None:
        """Speaker and people of the list become members, and sit in the group of the line.

        Who is listed beside the group itself is not of the group, else the list would not name
        them: they read that line and nothing else of it.
        """
        listed = [n for n in line.audience or () if n != EVERYONE and not self._is_group(n)]
        people = [self.member(name, line.group) for name in listed]
        joining = [] if line.group in (line.audience or ()) else people
        if line.speaker:
            joining = [self.member(line.speaker, line.group), *joining]
        if line.subject:
            self.member(line.subject, line.group)
        if not line.group or line.group == EVERYONE:
            return
        group_id = self.group(line.group)
        new = [m for m in joining if (group_id, m) not in self._seated]
        if new:
            welcome = self._without_account(new) if self._closed(group_id) else new
            add_to_group(
                organisation_id=self.organisation.id, group_id=group_id, member_ids=welcome
            )
            self._seated |= {(group_id, m) for m in new}

    def _without_account(self, ids: list[UUID]) -> list[UUID]:
        """Those as whom nobody signs in: what the group knows opens to no reader by them."""
        known = Member.objects.filter(
            organisation_id=self.organisation.id, id__in=ids, user__isnull=False
        )
        with_account = set(known.values_list("id", flat=True))
        return [id_ for id_ in ids if id_ not in with_account]

    def audience(self, line: Line, group_id: UUID | None) -> tuple[UUID, Visibility]:
        """Who reads a line: its list, else its group, else everyone."""
        names = line.audience
        if names is not None and EVERYONE in names:
            return self._simple(AudienceKind.ORGANISATION, "", None), Visibility.ORGANISATION
        if names is None:
            if group_id is None:
                return self._simple(AudienceKind.ORGANISATION, "", None), Visibility.ORGANISATION
            return self._simple(AudienceKind.GROUP, str(group_id), group_id), Visibility.GROUP
        readers: set[Reader] = set()
        for name in names:
            if self._is_group(name):
                readers.add(("group", self.group(name)))
            else:
                readers.add(("member", self.member(name, line.group)))
        place = (frozenset(readers), group_id)
        if place not in self._audiences:
            self._audiences[place] = ensure_explicit_audience(
                self.organisation.id, readers, group_id
            )
        return self._audiences[place], Visibility.PROTECTED

    def _simple(self, kind: str, key: str, group_id: UUID | None) -> UUID:
        if (kind, key) not in self._audiences:
            self._audiences[(kind, key)] = ensure_audience(
                self.organisation.id, kind, key, group_id
            )
        return self._audiences[(kind, key)]
