"""Forget every memory whose text has a substring, as far as the asker may."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.access.permissions import ChangeForbiddenError, may_forget_q
from memories.access.red_lines import RedLineError, red_line_allows_q
from memories.lifecycle.forget import forget_memory
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet
from orgs.errors import NotFoundError
from orgs.principals import Actor, Principal, resolve_principal

# The most memories of one call, and the limit of counting those that stay.
MAX_MEMORIES, MAX_COUNT = 200, 1_000


class BlankTextError(Exception):
    """The substring is blank, and would match nearly every text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetContentResult:
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
) -> ForgetContentResult:
    """Forget memories with the substring, in any letter case; `%` and `_` have no special meaning.

    It searches everything that the asker reads and that is not forgotten. Each memory is forgotten
    by `forget_memory`, in a transaction of its own, and can be restored. Raises BlankTextError.
    """
    if not substring.strip():
        raise BlankTextError("Say which words the memories hold; blanks alone are in all of them.")
    principal = resolve_principal(actor)
    with principal.scope():
        rows = _containing(principal, substring)
        may = rows.filter(may_forget_q(actor)).filter(red_line_allows_q(actor))
        ids = list(may.order_by("id").values_list("id", flat=True)[: MAX_MEMORIES + 1])
        others = rows.exclude(id__in=may.values("id"))
        kept = others.order_by()[:MAX_COUNT].count()
    more, ids = len(ids) > MAX_MEMORIES, ids[:MAX_MEMORIES]
    if not dry_run:
        ids = _forget_each(actor, ids, now)
    return ForgetContentResult(memories=ids, kept=kept, more=more, dry_run=dry_run)


def _containing(principal: Principal, substring: str) -> MemoryQuerySet:
    rows = Memory.objects.filter(
        organisation_id=principal.organisation_id, content__icontains=substring
    ).exclude(status=Status.FORGOTTEN)
    return rows.for_people() if principal.actor.is_person else rows


def _forget_each(actor: Actor, ids: Sequence[UUID], now: datetime) -> list[UUID]:
    """Forget these memories. Returns the ids that are forgotten now, also propositions that
    followed their memory."""
    stay = set()
    for id_ in ids:
        try:
            forget_memory(actor, id_, now=now)
        except (ChangeForbiddenError, RedLineError):
            # It was protected or shared by somebody since it was chosen.
            stay.add(id_)
        except NotFoundError:
            continue
    return [id_ for id_ in ids if id_ not in stay]
