"""Gates for stored memories: changes, parts, new readers, originals of held ones, last texts.

A change is looked at as a first writing. One of category, importance or expiry brings the same
words to other places (a preference of importance 1 is in every context), so the words that stay
are looked at as well.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db.models import OuterRef, Subquery

from memories.access.permissions import publishes_to
from memories.review.models import GATE_CAUSES, Proposal, ProposalState
from memories.safety.check_text import Gate
from memories.safety.gate_refusals import GateRefusedError, require_passing
from memories.safety.models import HeldText
from memories.safety.names.known_names import load_group_names, load_reader_list_names
from memories.safety.required_checks import Submission, iter_strings
from memories.store.conversation_turns import source_message_id
from memories.store.dependents import is_proposition
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.speakers.authorship import Words, words_by
from memories.store.speakers.document_source import document_of, part_texts
from orgs.cohort_types import COHORT_TYPES
from orgs.models.audiences import AudienceType
from orgs.models.base import new_id
from orgs.principals import Actor, Principal

if TYPE_CHECKING:
    from django.db.models import QuerySet

# What takes something away, or brings the words to no other place. On request a memory is moved
# into the slowest tier alone.
_HARMLESS = frozenset({"sensitive", "shareable", "tier", "valid_from", "valid_until"})

# The most texts of a robot, and of a conversation, that a new one is judged with.
MOST_BEFORE = 5
# Of a robot those of the last hour count, so that the look-up reads few rows.
_MILLISECONDS = 60 * 60 * 1000


def is_robot_words(memory: Memory) -> bool:
    """Whether the present words of a memory are a robot's, or nobody's here, as those of a
    document; False for what a member said in a conversation."""
    if memory.reworded_by_id:
        return False
    if document_of(memory) is not None:
        return True
    if memory.speaker_member_id and source_message_id(memory) and not memory.reworded_by_robot_id:
        return False
    return memory.reworded_by_robot_id is not None or memory.author_id is None


def submission_of_words(memory: Memory, words_of: Words) -> Submission:
    """The submission of new words for the readers of a memory. words_of: (member, robot) whose they
    are.

    Of a held memory nothing may become readable before somebody has decided.
    """
    if memory.held_for:
        return Submission(audience=memory.audience.kind, by_robot=True, strict=True)
    heard = memory.audience.kind == AudienceType.GROUP and memory.speaker_member_id is not None
    return Submission(
        audience=memory.audience.kind,
        by_robot=words_of[0] is None,
        about_somebody=bool(memory.member_id or memory.speaker_member_id),
        own_words=heard,
        deposit=memory.deposited_by is not None,
        alone=_is_alone(memory),
    )


def _is_alone(memory: Memory) -> bool:
    """Whether only the member reads it whom it is about, beside the robot that wrote it; or, of a
    robot's own notes, whether the robot serves one member."""
    if memory.audience.kind == AudienceType.ROBOT:
        return memory.robot.owner_id is not None
    subject = memory.member_id or memory.speaker_member_id
    if memory.audience.kind != AudienceType.EXPLICIT or subject is None:
        return False
    readers = {("member", subject), ("robot", memory.robot_id)}
    return set(memory.audience.entries.values_list("kind", "reader")) <= readers


def submission_for_audience(memory: Memory, kind: str, *, by_choice: bool) -> Submission:
    """The submission of a memory's words for an audience of another kind. by_choice: a person
    decides it, so they may share personal data, except with a profession."""
    about = bool(memory.member_id or memory.speaker_member_id)
    return Submission(
        audience=kind,
        by_robot=is_robot_words(memory),
        about_somebody=about and not by_choice,
        own_words=by_choice,
        strict=kind in COHORT_TYPES,
    )


def load_originals(organisation_id: UUID, memories: Iterable[UUID]) -> dict[UUID, str]:
    """The original words of held memories, by memory id.

    Call inside the asker's scope: the database shows them only to the member for whom they were
    written, and to robots that may read what is private to them.
    """
    ids = list(memories)
    if not ids:
        return {}
    rows = HeldText.objects.filter(organisation_id=organisation_id, memory_id__in=ids)
    return dict(rows.values_list("memory_id", "content"))


def annotate_originals(items: "QuerySet[Proposal, Proposal]") -> "QuerySet[Any, Any]":
    """The items annotated with the `original` words of their memory, where the asker may read
    them."""
    texts = HeldText.objects.filter(
        organisation_id=OuterRef("organisation_id"), memory_id=OuterRef("memory_id")
    )
    return items.annotate(original=Subquery(texts.values("content")))


