"""People and invitations. Everybody sees who is here; admins invite, change roles and remove."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from orgs.errors import AlreadyExistsError, InvalidNameError, LookalikeNameError, NotFoundError
from orgs.languages.page_text import choice_label, inside_sentence, lazy_text
from orgs.members.invitations import (
    invitation_url,
    invite_member,
    mail_invitation,
    withdraw_invitation,
)
from orgs.members.members import change_role, remove_member
from orgs.models.memberships import Member, Role
from orgs.organisations.quotas import ResourceUsage, list_usage
from orgs.views.page_access import ADMINS, members_only
from robots.identities import identity_links
from robots.models.identities import IdentityLink
from robots.people import people_administration
from robots.people.people_administration import NamePage
from robots.views.forms import IdentityForm, InvitationForm, RoleForm


def parse_after(request: HttpRequest) -> UUID | None:
    """The id after which the page begins. Raises NotFoundError for what is no id."""
    try:
        return UUID(request.GET["after"]) if "after" in request.GET else None
    except ValueError as error:
        raise NotFoundError("no such page") from error


def pagination_links(listed: NamePage, here: str, query: str = "") -> dict[str, str]:
    """The addresses of the next pages, for components/pagination.html."""
    return {"next_url": f"{here}?{query}after={listed.after}" if listed.after else ""}


def people_tabs(request: HttpRequest, current: str) -> list[dict[str, Any]]:
    """The parts of People and groups that this person may open."""
    parts = {"people": gettext("People"), "groups-page": gettext("Groups")}
    if request.actor.role in ADMINS:
        parts |= {"invitations": gettext("Invitations"), "usage": gettext("Usage")}
    return [
        {"label": label, "url": reverse(name), "current": name == current}
        for name, label in parts.items()
    ]


@require_safe
@members_only()
def people(request: HttpRequest) -> HttpResponse:
    """Everyone in the organisation."""
    named = request.GET.get("q", "").replace("\x00", "")[:200]
    listed = people_administration.list_members(
        request.actor, named=named, after=parse_after(request)
    )
    context = {
        "tabs": people_tabs(request, "people"),
        "people": [_person_row(request, member) for member in listed.rows],
        "q": named,
        "page": pagination_links(listed, reverse("people"), f"q={named}&" if named else ""),
        "invite_url": reverse("invitations") if request.actor.role in ADMINS else "",
    }
    return render(request, "robots/people/index.html", context)


def _person_row(request: HttpRequest, member: Member) -> dict[str, Any]:
    admin = request.actor.role in ADMINS
    return {
        "name": member.name,
        "role": choice_label(Role(member.role)),
        "you": member.id == request.actor.member_id,
        "email": member.user.email if admin and member.user else "",
        "account": member.user_id is not None,
        "since": member.joined_at,
        "url": reverse("person", args=[member.id]) if admin else "",
    }


@require_safe
@members_only(*ADMINS)
def person(request: HttpRequest, member_id: UUID) -> HttpResponse:
    """One member, with the role and what can be changed."""
    return _render_person(request, member_id)


def _render_person(request: HttpRequest, member_id: UUID, status: int = 200, **more: Any) -> Any:
    member, groups = people_administration.get_member_with_groups(request.actor, member_id)
    _, known = identity_links.list_identities(request.actor, str(member.id))
    context = {
        "identities": [_identity(member, one) for one in known],
        "link_form": IdentityForm(),
        "person": _person_row(request, member) | {"id": member.id},
        "groups": [{"name": g.name, "url": reverse("group-page", args=[g.id])} for g in groups],
        "form": RoleForm(initial={"role": member.role}),
    }
    return render(request, "robots/people/person.html", context | more, status=status)


def _identity(member: Member, known: identity_links.VisibleIdentity) -> dict[str, Any]:
    row = known.identity
    args = [member.id, row.id]
    return {
        "name": str(row),
        "confirmed_at": row.confirmed_at,
        # Without an account nobody signs in as this member, so there is nothing to confirm.
        "waits": row.confirmed_at is None and member.user_id is not None,
        "said": [_link_sentence(one) for one in known.links],
        "confirm_url": reverse("identity-confirm", args=args),
        "unlink_url": reverse("identity-unlink", args=args),
    }


def _link_sentence(one: IdentityLink) -> str:
    """Who says so, in a sentence."""
    if one.robot.builtin:
        return gettext("An admin linked it.")
    why = f": “{one.evidence}”" if one.evidence else "."
    return gettext("%(robot)s says so, %(percent)s %% sure%(why)s") % {
        "robot": one.robot.name,
        "percent": round(one.confidence * 100),
        "why": why,
    }


@require_POST
@members_only(*ADMINS)
def link_identity(request: HttpRequest, member_id: UUID) -> HttpResponse:
    """Say that a name on another platform is this member."""
    form = IdentityForm(request.POST)
    if not form.is_valid():
        return _render_person(request, member_id, 422, link_form=form)
    try:
        identity_links.link_member_identity(
            request.actor, str(member_id), form.cleaned_data, now=timezone.now()
        )
    except AlreadyExistsError as refused:
        form.add_error("identity", str(refused))
        return _render_person(request, member_id, 422, link_form=form)
    messages.success(
        request, gettext("Linked. What robots hear under that name is this person's now.")
    )
    return redirect("person", member_id)


@require_POST
@members_only(*ADMINS)
def confirm_identity(request: HttpRequest, member_id: UUID, identity_id: UUID) -> HttpResponse:
    """Confirm that a name on another platform is really this member."""
    identity_links.confirm_identity(
        request.actor, str(member_id), str(identity_id), now=timezone.now()
    )
    messages.success(
        request, gettext("Confirmed. What is meant for that name opens to this person.")
    )
    return redirect("person", member_id)


@require_POST
@members_only(*ADMINS)
def unlink_identity(request: HttpRequest, member_id: UUID, identity_id: UUID) -> HttpResponse:
    """Take a name on another platform away from this member."""
    identity_links.unlink_identity(
        request.actor, str(member_id), str(identity_id), now=timezone.now()
    )
    messages.success(
        request, gettext("Taken away. Nothing new is put down to this person by that name.")
    )
    return redirect("person", member_id)


@require_POST
@members_only(*ADMINS)
def role(request: HttpRequest, member_id: UUID) -> HttpResponse:
    """Change a member's role."""
    form = RoleForm(request.POST)
    if not form.is_valid():
        return _render_person(request, member_id, 422, form=form)
    try:
        member = change_role(
            request.actor,
            member_id=member_id,
            role=form.cleaned_data["role"],
            now=timezone.now(),
        )
    except AlreadyExistsError as refused:
        return _render_person(request, member_id, 409, refused=str(refused))
    messages.success(
        request,
        gettext("%(name)s is now %(lower)s.")
        % {"name": member.name, "lower": inside_sentence(choice_label(Role(member.role)))},
    )
    return redirect("people")


