"""Addresses of memories: /api/v1/memories and the pages."""

from django.urls import path

from memories.api import (
    graph,
    group_context,
    history,
    memories,
    proposals,
    propositions,
    red_lines,
    statistics,
)
from memories.api.recall import explain
from memories.api.recall import recall as api_recall
from memories.views.experts import experts
from memories.views.insights import architectures, audit_trail, first_steps, overview
from memories.views.jobs import imports, jobs
from memories.views.library import browse, playground, saved_views, shared_knowledge, trash
from memories.views.memory import bulk, detail, edit, share, split, suggest, versions
from memories.views.memory import explain as why
from memories.views.memory import red_line as protect_pages
from memories.views.privacy import break_glass, my_memories
from memories.views.review import queue
from orgs.api import converters  # noqa: F401  (registers `reference`)

api = [
    path("memories", memories.MemoriesView.as_view(), name="memories"),
    path("memories/batch", memories.BatchView.as_view(), name="memories-batch"),
    path("memories/<uuid:memory_id>", memories.MemoryView.as_view(), name="memory"),
    path(
        "memories/<uuid:memory_id>/restore", memories.RestoreView.as_view(), name="memory-restore"
    ),
    path(
        "memories/<uuid:memory_id>/archive", memories.ArchiveView.as_view(), name="memory-archive"
    ),
    path("memories/<uuid:memory_id>/share", memories.ShareView.as_view(), name="memory-share"),
    path("memories/<uuid:memory_id>/red-line", red_lines.RedLineView.as_view(), name="red-line"),
    path(
        "memories/<uuid:memory_id>/red-line/lift",
        red_lines.LiftView.as_view(),
        name="red-line-lift",
    ),
    path(
        "memories/<uuid:memory_id>/propositions",
        propositions.PropositionsView.as_view(),
        name="memory-propositions",
    ),
    path("memories/<uuid:memory_id>/history", history.HistoryView.as_view(), name="memory-history"),
    path("memories/<uuid:memory_id>/lineage", history.LineageView.as_view(), name="memory-lineage"),
    path(
        "memories/<uuid:memory_id>/explain",
        explain.ExplainView.as_view(),
        name="memory-explain",
    ),
    path(
        "groups/<reference:reference>/context",
        group_context.GroupContextView.as_view(),
        name="group-context",
    ),
    path("experts", graph.ExpertsView.as_view(), name="experts-api"),
    path("entities", graph.EntitiesView.as_view(), name="entities"),
    path("entities/<uuid:entity_id>", graph.EntityView.as_view(), name="entity"),
    path(
        "entities/<uuid:entity_id>/relationships",
        graph.RelationshipsView.as_view(),
        name="entity-relationships",
    ),
    path("recall", api_recall.RecallView.as_view(), name="recall"),
    path("proposals", proposals.ProposalsView.as_view(), name="proposals"),
    path("proposals/<uuid:item_id>", proposals.ProposalView.as_view(), name="proposal"),
    path("proposals/<uuid:item_id>/decision", proposals.DecisionView.as_view(), name="decision"),
    path("proposals/<uuid:item_id>/undo", proposals.UndoView.as_view(), name="decision-undo"),
    path("proposals/<uuid:item_id>/lock", proposals.LockView.as_view(), name="proposal-lock"),
    path("proposals/<uuid:item_id>/assign", proposals.AssignView.as_view(), name="proposal-assign"),
    path("reports", proposals.ReportsView.as_view(), name="reports"),
    path("stats", statistics.StatsView.as_view(), name="stats"),
]

