"""A proposed change in words: for each part what is there now and what would be."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memories.review.changes import DISSENT, ENTITY, MEMORY, SPLIT, TASK, TIMES
from memories.review.models import Proposal, ProposalCause
from memories.review.protect import LIFT
from memories.store.models.choices import Category, Tier
from memories.store.models.memory import Memory

NOTHING = "nothing"
LABELS = {
    "category": "Category",
    "importance": "How important it is, of 1",
    "tags": "Tags",
    "metadata": "Details",
    "expires_at": "Kept until",
    "valid_from": "True from",
    "valid_until": "True until",
    "shareable": "May be said outside its group",
    "sensitive": "Stored encrypted",
    "tier": "Tier",
}
_ACTS = {
    SPLIT: "Facts beside it",
    TASK: "Of its task",
    ENTITY: "What it names",
    DISSENT: "The answer to a dissent",
}


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


_SAY: dict[str, Callable[[Any], str]] = {
    "category": lambda value: str(Category(value).label),
    "tier": lambda value: str(Tier(value).label),
    "shareable": lambda value: "yes" if value else "no",
    "sensitive": lambda value: "yes" if value else "no",
    **dict.fromkeys(TIMES, lambda value: str(value)[:10]),
    "metadata": lambda value: "; ".join(f"{key}: {one}" for key, one in value.items()),
}


def _told(given: Mapping[str, Any]) -> str:
    """What was given to another act, without ids."""
    shown = {k: v for k, v in given.items() if k not in ("task", "entity", "dissent", "assignee")}
    if "assignee" in given:
        shown["assignee"] = "another" if given["assignee"] else NOTHING
    said = []
    for name, value in shown.items():
        text = " / ".join(value) if isinstance(value, list) else str(value)
        said.append(f"{name.replace('_', ' ')}: {text}")
    return "; ".join(said)
