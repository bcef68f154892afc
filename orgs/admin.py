"""Django admin of organisations: metadata for support staff, users for superusers."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin, auth
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.models import Group as PermissionGroup
from django.http import HttpRequest

from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member
from orgs.models.organisations import Group, GroupMembership
from orgs.models.users import User
from orgs.support.admin import SupportAdmin

admin.site.site_header = "Commonmind support"
admin.site.site_title = "Commonmind support"
admin.site.index_title = "What support may look at"
admin.site.site_url = "/"
# Keys of second factors and single sign-on are nobody's to look at.
admin.site.unregister(
    [PermissionGroup, EmailAddress, Authenticator, SocialAccount, SocialApp, SocialToken]
)


@admin.register(Member)
class MemberAdmin(SupportAdmin):
    columns = ("id", "name", "role", "user_id", "time_zone", "created_at")
    columns += ("joined_at", "removed_at")
    list_filter = ("role",)


@admin.register(Group)
class GroupAdmin(SupportAdmin):
    columns = ("id", "name", "external_id", "confidential", "owner_id", "created_at")
    list_filter = ("confidential",)


@admin.register(GroupMembership)
class GroupMembershipAdmin(SupportAdmin):
    columns = ("id", "group_id", "member_id", "created_at")


@admin.register(AuditEntry)
class AuditAdmin(SupportAdmin):
    columns = ("id", "at", "action", "member", "robot", "staff", "target_type", "target")


class UserCreationForm(AdminUserCreationForm):
    class Meta:
        model = User
        fields = ("email", "name")


@admin.register(auth.get_user_model())
class SuperusersUserAdmin(UserAdmin):
    """Accounts, for superusers alone. Nobody is deleted here: an account is switched off."""

    add_form = UserCreationForm
    ordering = ("email",)
    list_display = ("email", "name", "is_active", "is_staff", "is_superuser", "last_login")
    list_filter = ("is_active", "is_staff", "is_superuser")
    search_fields = ("email", "name")
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

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.is_active and request.user.is_superuser

    has_module_permission = has_add_permission = has_change_permission = has_view_permission

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
