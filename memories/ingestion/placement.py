"""The placement of a draft: who acts, its audience, its kind."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS

from memories.access.audience_labels import audience_type_label
from memories.access.consent import MemberConsents
from memories.access.permissions import WritePermission
from memories.access.references import ReferenceLookup
from memories.access.visibility import (
    COHORTS,
    ROBOT_ONLY,
    KindInputs,
    MemoryRequestError,
    Visibility,
    WriteAccess,
    check_cohort_memory,
    check_kind,
    check_team_note,
    derive_kind,
    effective_visibility,
    parse_cohort_visibility,
    parse_team_visibility,
)
from memories.ingestion.draft_audience import AudienceSpec, DraftAudienceResolver
from memories.ingestion.drafts import Draft, MessagePlacement
from memories.review.protect import check_protection_request
from memories.safety.required_checks import PersonalDataPolicy
from memories.store.conversation_turns import source_message_id
from memories.store.models.choices import Status
from memories.store.models.memory import PROPOSITION_OF
from memories.store.speakers.document_source import CONVERSATION_PREFIX, MADE_BY_IMPORT
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.audiences import AudienceType
from orgs.models.organisations import Group, Organisation
from orgs.organisations.audience_rows import ensure_direct_audience
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import Reference, group_to_write_in, resolve_actor
from robots.access.writer_identity import (
    MADE_OF,
    Speaker,
    check_addressed,
    identify_speaker,
)
from robots.errors import ImpersonationError, KeyGroupsError, MissingScopeError
from robots.models.robots import Robot
from robots.registry.robots import WEB, ensure_builtin_robot

# Visibilities whose readers are those of the group in which it is written, or some of them.
_IN_GROUPS = (Visibility.GROUP, Visibility.PROTECTED, Visibility.SHARED)
_ROBOT_COLUMNS = ("id", "organisation_id", "name", "owner_id")
_ORGANISATION_COLUMNS = ("id", "language", "members_publish", "projections", "has_parts")
_WRITER_SQL = """
SELECT r.id, r.organisation_id, r.name, r.owner_id,
    o.id, o.language, o.members_publish, o.projections, o.has_parts,
    (SELECT p.personal FROM memories_gatepolicy p WHERE p.organisation_id = r.organisation_id),
    ARRAY(SELECT t.team_id FROM robots_teamrobot t
          WHERE t.organisation_id = %(organisation)s AND t.robot_id = r.id)
