"""Addresses of personas and blocks."""

from django.urls import path

from orgs.api import converters  # noqa: F401  (registers `reference`)
from personas.api import blocks, learning, passages, personas

api = [
    path("personas", personas.PersonasView.as_view(), name="personas"),
    path("personas/associations", personas.AssociationsView.as_view(), name="associations"),
    path(
        "personas/associations/<uuid:association_id>",
        personas.AssociationView.as_view(),
        name="association",
    ),
    path(
        "personas/associations/<uuid:association_id>/confirm",
        personas.AssociationConfirmView.as_view(),
        name="association-confirm",
    ),
    path("personas/suggestions", learning.SuggestionsView.as_view(), name="suggestions"),
    path(
        "personas/suggestions/<uuid:suggestion_id>/accept",
        learning.SuggestionAcceptView.as_view(),
        name="suggestion-accept",
    ),
    path(
        "personas/suggestions/<uuid:suggestion_id>/reject",
        learning.SuggestionRejectView.as_view(),
        name="suggestion-reject",
    ),
    path("personas/metrics", learning.FiguresView.as_view(), name="persona-metrics"),
    path(
        "personas/<reference:handle>/trends", learning.TrendsView.as_view(), name="persona-trends"
    ),
    path("personas/<reference:handle>", personas.PersonaView.as_view(), name="persona"),
    path("passages", passages.PassagesView.as_view(), name="passages"),
    path("blocks", blocks.BlocksView.as_view(), name="blocks"),
    path("blocks/<uuid:block_id>", blocks.BlockDetailView.as_view(), name="block"),
    path("blocks/<uuid:block_id>/entries", blocks.EntriesView.as_view(), name="block-entries"),
    path(
        "blocks/<uuid:block_id>/entries/<uuid:entry_id>/confirm",
        blocks.EntryConfirmView.as_view(),
        name="block-entry-confirm",
    ),
    path(
        "blocks/<uuid:block_id>/versions", blocks.BlockVersionsView.as_view(), name="block-versions"
    ),
]
