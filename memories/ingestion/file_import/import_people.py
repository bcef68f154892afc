"""The groups, members and audiences of an import, each looked up or created once."""

from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from memories.access.visibility import Visibility
from memories.ingestion.file_import.import_lines import ImportLine, InvalidLineError
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError
from orgs.members.invitations import create_member
from orgs.models.audiences import AudienceType
from orgs.models.memberships import ExternalIdentity, Member, identity_precedence
from orgs.models.organisations import Group, Organisation
from orgs.names.lookalikes import lookalike_keys
from orgs.organisations.audience_rows import ReaderKey, ensure_audience, ensure_explicit_audience
from orgs.organisations.groups import add_to_group, create_group
from orgs.organisations.references import link_identity
from orgs.principals import Actor
from robots.people.directory import robot_group_ids
from robots.registry.robots import add_robot_to_groups

PLATFORM = "import"
EVERYONE = "org"
# Stands for a group that is not created yet.
UNCREATED_GROUP = UUID(int=0)
MAX_MEMBER_NAME = 200
# Follows the name of somebody of a file who is called like a member with an account.
FROM_A_FILE = " (import)"
ScopedName = tuple[UUID | None, str]
NO_READER = (
    "it names no reader, and nobody who imports: name them with --as, or say --readers organisation"
)
REMOVED_MEMBER = "a name here is somebody who was removed from the organisation"
UNCONFIRMED_IDENTITY = (
    "a robot says that a name here is somebody with an account, and no admin has confirmed it"
)


