from django.apps import AppConfig


class OrgsConfig(AppConfig):
    name = "orgs"
    verbose_name = "Organisations"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in

        from orgs.accounts import sessions
        from orgs.database import role_checks  # noqa: F401
        from orgs.database.backup import restore_marker  # noqa: F401
        from orgs.database.binary_values import register_binary_dumpers
        from orgs.organisations import organisation_removal  # noqa: F401 - erases again after a restore
        from orgs.support import reset_notice

        register_binary_dumpers()
        user_logged_in.connect(sessions.on_signed_in, dispatch_uid="orgs.sign-ins")
        user_logged_in.connect(reset_notice.on_signed_in, dispatch_uid="orgs.told-of-support")
