"""Events and mails of a member; see `context.connectors`."""

from datetime import timedelta, tzinfo
from typing import Any

from django.db.models import Q

from memories.context.connectors.accounts import list_account_ids
from memories.context.connectors.models import AccountEntry, AccountType
from memories.context.sources.context_query import ContextBuildState
from memories.context.sources.pieces import ContextPiece
from memories.language.rendering.model_text import render_line
from memories.store.speakers.attribution import bare_name
from orgs.models.memberships import Member

EVENT, MAIL = "event", "mail"
MAX_ENTRIES, PERIOD = 10, timedelta(days=7)
# The most characters of a mail after its subject.
MAX_MAIL_CHARACTERS = 300


def load_events(asked: ContextBuildState) -> list[ContextPiece] | None:
    """The events of now and the next seven days, the soonest first."""
    rows = _entries_queryset(asked, AccountType.CALENDAR, at__lte=asked.now + PERIOD)
    if rows is None:
        return None
    still = Q(until__gte=asked.now) | Q(until=None, at__gte=asked.now)
    found = list(rows.filter(still).order_by("at", "id")[:MAX_ENTRIES])
    zone = _member_time_zone(asked) if found else None
    return [_event_piece(row, zone) for row in found]


def load_mails(asked: ContextBuildState) -> list[ContextPiece] | None:
    """The mails of the last seven days, the newest first."""
    rows = _entries_queryset(asked, AccountType.MAIL, at__gte=asked.now - PERIOD, at__lte=asked.now)
    if rows is None:
        return None
    found = list(rows.order_by("-at", "-id")[:MAX_ENTRIES])
    zone = _member_time_zone(asked) if found else None
    return [_mail_piece(row, zone) for row in found]


def _entries_queryset(asked: ContextBuildState, kind: str, **when: Any) -> Any:
    """The entries; None without a member, and in a group, where others would read them."""
    actor = asked.actor
    if actor.member_id is None or actor.group_id is not None or not actor.sees_own:
        return None
    ids = list_account_ids(asked.principal, asked.query.accounts, kind)
    return AccountEntry.objects.filter(
        organisation_id=asked.principal.organisation_id, kind=kind, account_id__in=ids, **when
    )


def _member_time_zone(asked: ContextBuildState) -> tzinfo:
    return Member.objects.get(
        organisation_id=asked.principal.organisation_id, id=asked.actor.member_id
    ).zone


def _event_piece(row: AccountEntry, zone: tzinfo | None) -> ContextPiece:
    at = row.at.astimezone(zone)
    when = f"{at:%Y-%m-%d}, all day" if row.all_day else f"{at:%Y-%m-%d %H:%M}"
    if row.until and not row.all_day:
        when += f" to {row.until.astimezone(zone):%H:%M}"
    where = f", {render_line(row.place)}" if row.place else ""
    return ContextPiece(
        head=(when,),
        text=f"{render_line(row.title)}{where}",
        type=EVENT,
        id=row.id,
        more={"account": row.account_id, "starts_at": row.at, "ends_at": row.until},
    )


def _mail_piece(row: AccountEntry, zone: tzinfo | None) -> ContextPiece:
    begins = f": {render_line(row.text[:MAX_MAIL_CHARACTERS])}" if row.text else ""
    return ContextPiece(
        head=(f"{row.at.astimezone(zone):%Y-%m-%d %H:%M}", f"from {bare_name(row.person)}"),
        text=f"{render_line(row.title)}{begins}",
        type=MAIL,
        id=row.id,
        more={"account": row.account_id, "sent_at": row.at},
    )
