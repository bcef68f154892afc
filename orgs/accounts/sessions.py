"""Which member a signed-in person is, and in which browsers they are signed in."""

import re
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from orgs.accounts.known_browsers import remember_browser
from orgs.database.driver.servers import HOME, switched_to_server
from orgs.database.rls import unless_unwritable
from orgs.models.base import new_id
from orgs.models.memberships import Member
from orgs.models.organisations import Organisation
from orgs.models.sign_ins import SignIn
from orgs.models.users import User
from orgs.placement.all_organisations import list_joined_members
from orgs.principals import Actor
from orgs.trace_spans import note_organisation

ORGANISATION_SESSION_KEY = "organisation"
SIGN_IN_SESSION_KEY = "sign_in"
# "Last seen" is written again when it is this old.
LAST_SEEN_INTERVAL_SECONDS = 300
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("Chrom", "Chrome"),
    ("Safari", "Safari"),
    ("curl", "curl"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def list_memberships(
    user: User, *, chosen: UUID | None = None
) -> list[tuple[Member, Organisation]]:
    """(membership, organisation) for each organisation that the user has joined, by name. Those of
    a database server that does not answer are left out; with `chosen` among them OperationalError
    is raised."""
    pairs = [(m, m.organisation) for m in list_joined_members(user.pk, chosen=chosen)]
    return sorted(pairs, key=lambda pair: pair[1].name.lower())


def select_organisation(request: HttpRequest, organisation_id: UUID) -> bool:
    """Choose the organisation for this session. False if the person does not belong to it."""
    if any(o.id == organisation_id for _, o in list_memberships(request.user)):
        request.session[ORGANISATION_SESSION_KEY] = str(organisation_id)
        return True
    return False


def find_current_membership(request: HttpRequest) -> tuple[Member, Organisation] | None:
    """The chosen membership, or the only one, or None. Looked up once for each request.

    Whoever was removed from the chosen organisation has to choose again: it is never replaced by
    another without asking. None as well where it is suspended; see `find_suspended`.
    """
    cached = getattr(request, "_membership", False)
    if cached is not False:
        return cached
    found = None
    if request.user.is_authenticated:
        chosen = request.session.get(ORGANISATION_SESSION_KEY)
        pairs = request._memberships = list_memberships(
            request.user, chosen=UUID(chosen) if chosen else None
        )
        found = next((p for p in pairs if str(p[1].id) == chosen), None)
        if found is None and chosen is None and len(pairs) == 1:
            found = pairs[0]
    request._suspended = None
    if found is not None and found[1].suspended_at is not None:
        request._suspended, found = found[1], None
    request._membership = found
    if found is not None:
        note_organisation(found[1].id)
    return found


def find_suspended(request: HttpRequest) -> Organisation | None:
    """The organisation of which the person would be a current member, were it not suspended."""
    find_current_membership(request)
    found: Organisation | None = request._suspended
    return found


def actor_of(member: Member) -> Actor:
    """The member as an actor; viewers have the scope read, others also write."""
    return Actor(
        organisation_id=member.organisation_id,
        member_id=member.id,
        role=member.role,
        name=member.name,
        scopes=frozenset({"read"} if member.role == "viewer" else {"read", "write"}),
    )


def browser_label(user_agent: str) -> str:
    """A short name such as `Firefox on Linux`; the whole User-Agent is not stored."""
    browser = next((word for sign, word in BROWSERS if sign in user_agent), "")
    system = next((word for sign, word in SYSTEMS if sign in user_agent), "")
    if not browser:
        named = re.match(r"[A-Za-z][\w .-]{0,30}", user_agent)
        browser = named[0].strip() if named else "An unknown browser"
    return f"{browser} on {system}" if system else browser


def list_open_sign_ins(user: User, now: datetime) -> "QuerySet[SignIn]":
    """The user's open sign-ins, the last seen first."""
    live = Session.objects.filter(expire_date__gt=now).values("session_key")
    return SignIn.objects.filter(user=user, session_key__in=live).order_by("-last_seen_at", "-id")


def end_sign_ins(user: User, *, only: UUID | None = None, but: UUID | None = None) -> int:
    """End the user's sessions: one, all but one, or all. Returns how many."""
    chosen = SignIn.objects.filter(user=user)
    if only is not None:
        chosen = chosen.filter(id=only)
    if but is not None:
        chosen = chosen.exclude(id=but)
    with switched_to_server(HOME):
        keys = list(chosen.values_list("session_key", flat=True))
        Session.objects.filter(session_key__in=keys).delete()
        SignIn.objects.filter(user=user, session_key__in=keys).delete()
    return len(keys)


def current_sign_in_id(request: HttpRequest) -> UUID | None:
    """The id of this request's sign-in, or None."""
    marked = request.session.get(SIGN_IN_SESSION_KEY) or {}
    return UUID(marked["id"]) if marked else None


def record_sign_in(request: HttpRequest) -> None:
    """Store the session of a signed-in person: when it is new or renewed, and then once in a
    while."""
    session, marked = request.session, request.session.get(SIGN_IN_SESSION_KEY) or {}
    if session.session_key is None:
        session.create()
    mine = marked.get("user") == str(request.user.pk)
    known = mine and marked.get("key") == session.session_key
    if known and time.time() - marked["at"] < LAST_SEEN_INTERVAL_SECONDS:
        return
    if not mine:
        SignIn.objects.filter(user=request.user).exclude(
            session_key__in=Session.objects.values("session_key")
        ).delete()
    mark: dict[str, Any] = {"id": marked["id"] if mine else str(new_id())}
    SignIn.objects.update_or_create(
        id=mark["id"],
        defaults={
            "user": request.user,
            "session_key": session.session_key,
            "browser": browser_label(request.META.get("HTTP_USER_AGENT", "")),
            "last_seen_at": timezone.now(),
        },
    )
    session[SIGN_IN_SESSION_KEY] = mark | {
        "user": str(request.user.pk),
        "key": session.session_key,
        "at": int(time.time()),
    }


def on_signed_in(sender: object, request: HttpRequest, user: User, **kwargs: object) -> None:
    """Receiver of Django's `user_logged_in`: store the new session."""
    request.user = user
    request.has_signed_in = True  # type: ignore[attr-defined]
    record_sign_in(request)


class SignInRecordMiddleware:
    """Keeps the list of sessions; runs no query for requests that need no person."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        # Only if the view looked up the user: the call of a robot has no session, and its user is
        # an Actor.
        asked = hasattr(request, "_cached_user") and isinstance(request.user, User)
        if asked and response.status_code < 500:
            with unless_unwritable():
                record_sign_in(request)
            if getattr(request, "has_signed_in", False):
                remember_browser(request, response, request.user.email)
        return response