pages = [
    path("", overview.home, name="home"),
    path("overview/<str:name>.csv", overview.chart_file, name="overview-csv"),
    path("overview/demo/remove/", first_steps.demo_remove, name="demo-remove"),
    path("architectures/", architectures.architectures, name="architectures"),
    path(
        "architectures/<str:name>.csv", architectures.architectures_file, name="architectures-csv"
    ),
    path("experts/", experts.experts, name="experts"),
    path("knowledge/", shared_knowledge.knowledge, name="knowledge"),
    path("me/", my_memories.overview, name="me"),
    path("me/learning/", my_memories.learning, name="me-learning"),
    path("me/sharing/", my_memories.sharing, name="me-sharing"),
    path("me/forget/", my_memories.forget_all, name="me-forget"),
    path("me/forget/undo/", my_memories.bring_back, name="me-bring-back"),
    path("me/export/", my_memories.export, name="me-export"),
    path("me/robots/", my_memories.trust, name="me-trust"),
    path("me/robots/<uuid:delegation_id>/revoke/", my_memories.distrust, name="me-distrust"),
    path("me/names/", my_memories.names, name="me-names"),
    path("me/time-zone/", my_memories.zone, name="me-zone"),
    path("review/", queue.queue, name="review"),
    path("review/<uuid:item_id>/", queue.item, name="review-item"),
    path("review/<uuid:item_id>/approve/", queue.approve, name="review-approve"),
    path("review/<uuid:item_id>/edit/", queue.edit, name="review-edit"),
    path("review/<uuid:item_id>/reject/", queue.reject, name="review-reject"),
    path("review/<uuid:item_id>/merge/", queue.merge, name="review-merge"),
    path("review/<uuid:item_id>/drop/", queue.drop, name="review-drop"),
    path("review/<uuid:item_id>/skip/", queue.skip, name="review-skip"),
    path("review/<uuid:item_id>/undo/", queue.undo, name="review-undo"),
    path("review/<uuid:item_id>/assign/", queue.assign, name="review-assign"),
    path("memories/<uuid:memory_id>/suggest/", suggest.suggest, name="memory-suggest"),
    path("memories/<uuid:memory_id>/protect/", protect_pages.protect, name="memory-protect"),
    path("memories/<uuid:memory_id>/unprotect/", protect_pages.unprotect, name="memory-unprotect"),
    path("memories/<uuid:memory_id>/report/", suggest.report, name="memory-report"),
    path("memories/", browse.library, name="library"),
    path("audit/", audit_trail.audit, name="audit"),
    path("me/notices/", break_glass.notices, name="notices"),
    path("memories/change/", bulk.preview, name="memories-change"),
    path("memories/views/", saved_views.save, name="view-save"),
    path("memories/views/remove/", saved_views.remove, name="view-remove"),
    path("playground/", playground.playground, name="playground"),
    path("trash/", trash.trash, name="trash"),
    path("import/", imports.bring_in, name="import"),
    path("jobs/", jobs.index, name="jobs"),
    path("jobs/embeddings/retry/", jobs.retry_embeddings, name="embeddings-retry"),
    path("jobs/embeddings/<uuid:memory_id>/retry/", jobs.retry_embeddings, name="embedding-retry"),
    path("jobs/model/retry/", jobs.ask_model_again, name="model-retry"),
    path("jobs/<uuid:job_id>/", jobs.job, name="job"),
    path("jobs/<uuid:job_id>/undo/", jobs.undo, name="job-undo"),
    path("jobs/<uuid:job_id>/retry/", jobs.retry, name="job-retry"),
    path("memories/add/", edit.add, name="memory-add"),
    path("memories/<uuid:memory_id>/", detail.memory, name="memory-page"),
    path("memories/<uuid:memory_id>/edit/", edit.edit, name="memory-edit"),
    path("memories/<uuid:memory_id>/forget/", edit.forget, name="memory-forget"),
    path("memories/<uuid:memory_id>/restore/", edit.restore, name="memory-restore-page"),
    path("memories/<uuid:memory_id>/access/", share.share, name="memory-share-page"),
    path("memories/<uuid:memory_id>/split/", split.split, name="memory-split"),
    path("memories/<uuid:memory_id>/why/", why.why, name="memory-why"),
    path("memories/<uuid:memory_id>/versions/", versions.versions, name="memory-versions"),
    path(
        "memories/<uuid:memory_id>/versions/<int:number>/restore/",
        versions.restore,
        name="memory-version-restore",
    ),
]

# Under /admin/, before the admin's own addresses.
support = [
    path("memory/<uuid:memory_id>/open/", break_glass.open_for_support, name="support-open"),
    path("memory/<uuid:memory_id>/text/", break_glass.read_for_support, name="support-read"),
]
