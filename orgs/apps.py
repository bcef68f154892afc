from django.apps import AppConfig


class OrgsConfig(AppConfig):
    name = "orgs"
    verbose_name = "Organisations"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in

        from orgs.accounts import sessions
        from orgs.database import role_checks  # noqa: F401
        from orgs.database.backup import marker  # noqa: F401
        from orgs.database.binary_values import register_binary
        from orgs.organisations import remove  # noqa: F401 - erases again after a restore
        from orgs.support import told

        register_binary()
        user_logged_in.connect(sessions.on_signed_in, dispatch_uid="orgs.sign-ins")
        user_logged_in.connect(told.on_signed_in, dispatch_uid="orgs.told-of-support")
