"""What an endpoint is told besides the feed of changes: jobs, proposals, keys, members.

Each act has a time of its own; what happened since the last turn is read in the scope of the
endpoint's owner, and the constraint on deliveries keeps it from being told twice.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from memories.jobs.models import OPEN_STATES, Job
from memories.review.models import Proposal
from memories.review.review_queue import existing_items
from memories.webhooks.models import EventType, WebhookDelivery, WebhookEndpoint
from orgs.models.memberships import Member
from orgs.principals import Actor
from robots.models.keys import Key, valid_key_q

# What happened before this time is committed by now, or its worker has died.
_OVERLAP = timedelta(minutes=10)
# Of each kind, in one turn.
MAX_ACTS = 500
# A key is expiring when its end is as near as this.
EXPIRY_NOTICE = timedelta(days=7)


def build_delivery(
    endpoint: WebhookEndpoint, event: EventType, now: datetime, **fields: Any
) -> WebhookDelivery:
    """A delivery that is due now. fields: what it is about, and the audience that may know."""
    return WebhookDelivery(
        organisation_id=endpoint.organisation_id,
        endpoint_id=endpoint.id,
        owner_audience_id=endpoint.audience_id,
        event=event,
        created_at=now,
        next_attempt_at=now,
        **fields,
    )


def read_acts(actor: Actor, endpoint: WebhookEndpoint, now: datetime) -> list[WebhookDelivery]:
    """The deliveries of acts since the last turn; inside the owner's scope. Moves
    `jobs_seen_at`, which the caller saves."""
    since = max(endpoint.jobs_seen_at - _OVERLAP, endpoint.created_at)
    endpoint.jobs_seen_at = now
    readers = {
        EventType.JOB_FINISHED: _ended_jobs,
        # Before those that opened: an item that was decided as it opened is told as decided.
        EventType.PROPOSAL_DECIDED: _decided_proposals,
        EventType.PROPOSAL_OPENED: _opened_proposals,
        EventType.KEY_EXPIRING: _expiring_keys,
        EventType.MEMBER_OPTED_OUT: _members_who_opted_out,
    }
    owed: list[WebhookDelivery] = []
    for event, read in readers.items():
        if event not in endpoint.events:
            continue
        found = list(read(actor, endpoint, since, now))
        owed += [build_delivery(endpoint, event, now, **fields) for fields in found]
        if len(found) == MAX_ACTS and event is not EventType.KEY_EXPIRING:
            # The next turn goes on behind the last one that was read.
            endpoint.jobs_seen_at = min(endpoint.jobs_seen_at, found[-1]["occurred_at"])
    return owed


def _ended_jobs(
    actor: Actor, endpoint: WebhookEndpoint, since: datetime, now: datetime
) -> Iterator[dict[str, Any]]:
    """The owner's jobs that ended, by the member or by any key of the robot."""
    jobs = Job.objects.filter(
        organisation_id=endpoint.organisation_id,
        audience_id=endpoint.audience_id,
        member_id=endpoint.member_id,  # type: ignore[misc]  # None: IS NULL
        robot_id=endpoint.robot_id,
        finished_at__gt=since,
    ).exclude(state__in=OPEN_STATES)
    for job in jobs.only("kind", "state", "finished_at").order_by("finished_at", "id")[:MAX_ACTS]:
        yield {
            "audience_id": endpoint.audience_id,
            "subject": job.id,
            "facts": {"kind": job.kind, "state": job.state},
            "occurred_at": job.finished_at,
        }


def _opened_proposals(
    actor: Actor, endpoint: WebhookEndpoint, since: datetime, now: datetime
) -> Iterator[dict[str, Any]]:
    yield from _proposals(existing_items(actor).filter(created_at__gt=since), "created_at")


def _decided_proposals(
    actor: Actor, endpoint: WebhookEndpoint, since: datetime, now: datetime
) -> Iterator[dict[str, Any]]:
    yield from _proposals(existing_items(actor).filter(decided_at__gt=since), "decided_at")


def _proposals(rows: "QuerySet[Proposal, Proposal]", at: str) -> Iterator[dict[str, Any]]:
    """Items that exist for the owner. Their readers are those of the memory, so what the owner
    reads no longer by the time of sending is withheld."""
    found = rows.order_by(at, "id").values("id", "audience_id", "cause", "state", at)
    for row in found[:MAX_ACTS]:
        state = {} if at == "created_at" else {"state": row["state"]}
        yield {
            "audience_id": row["audience_id"],
            "subject": row["id"],
            "facts": {"cause": row["cause"]} | state,
            "occurred_at": row[at],
        }


def _expiring_keys(
    actor: Actor, endpoint: WebhookEndpoint, since: datetime, now: datetime
) -> Iterator[dict[str, Any]]:
    """Keys that end soon: of the robot, and for an admin, who sees the end of each key on the page
    of robots, those of all."""
    keys = Key.objects.filter(
        valid_key_q(now),
        organisation_id=endpoint.organisation_id,
        expires_at__lte=now + EXPIRY_NOTICE,
    )
    if not actor.is_person:
        keys = keys.filter(robot_id=actor.robot_id)  # type: ignore[misc]  # a robot is one
    told = WebhookDelivery.objects.filter(
        organisation_id=endpoint.organisation_id,
        endpoint_id=endpoint.id,
        event=EventType.KEY_EXPIRING,
    )
    keys = keys.exclude(id__in=told.values("subject"))
    for id_, end in keys.order_by("expires_at", "id").values_list("id", "expires_at")[:MAX_ACTS]:
        yield {"audience_id": endpoint.audience_id, "subject": id_, "occurred_at": end}


def _members_who_opted_out(
    actor: Actor, endpoint: WebhookEndpoint, since: datetime, now: datetime
) -> Iterator[dict[str, Any]]:
    """For admins alone, who read of it in the audit trail. Who opted in again by then is told of
    by nobody."""
    if not actor.is_person:
        return
    rows = Member.objects.filter(organisation_id=endpoint.organisation_id, sharing_off_at__gt=since)
    found = rows.order_by("sharing_off_at", "id").values_list("id", "sharing_off_at")
    for id_, at in found[:MAX_ACTS]:
        yield {"audience_id": endpoint.audience_id, "subject": id_, "occurred_at": at}
