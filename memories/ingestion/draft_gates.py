"""The gates before a draft becomes a memory that others read.

A held memory is readable for the writer's member and for those who decide, without its personal
data. The original words are stored apart, for that member alone (docs/adr/0021-gates.md).
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.audience_labels import audience_type_label
from memories.access.visibility import MemoryRequestError
from memories.ingestion.drafts import Draft
from memories.ingestion.placement import Placement, PlacementResolver
from memories.safety.check_text import (
    Gate,
    GateAction,
    LoadKnownPeople,
    Verdict,
    audit_detail,
    record_verdicts,
)
from memories.safety.gate_reviewers import load_gate_reviewers
from memories.safety.memory_submissions import MOST_BEFORE, last_texts
from memories.safety.models import HeldText
from memories.safety.names.known_names import (
    load_group_names,
    load_names_known_to,
    load_reader_list_names,
)
from memories.safety.required_checks import Finding, InjectionType, Submission, iter_strings
from memories.store.models.choices import QuarantineGate, Status
from memories.store.models.memory import Memory
from memories.store.speakers.document_source import map_part_texts, part_texts
from orgs import audit
from orgs.cohort_types import COHORT_TYPES
from orgs.database.bulk_insert import insert_rows
from orgs.database.rls import current_scope, insert_scope, organisation_scope
from orgs.models.audiences import Audience, AudienceType
from orgs.organisations.audience_rows import ensure_audience
from orgs.principals import Actor

# A text may have very many findings: the first ones are marked, all are counted.
MAX_FINDINGS = 200
STATUS_BY_CAUSE = {
    QuarantineGate.PERSONAL_DATA: Status.PENDING_REVIEW,
    QuarantineGate.POISON: Status.QUARANTINED,
}


class TooLongToCheck(Exception):
    """The gates could not read the whole text in their time; nothing was stored."""

    def __init__(self) -> None:
        super().__init__(
            "This text takes too long to check before others read it. Send it in parts. Nothing "
            "was stored."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """The verdict of the gates on a draft.

    audience: the kind of the audience that it was for. original: the text as it was written;
    owner_id: the member for whom it was written, who alone may read the original.
    """

    verdict: Verdict
    audience: str
    original: str
    owner_id: UUID | None = None


@dataclass(slots=True)
class DraftGates:
    """Judges the drafts of one call; call inside the organisation's scope."""

    placer: PlacementResolver
    gate: Gate = field(init=False)
    _names: dict[UUID, frozenset[str]] = field(default_factory=dict)
    _written: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_BEFORE))
    _stored: dict[tuple[object, ...], list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.gate = Gate(self.placer.organisation.id, policy=self.placer.gate_policy)

    def judge(
        self, draft: Draft, placement: Placement
    ) -> tuple[Draft, Placement, GateResult | None]:
        """The draft and its placement after the gates, and their verdict; None if they did not
        look. Raises TooLongToCheck."""
        given, familiar = self.given(draft, placement)
        if not self.gate.wanted(given):
            return draft, placement, None
        verdict = self.gate.judge(
            draft.content,
            given,
            beside=_extra_texts(draft),
            familiar=familiar,
            before=lambda: self.before(draft, placement),
            called=(draft.speaker, placement.speaker, draft.key or "", draft.conversation or ""),
            sanitise=draft.sanitise,
        )
        if verdict.unread:
            raise TooLongToCheck
        gated = GateResult(
            verdict=verdict,
            audience=given.audience,
            original=draft.content,
            owner_id=_author(given.audience, placement.principal.actor),
        )
        self._written.append(draft.content)
        if verdict.text != draft.content or verdict.beside:
            draft = self._cleaned(draft, verdict, given, familiar)
        if verdict.held:
            placement = self._held(placement, given.audience, verdict.held)
        return draft, placement, gated

    def before(self, draft: Draft, placement: Placement) -> list[str]:
        """The last texts of this call, of its robot, and of the conversation; looked up once."""
        actor = placement.principal.actor
        of = (actor.member_id, actor.group_id, draft.conversation)
        if of not in self._stored:
            self._stored[of] = last_texts(
                placement.principal, self.placer.robot.id, draft.conversation
            )
        return [*self._written, *self._stored[of]]

    def given(self, draft: Draft, placement: Placement) -> tuple[Submission, LoadKnownPeople]:
        """The submission of a draft for the gates, and a function for the names that every reader
        knows."""
        given = self._submission(draft, placement)
        return given, lambda: self._familiar(placement, given.audience)

    def _submission(self, draft: Draft, placement: Placement) -> Submission:
        actor = placement.principal.actor
        audience = self._target_kind(placement)
        speaker = placement.speaker_member_id
        if draft.heard is not None:
            # Its readers were there when it was said. Words that no member said are a robot's.
            return Submission(
                audience=audience, by_robot=not actor.is_person and speaker is None, own_words=True
            )
        heard = audience == AudienceType.GROUP or draft.visibility == "protected"
        # Words of a document are nobody's here; what is personal in them a person shares by choice.
        imported = draft.import_job is not None
        about = bool(placement.member_id or speaker or actor.member_id)
        return Submission(
            audience=audience,
            by_robot=imported or not actor.is_person,
            about_somebody=about and not (imported and actor.is_person),
            own_words=speaker is not None and heard,
            alone=self._is_alone(draft, placement, audience),
            deposit=self._is_deposit(placement, audience),
        )

    def _is_alone(self, draft: Draft, placement: Placement, audience: str) -> bool:
        """Whether only the member reads it whom it is about; or, for a robot's own notes, whether
        the robot serves one member."""
        if audience == AudienceType.ROBOT:
            return self.placer.robot.owner_id is not None
        owner = placement.principal.actor.member_id
        return (
            audience == AudienceType.EXPLICIT
            and not (draft.readers or placement.listeners)
            and owner is not None
            and placement.speaker_member_id in (None, owner)
        )

    def _is_deposit(self, placement: Placement, audience: str) -> bool:
        """Whether a robot leaves it for a member without their leave to read what is theirs, or
        keeps it for them alone."""
        actor, owner = placement.principal.actor, placement.principal.actor.member_id
        if owner is None or actor.is_person or self.placer.robot.owner_id == owner:
            return False
        return placement.is_deposit or audience == AudienceType.EXPLICIT

    def _target_kind(self, placement: Placement) -> str:
        if placement.proposed_audience_id is None:
            return placement.audience_kind
        known = {id_: kind for (kind, _), id_ in placement.principal.named.items()}
        if found := known.get(placement.proposed_audience_id):
            return found
        kinds = Audience.objects.filter(organisation_id=self.placer.organisation.id)
        return kinds.values_list("kind", flat=True).get(id=placement.proposed_audience_id)

    def _familiar(self, placement: Placement, audience: str) -> frozenset[str]:
        """The names that every reader knows: of a group its members, of a list the people that it
        names."""
        actor = placement.principal.actor
        match audience:
            case AudienceType.GROUP if actor.group_id:
                of, find = actor.group_id, load_group_names
            case AudienceType.EXPLICIT:
                of, find = placement.audience_id, load_reader_list_names
            case _:
                return frozenset()
        if of not in self._names:
            self._names[of] = find(actor.organisation_id, of)
        return self._names[of]

    def _cleaned(
        self, draft: Draft, verdict: Verdict, given: Submission, familiar: LoadKnownPeople
    ) -> Draft:
        """The draft without personal data, also in topic, tags, metadata and source."""

        def clean(value: Any) -> Any:
            if isinstance(value, str):
                return self.gate.cleaned(value, given, familiar)
            if isinstance(value, dict):
                return {clean(name): clean(one) for name, one in value.items()}
            return [clean(one) for one in value] if isinstance(value, list | tuple) else value

        return replace(
            draft,
            content=verdict.text,
            topic=clean(draft.topic),
            tags=tuple(tag for tag in draft.tags if clean(tag) == tag),
            metadata=clean(draft.metadata),
            source=_cleaned_source(draft, clean),
        )

    def _held(self, placement: Placement, audience: str, held: QuarantineGate) -> Placement:
        """The placement of a held memory: where it waits, and its target audience. A memory that no
        person may read waits where nobody reads."""
        placement = replace(placement, status=STATUS_BY_CAUSE[held], held_for=held)
        organisation_id = self.placer.organisation.id
        target = placement.proposed_audience_id or placement.audience_id
        owner = _author(audience, placement.principal.actor)
        reviewers = load_gate_reviewers(organisation_id, target, audience, owner)
        if reviewers is None:
            kind = AudienceType.REVIEW
            where = self.placer.audience.of_review(organisation_id, owner)
        else:
            kind = AudienceType.EXPLICIT
            where = self.placer.audience.of_persons(organisation_id, reviewers)
        return replace(
            placement,
            audience_id=where,
            audience_kind=kind,
            audience_label=audience_type_label(kind),
            proposed_audience_id=target,
        )


def _author(audience: str, actor: Actor) -> UUID | None:
    """The member who reads what waits beside those who decide, for an audience of this kind; None
    for a lesson: where it waits says of nobody that they taught it."""
    return None if audience in COHORT_TYPES else actor.member_id


def _extra_texts(draft: Draft) -> Iterator[str]:
    """The texts that are served with the content: topic, tags, metadata and source; of a message
    its own metadata."""
    yield draft.topic
    yield from draft.tags
    yield from iter_strings(draft.metadata)
    if draft.heard is not None:
        yield from draft.heard.beside
    elif draft.import_job is not None:
        yield from iter_strings(part_texts(draft.source))
    else:
        yield from iter_strings(draft.source)


def _cleaned_source(draft: Draft, clean: Callable[[Any], Any]) -> dict[str, Any]:
    """The source without personal data; ids that the product gave stay."""
    if draft.heard is not None:
        return draft.source
    if draft.import_job is not None:
        return map_part_texts(draft.source, clean)
    cleaned: dict[str, Any] = clean(draft.source)
    return cleaned


def review_details(gated: GateResult) -> dict[str, Any]:
    """The details of a held memory for its queue item: kinds and places, no text."""
    verdict = gated.verdict
    broke = {"failed": True} if verdict.failed else {}
    spans = [[one.start, one.end, one.kind.value] for one in verdict.marks[:MAX_FINDINGS]]
    return {"found": verdict.kinds, "spans": spans, "audience": gated.audience, **broke}


def store_originals(rows: Sequence[tuple[Memory, GateResult]], now: datetime) -> None:
    """Store the original words where only their member reads them.

    Not for a sensitive memory, of which nothing is ever stored in plain, and not without a member,
    since nobody could read them.
    """
    texts = [
        HeldText(
            organisation_id=row.organisation_id,
            memory_id=row.id,
            audience_id=ensure_audience(
                row.organisation_id, AudienceType.MEMBER, str(gated.owner_id)
            ),
            content=gated.original,
            findings=[
                [x.kind.value, x.start, x.end, x.sure]
                for x in gated.verdict.findings[:MAX_FINDINGS]
            ],
            held_at=now,
        )
        for row, gated in rows
        if gated.verdict.held
        and gated.owner_id
        and not row.sensitive
        and gated.original != row.content
    ]
    with insert_scope(sorted({one.audience_id for one in texts} | set(current_scope().deposit))):
        insert_rows(texts)


def record_gate_results(
    said: Sequence[tuple[UUID, GateResult]], actor: Actor, now: datetime
) -> None:
    """Record the verdicts in the audit trail, by the id of the memory."""
    verdicts = {id_: (gated.verdict, gated.audience) for id_, gated in said}
    record_verdicts(verdicts, actor=actor, now=now)


# The verdict of the gates on a text, for a caller who asks before writing.

PERSONA_HANDLE = re.compile(r"[a-z0-9]{1,100}(?:_[a-z0-9]{1,100}){1,20}")
INVALID_HANDLE = "A persona is named <industry>_<role> in small letters and digits."


@dataclass(frozen=True, slots=True)
class GatePreview:
    """findings: those that the asker may know of. The action takes all into account."""

    action: GateAction
    findings: tuple[Finding, ...]


def preview_gate(
    actor: Actor, draft: Draft, *, persona: str | None = None, now: datetime
) -> GatePreview:
    """The verdict on a draft; no memory is written.

    Raises what placing the draft raises, and MemoryRequestError for a persona's handle that is
    none. Names that the asker may not know are left out of the findings; otherwise names could be
    guessed.
    """
    placer = PlacementResolver(actor, now)
    with organisation_scope(actor.organisation_id):
        gates = DraftGates(placer)
        if persona is not None:
            if not PERSONA_HANDLE.fullmatch(persona):
                raise MemoryRequestError(INVALID_HANDLE)
            given = Submission(audience="persona", by_robot=not actor.is_person, strict=True)
            familiar: LoadKnownPeople = tuple
        else:
            given, familiar = gates.given(draft, placer.place(draft))
        verdict = gates.gate.judge(draft.content, given, familiar=familiar, sanitise=draft.sanitise)
        # Poison is found without names: what the asker may know of it is what was found.
        known = Gate(
            actor.organisation_id, policy=placer.gate_policy, names=load_names_known_to(actor)
        )
        shown = known.personal(draft.content, given, familiar)
        poison = [one for one in verdict.findings if isinstance(one.kind, InjectionType)]
        audit.record_seldom(
            "gate.asked", actor=actor, now=now, **audit_detail(verdict, given.audience)
        )
    return GatePreview(verdict.action, tuple(sorted([*shown, *poison])))
