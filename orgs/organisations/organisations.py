"""Organisations: made and found.

Every function here runs inside the organisation's scope or opens it; `organisation_id` is the
tenant, `now` the caller's clock.
"""

import secrets
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.text import slugify

from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.audiences import AudienceType
from orgs.models.base import new_id
from orgs.models.organisations import Organisation
from orgs.organisations.audience_rows import ensure_audience
from orgs.organisations.references import parse_uuid
from orgs.wired_functions import wired


@wired
def on_organisation_created(organisation: Organisation, now: datetime) -> None:
    """Add what higher apps give every new organisation. Called inside its scope."""
    raise NotImplementedError


def create_organisation(
    *, name: str, now: datetime, slug: str = "", language: str = "english"
) -> Organisation:
    """Create the tenant, its audience and what higher apps add.

    Raises AlreadyExistsError when the slug is taken.
    """
    organisation = Organisation(
        id=new_id(),
        name=name.strip(),
        slug=slug or slugify(name)[:80] or secrets.token_hex(4),
        language=language,
        created_at=now,
    )
    with organisation_scope(organisation.id):
        try:
            with transaction.atomic():
                organisation.save(force_insert=True)
        except IntegrityError as error:
            raise AlreadyExistsError(
                f"an organisation with the slug {organisation.slug}"
            ) from error
        ensure_audience(organisation.id, AudienceType.ORGANISATION)
        on_organisation_created(organisation, now)
    return organisation


def get_organisation(reference: str) -> Organisation:
    """An organisation by slug, id or exact name; for commands, whose database role lists tenants.

    Raises NotFoundError, also for a name that is not unique.
    """
    by_id = parse_uuid(reference)
    match = Q(id=by_id) if by_id else Q(slug=reference) | Q(name=reference)
    found = list(Organisation.objects.using("owner").filter(match)[:2])
    if len(found) != 1:
        raise NotFoundError(
            f"no organisation {reference}" if not found else f"several organisations {reference}"
        )
    return found[0]
