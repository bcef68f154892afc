"""The addresses under /mem0/: the hosted ones end with a slash, the self-hosted ones do not."""

from django.urls import path

from memories.api.mem0 import exports, self_hosted, views
from memories.api.mem0.base import NotHereView
from orgs.api import converters  # noqa: F401  (registers `reference`)

urlpatterns = [
    path("v1/ping/", views.PingView.as_view()),
    path("v3/memories/add/", views.AddView.as_view()),
    path("v3/memories/search/", views.SearchView.as_view()),
    path("v3/memories/", views.ListView.as_view()),
    path("v1/memories/", views.MemoriesView.as_view()),
    path("v1/memories/<uuid:memory>/", views.MemoryView.as_view()),
    path("v1/memories/<uuid:memory>/history/", views.HistoryView.as_view()),
    path("v1/event/<uuid:event>/", views.EventView.as_view()),
    path("v1/batch/", views.BatchView.as_view()),
    path("v1/entities/", views.EntitiesView.as_view()),
    path("v2/entities/", views.EntitiesView.as_view()),
    path("v2/entities/<reference:kind>/<reference:name>/", views.EntityView.as_view()),
    path("v1/feedback/", views.FeedbackView.as_view()),
    path("v1/exports/", exports.ExportsView.as_view()),
    path("v1/exports/get/", exports.ExportedView.as_view()),
    path("search", self_hosted.SelfHostedSearchView.as_view()),
    path("memories", self_hosted.SelfHostedMemoriesView.as_view()),
    path("memories/<uuid:memory>", self_hosted.SelfHostedMemoryView.as_view()),
    path("memories/<uuid:memory>/history", views.HistoryView.as_view()),
    # What the client calls beside these.
    path("v1/summary/", NotHereView.as_view()),
    path("v2/entities/user/<reference:name>/profile/", NotHereView.as_view()),
    path("v2/profiles/<path:rest>", NotHereView.as_view()),
    path("api/v1/<path:rest>", NotHereView.as_view()),
]
