"""Find an organisation by its exact name, short name or id; support has no list of all."""

from django.db.models import Q

from orgs.models.organisations import Organisation
from orgs.organisations.references import parse_uuid
from orgs.placement.all_organisations import list_organisations_for_support

# The most organisations of one name that are offered, by their short names.
MAX_MATCHES = 20


def list_organisations_named(words: str) -> list[Organisation]:
    """The organisations with this name, whatever the case; several may have the same."""
    wanted = " ".join(words.replace("\x00", "").split())
    if not wanted:
        return []
    called = Q(name__iexact=wanted) | Q(slug=wanted.lower())
    if id_ := parse_uuid(wanted):
        called |= Q(id=id_)
    return list_organisations_for_support(called, limit=MAX_MATCHES)