def last_texts(principal: Principal, robot_id: UUID, conversation: str | None) -> list[str]:
    """The contents of the robot's last memories, and of the conversation's, that the writer reads.

    Encrypted ones are left out: no context has them.
    """
    # Ids are ordered by time: the first 48 bits are milliseconds.
    oldest = UUID(int=new_id().int - (_MILLISECONDS << 80))
    with principal.scope():
        rows = Memory.objects.filter(
            organisation_id=principal.organisation_id, sensitive=False
        ).exclude(status=Status.FORGOTTEN)
        found = rows.filter(
            audience_id__in=principal.audiences, robot_id=robot_id, id__gte=oldest
        ).order_by("-id")
        texts = dict(found.values_list("id", "content")[:MOST_BEFORE])
        if conversation:
            turns = rows.filter(conversation=conversation).order_by("-position", "-id")
            texts |= dict(turns.values_list("id", "content")[:MOST_BEFORE])
    return list(texts.values())


def pass_gates(memory: Memory, changed: Mapping[str, Any], words: Words) -> None:
    """Raise GateRefusedError for a change after which the memory could not be written for its
    readers.

    changed: the fields with their new values. words: (member, robot) whose the new words are. The
    words that stay are looked at like the new ones where a robot changes them; where a person
    does, those of a robot are searched for what would steer another robot, unless somebody let
    just these words through.
    """
    if set(changed) <= _HARMLESS:
        return
    gate, given = Gate(memory.organisation_id), submission_of_words(memory, words)
    new = [*changed.get("tags", ()), *iter_strings(changed.get("metadata"))]
    # What a gate holds waits for a person, who sees all of it.
    kept = [] if memory.held_for else list(_kept(memory, changed))
    if words[0] is None:
        text = changed.get("content", "" if memory.held_for else memory.content)
        named = [memory.speaker, memory.key or "", memory.conversation or ""]
        beside, called = [*new, *kept], named
    else:
        text, beside, called = changed.get("content", ""), new, []
    require_passing(
        gate, text, given, beside=beside, called=called, familiar=lambda: _familiar(memory)
    )
    if words[0] is not None and is_robot_words(memory) and not memory.held_for:
        stays = [*kept, *([] if "content" in changed else [memory.content])]
        _look_for_orders(gate, memory, stays)


def check_words_of_parts(
    memory: Memory,
    actor: Actor,
    texts: Iterable[str],
    *,
    called: Iterable[str] = (),
    of_member: bool = False,
    reviewed: bool = False,
) -> None:
    """Raise GateRefusedError for words in parts of a memory that may not reach its readers: claims
    and dissents of a decision, and answers to them.

    called: names, in which only poison is searched. of_member: whether they are given as a
    member's. reviewed: whether somebody looks at these words before others read them. Where nobody
    does, and the actor may only propose to these readers, the gates take the place of the review:
    they look for everything, also in a person's words.
    """
    audience = memory.proposed_audience or memory.audience
    own = reviewed or publishes_to(actor, audience)
    given = submission_of_words(memory, words_by(actor) if own else (None, None))
    given = replace(
        given,
        audience=audience.kind,
        about_somebody=given.about_somebody or of_member or bool(actor.member_id) or not own,
        own_words=of_member and audience.kind == AudienceType.GROUP,
    )
    gate, familiar = Gate(memory.organisation_id), lambda: _familiar(memory)
    require_passing(gate, "", given, beside=texts, called=called, familiar=familiar)


def check_part_texts(memory: Memory, topic: str, source: Mapping[str, Any]) -> None:
    """Raise GateRefusedError for a topic and a source of a part of a document that its readers may
    not be given. They are nobody's own words here, as those of the part are not."""
    require_passing(
        Gate(memory.organisation_id),
        "",
        submission_of_words(memory, (None, None)),
        beside=[topic, *iter_strings(part_texts(source))],
        familiar=lambda: _familiar(memory),
    )


def _kept(memory: Memory, changed: Mapping[str, Any]) -> Iterable[str]:
    """The texts beside the content that stay: topic, tags, metadata, and what the writer gave as
    the source."""
    yield memory.topic
    if "tags" not in changed:
        yield from memory.tags
    if "metadata" not in changed:
        yield from iter_strings(memory.metadata)
    if source_message_id(memory) is None and not is_proposition(memory):
        yield from iter_strings(memory.source)


def _look_for_orders(gate: Gate, memory: Memory, texts: Iterable[str]) -> None:
    try:
        require_passing(
            gate, "", submission_of_words(memory, (None, memory.robot_id)), called=texts
        )
    except GateRefusedError:
        if not _is_approved_despite_gate(memory):
            raise


def _is_approved_despite_gate(memory: Memory) -> bool:
    """Whether a person published this memory although a gate had held it."""
    return Proposal.objects.filter(
        organisation_id=memory.organisation_id,
        cause__in=GATE_CAUSES,
        state=ProposalState.APPROVED,
        outcome__made=str(memory.id),
    ).exists()


def _familiar(memory: Memory) -> Iterable[str]:
    """The names that every reader knows."""
    match memory.audience.kind:
        case AudienceType.GROUP if memory.group_id:
            return load_group_names(memory.organisation_id, memory.group_id)
        case AudienceType.EXPLICIT:
            return load_reader_list_names(memory.organisation_id, memory.audience_id)
    return ()
