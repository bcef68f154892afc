"""Sections of My memories that other apps bring."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest

from orgs.principals import Principal

Section = Callable[[HttpRequest, Principal], dict[str, Any]]
_sections: list[tuple[str, Section]] = []


def register_section(template: str) -> Callable[[Section], Section]:
    """Put a section below the list. template: shows what the function gives, as `section`."""

    def register(section: Section) -> Section:
        _sections.append((template, section))
        return section

    return register


def build_sections(request: HttpRequest, principal: Principal) -> list[dict[str, Any]]:
    """What each of them shows to the member, with its template. principal: what they read now."""
    return [section(request, principal) | {"template": template} for template, section in _sections]
