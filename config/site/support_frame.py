"""The frame around support's console: its pages, and what is looked at, on every page of /admin/.

It runs no query: what is looked at is stored in the session.
"""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from orgs.languages.page_text import lazy_text
from orgs.models.users import User
from orgs.support.support_sessions import find_account_session, find_organisation_session

# Pages of one organisation: (URL name, label, icon, short label for phones).
ORGANISATION_PAGES = (
    ("support-members", lazy_text("Members"), "people", ""),
    ("support-groups", lazy_text("Groups"), "aud-group", ""),
    ("support-robots", lazy_text("Robots and keys"), "robots", lazy_text("Robots")),
    ("support-jobs", lazy_text("Jobs"), "jobs", ""),
    ("support-memories", lazy_text("Memories"), "memories", ""),
    ("support-questions", lazy_text("Questions"), "quote", ""),
    ("support-trail", lazy_text("Audit"), "audit", ""),
)


def is_support_console(request: HttpRequest) -> bool:
    """Whether this is a page of /admin/ or /operate/ for a member of staff."""
    user = getattr(request, "user", None)
    inside = request.path.startswith((reverse("support"), reverse("operate")))
    return inside and isinstance(user, User) and user.is_active and user.is_staff


def support_context(request: HttpRequest) -> dict[str, Any]:
    """The variables of templates/frame.html and templates/support/bar.html."""
    organisation, account = find_organisation_session(request), find_account_session(request)
    nav = [_item(request, "support", gettext("Find"), "search", exact=True)]
    if request.user.is_superuser:
        nav.append(_item(request, "operate", gettext("Server"), "overview"))
    if account is not None:
        nav.append(_item(request, "support-account", gettext("Account"), "me"))
    if organisation is not None:
        nav += [
            _item(request, name, label, icon, short=short)
            for name, label, icon, short in ORGANISATION_PAGES
        ]
    if request.user.is_superuser:
        staff = _item(request, "admin:orgs_user_changelist", gettext("Support accounts"), "key")
        nav.append(staff | {"section": "below", "short": gettext("Staff")})
    nav.append(_item(request, "home", gettext("To Commonmind"), "arrow-right", exact=True))
    nav[-1] |= {"section": "below", "short": gettext("Leave")}
    return {
        "nav": nav,
        "support": {"organisation": organisation, "account": account},
        "organisation": None,
        "organisations": [],
        "member": {"name": str(request.user), "email": request.user.email, "role": ""},
        "sign_out_url": reverse("account_logout"),
        "account_url": reverse("account"),
    }


def _item(
    request: HttpRequest, name: str, label: str, icon: str, *, short: str = "", exact: bool = False
) -> dict[str, Any]:
    url = reverse(name)
    here = request.path == url if exact else request.path.startswith(url)
    return {
        "label": label,
        "url": url,
        "icon": icon,
        "section": "main",
        "current": here,
        "short": short,
    }
