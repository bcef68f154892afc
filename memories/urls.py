"""Addresses of memories: /api/v1/memories and the pages."""

from django.urls import path

from memories.api import (
    dividing,
    explaining,
    groups,
    history,
    problems,  # noqa: F401  (maps this app's exceptions)
    proposals,
    views,
)
from memories.views import (
    architectures,
    asking,
    audit,
    breaking,
    changing,
    changing_many,
    detail,
    jobs,
    knowledge,
    me,
    overview,
    playground,
    recall,
    review,
    saved,
    sharing,
    starting,
    transfer,
    trash,
    versions,
)
from memories.views import explaining as why
from orgs.api import converters  # noqa: F401  (registers `reference`)

api = [
    path("memories", views.MemoriesView.as_view(), name="memories"),
    path("memories/batch", views.BatchView.as_view(), name="memories-batch"),
    path("memories/<uuid:memory_id>", views.MemoryView.as_view(), name="memory"),
    path("memories/<uuid:memory_id>/restore", views.RestoreView.as_view(), name="memory-restore"),
    path("memories/<uuid:memory_id>/archive", views.ArchiveView.as_view(), name="memory-archive"),
    path("memories/<uuid:memory_id>/share", views.ShareView.as_view(), name="memory-share"),
    path(
        "memories/<uuid:memory_id>/propositions",
        dividing.PropositionsView.as_view(),
        name="memory-propositions",
    ),
    path("memories/<uuid:memory_id>/history", history.HistoryView.as_view(), name="memory-history"),
    path("memories/<uuid:memory_id>/lineage", history.LineageView.as_view(), name="memory-lineage"),
    path(
        "memories/<uuid:memory_id>/explain",
        explaining.ExplainView.as_view(),
        name="memory-explain",
    ),
    path(
        "groups/<reference:reference>/context",
        groups.GroupContextView.as_view(),
        name="group-context",
    ),
    path("recall", views.RecallView.as_view(), name="recall"),
    path("proposals", proposals.ProposalsView.as_view(), name="proposals"),
    path("proposals/<uuid:item_id>", proposals.ProposalView.as_view(), name="proposal"),
    path("proposals/<uuid:item_id>/decision", proposals.DecisionView.as_view(), name="decision"),
    path("proposals/<uuid:item_id>/undo", proposals.UndoView.as_view(), name="decision-undo"),
    path("proposals/<uuid:item_id>/lock", proposals.LockView.as_view(), name="proposal-lock"),
    path("proposals/<uuid:item_id>/assign", proposals.AssignView.as_view(), name="proposal-assign"),
    path("reports", proposals.ReportsView.as_view(), name="reports"),
    path("stats", views.StatsView.as_view(), name="stats"),
]

pages = [
    path("", overview.home, name="home"),
    path("overview/<str:name>.csv", overview.chart_file, name="overview-csv"),
    path("overview/demo/remove/", starting.demo_remove, name="demo-remove"),
    path("architectures/", architectures.architectures, name="architectures"),
    path(
        "architectures/<str:name>.csv", architectures.architectures_file, name="architectures-csv"
    ),
    path("knowledge/", knowledge.knowledge, name="knowledge"),
    path("me/", me.overview, name="me"),
    path("me/learning/", me.learning, name="me-learning"),
    path("me/sharing/", me.sharing, name="me-sharing"),
    path("me/forget/", me.forget_all, name="me-forget"),
    path("me/forget/undo/", me.bring_back, name="me-bring-back"),
    path("me/export/", me.export, name="me-export"),
    path("me/robots/", me.trust, name="me-trust"),
    path("me/robots/<uuid:delegation_id>/revoke/", me.distrust, name="me-distrust"),
    path("me/names/", me.names, name="me-names"),
    path("me/time-zone/", me.zone, name="me-zone"),
    path("review/", review.queue, name="review"),
    path("review/<uuid:item_id>/", review.item, name="review-item"),
    path("review/<uuid:item_id>/approve/", review.approve, name="review-approve"),
    path("review/<uuid:item_id>/edit/", review.edit, name="review-edit"),
    path("review/<uuid:item_id>/reject/", review.reject, name="review-reject"),
    path("review/<uuid:item_id>/merge/", review.merge, name="review-merge"),
    path("review/<uuid:item_id>/skip/", review.skip, name="review-skip"),
    path("review/<uuid:item_id>/undo/", review.undo, name="review-undo"),
    path("review/<uuid:item_id>/assign/", review.assign, name="review-assign"),
    path("memories/<uuid:memory_id>/suggest/", asking.suggest, name="memory-suggest"),
    path("memories/<uuid:memory_id>/report/", asking.report, name="memory-report"),
    path("memories/", recall.library, name="library"),
    path("audit/", audit.audit, name="audit"),
    path("me/notices/", breaking.notices, name="notices"),
    path("memories/change/", changing_many.preview, name="memories-change"),
    path("memories/views/", saved.save, name="view-save"),
    path("memories/views/remove/", saved.remove, name="view-remove"),
    path("playground/", playground.playground, name="playground"),
    path("trash/", trash.trash, name="trash"),
    path("import/", transfer.bring_in, name="import"),
    path("jobs/", jobs.index, name="jobs"),
    path("jobs/embeddings/retry/", jobs.retry_embeddings, name="embeddings-retry"),
    path("jobs/embeddings/<uuid:memory_id>/retry/", jobs.retry_embeddings, name="embedding-retry"),
    path("jobs/model/retry/", jobs.ask_model_again, name="model-retry"),
    path("jobs/<uuid:job_id>/", jobs.job, name="job"),
    path("jobs/<uuid:job_id>/undo/", jobs.undo, name="job-undo"),
    path("jobs/<uuid:job_id>/retry/", jobs.retry, name="job-retry"),
    path("memories/add/", changing.add, name="memory-add"),
    path("memories/<uuid:memory_id>/", detail.memory, name="memory-page"),
    path("memories/<uuid:memory_id>/edit/", changing.edit, name="memory-edit"),
    path("memories/<uuid:memory_id>/forget/", changing.forget, name="memory-forget"),
    path("memories/<uuid:memory_id>/restore/", changing.restore, name="memory-restore-page"),
    path("memories/<uuid:memory_id>/access/", sharing.share, name="memory-share-page"),
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
    path("memory/<uuid:memory_id>/open/", breaking.open_for_support, name="support-open"),
    path("memory/<uuid:memory_id>/text/", breaking.read_for_support, name="support-read"),
]
