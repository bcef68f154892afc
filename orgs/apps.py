from django.apps import AppConfig
from django.core.checks import Tags, register


class OrgsConfig(AppConfig):
    name = "orgs"
    verbose_name = "Organisations"

    def ready(self) -> None:
        """Add the checks of roles and restores, what follows a sign-in, and the binary values."""
        from django.contrib.auth.signals import user_logged_in, user_login_failed

        from orgs.accounts import login_attempt_cache, sessions
        from orgs.database.backup.restore_marker import check_unfinished_restore
        from orgs.database.driver.binary_values import register_binary_dumpers
        from orgs.database.role_checks import check_roles
        from orgs.support import reset_notice

        register(check_roles, Tags.security)
        register(check_unfinished_restore, Tags.database)
        register_binary_dumpers()
        user_logged_in.connect(sessions.on_signed_in, dispatch_uid="orgs.sign-ins")
        user_login_failed.connect(
            login_attempt_cache.on_sign_in_failed, dispatch_uid="orgs.failed-sign-ins"
        )
        user_logged_in.connect(reset_notice.on_signed_in, dispatch_uid="orgs.told-of-support")
