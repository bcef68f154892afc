"""Where a draft goes: who acts, which audience it gets, of what kind it is."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memories.access.audience_labels import kind_label
from memories.access.consent import WIDE, LearningPaused, SharingOff
from memories.access.references import References
from memories.access.speakers import MADE_OF, Speaker, speaker_of
from memories.access.visibility import (
    Misplaced,
    Place,
    Visibility,
    Write,
    can_write,
    check_kind,
    derive_kind,
    effective_visibility,
)
from memories.ingestion.drafts import Draft, Heard
from memories.review.red_line import check_wish
from memories.store.conversation_turns import message_of
from memories.store.models.choices import Status
from orgs.database.rls import organisation_scope
from orgs.errors import NotFound
from orgs.models.audiences import AudienceKind
from orgs.models.memberships import Member
from orgs.models.organisations import Group, GroupMembership, Organisation
from orgs.organisations.audiences import Reader, ensure_audience, ensure_explicit_audience
from orgs.principals import Actor, Principal, resolve
from robots.access.act_for import Reference, act
from robots.errors import IdentityClaim, MissingScope
from robots.models.robots import Robot
from robots.registry.robots import WEB, builtin_robot


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Everything about a draft that had to be looked up."""

    principal: Principal
    audience_id: UUID
    audience_kind: str
    audience_label: str
    status: str
    kind: str
    member_id: UUID | None
    speaker: str
    speaker_member_id: UUID | None
    listeners: tuple[UUID, ...]
    proposed_audience_id: UUID | None = None

    @property
    def is_deposit(self) -> bool:
        """Whether the writer puts it where it cannot look."""
        return self.audience_id not in self.principal.audiences


WRITES_NOTHING = "Your role reads; ask an admin for a role that writes."


