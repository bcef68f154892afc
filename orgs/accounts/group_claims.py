"""Groups by a claim of the identity provider: who signs on sits in the mapped groups that it names,
and in no other mapped one (docs/adr/0080-groups-by-claim.md)."""

import logging
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Q

from orgs.accounts.sessions import list_memberships
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.models.organisations import Group, GroupMembership, Organisation
from orgs.models.users import User
from orgs.organisations.groups import add_and_remove_members
from orgs.organisations.references import parse_uuid
from orgs.principals import Actor

log = logging.getLogger("commonmind.accounts")
# Of one claim. Entra ID names at most 200 groups.
MAX_VALUES, MAX_VALUE_CHARACTERS = 1_000, 1_000
# What Entra ID sends in the place of a list that is too long for a token.
_NAMES_ELSEWHERE = "_claim_names"


class InvalidClaimError(ValueError):
    """A claim is no list of texts within the limits; the message says what it is, without its
    words."""


def read_groups_claim(told: Mapping[str, Any], claim: str) -> frozenset[str] | None:
    """The values of a claim of what a provider said; None where it says nothing of it.

    told: {"id_token": claims, "userinfo": claims}, either of them perhaps missing. The ID token
    goes first. Raises InvalidClaimError.
    """
    sources = [told[name] for name in ("id_token", "userinfo") if isinstance(told.get(name), dict)]
    found = next((source[claim] for source in sources if claim in source), None)
    if found is None:
        elsewhere = [source.get(_NAMES_ELSEWHERE) for source in sources]
        if any(isinstance(names, dict) and claim in names for names in elsewhere):
            raise InvalidClaimError("too many for a token, so the provider names them elsewhere")
        return None
    if not isinstance(found, list):
        raise InvalidClaimError("no list")
    if len(found) > MAX_VALUES:
        raise InvalidClaimError(f"a list of {len(found)}, more than {MAX_VALUES}")
    if not all(isinstance(one, str) and len(one) <= MAX_VALUE_CHARACTERS for one in found):
        raise InvalidClaimError("a list of something else than short texts")
    return frozenset(found)


def apply_group_claims(user: User, told: Mapping[str, Any], *, now: datetime) -> None:
    """Put an account that has signed on into the mapped groups that its claim names, in each
    organisation that it has joined, and take it out of the other mapped groups. Each change is
    recorded. A claim that is missing or cannot be read changes nothing."""
    mapping: Mapping[str, Collection[tuple[str, str]]] = settings.OIDC_GROUPS
    if not mapping:
        return
    try:
        values = read_groups_claim(told, settings.OIDC_GROUPS_CLAIM)
    except InvalidClaimError as error:
        log.warning("groups-claim-refused", extra={"account": str(user.pk), "reason": str(error)})
        return
    if values is None:
        return
    named = {place for value, places in mapping.items() if value in values for place in places}
    mapped = {place for places in mapping.values() for place in places}
    for member, organisation in list_memberships(user):
        references = {group for slug, group in mapped if slug == organisation.slug}
        if not references or organisation.suspended_at is not None:
            continue
        wanted = {group for slug, group in named if slug == organisation.slug}
        _seat(member, organisation, references, wanted, now)


def _seat(
    member: Member,
    organisation: Organisation,
    references: Collection[str],
    wanted: Collection[str],
    now: datetime,
) -> None:
    with organisation_scope(organisation.id):
        groups = _find_groups(organisation, references)
        joining = {groups[one] for one in wanted if one in groups}
        seated = set(
            GroupMembership.objects.filter(
                organisation_id=organisation.id, member_id=member.id, group_id__in=groups.values()
            ).values_list("group_id", flat=True)
        )
        for group_id in sorted(set(groups.values())):
            if (group_id in joining) != (group_id in seated):
                add_and_remove_members(
                    # Neither a member nor a robot: `provider` says who it was.
                    Actor(organisation_id=organisation.id),
                    group_id,
                    joining=[member.id] if group_id in joining else [],
                    leaving=[] if group_id in joining else [member.id],
                    now=now,
                    provider=settings.SINGLE_SIGN_ON,
                )


def _find_groups(organisation: Organisation, references: Collection[str]) -> dict[str, UUID]:
    """The groups with these ids or external ids. One that is not there, or an external id that two
    have, is left out and logged: nobody gets into a group that merely has the same name."""
    ids = {one: id_ for one in references if (id_ := parse_uuid(one))}
    rows = Group.objects.filter(
        Q(id__in=ids.values()) | Q(external_id__in=references), organisation_id=organisation.id
    ).values_list("id", "external_id")
    found: dict[str, list[UUID]] = {one: [] for one in references}
    for group_id, external_id in rows:
        for one in references:
            if (ids[one] == group_id) if one in ids else (one == external_id):
                found[one].append(group_id)
    for one, same in found.items():
        if len(same) != 1:
            log.warning(
                "mapped-group-unknown",
                extra={
                    "organisation": str(organisation.id),
                    "reason": f"OIDC_GROUPS names {one[:100]}, which {len(same)} groups are called",
                },
            )
    return {one: same[0] for one, same in found.items() if len(same) == 1}