class ImportPeople:
    """The groups, members and audiences of one import, created on first use, inside the caller's
    scope.

    groups: the external ids that the file uses. In a list such a name means the group, even if the
    group's own lines come later. owner: the admin who asked for the import, and owns the groups
    that it creates; None for an import from the shell. read: the groups that this admin reads. The
    file can name only these groups and the owner's own, and adds people who can sign in only to
    groups that the admin reads. keeper: the same admin, if they chose to join the groups that this
    import creates, or the robot that asked, which sits in them. importer: who asked for the
    import; None if that is nobody of the organisation.
    everyone: whether lines that name no reader are for everyone in the organisation; default_group:
    the group that reads them instead. Nobody joins it by that.
    """

    def __init__(
        self,
        organisation: Organisation,
        now: datetime,
        *,
        by_group: bool,
        groups: frozenset[str],
        read: frozenset[UUID] | None = None,
        owner: UUID | None = None,
        keeper: Actor | None = None,
        importer: UUID | None = None,
        everyone: bool = False,
        default_group: UUID | None = None,
    ) -> None:
        self.organisation, self.now, self.by_group = organisation, now, by_group
        self.default_group = default_group
        self.importer, self._everyone = importer, everyone
        self.new_groups = self.new_members = 0
        self._named, self._read, self._owner, self._keeper = groups, read, owner, keeper
        self.groups: dict[str, UUID] = {}
        # Names for new groups, by external id.
        self.group_names: dict[str, str] = {}
        self._members: dict[ScopedName, UUID] = {}
        self._audiences: dict[object, UUID] = {}
        # Of the names of those who can sign in; None until one is needed.
        self._known_keys: frozenset[str] | None = None
        self._seated: set[tuple[UUID, UUID]] = set()
        with organisation_scope(organisation.id):
            # Of several groups with one external id the oldest counts.
            rows = self._candidates().order_by("-id")
            self.groups |= dict(rows.values_list("external_id", "id"))
            self._load_known_people()

    def _candidates(self) -> "QuerySet[Group]":
        """The groups that a name of the file may mean."""
        rows = Group.objects.filter(organisation_id=self.organisation.id)
        if self._read is None:
            return rows
        known = Q(id__in=self._read)
        if self._keeper is not None and self._keeper.robot_id is not None:
            known |= Q(id__in=robot_group_ids(self._keeper))
        return rows.filter(known | Q(owner_id=self._owner) if self._owner else known)

    def _load_known_people(self) -> None:
        """Look up the members behind names of earlier imports."""
        # An unconfirmed identity gives a member who can sign in nothing to read.
        self._claimed: set[ScopedName] = set()
        self._removed: set[ScopedName] = set()
        self._confirmed: set[ScopedName] = set()
        rows = ExternalIdentity.objects.filter(
            organisation_id=self.organisation.id, platform=PLATFORM
        ).select_related("member")
        for row in rows:
            name = (row.group_id, row.identifier)
            if row.confirmed_at:
                self._confirmed.add(name)
            if not row.confers:
                self._claimed.add(name)
            elif row.member.removed_at:
                self._removed.add(name)
            else:
                self._members[name] = row.member_id

    def group(self, external_id: str) -> UUID:
        """The id of the group with this external id, created if it is new."""
        if external_id not in self.groups:
            self.groups[external_id] = self._made(external_id)
        return self.groups[external_id]

    def _made(self, external_id: str) -> UUID:
        candidates = self._candidates()
        try:
            group = create_group(
                organisation_id=self.organisation.id,
                external_id=external_id,
                name=self.group_names.get(external_id, ""),
                owner_id=self._owner,
                among=candidates,
                now=self.now,
            )
        except AlreadyExistsError:
            # Another import has created it since this one began.
            rows = candidates.filter(external_id=external_id).order_by("id")
            return rows.values_list("id", flat=True)[0]
        self.new_groups += 1
        self._seat_keeper(group)
        return group.id

    def _seat_keeper(self, group: Group) -> None:
        """Add the keeper to a new group, with a line in the audit trail, because this widens their
        rights."""
        keeper = self._keeper
        if keeper is None:
            return
        tenant = {"organisation_id": self.organisation.id}
        if keeper.robot_id is not None:
            add_robot_to_groups(**tenant, robot_id=keeper.robot_id, group_ids=[group.id])
        if keeper.member_id is not None:
            add_to_group(**tenant, group_id=group.id, member_ids=[keeper.member_id])
        audit.record_entry(
            "group.created",
            actor=keeper,
            now=self.now,
            target=group.id,
            target_type="group",
            imported=True,
        )

    def _closed(self, group_id: UUID) -> bool:
        return self._read is not None and group_id not in self._read

    def member(self, name: str, group: str | None) -> UUID:
        """The member of a name in the file: everywhere, or only in this group."""
        known = self._name(name, group)
        if known not in self._members:
            self._members[known] = self._new_member(known)
            self.new_members += 1
        return self._members[known]

    def _new_member(self, known: ScopedName) -> UUID:
        group_id, name = known
        member, _ = create_member(
            organisation_id=self.organisation.id, name=self._shown_name(name), now=self.now
        )
        link_identity(
            organisation_id=self.organisation.id,
            platform=PLATFORM,
            identifier=name,
            group_id=group_id,
            member_id=member.id,
        )
        return member.id

    def _shown_name(self, name: str) -> str:
        """How somebody of the file is called here. A file's "Ada" is not proven to be the Ada who
        signs in, and her name stands plain beside what is said in it, so she is not called alike.
        """
        if self._known_keys is None:
            known = Member.objects.filter(
                organisation_id=self.organisation.id, user__isnull=False, removed_at=None
            )
            names = known.values_list("name", flat=True)
            self._known_keys = frozenset[str]().union(*map(lookalike_keys, names))
        if self._known_keys.isdisjoint(lookalike_keys(name)):
            return name[:MAX_MEMBER_NAME]
        return f"{name[: MAX_MEMBER_NAME - len(FROM_A_FILE)]}{FROM_A_FILE}"

    def check(self, line: ImportLine) -> None:
        """Raise InvalidLineError if the line names somebody whose identity is unconfirmed, or who
        was removed, or if nobody would read it."""
        speaker = "" if line.private else line.speaker
        if self.is_private(line) and not (line.subject or speaker or self.importer):
            raise InvalidLineError(NO_READER)
        if line.group and line.group_name:
            self.group_names.setdefault(line.group, line.group_name)
        names = [name for name in (line.subject, speaker) if name]
        for name in [n for n in names if not self._is_other(n)] + self._listed_people(line):
            known = self._name(name, line.group, make=False)
            if known in self._claimed:
                raise InvalidLineError(UNCONFIRMED_IDENTITY)
            if known in self._removed:
                raise InvalidLineError(REMOVED_MEMBER)

    def _name(self, name: str, group: str | None, *, make: bool = True) -> ScopedName:
        """Under which name somebody is kept: where each group has names of its own, the group's
        name or a confirmed one of the organisation, whichever wins.

        make: whether the group may be created for it.
        """
        if not (self.by_group and group and group != EVERYONE):
            return (None, name)
        place = self.group(group) if make else self.groups.get(group, UNCREATED_GROUP)
        readings: list[ScopedName] = [(place, name)]
        # Without confirmation the organisation's name is not the group's: two people may share it.
        if (None, name) in self._confirmed:
            readings.append((None, name))
        return min(readings, key=self._order)

    def _order(self, name: ScopedName) -> int:
        return identity_precedence(confirmed=name in self._confirmed, of_group=name[0] is not None)

    def _is_group(self, name: str) -> bool:
        return name in self.groups or name in self._named

    def _is_other(self, name: str) -> bool:
        return name == EVERYONE or self._is_group(name)

    def _listed_people(self, line: ImportLine) -> list[str]:
        """The names of a line's list that mean people."""
        listed = line.audience or ()
        return [n for n in listed if line.people_only or not self._is_other(n)]

    def seat(self, line: ImportLine) -> None:
        """Create the people of a line as members. Its speaker and the people of its list join the
        line's group.

        People who are listed beside the group itself do not join it: they read this line only.
        """
        if line.private:
            self.private_member(line)
            return
        people = [self.member(name, line.group) for name in self._listed_people(line)]
        with_group = not line.people_only and line.group in (line.audience or ())
        joining = [] if with_group else people
        if line.speaker:
            joining = [self.member(line.speaker, line.group), *joining]
        if line.subject:
            self.member(line.subject, line.group)
        if not line.group or line.group == EVERYONE:
            return
        group_id = self.group(line.group)
        new = [m for m in joining if (group_id, m) not in self._seated]
        if new:
            self._put(group_id, new)
            self._seated |= {(group_id, m) for m in new}

    def _put(self, group_id: UUID, new: list[UUID]) -> None:
        welcome = self._without_account(new) if self._closed(group_id) else new
        add_to_group(organisation_id=self.organisation.id, group_id=group_id, member_ids=welcome)

    def _without_account(self, ids: list[UUID]) -> list[UUID]:
        """The members without an account: adding them to a group gives nobody new rights to
        read."""
        known = Member.objects.filter(
            organisation_id=self.organisation.id, id__in=ids, user__isnull=False
        )
        with_account = set(known.values_list("id", flat=True))
        return [id_ for id_ in ids if id_ not in with_account]

    def is_private(self, line: ImportLine) -> bool:
        """Whether a line is for one member alone: it says so, or it names neither readers nor a
        group."""
        if line.private or line.audience is not None or line.group:
            return line.private
        return not self._everyone and self.default_group is None

    def line_group(self, line: ImportLine) -> UUID | None:
        """The group of a line: the one that it names, or the default one of those that name neither
        a group nor readers."""
        if line.group:
            return self.groups.get(line.group)
        return None if line.private or line.audience is not None else self.default_group

    def private_member(self, line: ImportLine) -> UUID:
        """For whom a private line is: whom it is about, else who said it, else the importer. Who
        said what the line itself calls private is only a name."""
        if name := line.subject or ("" if line.private else line.speaker):
            return self.member(name, None)
        assert self.importer is not None  # noqa: S101 - `check` has refused the line
        return self.importer

    def speaker_member(self, line: ImportLine) -> UUID | None:
        """Whose words a line gives, if that is a member."""
        if line.private:
            return self.private_member(line) if line.own_words else None
        return self.member(line.speaker, line.group) if line.speaker else None

    def audience(self, line: ImportLine, group_id: UUID | None) -> tuple[UUID, Visibility]:
        """The audience of a line: its list, else its group, else its member, or everyone if the
        import says so."""
        if self.is_private(line):
            return self._own(self.private_member(line)), Visibility.PRIVATE
        names = line.audience
        if names is not None and EVERYONE in names and not line.people_only:
            return self._simple(AudienceType.ORGANISATION, "", None), Visibility.ORGANISATION
        if names is None:
            if group_id is None:
                return self._simple(AudienceType.ORGANISATION, "", None), Visibility.ORGANISATION
            return self._simple(AudienceType.GROUP, str(group_id), group_id), Visibility.GROUP
        readers: set[ReaderKey] = set()
        for name in names:
            if self._is_group(name) and not line.people_only:
                readers.add(("group", self.group(name)))
            else:
                readers.add(("member", self.member(name, line.group)))
        place = (frozenset(readers), group_id)
        if place not in self._audiences:
            self._audiences[place] = self._listed(readers, group_id)
        return self._audiences[place], Visibility.PROTECTED

    def _listed(self, readers: set[ReaderKey], group_id: UUID | None) -> UUID:
        return ensure_explicit_audience(self.organisation.id, readers, group_id)

    def _own(self, member_id: UUID) -> UUID:
        return self._simple(AudienceType.MEMBER, str(member_id), None)

    def _simple(self, kind: str, key: str, group_id: UUID | None) -> UUID:
        if (kind, key) not in self._audiences:
            self._audiences[(kind, key)] = self._of_kind(kind, key, group_id)
        return self._audiences[(kind, key)]

    def _of_kind(self, kind: str, key: str, group_id: UUID | None) -> UUID:
        return ensure_audience(self.organisation.id, kind, key, group_id)
