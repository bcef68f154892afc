"""Addresses of memories: /api/v1/memories and the pages."""

from django.urls import path

from memories.api import (
    feedback,
    graph,
    group_context,
    history,
    memories,
    proposals,
    propositions,
    red_lines,
    statistics,
)
from memories.api import jobs as jobs_api
from memories.api.context import accounts, context, streams, team_memory, working_memory
from memories.api.decisions import debates, decisions
from memories.api.erasure import erasure
from memories.api.operations import operations
from memories.api.recall import explain, who_said
from memories.api.recall import recall as api_recall
from memories.api.safety import gate
from memories.api.snapshots import snapshots
from memories.api.typed import preferences, tasks
from memories.views.context import team as team_page
from memories.views.context import working_memory as working_memory_page
from memories.views.decisions import decisions as decision_pages
from memories.views.experts import experts
from memories.views.insights import (
    architectures,
    audit_trail,
    first_steps,
    overview,
    policy,
    robot,
    tiers,
    traces,
)
from memories.views.jobs import exports, imports, jobs
from memories.views.library import (
    browse,
    columns,
    line,
    palette,
    playground,
    saved_views,
    shared_knowledge,
    tags,
    thread,
    trash,
)
from memories.views.library import who_said as who_said_page
from memories.views.memory import (
    bulk,
    detail,
    edit,
    erase,
    readers,
    share,
    split,
    suggest,
    versions,
)
from memories.views.memory import explain as why
from memories.views.memory import red_line as protect_pages
from memories.views.privacy import accounts as account_pages
from memories.views.privacy import break_glass, my_memories
from memories.views.privacy import erasure as erasure_pages
from memories.views.privacy import export as my_export
from memories.views.review import answer_item, gates, queue, several
from memories.views.support import memories as metadata
from memories.views.support import trail as support_trail
from memories.views.support import work
from orgs.api import converters  # noqa: F401  (registers `reference`)

