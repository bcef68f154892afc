"""What support staff see: one chosen organisation, metadata alone, read-only, on the record.

The pages of `SupportAdmin` read through the role `support`, to which the database grants neither
the text nor the vector of a memory; a column that is not granted cannot be shown by mistake.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.views import redirect_to_login
from django.db.models import Model, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation
from orgs.principals import Actor
from orgs.views.access import staff_only

ALIAS = "support"
CHOSEN = "support_organisation"
LISTED = 50


def sign_in(request: HttpRequest) -> HttpResponse:
    """The one sign-in page, with its throttle, for staff as well."""
    if request.user.is_authenticated:
        raise Http404
    return redirect_to_login(request.GET.get("next") or reverse("admin:index"))


def chosen(request: HttpRequest) -> UUID | None:
    """The organisation that this session looks at."""
    try:
        return UUID(request.session.get(CHOSEN, ""))
    except ValueError:
        return None


def note(request: HttpRequest, action: str, organisation_id: UUID, **detail: Any) -> None:
    """Append to the organisation's own audit trail, through the application's role."""
    with organisation_scope(organisation_id):
        audit.record(
            action,
            actor=Actor(organisation_id=organisation_id),
            now=timezone.now(),
            staff=request.user.pk,
            **detail,
        )


class ChoiceForm(forms.Form):
    organisation = forms.UUIDField()


@require_http_methods(["GET", "POST"])
@staff_only
def choose_organisation(request: HttpRequest) -> HttpResponse:
    """Choose one organisation to look at, or none any more."""
    if request.method == "POST":
        return _choose(request)
    wanted = request.GET.get("q", "").replace("\x00", "")[:200]
    rows = Organisation.objects.using(ALIAS).only("id", "name", "slug", "created_at")
    if wanted:
        rows = rows.filter(Q(name__icontains=wanted) | Q(slug__icontains=wanted))
    context = admin.site.each_context(request) | {
        "title": "Choose an organisation",
        "organisations": list(rows.order_by("name")[:LISTED]),
        "listed": LISTED,
        "q": wanted,
        "next": request.GET.get("next", ""),
    }
    return render(request, "admin/organisation.html", context)


def _choose(request: HttpRequest) -> HttpResponse:
    form = ChoiceForm(request.POST)
    rows = Organisation.objects.using(ALIAS).only("id", "name")
    found = rows.filter(id=form.cleaned_data["organisation"]).first() if form.is_valid() else None
    if found is None:
        raise Http404
    request.session[CHOSEN] = str(found.id)
    note(request, "support.chose", found.id)
    messages.success(request, f"You are looking at {found.name}.")
    wish = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(wish, allowed_hosts={request.get_host()})
    # An address alone: `redirect` would take any other word for the name of a view.
    return HttpResponseRedirect(wish if safe and wish[:1] == "/" else reverse("admin:index"))


View = Callable[..., HttpResponse]


def in_chosen_organisation(action: str) -> Callable[[View], View]:
    """Run a view of the admin under the support role, and record it after it is rendered."""

    def decorate(view: View) -> View:
        @wraps(view)
        def scoped(
            self: "SupportAdmin", request: HttpRequest, *args: Any, **kwargs: Any
        ) -> HttpResponse:
            organisation_id = chosen(request)
            if organisation_id is None:
                return redirect(f"{reverse('support-organisation')}?next={request.path}")
            with organisation_scope(organisation_id, using=ALIAS):
                response = view(self, request, *args, **kwargs)
                if hasattr(response, "render"):
                    response.render()
            if response.status_code == 200:
                self.note(request, action, organisation_id, *args, **kwargs)
            return response

        return scoped

    return decorate


class SupportAdmin(admin.ModelAdmin):
    """Rows of the chosen organisation; `columns` are those that the support role may read.

    listed: those of them that fit beside each other; all of them when empty.
    """

    columns: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    actions = None
    list_per_page = 50
    show_full_result_count = False

    @property
    def list_display(self) -> tuple[str, ...]:
        return self.listed or self.columns

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return self.columns

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return self.columns

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Any]":
        rows = self.model._default_manager.using(ALIAS).only(*self.columns)
        return rows.filter(organisation_id=chosen(request)).order_by("-id")

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        """The filters of the page alone: a condition on a hidden column would tell of it."""
        return lookup.partition("__")[0] in self.list_filter

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.is_active and request.user.is_staff

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @in_chosen_organisation("support.listed")
    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return super().changelist_view(request, extra_context)

    @in_chosen_organisation("support.viewed")
    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        return super().change_view(request, object_id, form_url, extra_context)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        """Nothing is changed here, so the admin keeps no history; the audit trail has it all."""
        raise Http404

    def note(
        self,
        request: HttpRequest,
        action: str,
        organisation_id: UUID,
        object_id: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Whom or what the staff member looked at."""
        note(
            request,
            action,
            organisation_id,
            target=UUID(object_id) if object_id else None,
            target_type=self.opts.model_name,
        )
