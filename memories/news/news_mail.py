"""A member's news by mail: once a day at most, numbers and addresses alone, no word of a memory.

Nobody gets any who has not asked for it on the page of their news, and every mail has an address
that ends them without signing in (RFC 8058).
"""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urljoin
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.urls import reverse

from memories.news.member_news import NewsCount, count_news
from orgs.accounts.sessions import actor_of
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.members.member_settings import set_news_mail
from orgs.models.memberships import Member, can_sign_in_q
from orgs.models.organisations import Organisation
from orgs.outbound.mail import can_send_mail, name_in_mail, send_mail

PERIOD = timedelta(days=1)
_SALT = "news-mail"


def send_due_mails(organisation_id: UUID, *, now: datetime) -> int:
    """Send the news to the members of an organisation who want them and had none for a day; returns
    how many mails went. What the server does not take is tried again in an hour."""
    if not can_send_mail():
        return 0
    with organisation_scope(organisation_id):
        here = Organisation.objects.filter(
            id=organisation_id, suspended_at=None, removed_at=None
        ).first()
        rows = Member.objects.filter(
            can_sign_in_q(), organisation_id=organisation_id, news_mail_since__isnull=False
        )
        members = list(rows.select_related("user").order_by("id")) if here else []
    return sum(send_due_mail(member, here.name, now) for member in members if here)


def send_due_mail(member: Member, organisation: str, now: datetime) -> bool:
    """Send a member their news unless they had some for a day or there are none; whether a mail
    went. organisation: its name."""
    before = member.news_mailed_at
    if before is not None and before > now - PERIOD:
        return False
    since = max(at for at in (member.news_mail_since, before, member.news_seen_at) if at)
    count = count_news(actor_of(member), since)
    # Claimed first, so that of two workers one sends.
    if not count.total or not _note_mailed(member, before, now):
        return False
    if not send_mail(member.user.email, **_write_mail(member, organisation, count)):
        _note_mailed(member, now, before)
        return False
    return True


def _note_mailed(member: Member, before: datetime | None, at: datetime | None) -> bool:
    with organisation_scope(member.organisation_id):
        rows = Member.objects.filter(
            organisation_id=member.organisation_id,
            id=member.id,
            news_mailed_at=before,
            news_mail_since__isnull=False,
        )
        return bool(rows.update(news_mailed_at=at))


def _write_mail(member: Member, organisation: str, count: NewsCount) -> dict[str, Any]:
    """Subject, text and headers."""
    organisation = name_in_mail(organisation)
    end = urljoin(settings.PUBLIC_URL, reverse("news-mail-end", args=[ending_token(member)]))
    lines = [
        _line(count.decided, "of your proposals was decided", "of your proposals were decided"),
        _line(count.reported, "thing you wrote was reported", "things you wrote were reported"),
        _line(
            count.personas, "persona that others say you have", "personas that others say you have"
        ),
        _line(count.jobs, "of your jobs is over", "of your jobs are over"),
    ]
    text = "\n".join(
        [
            f"In {organisation}:",
            "",
            *(f"- {line}" for line in lines if line),
            "",
            f"See them: {urljoin(settings.PUBLIC_URL, reverse('news'))}",
            "",
            f"No more mails like this: {end}",
            "",
        ]
    )
    return {
        "subject": f"News in {organisation}",
        "text": text,
        "headers": {
            "List-Unsubscribe": f"<{end}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        },
    }


def _line(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}" if number else ""


def ending_token(member: Member) -> str:
    """What stands in the address that ends the mails of a member; it opens nothing else."""
    return signing.dumps([str(member.organisation_id), str(member.id)], salt=_SALT)


def find_mailed_member(token: str) -> tuple[Member, str]:
    """The member of an `ending_token`, and the name of the organisation. Raises NotFoundError."""
    try:
        organisation_id, member_id = map(UUID, signing.loads(token, salt=_SALT))
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise NotFoundError("no such address") from error
    with organisation_scope(organisation_id):
        rows = Member.objects.filter(organisation_id=organisation_id, id=member_id)
        member = rows.filter(removed_at=None).select_related("organisation").first()
    if member is None:
        raise NotFoundError("no such address")
    return member, member.organisation.name


def end_mails(member: Member, *, now: datetime) -> None:
    """Send a member no more news, as they asked by an `ending_token`; once more changes nothing."""
    if member.news_mail_since is not None:
        set_news_mail(actor_of(member), on=False, now=now)
