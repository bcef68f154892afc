"""Subscriptions to folders on the server: add, change, remove, and start those that are due.

Each is of the organisation, and whoever may import sees and changes all of them. Its runs are jobs
of its author, with the rights that the author has then.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Count, Q, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from memories.ingestion.file_import.formats.csv_table import parse_columns
from memories.ingestion.file_import.formats.line_writer import find_zone
from memories.ingestion.file_import.formats.registry import AUTO
from memories.ingestion.file_import.import_job import check_may_import, get_reading_group
from memories.ingestion.folder_import.models import (
    FolderFile,
    FolderPauseReason,
    ImportSubscription,
    LineReaders,
)
from memories.ingestion.folder_import.server_folder import has_import_folder, normalise_folder
from memories.jobs.fetch_schedule import (
    DEFAULT_PERIOD_MINUTES,
    SCHEDULE_FIELDS,
    enqueue_fetch,
    find_member_actor,
    list_due,
)
from memories.jobs.job_queue import check_may_ask
from memories.jobs.models import JobType
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, ReferenceNotFoundError
from orgs.models.memberships import Member
from orgs.models.organisations import Group
from orgs.placement.all_organisations import list_organisation_ids
from orgs.principals import Actor, resolve_principal
from robots.access.keys import find_key_caller
from robots.models.robots import Robot
from robots.people.directory import manageable_groups

MAX_SUBSCRIPTIONS, MAX_REFUSED_SHOWN = 20, 10
# In the parameters of a job: the subscription whose folder it looks through.
FOLDER_KEY = "folder"


class NoImportFolderError(Exception):
    """The operator has named no folder."""

    def __init__(self) -> None:
        super().__init__(
            "This server has no folder for imports: whoever runs it has not set IMPORT_FOLDER."
        )


class TooManySubscriptionsError(Exception):
    """The organisation has as many as there may be."""


@dataclass(frozen=True, slots=True)
class FolderOptions:
    """How each file of a folder is imported: as `enqueue_import` takes it. columns: as they are
    written; group: a reference, with readers `group`."""

    format: str = AUTO
    time_zone: str = ""
    columns: str = ""
    by_group: bool = False
    join_groups: bool = False
    readers: str = LineReaders.PRIVATE
    group: str = ""


@dataclass(frozen=True, slots=True)
class SubscriptionSummary:
    """A subscription as somebody who may import sees it. author: their name; group: of those who
    read what names no reader, None where there is none or the asker does not know it. taken: how
    many files were taken; refused: how many were not, as they are now; problems: the last of these,
    each with its path and why."""

    row: ImportSubscription
    author: str
    group: Group | None
    taken: int
    refused: int
    problems: tuple[str, ...]


def subscribe_to_folder(
    actor: Actor,
    folder: str,
    options: FolderOptions,
    *,
    period_minutes: int = DEFAULT_PERIOD_MINUTES,
    now: datetime,
) -> ImportSubscription:
    """Have a folder looked through now and each period. folder: its path below the folder of the
    organisation; whether it is there is seen by the first run.

    Raises PermissionError, NoImportFolderError, InvalidFolderError, ConversionError, NotFoundError
    for the group, TooManySubscriptionsError, and AlreadyExistsError for a folder that has one.
    """
    check_may_import(actor)
    check_may_ask(actor)
    if not has_import_folder():
        raise NoImportFolderError
    parse_columns(options.columns)
    find_zone(options.time_zone or None)
    made = ImportSubscription(
        organisation_id=actor.organisation_id,
        member_id=actor.member_id,
        robot_id=actor.robot_id,
        key_id=actor.key_id,
        folder=normalise_folder(folder),
        format=options.format,
        time_zone=options.time_zone,
        columns=options.columns,
        by_group=options.by_group,
        join_groups=options.join_groups,
        readers=options.readers,
        group_id=get_reading_group(actor, options.group).id
        if options.readers == LineReaders.GROUP
        else None,
        period_minutes=period_minutes,
        next_run_at=now,
        created_at=now,
    )
    with transaction.atomic():
        with organisation_scope(actor.organisation_id):
            _store(made)
            audit.record_entry(
                "folder.added",
                actor=actor,
                now=now,
                target=made.id,
                target_type="folder",
                period_minutes=period_minutes,
                readers=made.readers,
            )
        _enqueue(actor, made, now=now)
    return made


def _store(made: ImportSubscription) -> None:
    rows = ImportSubscription.objects.filter(organisation_id=made.organisation_id)
    if rows.count() >= MAX_SUBSCRIPTIONS:
        raise TooManySubscriptionsError(
            f"There are {MAX_SUBSCRIPTIONS} folders already; remove one first."
        )
    try:
        with transaction.atomic():
            made.save(force_insert=True)
    except IntegrityError as error:
        same = rows.filter(folder=made.folder).values_list("id", flat=True).first()
        raise AlreadyExistsError("This folder is looked through already.", existing=same) from error


def list_subscriptions(
    actor: Actor, subscription_id: UUID | None = None
) -> list[SubscriptionSummary]:
    """All of the organisation, or this one, by folder. Raises PermissionError."""
    check_may_import(actor)
    here = {"organisation_id": actor.organisation_id}
    with organisation_scope(actor.organisation_id):
        found = ImportSubscription.objects.filter(**here).order_by("folder", "id")
        if subscription_id is not None:
            found = found.filter(id=subscription_id)
        rows = list(found)
        files = FolderFile.objects.filter(**here, subscription_id__in=[row.id for row in rows])
        counts = {
            id_: (taken, refused)
            for id_, taken, refused in files.values("subscription_id")
            .annotate(taken=Count("id", filter=Q(problem="")), refused=Count("id", ~Q(problem="")))
            .values_list("subscription_id", "taken", "refused")
        }
        newest = Window(RowNumber(), partition_by="subscription_id", order_by=["-looked_at", "id"])
        refused = files.exclude(problem="").annotate(at=newest).filter(at__lte=MAX_REFUSED_SHOWN)
        problems: dict[UUID, list[str]] = {}
        for id_, problem in refused.order_by("at").values_list("subscription_id", "problem"):
            problems.setdefault(id_, []).append(problem)
        groups = manageable_groups(actor).in_bulk([row.group_id for row in rows if row.group_id])
        authors = _author_names(rows, here)
    return [
        SubscriptionSummary(
            row,
            authors.get(row.member_id or row.robot_id, ""),
            groups.get(row.group_id) if row.group_id else None,
            *counts.get(row.id, (0, 0)),
            tuple(problems.get(row.id, [])),
        )
        for row in rows
    ]


def _author_names(
    rows: Sequence[ImportSubscription], here: dict[str, UUID]
) -> dict[UUID | None, str]:
    """The names of members and robots by id."""
    names: dict[UUID | None, str] = {}
    for model, ids in (
        (Member, {row.member_id for row in rows if row.member_id}),
        (Robot, {row.robot_id for row in rows if row.robot_id}),
    ):
        if ids:
            names |= dict(model.objects.filter(**here, id__in=ids).values_list("id", "name"))
    return names


def get_subscription(actor: Actor, subscription_id: UUID) -> SubscriptionSummary:
    """One of `list_subscriptions`. Raises NotFoundError and PermissionError."""
    found = list_subscriptions(actor, subscription_id)
    if not found:
        raise ReferenceNotFoundError("subscription", subscription_id)
    return found[0]


def change_folder_subscription(
    actor: Actor,
    subscription_id: UUID,
    *,
    now: datetime,
    paused: bool | None = None,
    period_minutes: int | None = None,
) -> ImportSubscription:
    """Pause a subscription, or look through its folder now and each period again (`paused` is
    False), or change the period. One whose author may not import any more stays paused. Raises
    NotFoundError and PermissionError."""
    check_may_import(actor)
    with transaction.atomic():
        with organisation_scope(actor.organisation_id):
            found = lock_subscription(actor.organisation_id, subscription_id)
            if found is None:
                raise ReferenceNotFoundError("subscription", subscription_id)
            if period_minutes is not None:
                found.period_minutes = period_minutes
            if paused is True:
                found.pause(FolderPauseReason.ASKED)
            elif paused is False:
                found.resume(now)
            found.save(update_fields=SCHEDULE_FIELDS)
            audit.record_entry(
                "folder.changed",
                actor=actor,
                now=now,
                target=found.id,
                target_type="folder",
                paused=found.next_run_at is None,
                period_minutes=found.period_minutes,
            )
        if paused is False:
            _start(found, now)
    return found


def remove_folder_subscription(actor: Actor, subscription_id: UUID, *, now: datetime) -> None:
    """Remove a subscription. What it imported, and the files, stay. Raises NotFoundError and
    PermissionError."""
    check_may_import(actor)
    with organisation_scope(actor.organisation_id):
        found = lock_subscription(actor.organisation_id, subscription_id)
        if found is None:
            raise ReferenceNotFoundError("subscription", subscription_id)
        found.delete()
        audit.record_entry(
            "folder.removed",
            actor=actor,
            now=now,
            target=subscription_id,
            target_type="folder",
        )


def lock_subscription(organisation_id: UUID, subscription_id: UUID) -> ImportSubscription | None:
    """The subscription, locked; inside the organisation's scope."""
    rows = ImportSubscription.objects.select_for_update()
    return rows.filter(organisation_id=organisation_id, id=subscription_id).first()


