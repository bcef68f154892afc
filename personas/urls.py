"""Addresses of personas and blocks."""

from django.urls import path

from orgs.api import converters  # noqa: F401  (registers `reference`)
from personas.api import blocks, insights, passages, personas
from personas.api import personal_robot as own_robot
from personas.views import associations as association_pages
from personas.views import blocks as block_pages
from personas.views import insights as insights_pages
from personas.views import personal_robot
from personas.views import personas as persona_pages

api = [
    path("me/robot/keys", own_robot.OwnKeysView.as_view(), name="own-keys"),
    path("me/robot/keys/<uuid:key_id>", own_robot.OwnKeyView.as_view(), name="own-key"),
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
    path("personas/suggestions", insights.SuggestionsView.as_view(), name="suggestions"),
    path(
        "personas/suggestions/<uuid:suggestion_id>/accept",
        insights.SuggestionAcceptView.as_view(),
        name="suggestion-accept",
    ),
    path(
        "personas/suggestions/<uuid:suggestion_id>/reject",
        insights.SuggestionRejectView.as_view(),
        name="suggestion-reject",
    ),
    path("personas/metrics", insights.FiguresView.as_view(), name="persona-metrics"),
    path(
        "personas/<reference:handle>/trends", insights.TrendsView.as_view(), name="persona-trends"
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

pages = [
    path("personas/", persona_pages.personas, name="personas-page"),
    path("personas/add/", persona_pages.add, name="persona-add"),
    path(
        "personas/said/<uuid:association_id>/confirm/",
        association_pages.confirm_association_page,
        name="persona-association-confirm",
    ),
    path(
        "personas/said/<uuid:association_id>/remove/",
        association_pages.remove_association,
        name="persona-association-remove",
    ),
    path("personas/suggestions/", insights_pages.suggestions, name="suggestions-page"),
    path(
        "personas/suggestions/<uuid:suggestion_id>/accept/",
        insights_pages.accept,
        name="suggestion-accept-page",
    ),
    path(
        "personas/suggestions/<uuid:suggestion_id>/reject/",
        insights_pages.reject,
        name="suggestion-reject-page",
    ),
    path("personas/figures/", insights_pages.metrics, name="persona-figures"),
    path("personas/<reference:handle>/trends/", insights_pages.trends, name="trends-page"),
    path("personas/<reference:handle>/", persona_pages.persona, name="persona-page"),
    path("personas/<reference:handle>/edit/", persona_pages.edit, name="persona-edit"),
    path("personas/<reference:handle>/remove/", persona_pages.remove, name="persona-remove"),
    path("personas/<reference:handle>/join/", persona_pages.join, name="persona-join"),
    path("blocks/<uuid:block_id>/edit/", block_pages.edit, name="block-edit"),
    path("blocks/<uuid:block_id>/versions/", block_pages.versions, name="block-versions-page"),
    path(
        "blocks/<uuid:block_id>/entries/<uuid:entry_id>/holds/",
        block_pages.confirm,
        name="block-entry-holds",
    ),
    path("robots/instructions/", block_pages.instructions, name="instructions"),
    path("me/robot/", personal_robot.robot, name="me-robot"),
    path("me/robot/keys/", personal_robot.add_key, name="me-robot-key"),
    path(
        "me/robot/keys/<uuid:key_id>/revoke/", personal_robot.revoke_key, name="me-robot-key-revoke"
    ),
]
