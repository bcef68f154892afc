"""Remove the demo for good."""

import logging
from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from memories.demo.create_demo import EMAIL_DOMAIN
from orgs import audit
from orgs.accounts.sessions import actor_of, list_memberships
from orgs.database.driver.servers import HOME, switched_to_server
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.members.settle_accounts import delete_account
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Organisation
from orgs.models.users import User
from orgs.organisations.organisation_removal import remove_organisation
from orgs.placement.all_organisations import list_memberships_ever
from orgs.principals import Actor

log = logging.getLogger("commonmind.demo")
# The most seconds that the request deletes rows; the sweeper deletes the rest.
MAX_REQUEST_SECONDS = 10.0


class NotADemoError(NotFoundError):
    """The organisation is not the demo and is not removed like this."""


def delete_demo(actor: Actor, user: User, *, now: datetime) -> Organisation | None:
    """Delete the asker's organisation, if it is the demo, and the accounts that were created for
    it.

    Every row of it is deleted, with its audit trail, so the removal is recorded in the asker's
    other organisations. Returns one of these, or None. If there is much to delete, a worker goes on
    after the answer. Raises NotFoundError for everybody but its admins, and NotADemoError.
    """
    if not (actor.is_person and actor.role == Role.ADMIN):
        raise NotFoundError("not the asker's to remove")
    with organisation_scope(actor.organisation_id):
        rows = Organisation.objects.filter(id=actor.organisation_id, demo=True)
        if not rows.exists():
            raise NotADemoError("this is no demo")
        made = Member.objects.filter(
            organisation_id=actor.organisation_id, user__email__endswith=f"@{EMAIL_DOMAIN}"
        )
        accounts = list(made.values_list("user_id", flat=True))
    gone = remove_organisation(actor.organisation_id, now=now, seconds=MAX_REQUEST_SECONDS)
    log.info("the demo organisation was removed" if gone else "the demo organisation is closed")
    others = list_memberships(user)
    for member, organisation in others:
        if member.role == Role.ADMIN:
            _record_audit(member, organisation, actor.organisation_id, now)
    _delete_accounts(accounts)
    return others[0][1] if others else None


def _record_audit(member: Member, organisation: Organisation, removed: UUID, now: datetime) -> None:
    with organisation_scope(organisation.id):
        audit.record_entry(
            "demo.removed",
            actor=actor_of(member),
            now=now,
            target=removed,
            target_type="organisation",
        )


def _delete_accounts(accounts: Iterable[UUID | None]) -> None:
    """Delete the accounts without another organisation, and sign them out everywhere."""
    with switched_to_server(HOME):
        for user in User.objects.filter(pk__in=[id_ for id_ in accounts if id_]):
            if not list_memberships_ever(user.pk) and not user.is_staff:
                delete_account(user)