def start_due_folders(now: datetime) -> int:
    """Enqueue a job for each subscription that is due; returns how many. In each organisation the
    longest due first."""
    return sum(_start_due(one, now) for one in list_organisation_ids())


def _start_due(organisation_id: UUID, now: datetime) -> int:
    return sum(
        _start_one(organisation_id, id_, now)
        for (id_,) in list_due(ImportSubscription, organisation_id, now, "id")
    )


def _start_one(organisation_id: UUID, subscription_id: UUID, now: datetime) -> bool:
    with transaction.atomic():
        with organisation_scope(organisation_id):
            # Another sweeper may have started it meanwhile.
            rows = ImportSubscription.objects.select_for_update(skip_locked=True)
            found = rows.filter(
                organisation_id=organisation_id, id=subscription_id, next_run_at__lte=now
            ).first()
        return found is not None and _start(found, now)


def _start(found: ImportSubscription, now: datetime) -> bool:
    """Enqueue the run of a locked subscription, or pause it if its author may not import any
    more."""
    actor = _find_author(found)
    if actor is not None:
        return _enqueue(actor, found, now=now)
    with organisation_scope(found.organisation_id):
        found.pause(FolderPauseReason.AUTHOR)
        found.save(update_fields=SCHEDULE_FIELDS)
    return False


def _find_author(found: ImportSubscription) -> Actor | None:
    """The author, with the rights of now; None if they may not import any more."""
    if found.member_id is not None:
        actor = find_member_actor(found.organisation_id, found.member_id)
    else:
        with organisation_scope(found.organisation_id):
            caller = found.key_id and find_key_caller(
                found.organisation_id, found.key_id, timezone.now()
            )
        actor = caller.actor() if caller else None
    if actor is None or not (actor.is_person or actor.is_robot_alone):
        return None
    try:
        check_may_import(actor)
    except PermissionError:
        return None
    return actor


def _enqueue(actor: Actor, found: ImportSubscription, *, now: datetime) -> bool:
    principal = resolve_principal(actor)
    with principal.scope():
        return enqueue_fetch(
            principal,
            found,
            JobType.IMPORT,
            {FOLDER_KEY: str(found.id)},
            now=now,
            name=found.folder or "/",
        )
