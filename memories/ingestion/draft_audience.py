"""The audience of a draft: everyone, a group, one person, one robot, or a list of readers."""

from dataclasses import dataclass, field
from uuid import UUID

from memories.access.references import ReaderReferences, ReferenceLookup
from memories.access.visibility import COHORTS, MemoryRequestError, Visibility
from orgs.models.audiences import AudienceType
from orgs.models.organisations import Group
from orgs.organisations.audience_rows import (
    ReaderKey,
    direct_readers,
    ensure_audience,
    ensure_explicit_audience,
)
from orgs.principals import Actor, Principal
from orgs.wired_functions import wired


@wired
def get_cohort_audience(principal: Principal, visibility: Visibility, reference: str) -> UUID:
    """The id of the audience of a persona, an industry or a role for which the asker may write.
    Raises NotFoundError and SharingOptOutError. Called inside the organisation's scope."""
    raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class AudienceSpec:
    """The people and robots of a draft. readers: as the caller named them; robot_id: the robot that
    writes; team_id: the team that it is for, if any; cohort: the persona, industry or role, if
    any; told: the member told it that robot, and both read it."""

    readers: ReaderReferences
    listeners: tuple[UUID, ...]
    speaker_id: UUID | None
    robot_id: UUID
    team_id: UUID | None = None
    cohort: str = ""
    told: bool = False


@dataclass(slots=True)
class DraftAudienceResolver:
    """Finds or creates audiences; each is looked up once, however many drafts it gets."""

    references: ReferenceLookup
    _known: dict[object, UUID] = field(default_factory=dict)

    def of(
        self,
        principal: Principal,
        visibility: Visibility,
        group: Group | None,
        concerned: AudienceSpec,
    ) -> tuple[UUID, str]:
        """(id, kind) of the audience. Raises MemoryRequestError and NotFoundError."""
        actor = principal.actor
        if visibility in COHORTS:
            found = get_cohort_audience(principal, visibility, concerned.cohort)
            return found, AudienceType(visibility.value)
        simple = {
            Visibility.ORGANISATION: (AudienceType.ORGANISATION, ""),
            Visibility.GROUP: (AudienceType.GROUP, str(actor.group_id)),
            Visibility.PRIVATE: (AudienceType.MEMBER, str(actor.member_id)),
            Visibility.INTERNAL: (AudienceType.ROBOT, str(actor.robot_id)),
            Visibility.TEAM: (AudienceType.TEAM, str(concerned.team_id)),
        }
        if visibility in simple:
            return self._simple(principal, *simple[visibility])
        return self._list(actor, visibility, group, concerned)

    def of_review(self, organisation_id: UUID, member_id: UUID | None) -> UUID:
        """The audience of memories that wait for review: their member, if any, and those who
        curate."""
        key = (AudienceType.REVIEW, member_id)
        if key not in self._known:
            self._known[key] = ensure_explicit_audience(
                organisation_id,
                [("member", member_id)] if member_id else [],
                kind=AudienceType.REVIEW,
            )
        return self._known[key]

    def of_persons(self, organisation_id: UUID, members: frozenset[UUID]) -> UUID:
        """The audience of exactly these members, without curators."""
        if members not in self._known:
            self._known[members] = ensure_explicit_audience(
                organisation_id, [("member", one) for one in members]
            )
        return self._known[members]

    def _simple(self, principal: Principal, kind: str, key: str) -> tuple[UUID, str]:
        if found := principal.named.get((kind, key)):
            return found, kind
        if (kind, key) not in self._known:
            actor = principal.actor
            group_id = actor.group_id if kind == AudienceType.GROUP else None
            self._known[(kind, key)] = ensure_audience(
                actor.organisation_id, kind, key, group_id=group_id
            )
        return self._known[(kind, key)], kind

    def _list(
        self, actor: Actor, visibility: Visibility, group: Group | None, concerned: AudienceSpec
    ) -> tuple[UUID, str]:
        """protected: {owner, speaker, listeners, readers}; shared: {owner, readers}."""
        readers = self.references.readers(concerned.readers, group)
        if visibility is Visibility.SHARED and not readers:
            raise MemoryRequestError("Visibility shared needs readers.")
        owner: ReaderKey = (
            ("member", actor.member_id) if actor.member_id else ("robot", concerned.robot_id)
        )
        readers.add(owner)
        if concerned.told and actor.member_id:
            readers = set(direct_readers(concerned.robot_id, actor.member_id))
        elif visibility is Visibility.PROTECTED:
            readers |= {("member", listener) for listener in concerned.listeners}
            if concerned.speaker_id:
                readers.add(("member", concerned.speaker_id))
        key = (frozenset(readers), actor.group_id)
        if key not in self._known:
            self._known[key] = ensure_explicit_audience(
                actor.organisation_id, readers, actor.group_id
            )
        return self._known[key], AudienceType.EXPLICIT
