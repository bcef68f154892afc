"""Organisations: made, found and changed.

Every function here runs inside the organisation's scope or opens it; `organisation_id` is the
tenant, `now` the caller's clock.
"""

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.text import slugify

from orgs import audit
from orgs.database.driver.servers import HOME, list_servers
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, InvalidLanguageError, InvalidNameError, NotFoundError
from orgs.models.audiences import AudienceType
from orgs.models.base import new_id
from orgs.models.organisations import Organisation
from orgs.names.lookalikes import name_fault
from orgs.organisations.audience_rows import ensure_audience
from orgs.organisations.quotas import create_default_quota
from orgs.organisations.references import parse_uuid
from orgs.placement.all_organisations import list_organisations
from orgs.placement.placements import confirm_placement, reserve_placement
from orgs.principals import Actor
from orgs.wired_functions import wired

# The text-search configurations of PostgreSQL. `simple` takes words as they are: for every other
# language.
LANGUAGES = (
    "arabic", "armenian", "basque", "catalan", "danish", "dutch", "english", "estonian", "finnish",
    "french", "german", "greek", "hindi", "hungarian", "indonesian", "irish", "italian",
    "lithuanian", "nepali", "norwegian", "portuguese", "romanian", "russian", "serbian", "simple",
    "spanish", "swedish", "tamil", "turkish", "yiddish",
)  # fmt: skip
_CONFIGURATIONS_SQL = """SELECT cfgname::text FROM pg_ts_config
WHERE cfgnamespace = 'pg_catalog'::regnamespace"""


@wired
def on_organisation_created(organisation: Organisation, now: datetime) -> None:
    """Add what higher apps give every new organisation. Called inside its scope."""
    raise NotImplementedError


def create_organisation(
    *,
    name: str,
    now: datetime,
    slug: str = "",
    language: str = "english",
    id_: UUID | None = None,
    server: str = HOME,
) -> Organisation:
    """Create the tenant, its audience and what higher apps add. id_: its id, else a new one.
    server: where it lies from now on; another one than the home server takes the owner's role.

    Raises UnknownServerError, AlreadyExistsError when the slug is taken, InvalidLanguageError, and
    InvalidNameError for a name that nobody can read for sure.
    """
    _check_name(name.strip())
    check_language(language)
    organisation = Organisation(
        id=id_ or new_id(),
        name=name.strip(),
        slug=slug or slugify(name)[:80] or secrets.token_hex(4),
        language=language,
        indexed_language=language,
        created_at=now,
    )
    if server:
        # Those of the home server have a placement only if they were made beside other servers.
        if list_organisations(Q(slug=organisation.slug), limit=1):
            raise AlreadyExistsError(f"an organisation with the slug {organisation.slug}")
        reserve_placement(organisation.id, organisation.slug, server)
    with organisation_scope(organisation.id):
        if not server and len(list_servers()) > 1:
            reserve_placement(organisation.id, organisation.slug, server)
        try:
            with transaction.atomic():
                organisation.save(force_insert=True)
        except IntegrityError as error:
            raise AlreadyExistsError(
                f"an organisation with the slug {organisation.slug}"
            ) from error
        create_default_quota(organisation.id)
        ensure_audience(organisation.id, AudienceType.ORGANISATION)
        on_organisation_created(organisation, now)
    if server:
        confirm_placement(organisation.id)
    return organisation


def _check_name(name: str) -> None:
    if fault := name_fault(name):
        raise InvalidNameError(f"Nobody can read this name for sure. {fault}")


def check_language(language: str) -> None:
    """Raises InvalidLanguageError, which names the choices, for what this server has not."""
    here = {name for (name,) in fetch_all(_CONFIGURATIONS_SQL, {})}
    choices = [name for name in LANGUAGES if name in here]
    if language not in choices:
        raise InvalidLanguageError(choices)


def get_own_organisation(actor: Actor) -> Organisation:
    """The actor's organisation. Raises Organisation.DoesNotExist for one that was removed."""
    with organisation_scope(actor.organisation_id):
        return Organisation.objects.get(id=actor.organisation_id)


def update_organisation(actor: Actor, fields: Mapping[str, Any], *, now: datetime) -> Organisation:
    """Change name, language or members_publish; recorded.

    The language is that of texts from now on. Raises PermissionError, InvalidNameError,
    InvalidLanguageError, and Organisation.DoesNotExist.
    """
    if not actor.administers:
        raise PermissionError("Only an admin changes the organisation.")
    with organisation_scope(actor.organisation_id):
        rows = Organisation.objects.select_for_update(of=("self",))
        organisation = rows.get(id=actor.organisation_id)
        changed = {k: new for k, new in fields.items() if getattr(organisation, k) != new}
        if "name" in changed:
            _check_name(changed["name"])
        if "language" in changed:
            check_language(changed["language"])
        if changed:
            for name, value in changed.items():
                setattr(organisation, name, value)
            organisation.save(update_fields=list(changed))
            audit.record_entry(
                "organisation.changed",
                actor=actor,
                now=now,
                target=organisation.id,
                target_type="organisation",
                fields=sorted(changed),
            )
    return organisation


def get_organisation(reference: str) -> Organisation:
    """An organisation by slug, id or exact name; for commands, whose database role lists tenants.

    Raises NotFoundError, also for a name that is not unique.
    """
    by_id = parse_uuid(reference)
    match = Q(id=by_id) if by_id else Q(slug=reference) | Q(name=reference)
    found = list_organisations(match, limit=2)
    if len(found) != 1:
        raise NotFoundError(
            f"no organisation {reference}" if not found else f"several organisations {reference}"
        )
    return found[0]
