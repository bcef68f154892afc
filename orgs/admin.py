"""Django's admin: accounts, for superusers alone. Support's console is in orgs/views/support."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.idp.oidc.models import Client as OAuthClient
from allauth.idp.oidc.models import Token as OAuthToken
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin, auth
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.models import Group as PermissionGroup
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from orgs.models.users import User
from orgs.support.accounts import record_account_change

admin.site.site_header = "Commonmind support"
admin.site.site_title = "Commonmind support"
admin.site.site_url = "/"
# Nobody may look at the secrets of second factors and single sign-on.
admin.site.unregister(
    [
        *(PermissionGroup, EmailAddress, Authenticator, SocialAccount, SocialApp, SocialToken),
        *(OAuthClient, OAuthToken),
    ]
)


class UserCreationForm(AdminUserCreationForm):
    class Meta:
        model = User
        fields = ("email", "name")


class StaffChangeList(ChangeList):
    """Lists support's accounts only: a list of all would mix the people of every organisation."""

    def get_queryset(self, *args: Any, **kwargs: Any) -> "QuerySet[Any]":
        rows = super().get_queryset(*args, **kwargs)
        return rows.filter(Q(is_staff=True) | Q(is_superuser=True))


@admin.register(auth.get_user_model())
class AccountAdmin(UserAdmin):
    """Accounts, for superusers alone. Nobody is deleted here: an account is switched off.

    The list has support's own accounts. Any other account is opened from support's console, by its
    exact address.
    """

    add_form = UserCreationForm
    actions = None
    ordering = ("email",)
    list_display = ("email", "name", "is_active", "is_staff", "is_superuser", "last_login")
    list_filter = ()
    search_fields = ()
    show_full_result_count = False
    filter_horizontal = ()
    readonly_fields = ("created_at", "last_login")
    fieldsets = (
        (None, {"fields": ("email", "name", "password")}),
        ("What this account may do", {"fields": ("is_active", "is_staff", "is_superuser")}),
        ("When", {"fields": ("created_at", "last_login")}),
    )
    add_fieldsets = (
        (None, {"fields": ("email", "name", "usable_password", "password1", "password2")}),
    )

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return StaffChangeList

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """No condition from the address: the list has no filters, and a look-up that does not fit
        its value ends in a server error."""
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.is_active and request.user.is_superuser

    has_module_permission = has_add_permission = has_change_permission = has_view_permission

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Record the change also where its person and their organisations read it; a new password
        is a change."""
        record_account_change(request.user, obj.email, now=timezone.now())
        return super().log_change(request, obj, message)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