api = [
    path("memories", memories.MemoriesView.as_view(), name="memories"),
    path("memories/batch", memories.BatchView.as_view(), name="memories-batch"),
    path("memories/purge", erasure.PurgeView.as_view(), name="memories-purge"),
    path(
        "memories/forget-content",
        erasure.ForgetContentView.as_view(),
        name="memories-forget-content",
    ),
    path("erasures", erasure.ErasuresView.as_view(), name="erasures"),
    path("erasures/<uuid:erasure_id>", erasure.ErasureView.as_view(), name="erasure"),
    path("operations", operations.OperationsView.as_view(), name="operations"),
    path("operations/counts", operations.CountsView.as_view(), name="operation-counts"),
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
    path(
        "robots/<reference:reference>/working-memory",
        working_memory.WorkingMemoryView.as_view(),
        name="working-memory",
    ),
    path(
        "teams/<reference:reference>/working-memory",
        team_memory.TeamMemoryView.as_view(),
        name="team-working-memory",
    ),
    path(
        "teams/<reference:reference>/status",
        team_memory.TeamStatusView.as_view(),
        name="team-status",
    ),
    path(
        "teams/<reference:reference>/transfer",
        team_memory.TransferView.as_view(),
        name="team-transfer",
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
    path("accounts", accounts.AccountsView.as_view(), name="accounts"),
    path("accounts/<uuid:account_id>", accounts.AccountView.as_view(), name="account"),
    path(
        "accounts/<uuid:account_id>/file", accounts.AccountFileView.as_view(), name="account-file"
    ),
    path("context", context.ContextView.as_view(), name="context"),
    path("streams", streams.StreamsView.as_view(), name="streams"),
    path("streams/recall", streams.StreamRecallView.as_view(), name="stream-recall"),
    path("streams/summary", streams.StreamSummaryView.as_view(), name="stream-summary"),
    path("decisions", decisions.DecisionsView.as_view(), name="decisions-api"),
    path("decisions/similar", decisions.SimilarView.as_view(), name="decisions-similar"),
    path("decisions/prepare", decisions.PrepareView.as_view(), name="decisions-prepare"),
    path("decisions/dissents", decisions.TopicDissentsView.as_view(), name="decisions-dissents"),
    path("decisions/<uuid:decision_id>", decisions.DecisionView.as_view(), name="decision-api"),
    path(
        "decisions/<uuid:decision_id>/dissents",
        decisions.DissentsView.as_view(),
        name="decision-dissents",
    ),
    path(
        "decisions/<uuid:decision_id>/dissents/<uuid:dissent_id>",
        decisions.DissentView.as_view(),
        name="decision-dissent",
    ),
    path("debates", debates.DebatesView.as_view(), name="debates"),
    path("debates/<uuid:debate_id>", debates.DebateView.as_view(), name="debate"),
    path(
        "debates/<uuid:debate_id>/critiques",
        debates.CritiquesView.as_view(),
        name="debate-critiques",
    ),
    path("debates/<uuid:debate_id>/outcome", debates.OutcomeView.as_view(), name="debate-outcome"),
    path("feedback", feedback.FeedbackView.as_view(), name="feedback"),
    path("proposals", proposals.ProposalsView.as_view(), name="proposals"),
    path("proposals/<uuid:item_id>", proposals.ProposalView.as_view(), name="proposal"),
    path("proposals/<uuid:item_id>/decision", proposals.DecisionView.as_view(), name="decision"),
    path("proposals/<uuid:item_id>/undo", proposals.UndoView.as_view(), name="decision-undo"),
    path("proposals/<uuid:item_id>/lock", proposals.LockView.as_view(), name="proposal-lock"),
    path("proposals/<uuid:item_id>/assign", proposals.AssignView.as_view(), name="proposal-assign"),
    path("jobs", jobs_api.JobsView.as_view(), name="jobs-api"),
    path("jobs/<uuid:job_id>", jobs_api.JobView.as_view(), name="job-api"),
    path("jobs/<uuid:job_id>/cancel", jobs_api.JobCancelView.as_view(), name="job-cancel-api"),
    path("jobs/<uuid:job_id>/resume", jobs_api.JobResumeView.as_view(), name="job-resume-api"),
    path("reports", proposals.ReportsView.as_view(), name="reports"),
    path("gate", gate.GateView.as_view(), name="gate"),
    path("gate/terms", gate.TermsView.as_view(), name="gate-terms"),
    path("gate/terms/<uuid:term_id>", gate.TermView.as_view(), name="gate-term"),
    path("said", who_said.SaidView.as_view(), name="said"),
    path("timeline", who_said.TimelineView.as_view(), name="timeline"),
    path("snapshots", snapshots.SnapshotsView.as_view(), name="snapshots"),
    path("tasks", tasks.TasksView.as_view(), name="tasks-api"),
    path("tasks/<uuid:task_id>", tasks.TaskView.as_view(), name="task-api"),
    path("preferences", preferences.PreferencesView.as_view(), name="preferences-api"),
    path("preferences/alerts", preferences.AlertsView.as_view(), name="preferences-alerts"),
    path(
        "preferences/<uuid:preference_id>",
        preferences.PreferenceView.as_view(),
        name="preference-api",
    ),
    path("tags", statistics.TagsView.as_view(), name="tags-api"),
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
    path("tiers/", tiers.tiers, name="tiers"),
    path("tiers/policy/", policy.policy, name="tier-policy"),
    path("tiers/policy/preview/", policy.preview, name="tier-policy-preview"),
    path("tiers/<str:name>.csv", tiers.tiers_file, name="tiers-csv"),
    path("robots/<uuid:robot_id>/", robot.robot, name="robot-page"),
    path("robots/traces/", traces.traces, name="traces"),
    path("robots/traces/<uuid:recall_id>/", traces.trace, name="trace-page"),
    path(
        "robots/<uuid:robot_id>/working-memory/",
        working_memory_page.working_memory,
        name="robot-working-memory",
    ),
    path("robots/teams/<uuid:team_id>/", team_page.team, name="team-page"),
    path("experts/", experts.experts, name="experts"),
    path("said/", who_said_page.said, name="said-page"),
    path("decisions/", decision_pages.decisions, name="decisions"),
    path("decisions/add/", decision_pages.add, name="decision-add"),
    path("decisions/<uuid:decision_id>/", decision_pages.decision, name="decision-page"),
    path(
        "decisions/<uuid:decision_id>/dissent/", decision_pages.dissent, name="decision-dissent-add"
    ),
    path(
        "decisions/<uuid:decision_id>/dissents/<uuid:dissent_id>/answer/",
        decision_pages.answer,
        name="dissent-answer",
    ),
    path("knowledge/", shared_knowledge.knowledge, name="knowledge"),
    path("me/", my_memories.overview, name="me"),
    path("me/learning/", my_memories.learning, name="me-learning"),
    path("me/sharing/", my_memories.sharing, name="me-sharing"),
    path("me/forget/", my_memories.forget_all, name="me-forget"),
    path("me/erase/", erasure_pages.erase_me, name="me-erase"),
    path("receipts/check/", erasure_pages.check_receipt, name="receipt-check"),
    path("receipts/<str:link>/", erasure_pages.receipt, name="receipt"),
    path("me/forget/undo/", my_memories.bring_back, name="me-bring-back"),
    path("me/export/", my_export.export, name="me-export"),
    path("me/export/page/", my_export.page, name="me-export-page"),
    path("me/robots/", my_memories.trust, name="me-trust"),
    path("me/robots/<uuid:delegation_id>/revoke/", my_memories.distrust, name="me-distrust"),
    path("me/names/", my_memories.names, name="me-names"),
    path("me/accounts/", account_pages.accounts, name="me-accounts"),
    path(
        "me/accounts/<uuid:account_id>/replace/",
        account_pages.replace,
        name="me-account-replace",
    ),
    path("me/accounts/<uuid:account_id>/remove/", account_pages.remove, name="me-account-remove"),
    path("me/time-zone/", my_memories.zone, name="me-zone"),
    path("review/", queue.queue, name="review"),
    path("review/gates/", gates.gates, name="gates"),
    path("review/gates/policy/", gates.strictness, name="gates-policy"),
    path("review/gates/<uuid:term_id>/remove/", gates.remove, name="gates-remove"),
    path("review/several/", several.several, name="review-several"),
    path("review/several/<uuid:act>/undo/", several.undo, name="review-several-undo"),
    path("review/<uuid:item_id>/", queue.item, name="review-item"),
    path("review/<uuid:item_id>/approve/", answer_item.approve, name="review-approve"),
    path("review/<uuid:item_id>/edit/", answer_item.edit, name="review-edit"),
    path("review/<uuid:item_id>/reject/", answer_item.reject, name="review-reject"),
    path("review/<uuid:item_id>/merge/", answer_item.merge, name="review-merge"),
    path("review/<uuid:item_id>/drop/", answer_item.drop, name="review-drop"),
    path("review/<uuid:item_id>/supersede/", answer_item.supersede, name="review-supersede"),
    path("review/<uuid:item_id>/skip/", answer_item.skip, name="review-skip"),
    path("review/<uuid:item_id>/undo/", answer_item.undo, name="review-undo"),
    path("review/<uuid:item_id>/assign/", answer_item.assign, name="review-assign"),
    path("review/<uuid:item_id>/readers/", readers.item_readers, name="review-readers"),
    path("memories/<uuid:memory_id>/suggest/", suggest.suggest, name="memory-suggest"),
    path("memories/<uuid:memory_id>/protect/", protect_pages.protect, name="memory-protect"),
    path("memories/<uuid:memory_id>/unprotect/", protect_pages.unprotect, name="memory-unprotect"),
    path("memories/<uuid:memory_id>/report/", suggest.report, name="memory-report"),
    path("memories/", browse.library, name="library"),
    path("tags/", tags.tags, name="tags"),
    path("audit/", audit_trail.audit, name="audit"),
    path("audit/entries.csv", audit_trail.audit_file, name="audit-file"),
    path("memories/<uuid:memory_id>/trail/", audit_trail.of_memory, name="memory-trail"),
    path("people/<uuid:member_id>/trail/", audit_trail.of_member, name="person-trail"),
    path("me/notices/", break_glass.notices, name="notices"),
    path("memories/change/", bulk.preview, name="memories-change"),
    path("memories/views/", saved_views.save, name="view-save"),
    path("memories/columns/", columns.choose, name="library-columns"),
    path("memories/views/remove/", saved_views.remove, name="view-remove"),
    path("playground/", playground.playground, name="playground"),
    path("trash/", trash.trash, name="trash"),
    path("palette/", palette.palette, name="palette"),
    path("import/", imports.bring_in, name="import"),
    path("import/example/", imports.example, name="import-example"),
    path("import/<uuid:preview_id>/", imports.planned, name="import-plan"),
    path("jobs/", jobs.index, name="jobs"),
    path("jobs/embeddings/retry/", jobs.retry_embeddings, name="embeddings-retry"),
    path("jobs/embeddings/<uuid:memory_id>/retry/", jobs.retry_embeddings, name="embedding-retry"),
    path("jobs/model/retry/", jobs.ask_model_again, name="model-retry"),
    path("jobs/export/", exports.begin, name="export"),
    path("jobs/<uuid:job_id>/file/", exports.download, name="export-file"),
    path("jobs/consolidate/", jobs.begin_consolidation, name="consolidate"),
    path("jobs/<uuid:job_id>/", jobs.job, name="job"),
    path("jobs/<uuid:job_id>/cancel/", jobs.cancel, name="job-cancel"),
    path("jobs/<uuid:job_id>/resume/", jobs.resume, name="job-resume"),
    path("jobs/<uuid:job_id>/undo/", jobs.undo, name="job-undo"),
    path("jobs/<uuid:job_id>/retry/", jobs.retry, name="job-retry"),
    path("memories/add/", edit.add, name="memory-add"),
    path("memories/<uuid:memory_id>/", detail.memory, name="memory-page"),
    path("memories/<uuid:memory_id>/thread/", thread.thread, name="thread"),
    path("memories/<uuid:memory_id>/row/", line.row, name="memory-row"),
    path("memories/<uuid:memory_id>/edit/", edit.edit, name="memory-edit"),
    path("memories/<uuid:memory_id>/forget/", edit.forget, name="memory-forget"),
    path("memories/<uuid:memory_id>/erase/", erase.erase, name="memory-erase"),
    path("memories/<uuid:memory_id>/restore/", edit.restore, name="memory-restore-page"),
    path("memories/<uuid:memory_id>/originals/", edit.originals, name="memory-originals"),
    path("memories/<uuid:memory_id>/access/", share.share, name="memory-share-page"),
    path("readers/<uuid:audience_id>/", readers.audience_readers, name="audience-readers"),
    path("memories/<uuid:memory_id>/readers/", readers.memory_readers, name="memory-readers"),
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
    path("organisation/jobs/", work.work, name="support-jobs"),
    path("organisation/jobs/<uuid:job_id>/retry/", work.retry_job, name="support-job-retry"),
    path(
        "organisation/jobs/embeddings/retry/",
        work.retry_embeddings,
        name="support-embeddings-retry",
    ),
    path("organisation/jobs/answers/retry/", work.retry_answers, name="support-answers-retry"),
    path("organisation/memories/", metadata.memories, name="support-memories"),
    path("organisation/memories/<uuid:memory_id>/", metadata.memory, name="support-memory"),
    path("organisation/questions/", metadata.questions, name="support-questions"),
    path("organisation/audit/", support_trail.trail, name="support-trail"),
    path("memory/<uuid:memory_id>/open/", break_glass.open_for_support, name="support-open"),
    path("memory/<uuid:memory_id>/text/", break_glass.read_for_support, name="support-read"),
]
