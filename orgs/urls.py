"""Addresses of people and organisations."""

from allauth.account import views as signing_in
from allauth.mfa.base import views as factors
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as app
from allauth.mfa.webauthn import views as passkeys
from allauth.socialaccount import views as sso
from allauth.socialaccount.providers.openid_connect import views as oidc
from django.urls import include, path
from django.views.generic import RedirectView

from orgs.views import account, onboarding
from orgs.views.support import account as of_account
from orgs.views.support import home as console
from orgs.views.support import people

to_account = RedirectView.as_view(pattern_name="account")

# The names are those by which django-allauth finds its own pages; what we do not offer (signing
# up, mail) is left out.
second_factor = [
    path("", to_account, name="mfa_index"),
    path("authenticate/", factors.authenticate, name="mfa_authenticate"),
    path("reauthenticate/", factors.reauthenticate, name="mfa_reauthenticate"),
    path("app/", app.activate_totp, name="mfa_activate_totp"),
    path("app/remove/", app.deactivate_totp, name="mfa_deactivate_totp"),
    path("codes/", codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path("codes/new/", codes.generate_recovery_codes, name="mfa_generate_recovery_codes"),
    path("passkeys/", to_account, name="mfa_list_webauthn"),
    path("passkeys/add/", passkeys.add_webauthn, name="mfa_add_webauthn"),
    path("passkeys/login/", passkeys.login_webauthn, name="mfa_login_webauthn"),
    path(
        "passkeys/reauthenticate/",
        passkeys.reauthenticate_webauthn,
        name="mfa_reauthenticate_webauthn",
    ),
    path("passkeys/<int:pk>/remove/", passkeys.remove_webauthn, name="mfa_remove_webauthn"),
    path("passkeys/<int:pk>/rename/", passkeys.edit_webauthn, name="mfa_edit_webauthn"),
]
accounts = [
    path("", account.account, name="account"),
    path("login/", signing_in.login, name="account_login"),
    path("logout/", signing_in.logout, name="account_logout"),
    path("inactive/", signing_in.account_inactive, name="account_inactive"),
    path("again/", signing_in.reauthenticate, name="account_reauthenticate"),
    path("password/change/", signing_in.password_change, name="account_change_password"),
    path("password/set/", signing_in.password_set, name="account_set_password"),
    path("password/forgotten/", onboarding.forgotten_password, name="forgotten-password"),
    path(
        "password/new/<str:uidb64>/<str:token>/",
        onboarding.NewPasswordView.as_view(),
        name="new-password",
    ),
    path("sessions/end/", account.end_other_sign_ins, name="sessions-end"),
    path("sessions/<uuid:sign_in_id>/end/", account.end_sign_in, name="session-end"),
    path("second-step/", include(second_factor)),
    path("oidc/<str:provider_id>/login/", oidc.login, name="openid_connect_login"),
    path("oidc/<str:provider_id>/login/callback/", oidc.callback, name="openid_connect_callback"),
    path("oidc/cancelled/", sso.login_cancelled, name="socialaccount_login_cancelled"),
    path("oidc/failed/", sso.login_error, name="socialaccount_login_error"),
]

pages = [
    path("accounts/", include(accounts)),
    path("invite/<uuid:organisation_id>/<str:secret>", onboarding.invitation, name="invitation"),
    path("organisations/", onboarding.organisations, name="organisations"),
    path(
        "organisations/<uuid:organisation_id>/join/",
        onboarding.join_organisation,
        name="organisation-join",
    ),
    path("organisations/<slug:slug>/", onboarding.organisation, name="organisation"),
]

# Under /admin/, before the addresses of Django's admin.
support = [
    path("", console.home, name="support"),
    path("login/", console.sign_in),
    path("account/", of_account.account, name="support-account"),
    path("account/find/", console.find_account, name="support-find"),
    path("account/end/", console.end_account, name="support-account-end"),
    path("account/second-step/", of_account.reset_second_factor, name="support-second-step"),
    path("account/sign-ins/end/", of_account.end_sign_ins, name="support-sign-ins-end"),
    path(
        "account/sign-ins/<uuid:sign_in_id>/end/",
        of_account.end_sign_in,
        name="support-sign-in-end",
    ),
    path("organisation/", console.organisation, name="support-organisation"),
    path("organisation/end/", console.end_organisation, name="support-organisation-end"),
    path("organisation/members/", people.members, name="support-members"),
    path("organisation/members/<uuid:member_id>/", people.member, name="support-member"),
    path("organisation/groups/", people.groups, name="support-groups"),
    path("organisation/groups/<uuid:group_id>/", people.group, name="support-group"),
]