FROM robots_robot r JOIN orgs_organisation o ON o.id = r.organisation_id
WHERE r.organisation_id = %(organisation)s
  AND CASE WHEN %(robot)s::uuid IS NULL THEN r.builtin = %(web)s ELSE r.id = %(robot)s::uuid END
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The facts of a draft that were looked up."""

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
    held_for: str = ""

    @property
    def is_deposit(self) -> bool:
        """Whether the writer cannot read the audience."""
        return self.audience_id not in self.principal.audiences

    @property
    def teaches(self) -> bool:
        """Whether a persona, an industry or a role reads it, or shall once it is decided."""
        return not self.principal.cohorts.isdisjoint((self.audience_id, self.proposed_audience_id))


@dataclass(slots=True)
class PlacementResolver:
    """Places the drafts of one call; shared facts are looked up once.

    wishes: pauses and opt-outs of members. permission: who may write where. audience: finds
    audiences. latest: the last lesson of the day, by audience. teams: those of the writing robot.
    gate_policy: how strict the gates are.
    """

    actor: Actor
    now: datetime
    organisation: Organisation = field(init=False)
    robot: Robot = field(init=False)
    teams: list[UUID] = field(init=False)
    gate_policy: PersonalDataPolicy = field(init=False)
    _principals: dict[tuple[Reference | None, Reference | None, bool], Principal | Exception] = (
        field(default_factory=dict)
    )
    _groups: dict[UUID, Group] = field(default_factory=dict)
    latest: dict[UUID, UUID | None] = field(default_factory=dict)
    _speakers: dict[tuple[object, ...], Speaker | ImpersonationError] = field(default_factory=dict)
    references: ReferenceLookup = field(init=False)
    wishes: MemberConsents = field(init=False)
    permission: WritePermission = field(init=False)
    audience: DraftAudienceResolver = field(init=False)

    def __post_init__(self) -> None:
        self.references = ReferenceLookup(self.actor)
        self.wishes = MemberConsents(self.actor.organisation_id)
        self.audience = DraftAudienceResolver(self.references)
        with organisation_scope(self.actor.organisation_id):
            self.robot, self.organisation, policy, self.teams = self._writer()
        self.gate_policy = PersonalDataPolicy(policy or PersonalDataPolicy.ABOUT_SOMEBODY)
        self.permission = WritePermission(self.organisation)

    def _writer(self) -> tuple[Robot, Organisation, str | None, list[UUID]]:
        """(the writing robot, its organisation with the needed columns, how strict its gates are,
        its teams).

        In plain SQL: a query by the ORM would take a third of the whole request.
        """
        values = {
            "organisation": self.actor.organisation_id,
            "robot": self.actor.robot_id,
            "web": WEB,
        }
        rows = fetch_all(_WRITER_SQL, values)
        if not rows and self.actor.robot_id is None:
            ensure_builtin_robot(self.actor.organisation_id, WEB, self.now)
            rows = fetch_all(_WRITER_SQL, values)
        if not rows:
            raise Robot.DoesNotExist("removed")
        return (
            Robot.from_db(DEFAULT_DB_ALIAS, _ROBOT_COLUMNS, rows[0][: len(_ROBOT_COLUMNS)]),
            Organisation.from_db(
                DEFAULT_DB_ALIAS, _ORGANISATION_COLUMNS, rows[0][len(_ROBOT_COLUMNS) : -2]
            ),
            rows[0][-2],
            rows[0][-1],
        )

    def place(self, draft: Draft) -> Placement:
        """The placement of a draft; call inside the organisation's scope.

        Raises NotFoundError, MemoryRequestError, ImpersonationError, MissingScopeError,
        KeyGroupsError, PermissionError, LearningPausedError and SharingOptOutError.
        """
        if draft.heard is not None:
            return resolve_message_placement(self, draft, draft.heard)
        self._check_robot(draft)
        if source_message_id(draft) is not None or PROPOSITION_OF in draft.source:
            raise ImpersonationError(MADE_OF)
        of_document = (draft.conversation or "").startswith(CONVERSATION_PREFIX)
        if of_document and draft.import_job is None:
            raise ImpersonationError(MADE_BY_IMPORT)
        principal = self.principal(draft.member, draft.group, told=draft.told)
        actor = principal.actor
        group = self.group_of(actor)
        visibility = effective_visibility(
            draft.visibility,
            group=group is not None,
            member=actor.member_id is not None,
            person=actor.is_person,
        )
        if actor.key_groups is not None and visibility not in _IN_GROUPS:
            raise KeyGroupsError("What it writes is for readers in its groups alone.")
        if draft.red_line:
            internal = visibility in ROBOT_ONLY
            check_protection_request(actor, draft.red_line_reason, internal=internal)
        team = parse_team_visibility(draft.visibility)
        team_id = self.references.own_team(team).id if team else None
        cohort = parse_cohort_visibility(draft.visibility)
        member_id = self._subject(actor, visibility)
        listeners = self._listeners(draft, actor, group)
        speaker = self._speaker(draft, actor, group)
        check_team_note(visibility, member=bool(actor.member_id or speaker.member_id))
        check_cohort_memory(
            visibility,
            names_somebody=bool(group or draft.speaker or listeners or draft.conversation),
        )
        self.wishes.check(actor, visibility, member_id, speaker.member_id)
        place = KindInputs(visibility, group is not None, member_id is not None, bool(listeners))
        kind = draft.kind or derive_kind(place)
        check_kind(kind, group=place.group, member=place.member)
        if (kind == "internal") != (visibility in ROBOT_ONLY):
            raise MemoryRequestError(
                "Kind internal goes with visibility internal or a team's, and no other."
            )
        allowed = self.permission.ask(actor, visibility, group, cohort[1] if cohort else "")
        concerned = AudienceSpec(
            readers=draft.readers,
            listeners=listeners,
            speaker_id=speaker.member_id,
            robot_id=self.robot.id,
            team_id=team_id,
            cohort=cohort[1] if cohort else "",
            told=draft.told,
        )
        audience_id, audience_kind = self.audience.of(principal, visibility, group, concerned)
        proposed = None
        if allowed is WriteAccess.PROPOSE:
            proposed, audience_kind = audience_id, AudienceType.REVIEW
            # Where a lesson waits says of nobody that they taught it.
            author = None if cohort else actor.own_member_id
            audience_id = self.audience.of_review(actor.organisation_id, author)
        return Placement(
            principal=principal,
            audience_id=audience_id,
            audience_kind=audience_kind,
            audience_label=audience_type_label(audience_kind, group.name if group else ""),
            status="pending_review" if proposed else "active",
            kind=kind,
            member_id=member_id,
            speaker=speaker.name,
            speaker_member_id=speaker.member_id,
            listeners=listeners,
            proposed_audience_id=proposed,
        )

    # --- look-ups, each made once ---

    def _check_robot(self, draft: Draft) -> None:
        if draft.robot is None:
            return
        try:
            claimed = self.references.robot(draft.robot).id
        except NotFoundError:
            claimed = None
        if claimed != self.robot.id:
            raise ImpersonationError("The key says which robot writes; leave `robot` out.")

    def principal(
        self, member: Reference | None, group: Reference | None, *, told: bool = False
    ) -> Principal:
        group = group_to_write_in(self.actor, group)
        known = self._principals.get((member, group, told))
        if known is None:
            try:
                acting = resolve_actor(self.actor, member=member, group=group, told=told)
                if acting.told and acting.robot_id and acting.member_id:
                    # The writer reads what it was told, also the first thing.
                    ensure_direct_audience(
                        acting.organisation_id, acting.robot_id, acting.member_id
                    )
                known = resolve_principal(acting)
            except (
                NotFoundError,
                ImpersonationError,
                MissingScopeError,
                KeyGroupsError,
                PermissionError,
            ) as error:
                known = error
            self._principals[(member, group, told)] = known
        if isinstance(known, Exception):
            raise known
        return known

    def foresee(self, drafts: Iterable[Draft]) -> None:
        """Look up the wishes of the members of many messages in one query."""
        heard = [draft.heard for draft in drafts if draft.heard]
        self.wishes.look_up(id_ for one in heard for id_ in (one.subject, one.speaker_id))

    def group_of(self, actor: Actor) -> Group | None:
        if actor.group_id is None:
            return None
        if actor.group_id not in self._groups:
            self._groups[actor.group_id] = Group.objects.get(
                organisation_id=actor.organisation_id, id=actor.group_id
            )
        return self._groups[actor.group_id]

    def _listeners(self, draft: Draft, actor: Actor, group: Group | None) -> tuple[UUID, ...]:
        self.references.foresee(members=draft.listeners, group=group)
        found = tuple(self.references.member(ref, group).id for ref in draft.listeners)
        for one in found:
            check_addressed(actor, one)
        return found

    def _speaker(self, draft: Draft, actor: Actor, group: Group | None) -> Speaker:
        if draft.import_job is not None:
            # Words of a file: no member's, whatever the file is called.
            return Speaker(draft.speaker)
        place = (draft.speaker, actor.member_id, group.id if group else None)
        if place not in self._speakers:
            try:
                self._speakers[place] = identify_speaker(
                    actor, draft.speaker, lambda one: self.references.person(one, group), group
                )
            except ImpersonationError as error:
                self._speakers[place] = error
        known = self._speakers[place]
        if isinstance(known, ImpersonationError):
            raise known
        return known

    def _subject(self, actor: Actor, visibility: Visibility) -> UUID | None:
        """The member whom it is about: the one for whom the actor acts. A person's post to a group
        or to everyone is about nobody; so is a memory for a profession, which does not reveal who
        taught it."""
        if visibility in COHORTS:
            return None
        if actor.is_person and visibility in (Visibility.GROUP, Visibility.ORGANISATION):
            return None
        return actor.member_id


def resolve_message_placement(
    placer: "PlacementResolver", draft: Draft, heard: MessagePlacement
) -> Placement:
    """The placement of a message's memory. Raises what `DraftPlacer.place` raises."""
    principal = placer.principal(None, draft.group)
    group = placer.group_of(principal.actor)
    placer.wishes.check(
        principal.actor, Visibility(draft.visibility or ""), heard.subject, heard.speaker_id
    )
    return Placement(
        principal=principal,
        audience_id=heard.audience_id,
        audience_kind=heard.audience_kind,
        audience_label=audience_type_label(heard.audience_kind, group.name if group else ""),
        status=Status.ACTIVE,
        kind=draft.kind or "",
        member_id=heard.subject,
        speaker=heard.speaker,
        speaker_member_id=heard.speaker_id,
        listeners=heard.listeners,
    )
