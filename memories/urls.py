"""Addresses of memories: /api/v1/memories and the pages."""

from django.urls import path

from memories.api import (
    problems,  # noqa: F401  (maps this app's exceptions)
    views,
)

api = [
    path("memories", views.MemoriesView.as_view(), name="memories"),
    path("memories/batch", views.BatchView.as_view(), name="memories-batch"),
    path("memories/<uuid:memory_id>", views.MemoryView.as_view(), name="memory"),
    path("memories/<uuid:memory_id>/restore", views.RestoreView.as_view(), name="memory-restore"),
    path("memories/<uuid:memory_id>/archive", views.ArchiveView.as_view(), name="memory-archive"),
    path("memories/<uuid:memory_id>/share", views.ShareView.as_view(), name="memory-share"),
    path("recall", views.RecallView.as_view(), name="recall"),
    path("stats", views.StatsView.as_view(), name="stats"),
]