@require_POST
@members_only(*ADMINS)
def remove(request: HttpRequest, member_id: UUID) -> HttpResponse:
    """Take a member out of the organisation."""
    try:
        member = remove_member(request.actor, member_id=member_id, now=timezone.now())
    except AlreadyExistsError as refused:
        return _render_person(request, member_id, 409, refused=str(refused))
    messages.success(
        request,
        gettext("%(name)s is removed and opens nothing here any more.") % {"name": member.name},
    )
    return redirect("people")


@require_safe
@never_cache
@members_only(*ADMINS)
def invitations(request: HttpRequest) -> HttpResponse:
    """Open invitations, and the form for a new one."""
    return _render_invitations(request)


def _render_invitations(request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
    listed = people_administration.list_invitations(request.actor, parse_after(request))
    context = {
        "tabs": people_tabs(request, "invitations"),
        "invitations": [_invitation(member) for member in listed.rows],
        "page": pagination_links(listed, reverse("invitations")),
        "form": InvitationForm(),
    }
    return render(request, "robots/people/invitations.html", context | more, status=status)


def _invitation(member: Member) -> dict[str, Any]:
    over = member.invite_expires_at is None or member.invite_expires_at <= timezone.now()
    return {
        "id": member.id,
        "name": member.name,
        "email": member.user.email,
        "role": choice_label(Role(member.role)),
        "ends_at": member.invite_expires_at,
        "over": over,
    }


@require_POST
@never_cache
@members_only(*ADMINS)
def invite(request: HttpRequest) -> HttpResponse:
    """Make a link; this answer alone shows it."""
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _render_invitations(request, 422, form=form)
    given = dict(form.cleaned_data)
    wants_mail = given.pop("mail")
    try:
        member, secret = invite_member(request.actor, now=timezone.now(), **given)
    except AlreadyExistsError as refused:
        form.add_error("email", str(refused))
        return _render_invitations(request, 422, form=form)
    except (LookalikeNameError, InvalidNameError) as refused:
        form.add_error("name", str(refused))
        return _render_invitations(request, 422, form=form)
    made = {
        "name": member.name,
        "url": invitation_url(member, secret),
        "wanted_mail": wants_mail,
        "mailed_to": given["email"]
        if wants_mail and mail_invitation(request.actor, member, secret, email=given["email"])
        else "",
    }
    return _render_invitations(request, made=made)


@require_POST
@members_only(*ADMINS)
def cancel_invitation(request: HttpRequest, member_id: UUID) -> HttpResponse:
    """Withdraw an invitation."""
    member = withdraw_invitation(request.actor, member_id=member_id, now=timezone.now())
    messages.success(
        request, gettext("The link for %(name)s does not work any more.") % {"name": member.name}
    )
    return redirect("invitations")


@require_safe
@never_cache
@members_only(*ADMINS)
def usage(request: HttpRequest) -> HttpResponse:
    """How much the organisation keeps, and may keep."""
    context = {
        "tabs": people_tabs(request, "usage"),
        "usage": [_usage_row(one) for one in list_usage(request.actor)],
    }
    return render(request, "robots/people/usage.html", context)


_USAGE_NOTES = {
    "memories": lazy_text("With those that are archived."),
    "bytes": lazy_text("Texts of memories and messages."),
    "robots": lazy_text("Without the built-in ones and those that are retired."),
    "groups": "",
}


def _usage_row(one: ResourceUsage) -> dict[str, Any]:
    name = one.resource
    return {
        "name": name,
        "label": gettext("Texts") if name == "bytes" else name.capitalize(),
        "note": _USAGE_NOTES[name],
        "used": one.used,
        "allowed": one.allowed,
        "in_bytes": name == "bytes",
        "full": one.allowed is not None and one.used >= one.allowed,
        # Of nothing that is allowed, all is used.
        "percent": 100 * one.used // one.allowed if one.allowed else 100,
    }
