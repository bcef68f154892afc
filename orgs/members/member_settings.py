"""What a member decides for themselves: learning, sharing, time zone and language, news by mail."""

from datetime import datetime
from typing import Any
from zoneinfo import available_timezones

from django.conf import settings

from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.principals import Actor


def _update_member(actor: Actor, action: str, now: datetime, **values: Any) -> None:
    if not actor.is_person:
        raise PermissionError("Only the member decides this.")
    with organisation_scope(actor.organisation_id):
        Member.objects.filter(organisation_id=actor.organisation_id, id=actor.member_id).update(
            **values
        )
        audit.record_entry(
            action, actor=actor, now=now, target=actor.member_id, target_type="member"
        )


def set_learning_paused(actor: Actor, *, paused: bool, now: datetime) -> None:
    """Stop remembering things about the asking member, or start again.

    Raises PermissionError for a robot.
    """
    action = "learning.paused" if paused else "learning.resumed"
    _update_member(actor, action, now, learning_paused_at=now if paused else None)


def set_sharing_opt_out(actor: Actor, *, out: bool, now: datetime) -> None:
    """Stop sharing what is known about the asking member, or allow it again.

    Raises PermissionError for a robot.
    """
    action = "sharing.stopped" if out else "sharing.allowed"
    _update_member(actor, action, now, sharing_off_at=now if out else None)


def set_time_zone(actor: Actor, name: str, *, now: datetime) -> None:
    """Set the zone in which the asking member reads times.

    Raises ValueError for an unknown zone, and PermissionError for a robot.
    """
    if name not in available_timezones():
        raise ValueError("There is no such time zone.")
    _update_member(actor, "member.time_zone", now, time_zone=name)


def set_language(actor: Actor, code: str) -> None:
    """Set the language in which the asking member reads the pages; "" leaves it to the browser.

    It changes what one person sees and nothing that is kept, so no entry tells of it. Raises
    ValueError for a language that the pages are not in, and PermissionError for a robot.
    """
    if code and code not in dict(settings.LANGUAGES):
        raise ValueError("The pages are not in this language.")
    if not actor.is_person:
        raise PermissionError("Only the member decides this.")
    with organisation_scope(actor.organisation_id):
        Member.objects.filter(organisation_id=actor.organisation_id, id=actor.member_id).update(
            language=code
        )


def set_news_mail(actor: Actor, *, on: bool, now: datetime) -> None:
    """Send the asking member their news by mail, or no more. Raises PermissionError for a robot."""
    action = "news.mail_on" if on else "news.mail_off"
    _update_member(actor, action, now, news_mail_since=now if on else None)
