"""What a robot may do with a protected text that it wrote where it does not read.

It knows the words, so it reads this one row by its id, corrects and forgets it (decision 40). The
row comes up for it nowhere else: no list, no recall, no context and no export uses this module.
"""

from dataclasses import dataclass, replace
from uuid import UUID

from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetch_all
from orgs.errors import AlreadyExistsError, ReferenceNotFoundError
from orgs.models.audiences import AudienceType
from orgs.principals import Actor, Principal, resolve_principal

# What a writer corrects. Everything else is said of other memories, or is its readers' to say.
CORRECTABLE_FIELDS = frozenset(
    {"content", "category", "importance", "tags", "metadata", "expires_at"}
)
NOT_A_READER = (
    "You wrote this and do not read what its readers have: correct its words, category, "
    "importance, tags, metadata or expires_at, or delete it."
)
_AUDIENCE_SQL = "SELECT search.written_protected(%(memory)s::uuid, %(robot)s::uuid)"


@dataclass(frozen=True, slots=True)
class RowPrincipal:
    """Who asks for one row. as_writer: the principal also reads the audience of the row, for this
    row alone: use it for nothing else, and check the row again once it is locked."""

    principal: Principal
    as_writer: bool = False


def resolve_row_principal(actor: Actor, memory_id: UUID) -> RowPrincipal:
    """The principal of a call that names one row by its id. A robot that acts for nobody and serves
    nobody in particular also reaches a protected text that it wrote."""
    return as_writer_of(resolve_principal(actor.naming_a_row()), memory_id)


def as_writer_of(principal: Principal, memory_id: UUID) -> RowPrincipal:
    """The same for a principal that is resolved."""
    actor = principal.actor
    if actor.robot_id is None or actor.member_id or actor.group_id or actor.owner_id:
        return RowPrincipal(principal)
    if actor.key_groups is not None:
        # The list that it would reach may be of another group.
        return RowPrincipal(principal)
    with principal.scope():
        audience_id = _find_audience(memory_id, actor.robot_id)
    if audience_id is None or audience_id in principal.audiences:
        return RowPrincipal(principal)
    return RowPrincipal(replace(principal, audiences=principal.audiences | {audience_id}), True)


def check_still_written(row: RowPrincipal, memory: Memory) -> None:
    """Raise NotFoundError if what was resolved as the writer's is it no more; call it after the row
    is locked, in its scope."""
    robot_id = row.principal.actor.robot_id
    if row.as_writer and robot_id and _find_audience(memory.id, robot_id) != memory.audience_id:
        raise ReferenceNotFoundError("memory", memory.id)


def enter_own_space(memory: Memory, robot_id: UUID | None) -> None:
    """Make a memory a deposit of its writer, so that a new text collides with no memory of readers
    whom the writer is not one of. Raises AlreadyExistsError for a key that is taken there."""
    if memory.deposited_by is not None:
        return
    mine = Memory.objects.filter(
        organisation_id=memory.organisation_id,
        audience_id=memory.audience_id,
        deposited_by=robot_id,
    )
    if memory.key is not None and mine.filter(key=memory.key).exists():
        raise AlreadyExistsError("You have another memory with this key for these readers.")
    memory.deposited_by = robot_id


def does_writer_reach(memory: Memory) -> bool:
    """Whether the robot that wrote a protected text reaches it by its id, for who reads it; one
    query for a list of readers, else none."""
    robot = memory.robot
    if memory.audience.kind != AudienceType.EXPLICIT or robot.retired_at or robot.owner_id:
        return False
    return _find_audience(memory.id, memory.robot_id) is not None


def _find_audience(memory_id: UUID, robot_id: UUID) -> UUID | None:
    values = {"memory": memory_id, "robot": robot_id}
    [(found,)] = fetch_all(_AUDIENCE_SQL, values)
    audience_id: UUID | None = found
    return audience_id
