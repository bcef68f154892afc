"""Forget every memory whose text has a substring, as far as the asker may."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.access.permissions import NotYours, forgettable
from memories.access.red_lines import RedLine, unheld
from memories.lifecycle.forget import forget_memory
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet
from orgs.errors import NotFound
from orgs.principals import Actor, Principal, resolve

# The most memories of one call, and the limit of counting those that stay.
MOST, COUNTED = 200, 1_000


class BlankText(Exception):
    """The substring is blank, and would match nearly every text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenContent:
    """memories: the ids that were forgotten, or would be, oldest first; at most MOST.

    kept: how many others with the substring the asker reads but may not forget, counted up to
    COUNTED. more: whether another call would find more to forget.
    """

    memories: list[UUID]
    kept: int
    more: bool
    dry_run: bool


def forget_content(
    actor: Actor, substring: str, *, now: datetime, dry_run: bool = False
) -> ForgottenContent:
    """Forget memories with the substring, in any letter case; `%` and `_` have no special meaning.

    It searches everything that the asker reads and that is not forgotten. Each memory is forgotten
    by `forget_memory`, in a transaction of its own, and can be restored. Raises BlankText.
    """
    if not substring.strip():
        raise BlankText("Say which words the memories hold; blanks alone are in all of them.")
    principal = resolve(actor)
    with principal.scope():
        rows = _holding(principal, substring)
        may = rows.filter(forgettable(actor)).filter(unheld(actor))
        ids = list(may.order_by("id").values_list("id", flat=True)[: MOST + 1])
        others = rows.exclude(id__in=may.values("id"))
        kept = others.order_by()[:COUNTED].count()
    more, ids = len(ids) > MOST, ids[:MOST]
    if not dry_run:
        ids = _forget(actor, ids, now)
    return ForgottenContent(memories=ids, kept=kept, more=more, dry_run=dry_run)


def _holding(principal: Principal, substring: str) -> MemoryQuerySet:
    rows = Memory.objects.filter(
        organisation_id=principal.organisation_id, content__icontains=substring
    ).exclude(status=Status.FORGOTTEN)
    return rows.for_people() if principal.actor.is_person else rows


def _forget(actor: Actor, ids: Sequence[UUID], now: datetime) -> list[UUID]:
    """Forget these memories. Returns the ids that are forgotten now, also propositions that
    followed their memory."""
    stay = set()
    for id_ in ids:
        try:
            forget_memory(actor, id_, now=now)
        except (NotYours, RedLine):
            # It was protected or shared by somebody since it was chosen.
            stay.add(id_)
        except NotFound:
            continue
    return [id_ for id_ in ids if id_ not in stay]