@dataclass(slots=True)
class Desk:
    """Looks up each reference once per call, however many drafts name it."""

    actor: Actor
    now: datetime
    organisation: Organisation = field(init=False)
    robot: Robot = field(init=False)
    _principals: dict[tuple[Reference | None, Reference | None], Principal | Exception] = field(
        default_factory=dict
    )
    _audiences: dict[object, UUID] = field(default_factory=dict)
    _groups: dict[UUID, Group] = field(default_factory=dict)
    _seats: dict[UUID, bool] = field(default_factory=dict)
    _members: dict[UUID, tuple[datetime | None, datetime | None]] = field(default_factory=dict)
    _speakers: dict[tuple[object, ...], Speaker | IdentityClaim] = field(default_factory=dict)
    references: References = field(init=False)

    def __post_init__(self) -> None:
        self.references = References(self.actor)
        with organisation_scope(self.actor.organisation_id):
            self.organisation = Organisation.objects.get(id=self.actor.organisation_id)
            self.robot = (
                Robot.objects.get(organisation_id=self.organisation.id, id=self.actor.robot_id)
                if self.actor.robot_id
                else builtin_robot(self.organisation.id, WEB, self.now)
            )

    def place(self, draft: Draft) -> Placement:
        """Decide everything; call inside the organisation's scope.

        Raises NotFound, Misplaced, IdentityClaim, MissingScope, PermissionError, LearningPaused
        and SharingOff.
        """
        if draft.heard is not None:
            return place_heard(self, draft, draft.heard)
        self._check_robot(draft)
        if message_of(draft) is not None:
            raise IdentityClaim(MADE_OF)
        principal = self.principal(draft.member, draft.group)
        actor = principal.actor
        group = self.group_of(actor)
        visibility = effective_visibility(
            draft.visibility,
            group=group is not None,
            member=actor.member_id is not None,
            person=actor.is_person,
        )
        if draft.red_line:
            internal = visibility is Visibility.INTERNAL
            check_wish(actor, draft.red_line_reason, internal=internal)
        member_id = self._subject(actor, visibility)
        listeners = tuple(self.references.member(ref, group).id for ref in draft.listeners)
        speaker = self._speaker(draft, actor, group)
        self.respect(actor, visibility, member_id, speaker.member_id)
        place = Place(visibility, group is not None, member_id is not None, bool(listeners))
        kind = draft.kind or derive_kind(place)
        check_kind(kind, group=place.group, member=place.member)
        if (kind == "internal") != (visibility is Visibility.INTERNAL):
            raise Misplaced("Kind internal and visibility internal go together.")
        allowed = self._allowed(actor, visibility, group)
        if allowed is Write.NO:
            raise PermissionError(WRITES_NOTHING)
        audience_id, audience_kind = self._audience(
            draft, visibility, actor, group, listeners, speaker.member_id
        )
        proposed = None
        if allowed is Write.PROPOSE:
            proposed, audience_kind = audience_id, AudienceKind.REVIEW
            audience_id = self._review_audience(actor)
        return Placement(
            principal=principal,
            audience_id=audience_id,
            audience_kind=audience_kind,
            audience_label=kind_label(audience_kind, group.name if group else ""),
            status="pending_review" if proposed else "active",
            kind=kind,
            member_id=member_id,
            speaker=speaker.name,
            speaker_member_id=speaker.member_id,
            listeners=listeners,
            proposed_audience_id=proposed,
        )

    def respect(
        self, actor: Actor, visibility: Visibility, subject: UUID | None, speaker: UUID | None
    ) -> None:
        """What members have decided about themselves; what they write themselves is theirs."""
        mine = actor.member_id if actor.is_person else None
        for member_id in {id_ for id_ in (subject, speaker) if id_ and id_ != mine}:
            paused, sharing_off = self._wishes(member_id)
            if paused:
                raise LearningPaused
            if sharing_off and visibility in WIDE:
                raise SharingOff

    # --- look-ups, each remembered ---

    def _wishes(self, member_id: UUID) -> tuple[bool, bool]:
        """(learning paused, sharing off) of a member."""
        if member_id not in self._members:
            self._members[member_id] = (
                Member.objects.filter(organisation_id=self.organisation.id, id=member_id)
                .values_list("learning_paused_at", "sharing_off_at")
                .get()
            )
        paused_at, off_at = self._members[member_id]
        return paused_at is not None, off_at is not None

    def _check_robot(self, draft: Draft) -> None:
        if draft.robot is None:
            return
        try:
            claimed = self.references.robot(draft.robot).id
        except NotFound:
            claimed = None
        if claimed != self.robot.id:
            raise IdentityClaim("The key says which robot writes; leave `robot` out.")

    def principal(self, member: Reference | None, group: Reference | None) -> Principal:
        known = self._principals.get((member, group))
        if known is None:
            try:
                known = resolve(act(self.actor, member=member, group=group))
            except (NotFound, IdentityClaim, MissingScope, PermissionError) as error:
                known = error
            self._principals[(member, group)] = known
        if isinstance(known, Exception):
            raise known
        return known

    def foresee(self, drafts: Iterable[Draft]) -> None:
        """Look up at once what the members of many messages wish."""
        heard = [draft.heard for draft in drafts if draft.heard]
        ids = {id_ for one in heard for id_ in (one.subject, one.speaker_id) if id_}
        if ids:
            rows = Member.objects.filter(organisation_id=self.organisation.id, id__in=ids)
            for id_, paused, off in rows.values_list("id", "learning_paused_at", "sharing_off_at"):
                self._members[id_] = (paused, off)

    def group_of(self, actor: Actor) -> Group | None:
        if actor.group_id is None:
            return None
        if actor.group_id not in self._groups:
            self._groups[actor.group_id] = Group.objects.get(
                organisation_id=actor.organisation_id, id=actor.group_id
            )
        return self._groups[actor.group_id]

    def _speaker(self, draft: Draft, actor: Actor, group: Group | None) -> Speaker:
        place = (draft.speaker, actor.member_id, group.id if group else None)
        if place not in self._speakers:
            try:
                self._speakers[place] = speaker_of(actor, draft.speaker, self.references, group)
            except IdentityClaim as error:
                self._speakers[place] = error
        known = self._speakers[place]
        if isinstance(known, IdentityClaim):
            raise known
        return known

    def _subject(self, actor: Actor, visibility: Visibility) -> UUID | None:
        """Whom it is about: the member acted for. A person's group post is the group's."""
        if actor.is_person and visibility in (Visibility.GROUP, Visibility.ORGANISATION):
            return None
        return actor.member_id

    def _allowed(self, actor: Actor, visibility: Visibility, group: Group | None) -> Write:
        if not actor.is_person:
            return Write.YES
        return can_write(
            actor.role or "",
            visibility,
            in_group=group is not None and self._seated(actor, group),
            confidential=group.confidential if group else True,
            members_publish=self.organisation.members_publish,
        )

    def _seated(self, actor: Actor, group: Group) -> bool:
        if group.id not in self._seats:
            self._seats[group.id] = GroupMembership.objects.filter(
                organisation_id=actor.organisation_id,
                group_id=group.id,
                member_id=actor.member_id,  # type: ignore[misc]  # a person has one
            ).exists()
        return self._seats[group.id]

    def _audience(
        self,
        draft: Draft,
        visibility: Visibility,
        actor: Actor,
        group: Group | None,
        listeners: tuple[UUID, ...],
        speaker_id: UUID | None,
    ) -> tuple[UUID, str]:
        organisation_id = actor.organisation_id
        match visibility:
            case Visibility.ORGANISATION:
                simple = (AudienceKind.ORGANISATION, "")
            case Visibility.GROUP:
                simple = (AudienceKind.GROUP, str(actor.group_id))
            case Visibility.PRIVATE:
                simple = (AudienceKind.MEMBER, str(actor.member_id))
            case Visibility.INTERNAL:
                simple = (AudienceKind.ROBOT, str(actor.robot_id))
            case _:
                return self._list(draft, visibility, actor, group, listeners, speaker_id)
        if simple not in self._audiences:
            self._audiences[simple] = ensure_audience(
                organisation_id, *simple, group_id=actor.group_id if simple[0] == "group" else None
            )
        return self._audiences[simple], simple[0]

    def _list(
        self,
        draft: Draft,
        visibility: Visibility,
        actor: Actor,
        group: Group | None,
        listeners: tuple[UUID, ...],
        speaker_id: UUID | None,
    ) -> tuple[UUID, str]:
        """protected: {owner, speaker, listeners, readers}; shared: {owner, readers}."""
        readers = self.references.readers(draft.readers, group)
        if visibility is Visibility.SHARED and not readers:
            raise Misplaced("Visibility shared needs readers.")
        owner: Reader = ("member", actor.member_id) if actor.member_id else ("robot", self.robot.id)
        readers.add(owner)
        if visibility is Visibility.PROTECTED:
            readers |= {("member", listener) for listener in listeners}
            if speaker_id:
                readers.add(("member", speaker_id))
        place = (frozenset(readers), actor.group_id)
        if place not in self._audiences:
            self._audiences[place] = ensure_explicit_audience(
                actor.organisation_id, readers, actor.group_id
            )
        return self._audiences[place], AudienceKind.EXPLICIT

    def _review_audience(self, actor: Actor) -> UUID:
        place = ("review", actor.member_id)
        if place not in self._audiences:
            self._audiences[place] = ensure_explicit_audience(
                actor.organisation_id,
                [("member", actor.member_id)],  # type: ignore[list-item]  # a person has one
                kind=AudienceKind.REVIEW,
            )
        return self._audiences[place]


def place_heard(desk: "Desk", draft: Draft, heard: Heard) -> Placement:
    """Where a memory of a message goes: where the message is. Raises what `Desk.place` raises."""
    principal = desk.principal(None, draft.group)
    group = desk.group_of(principal.actor)
    desk.respect(
        principal.actor, Visibility(draft.visibility or ""), heard.subject, heard.speaker_id
    )
    return Placement(
        principal=principal,
        audience_id=heard.audience_id,
        audience_kind=heard.audience_kind,
        audience_label=kind_label(heard.audience_kind, group.name if group else ""),
        status=Status.ACTIVE,
        kind=draft.kind or "",
        member_id=heard.subject,
        speaker=heard.speaker,
        speaker_member_id=heard.speaker_id,
        listeners=heard.listeners,
    )
