"""The names that an organisation knows, and that no text may show to others. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownNames:
    """people: names of members as registered. clients, brands, companies: terms that curators have
    added. Each as written, matched in any letter case."""

    people: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()
    brands: tuple[str, ...] = ()
    companies: tuple[str, ...] = ()
