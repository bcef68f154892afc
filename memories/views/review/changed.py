"""A proposed change in words: for each part what is there now and what would be; and of a new text
all that is published with it."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext

from memories.curation.decision_records.decision_queries import DecisionRecord
from memories.curation.decision_records.models import Claim, Dissent, DissentType, Participant
from memories.knowledge_graph.models import Task
from memories.review.changes import DISSENT, ENTITY, MEMORY, SPLIT, TASK, TIMES
from memories.review.models import NEW_TEXT_CAUSES, Proposal, ProposalCause
from memories.review.protect import LIFT, PROTECTION
from memories.store.models.choices import Category, Kind, Tier, Type
from memories.store.models.memory import Memory
from memories.views.decisions.decision_presenter import attribution, votes_label
from memories.views.review.gate_presenter import reveal_invisible
from orgs.languages.page_text import choice_label, lazy_text
from orgs.models.memberships import Member

NOTHING = lazy_text("nothing")
LABELS = {
    "category": lazy_text("Category"),
    "importance": lazy_text("How important it is, of 1"),
    "tags": lazy_text("Tags"),
    "metadata": lazy_text("Details"),
    "expires_at": lazy_text("Kept until"),
    "valid_from": lazy_text("True from"),
    "valid_until": lazy_text("True until"),
    "shareable": lazy_text("May be said outside its group"),
    "sensitive": lazy_text("Stored encrypted"),
    "tier": lazy_text("Tier"),
}
_ACTS = {
    SPLIT: lazy_text("Facts beside it"),
    TASK: lazy_text("Of its task"),
    ENTITY: lazy_text("What it names"),
    DISSENT: lazy_text("The answer to a dissent"),
}


# What is published with a new text, by attribute of its memory, in the order of the page; and the
# values of a text of which nothing is said.
PUBLISHED = {
    "category": lazy_text("Category"),
    "type": lazy_text("Type"),
    "kind": lazy_text("Kind"),
    "importance": lazy_text("How important it is, of 1"),
    "confidence": lazy_text("How sure it is, of 1"),
    "topic": lazy_text("Topic"),
    "tags": lazy_text("Tags"),
    "metadata": lazy_text("Details"),
    "key": lazy_text("Key"),
    "source": lazy_text("Source"),
    "open_conversation": lazy_text("Conversation"),
    "occurred_at": lazy_text("Said on"),
    "valid_from": lazy_text("True from"),
    "valid_until": lazy_text("True until"),
    "expires_at": lazy_text("Kept until"),
    "first_tier": lazy_text("Tier"),
    "shareable": lazy_text("May be said outside its group"),
    "sensitive": lazy_text("Stored encrypted"),
}
_UNSAID = {
    "type": Type.FACT,
    "kind": Kind.ORGANISATION,
    "confidence": 1,
    "first_tier": Tier.SLOW,
    "shareable": False,
    "sensitive": False,
}
# A longer value is folded.
MAX_OPEN_CHARACTERS = 400


def published_parts(
    item: Proposal,
    listeners: Iterable[Member] = (),
    record: DecisionRecord | None = None,
    tasks: Iterable[Task] = (),
) -> list[dict[str, Any]]:
    """All that approving publishes with a new text, beside its readers and whose words it gives:
    {label, value, is_long} each. Empty for everything but new texts.

    listeners: the members to whom it was said. record: of a decision. tasks: with their assignees.
    """
    if item.cause not in NEW_TEXT_CAUSES:
        return []
    memory = item.memory
    told = [
        (label, _words(name, value))
        for name, label in PUBLISHED.items()
        if (value := getattr(memory, name)) not in (None, "", [], {}, _UNSAID.get(name))
    ]
    if memory.member:
        told.append((gettext("About"), memory.member.name))
    if names := [member.name for member in listeners]:
        told.append((gettext("Said to"), ", ".join(names)))
    if memory.red_line:
        told.append((gettext("Protected"), memory.red_line_reason or "yes"))
    elif PROTECTION in item.details:
        told.append((gettext("To be protected"), gettext("asked in an item of its own")))
    if record is not None:
        told += _record_parts(record)
    told += [(gettext("Task"), _task_words(task)) for task in tasks]
    return [
        {
            "label": label,
            "value": reveal_invisible(value),
            "is_long": len(value) > MAX_OPEN_CHARACTERS,
        }
        for label, value in told
    ]


def _record_parts(record: DecisionRecord) -> Iterator[tuple[str, str]]:
    """What stands in the record of a decision, (label, value) each."""
    if record.record.domain:
        yield gettext("Domain"), record.record.domain
    yield gettext("Votes"), votes_label(record)
    if record.participants:
        yield gettext("Took part"), ", ".join(map(_name, record.participants))
    for claim in record.claims:
        yield gettext("Claim%(claim)s") % {"claim": _by(claim)}, claim.text
    for said in record.dissents:
        yield (
            f"{choice_label(DissentType(said.form))}{_by(said)}",
            _joined(said.content, said.reasoning),
        )
        if said.rebuttal:
            yield gettext("The answer to it"), said.rebuttal


def _by(said: Claim | Dissent) -> str:
    name = _name(said)
    return gettext(", by %(name)s") % {"name": name} if name else ""


def _name(said: Participant | Claim | Dissent) -> str:
    """A member or robot as everybody sees them, whoever looks; any other name is marked."""
    return str(attribution(said, None)["name"])


def _joined(*texts: str) -> str:
    return "\n".join(text for text in texts if text)


def _task_words(task: Task) -> str:
    whose = (
        gettext("for %(name)s") % {"name": task.assignee.name}
        if task.assignee
        else gettext("for nobody in particular")
    )
    return (
        gettext("%(whose)s, due %(due_at)s") % {"whose": whose, "due_at": str(task.due_at)[:10]}
        if task.due_at
        else whose
    )


def is_lifting(item: Proposal) -> bool:
    """Whether it asks to take a protection off."""
    return item.cause == ProposalCause.RED_LINE and item.changes == LIFT


def parts(item: Proposal) -> list[dict[str, str]]:
    """What would change beside the text: {label, before, after} each."""
    if item.cause != ProposalCause.CORRECTION:
        return []
    return list(_parts(item.changes, item.memory))


def _parts(changes: Mapping[str, Any], memory: Memory) -> Iterator[dict[str, str]]:
    for name, value in changes.get(MEMORY, {}).items():
        if name != "content":
            before = getattr(memory, name)
            yield {
                "label": LABELS.get(name, name),
                "before": _words(name, before),
                "after": _words(name, value),
            }
    for act, label in _ACTS.items():
        if given := changes.get(act):
            yield {"label": label, "before": "", "after": _told(given)}


def _words(name: str, value: Any) -> str:
    if value in (None, "", [], {}):
        return NOTHING
    say = _SAY.get(name)
    if say is not None:
        return say(value)
    return ", ".join(value) if isinstance(value, list) else str(value)


def _document(given: Mapping[str, Any]) -> str:
    """A document in words; what is inside of a part as JSON."""
    return "; ".join(
        f"{key}: {one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)}"
        for key, one in given.items()
    )


_SAY: dict[str, Callable[[Any], str]] = {
    "category": lambda value: str(choice_label(Category(value))),
    **dict.fromkeys(("tier", "first_tier"), lambda value: str(choice_label(Tier(value)))),
    "type": lambda value: str(choice_label(Type(value))),
    "kind": lambda value: str(choice_label(Kind(value))),
    "shareable": lambda value: gettext("yes") if value else gettext("no"),
    "sensitive": lambda value: gettext("yes") if value else gettext("no"),
    **dict.fromkeys((*TIMES, "occurred_at"), lambda value: str(value)[:10]),
    **dict.fromkeys(("metadata", "source"), _document),
}


def _told(given: Mapping[str, Any]) -> str:
    """What was given to another act, without ids."""
    shown = {k: v for k, v in given.items() if k not in ("task", "entity", "dissent", "assignee")}
    if "assignee" in given:
        shown["assignee"] = gettext("another") if given["assignee"] else NOTHING
    said = []
    for name, value in shown.items():
        text = " / ".join(value) if isinstance(value, list) else str(value)
        said.append(f"{name.replace('_', ' ')}: {text}")
    return "; ".join(said)
