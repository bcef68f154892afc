"""The question that a member is asked before a client is let in, and the way back to the client."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.core import signing
from oauthlib.common import add_params_to_uri

from orgs.accounts.sessions import actor_of, list_memberships
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Group, Organisation
from orgs.models.users import User
from orgs.principals import member_group_ids
from robots.oauth import grants
from robots.oauth.clients import ClientLook
from robots.oauth.errors import NoLeaveError
from robots.oauth.grants import AuthorizationRequest
from robots.oauth.registration import record_use
from robots.oauth.server_metadata import issuer

# For so long the page may stand open.
MAX_AGE_SECONDS = 600
# Of how many organisations, and how many groups of each, the page shows the names.
MAX_ORGANISATIONS_WITH_GROUPS, MAX_GROUPS = 3, 6
_SALT = "robots.oauth.consent"
NOT_YOURS = "You are not in this organisation."
TOO_OLD = "The page stood open for too long, or another account has signed in meanwhile."


@dataclass(frozen=True, slots=True)
class OrganisationChoice:
    """An organisation in which the person may let the client in. groups: the names of their first
    MAX_GROUPS groups; more_groups: how many more there are. Both are empty where there are many
    organisations."""

    organisation: Organisation
    member: Member
    groups: Sequence[str]
    more_groups: int

    @property
    def may_write(self) -> bool:
        return bool(self.member.role != Role.VIEWER)


def list_choices(user: User) -> list[OrganisationChoice]:
    """The person's organisations, by name."""
    pairs = list_memberships(user)
    if len(pairs) > MAX_ORGANISATIONS_WITH_GROUPS:
        return [OrganisationChoice(there, member, (), 0) for member, there in pairs]
    return [_choice(member, there) for member, there in pairs]


def _choice(member: Member, there: Organisation) -> OrganisationChoice:
    with organisation_scope(there.id):
        mine = Group.objects.filter(
            organisation_id=there.id, id__in=member_group_ids(actor_of(member))
        )
        names = list(mine.order_by("name", "id").values_list("name", flat=True))
    return OrganisationChoice(there, member, names[:MAX_GROUPS], max(0, len(names) - MAX_GROUPS))


def seal_request(user: User, asked: AuthorizationRequest, state: str) -> str:
    """What a client asked for, signed, for the form of this person."""
    sealed = {"user": str(user.pk), "state": state, **asdict(asked)}
    return signing.dumps(sealed, salt=_SALT, compress=True)


def open_request(user: User, sealed: str) -> tuple[AuthorizationRequest, str]:
    """(what the client asked for, its state). Raises NoLeaveError for what was not sealed for this
    person within MAX_AGE_SECONDS."""
    try:
        found: dict[str, Any] = signing.loads(sealed, salt=_SALT, max_age=MAX_AGE_SECONDS)
    except signing.BadSignature as error:
        raise NoLeaveError(TOO_OLD) from error
    if found.pop("user") != str(user.pk):
        raise NoLeaveError(TOO_OLD)
    state = found.pop("state")
    look, scopes = ClientLook(**found.pop("look")), tuple(found.pop("scopes"))
    return AuthorizationRequest(look=look, scopes=scopes, **found), state


def approve_request(
    user: User,
    asked: AuthorizationRequest,
    *,
    organisation_id: str,
    scopes: Sequence[str],
    now: datetime,
) -> str:
    """Let the client act for the person in one of their organisations. Returns the code.

    scopes: those that the person left ticked. Raises NoLeaveError.
    """
    member = next(
        (one for one, there in list_memberships(user) if str(there.id) == organisation_id), None
    )
    if member is None:
        raise NoLeaveError(NOT_YOURS)
    chosen = AuthorizationRequest(
        client_id=asked.client_id,
        look=asked.look,
        redirect_uri=asked.redirect_uri,
        scopes=tuple(one for one in asked.scopes if one in scopes),
        resource=asked.resource,
        code_challenge=asked.code_challenge,
    )
    code = grants.create_grant(actor_of(member), chosen, now=now)
    record_use(asked.client_id)
    return code


def answer_address(redirect_uri: str, state: str, **answer: str) -> str:
    """Where the client gets its answer; it says who answers (RFC 9207)."""
    told = {**answer, **({"state": state} if state else {}), "iss": issuer()}
    address: str = add_params_to_uri(redirect_uri, list(told.items()))
    return address
