from django.apps import AppConfig
from django.core.checks import Tags, register


class OrgsConfig(AppConfig):
    name = "orgs"
    verbose_name = "Organisations"

    def ready(self) -> None:
        """Add the checks of roles and restores, what follows a sign-in, and the binary values."""
        from django.contrib.auth.signals import user_logged_in, user_login_failed
        from django.db import router
        from django.db.models.signals import post_delete, post_save

        from orgs.accounts import login_attempt_cache, sessions
        from orgs.database.backup.restore_marker import check_unfinished_restore
        from orgs.database.driver.binary_values import register_binary_dumpers
        from orgs.database.driver.servers import list_servers, switch_on
        from orgs.database.role_checks import check_roles
        from orgs.members.settle_accounts import on_account_saved
        from orgs.placement.home_tables import HomeTablesRouter
        from orgs.placement.placements import find_server, forget_placement
        from orgs.placement.server_checks import check_servers
        from orgs.support import reset_notice

        register(check_roles, Tags.security)
        register(check_servers, Tags.database)
        register(check_unfinished_restore, Tags.database)
        register_binary_dumpers()
        if len(list_servers()) > 1:
            switch_on(find_server, forget_placement)
            for changed in (post_save, post_delete):
                changed.connect(on_account_saved, "orgs.User", dispatch_uid="orgs.account-copies")
            router.routers.append(HomeTablesRouter())
        user_logged_in.connect(sessions.on_signed_in, dispatch_uid="orgs.sign-ins")
        user_login_failed.connect(
            login_attempt_cache.on_sign_in_failed, dispatch_uid="orgs.failed-sign-ins"
        )
        user_logged_in.connect(reset_notice.on_signed_in, dispatch_uid="orgs.told-of-support")
