"""A Django shell in which the database shows what one member may read."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands.shell import Command as Shell
from django.db import transaction
from django.utils import timezone

from orgs.accounts.sessions import actor_of
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Organisation
from orgs.organisations.organisations import get_organisation
from orgs.principals import Principal, resolve_principal


class Command(Shell):
    help = (
        "A Python shell inside a member's scope: row-level security shows what they may read. "
        "The names member, actor, principal and now are there, and every model. "
        "Without --keep all changes are undone at the end."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--organisation", default="demo", help="slug, id or name")
        parser.add_argument("--member", help="e-mail address; left out: the first admin")
        parser.add_argument("--keep", action="store_true", help="keep what is changed")

    def handle(self, **options: Any) -> None:
        """Open the scope, run the shell in it, and roll back unless --keep is given."""
        member = _get_member(_get_organisation(options["organisation"]), options["member"])
        principal = resolve_principal(actor_of(member))
        self.names = _shell_namespace(member, principal)
        with principal.scope():
            if not options["command"]:
                end = "changes are kept" if options["keep"] else "changes are undone at the end"
                self.stdout.write(f"You read what {member.name} ({member.role}) reads; {end}.")
            super().handle(**options)
            if not options["keep"]:
                transaction.set_rollback(True)

    def get_namespace(self, **options: Any) -> dict[str, Any]:
        """The names that the shell has without an import."""
        return {**super().get_namespace(**options), **self.names}


def _get_organisation(reference: str) -> Organisation:
    try:
        return get_organisation(reference)
    except NotFoundError as error:
        raise CommandError(f"There is {error}.") from error


def _get_member(organisation: Organisation, email: str | None) -> Member:
    """The member with this e-mail address, or the first admin. Raises CommandError."""
    with organisation_scope(organisation.id):
        members = Member.objects.filter(organisation_id=organisation.id, removed_at=None)
        wanted = {"user__email__iexact": email} if email else {"role": Role.ADMIN}
        found = members.filter(**wanted).select_related("user").order_by("id").first()
    if found is None:
        raise CommandError(f"{organisation.name} has no member {email or 'who is an admin'}.")
    return found


def _shell_namespace(member: Member, principal: Principal) -> dict[str, Any]:
    return {
        "member": member,
        "actor": principal.actor,
        "principal": principal,
        "now": timezone.now(),
    }
